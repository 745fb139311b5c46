"""`sayso passphrase`: what proves that a person decides (REQ-62)."""

from __future__ import annotations

import asyncio
import getpass
import sys

from cyclopts import App

from sayso.cli.acting import CHANNEL, PassphraseStdin, choose_passphrase
from sayso.cli.running import refuse_while_serving
from sayso.errors import NotAuthenticated
from sayso.front.assembly import open_broker

app = App(name="passphrase", help="Choose or reset the passphrase.", help_format="plaintext")


@app.command(name="set")
def set_(*, passphrase_stdin: PassphraseStdin = False) -> int:
    """Choose the first passphrase, or change it (which asks for the old one).

    From standard input: the new passphrase as one line; to change it, the old one as the line before.
    """
    return asyncio.run(_set(passphrase_stdin))


async def _set(from_stdin: bool) -> int:
    async with open_broker() as broker:
        if not await broker.access.has_passphrase():
            await choose_passphrase(broker, from_stdin=from_stdin)
        else:
            old, new = _old_and_new(from_stdin)
            await broker.access.choose_passphrase(new, old, CHANNEL)
    print("The passphrase is set.")
    return 0


@app.command
def reset(*, passphrase_stdin: PassphraseStdin = False) -> int:
    """Choose a new passphrase without the old one; the server must be stopped, and every login and token ends."""
    return asyncio.run(_reset(passphrase_stdin))


async def _reset(from_stdin: bool) -> int:
    async with open_broker() as broker:
        refuse_while_serving("the passphrase cannot be reset while a server is running")
        ended = await broker.access.reset_passphrase(_new(from_stdin), CHANNEL)
    print(f"The passphrase is reset; {ended} logins and tokens were ended.")
    return 0


def _old_and_new(from_stdin: bool) -> tuple[str, str]:
    if from_stdin:
        lines = [sys.stdin.readline().rstrip("\r\n") for _ in range(2)]
        if not all(lines):
            raise NotAuthenticated(
                "a passphrase has been chosen already",
                "to change it give two lines: the old one, then the new one",
            )
        return lines[0], lines[1]
    return getpass.getpass("Old passphrase: "), _new(from_stdin)


def _new(from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise NotAuthenticated("there is no terminal to ask on", "use --passphrase-stdin")
    first = getpass.getpass("New passphrase: ")
    if getpass.getpass("Once more: ") != first:
        raise NotAuthenticated("the two passphrases differ", "try again")
    return first
