"""Who acts at the command line: a person proves it with the passphrase or a token, every time (REQ-62)."""

from __future__ import annotations

import contextlib
import getpass
import os
import sys
from collections.abc import AsyncIterator
from typing import Annotated

from cyclopts import Parameter

from sayso.broker.access import Actor
from sayso.broker.broker import Broker
from sayso.errors import NotAuthenticated, SaysoError
from sayso.front.assembly import open_broker

CHANNEL = "terminal"
TOKEN_VARIABLE = "SAYSO_TOKEN"
ACT_SECONDS = 120.0
"""How long the login of one command lasts at most."""

PassphraseStdin = Annotated[
    bool,
    Parameter(
        name="--passphrase-stdin", negative="", help="Read the passphrase from standard input."
    ),
]
TokenStdin = Annotated[
    bool,
    Parameter(
        name="--token-stdin",
        negative="",
        help="Read an approver's or admin's token from standard input.",
    ),
]
AsJson = Annotated[bool, Parameter(name="--json", negative="", help="Print JSON.")]


@contextlib.asynccontextmanager
async def acting(
    *, passphrase_stdin: bool = False, token_stdin: bool = False
) -> AsyncIterator[tuple[Broker, Actor]]:
    """The broker of this installation and who acts; a login made with the passphrase ends with it.

    Raises NotAuthenticated where no credential can be had, PassphraseWrong, RateLimited.
    """
    async with open_broker() as broker:
        token = _token(token_stdin)
        if token is not None:
            yield broker, await broker.access.authenticate(token, CHANNEL)
            return
        passphrase = await _passphrase(broker, from_stdin=passphrase_stdin)
        _, actor = await broker.access.login(passphrase, CHANNEL, ACT_SECONDS)
        try:
            yield broker, actor
        finally:
            with contextlib.suppress(SaysoError):
                await broker.access.revoke(actor, actor.credential.credential_id)


async def choose_passphrase(broker: Broker, *, from_stdin: bool) -> None:
    """Choose the first passphrase, on the terminal (twice) or from standard input."""
    if from_stdin:
        await broker.access.choose_passphrase(_read_line("passphrase"), None, CHANNEL)
        return
    _must_have_terminal()
    print(
        "Choose a passphrase. It is what proves that a person decides; an agent must never know it.",
        file=sys.stderr,
    )
    first = getpass.getpass("New passphrase: ")
    if getpass.getpass("Once more: ") != first:
        raise NotAuthenticated("the two passphrases differ", "try again")
    await broker.access.choose_passphrase(first, None, CHANNEL)


async def _passphrase(broker: Broker, *, from_stdin: bool) -> str:
    if from_stdin:
        return _read_line("passphrase")
    _must_have_terminal()
    if not await broker.access.has_passphrase():
        await choose_passphrase(broker, from_stdin=False)
    return getpass.getpass("Passphrase: ")


def _token(from_stdin: bool) -> str | None:
    if from_stdin:
        return _read_line("token")
    return os.environ.get(TOKEN_VARIABLE) or None


def _must_have_terminal() -> None:
    if not sys.stdin.isatty():
        raise NotAuthenticated(
            "deciding needs a person's credential, and there is no terminal to ask on",
            f"use --passphrase-stdin or --token-stdin, or set {TOKEN_VARIABLE} to an approver's token",
        )


def _read_line(what: str) -> str:
    line = sys.stdin.readline().rstrip("\r\n")
    if not line:
        raise NotAuthenticated(f"standard input holds no {what}", f"pipe the {what} in as one line")
    return line
