"""`sayso passphrase`: what proves that a person decides (REQ-62)."""

from __future__ import annotations

import asyncio

from cyclopts import App

from sayso.cli.acting import (
    CHANNEL,
    PassphraseStdin,
    choose_passphrase,
    must_have_terminal,
    new_passphrase,
    person_named,
    read_hidden,
    read_line,
)
from sayso.cli.running import while_stopped
from sayso.errors import NotAuthenticated
from sayso.front.assembly import open_broker

app = App(
    name="passphrase", help="Choose, change or reset the passphrase.", help_format="plaintext"
)


@app.command(name="set")
def set_(*, passphrase_stdin: PassphraseStdin = False) -> int:
    """Choose the first passphrase, or change it, which asks for the old one.

    Standard input holds the new passphrase as one line; to change it, the old
    one as the line before.
    """
    return asyncio.run(_set(passphrase_stdin))


async def _set(from_stdin: bool) -> int:
    async with open_broker() as broker:
        if not await broker.access.has_passphrase():
            await choose_passphrase(broker, from_stdin=from_stdin)
            print("The passphrase is set.")
            return 0
        name = await person_named(broker, from_stdin=from_stdin)
        if from_stdin:
            old, new = _two_lines()
        else:
            must_have_terminal("changing the passphrase needs a terminal")
            old = read_hidden("Old passphrase: ")
            await broker.access.check(old, CHANNEL, name)
            new = new_passphrase(from_stdin=False)
        await broker.access.choose_passphrase(new, old, CHANNEL, name)
    print("The passphrase is changed.")
    return 0


@app.command
def enrol(*, passphrase_stdin: PassphraseStdin = False) -> int:
    """Choose your passphrase with the code that an admin gave you.

    Standard input holds the code as one line, and the new passphrase as the
    line after.
    """
    return asyncio.run(_enrol(passphrase_stdin))


async def _enrol(from_stdin: bool) -> int:
    if from_stdin:
        code, new = read_line("code"), read_line("passphrase")
    else:
        must_have_terminal("choosing a passphrase needs a terminal")
        code, new = read_hidden("Code: "), new_passphrase(from_stdin=False)
    async with open_broker() as broker:
        name = await broker.access.enrol(code, new, CHANNEL)
    print(f"The passphrase of {name} is set.")
    return 0


@app.command
def reset() -> int:
    """Choose a new passphrase without the old one.

    Only on a terminal, and with the server stopped. Every login and every
    token ends; what waits keeps waiting.
    """
    return asyncio.run(_reset())


async def _reset() -> int:
    with while_stopped("the passphrase cannot be reset while a server is running"):
        async with open_broker() as broker:
            _must_have_person()
            ended = await broker.access.reset_passphrase(new_passphrase(from_stdin=False), CHANNEL)
    print(f"The passphrase is reset; logins and tokens that were ended: {ended}.")
    return 0


def _must_have_person() -> None:
    try:
        must_have_terminal("a passphrase is reset by a person at a terminal, never by a script")
    except NotAuthenticated as error:
        raise NotAuthenticated(error.message, "run it on a terminal") from None


def _two_lines() -> tuple[str, str]:
    old = read_line("passphrase")
    try:
        return old, read_line("passphrase")
    except NotAuthenticated:
        raise NotAuthenticated(
            "a passphrase has been chosen already",
            "to change it give two lines: the old one, then the new one",
        ) from None
