"""Who acts at the command line: a person proves it with the passphrase or a token, every time (REQ-62)."""

from __future__ import annotations

import asyncio
import contextlib
import getpass
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Annotated, TypeVar

from cyclopts import Parameter

from sayso.broker.access import ACT_SECONDS, MIN_PASSPHRASE, Actor
from sayso.broker.broker import Broker
from sayso.errors import CallInvalid, NotAuthenticated, NotEligible, SaysoError
from sayso.front.assembly import open_broker
from sayso.people.token import CredentialKind

T = TypeVar("T")

CHANNEL = "terminal"
TOKEN_VARIABLE = "SAYSO_TOKEN"
PERSON_VARIABLE = "SAYSO_PERSON"

TRIES = 3
"""How often a new passphrase that will not do is asked for again."""

PassphraseStdin = Annotated[
    bool,
    Parameter(
        name="--passphrase-stdin",
        negative="",
        show_default=False,
        help="Read the passphrase from standard input, one line.",
    ),
]
TokenStdin = Annotated[
    bool,
    Parameter(
        name="--token-stdin",
        negative="",
        show_default=False,
        help="Read an approver's or admin's token from standard input, one line.",
    ),
]
AsJson = Annotated[
    bool, Parameter(name="--json", negative="", show_default=False, help="Print JSON.")
]


@contextlib.asynccontextmanager
async def acting(
    *, passphrase_stdin: bool = False, token_stdin: bool = False
) -> AsyncIterator[tuple[Broker, Actor]]:
    """The broker of this installation and who acts; a login made with the passphrase ends with it.

    What is given on standard input goes before the token in the environment. Raises NotAuthenticated
    where no credential can be had, NotEligible for an agent's token, PassphraseWrong, RateLimited.
    """
    if passphrase_stdin and token_stdin:
        raise CallInvalid(
            "both a passphrase and a token are to come from standard input", "give one of them"
        )
    token = None
    if token_stdin:
        token = read_line("token")
    elif not passphrase_stdin:
        token = os.environ.get(TOKEN_VARIABLE) or None
    async with open_broker() as broker:
        if token is not None:
            yield broker, await _by_token(broker, token)
            return
        name = await person_named(broker, from_stdin=passphrase_stdin)
        passphrase = await _passphrase(broker, from_stdin=passphrase_stdin)
        _, actor = await broker.access.login(passphrase, CHANNEL, ACT_SECONDS, name)
        try:
            yield broker, actor
        finally:
            with contextlib.suppress(SaysoError):
                await broker.access.revoke(actor, actor.credential.credential_id)


def acted(
    work: Callable[[Broker, Actor], Awaitable[T]], passphrase_stdin: bool, token_stdin: bool
) -> T:
    """Do something as the person whose credential is given."""

    async def run() -> T:
        async with acting(passphrase_stdin=passphrase_stdin, token_stdin=token_stdin) as (
            broker,
            actor,
        ):
            return await work(broker, actor)

    return asyncio.run(run())


async def person_named(broker: Broker, *, from_stdin: bool) -> str | None:
    """Who acts: whom SAYSO_PERSON names, or, where there are several people, who says so; None is the owner."""
    named = os.environ.get(PERSON_VARIABLE) or None
    if named is not None or from_stdin or not sys.stdin.isatty():
        return named
    if not await broker.access.several_people():
        return None
    return read_shown("Name (owner): ") or None


async def choose_passphrase(broker: Broker, *, from_stdin: bool) -> None:
    """Choose the first passphrase, on the terminal (twice) or from standard input."""
    if not from_stdin:
        must_have_terminal("choosing a passphrase needs a terminal")
        print(
            "Choose a passphrase. It proves that a person decides; no agent may ever know it.",
            file=sys.stderr,
        )
    await broker.access.choose_passphrase(new_passphrase(from_stdin=from_stdin), None, CHANNEL)


def new_passphrase(*, from_stdin: bool) -> str:
    """A new passphrase: one line of standard input, or typed twice and again until it will do."""
    if from_stdin:
        return read_line("passphrase")
    for _ in range(TRIES):
        first = read_hidden("New passphrase: ")
        if len(first) < MIN_PASSPHRASE:
            print(f"It needs at least {MIN_PASSPHRASE} characters.", file=sys.stderr)
        elif read_hidden("Once more: ") != first:
            print("The two differ.", file=sys.stderr)
        else:
            return first
    raise NotAuthenticated("no passphrase was chosen", "try again")


def must_have_terminal(message: str) -> None:
    """Raise NotAuthenticated with this message if there is no terminal to ask on."""
    if not sys.stdin.isatty():
        raise NotAuthenticated(message, "run it on a terminal, or use --passphrase-stdin")


def read_hidden(question: str) -> str:
    """A line typed on the terminal and not shown; raises NotAuthenticated if the input ends."""
    try:
        with interruptible():
            return getpass.getpass(question)
    except (EOFError, UnicodeError) as error:
        print(file=sys.stderr)
        raise NotAuthenticated("nothing was typed", "nothing was changed; try again") from error


def read_shown(question: str) -> str:
    """A line typed on the terminal; raises NotAuthenticated if the input ends."""
    try:
        with interruptible():
            return input(question).strip()
    except (EOFError, UnicodeError) as error:
        print(file=sys.stderr)
        raise NotAuthenticated("nothing was typed", "nothing was changed; try again") from error


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl+C end a prompt at once: an event loop keeps the first one for itself."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def confirmed(question: str) -> bool:
    """Whether somebody at the terminal answers yes."""
    try:
        with interruptible():
            answer = input(f"\n{question} Type yes: ")
    except (EOFError, UnicodeError):
        print()
        return False
    return answer.strip().lower() in ("y", "yes")


def read_line(what: str) -> str:
    """One line of standard input; raises NotAuthenticated if there is none."""
    try:
        line = sys.stdin.readline().rstrip("\r\n")
    except UnicodeError as error:
        raise NotAuthenticated(
            f"the {what} on standard input is not UTF-8", f"pipe the {what} in as one line"
        ) from error
    if not line:
        raise NotAuthenticated(f"standard input holds no {what}", f"pipe the {what} in as one line")
    return line


async def _by_token(broker: Broker, token: str) -> Actor:
    actor = await broker.access.authenticate(token, CHANNEL)
    if actor.kind is CredentialKind.AGENT:
        raise NotEligible(
            "an agent's token can never decide or configure",
            "use the passphrase, or an approver's or admin's token",
        )
    return actor


async def _passphrase(broker: Broker, *, from_stdin: bool) -> str:
    if from_stdin:
        return read_line("passphrase")
    if not sys.stdin.isatty():
        raise NotAuthenticated(
            "deciding needs a person's credential, and there is no terminal to ask on",
            f"use --passphrase-stdin or --token-stdin, or put an approver's token into "
            f"{TOKEN_VARIABLE}",
        )
    if not await broker.access.has_passphrase():
        await choose_passphrase(broker, from_stdin=False)
    return read_hidden("Passphrase: ")
