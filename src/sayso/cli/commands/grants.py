"""`sayso grants`: what people had remembered, for people (REQ-51, REQ-53, REQ-54)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter

from sayso.channels.display import safe_line
from sayso.cli.acting import AsJson, PassphraseStdin, TokenStdin, acting
from sayso.cli.table import table
from sayso.config.writing import write_whole
from sayso.requests.approvals_file import write_approvals
from sayso.requests.standing_grant import Bypass, KeyGrant
from sayso.system.places import find_places, private_directory

app = App(
    name="grants",
    help="List what people had remembered, take it back, carry it elsewhere.",
    help_format="plaintext",
)

FILE_NAME = "approvals.json"
MAX_BYTES = 32 * 1024 * 1024

User = Annotated[
    str | None, Parameter(help="The person whose calls it is for; only for an admin another's.")
]


@app.command(name="list")
def list_(
    *,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
    as_json: AsJson = False,
) -> int:
    """List grants, vetoes and bypasses: your own, or everybody's for an admin."""
    return asyncio.run(_list(passphrase_stdin, token_stdin, as_json))


async def _list(passphrase_stdin: bool, token_stdin: bool, as_json: bool) -> int:
    async with acting(passphrase_stdin=passphrase_stdin, token_stdin=token_stdin) as (
        broker,
        actor,
    ):
        grants = await broker.kept.grants(actor)
        bypasses = await broker.kept.bypasses(actor)
    if as_json:
        found = {
            "grants": [grant.to_json() for grant in grants if not grant.veto],
            "vetoes": [grant.to_json() for grant in grants if grant.veto],
            "bypasses": [bypass.to_json() for bypass in bypasses],
        }
        print(json.dumps(found, indent=2))
    elif grants or bypasses:
        rows = [*map(_grant_row, grants), *map(_bypass_row, bypasses)]
        print(table(("id", "what", "how long", "user", "by", "covers"), rows))
    else:
        print("Nothing is remembered.")
    return 0


@app.command
def revoke(
    grant_id: str, /, *, passphrase_stdin: PassphraseStdin = False, token_stdin: TokenStdin = False
) -> int:
    """Take one grant, veto or bypass back: from the next call on it asks again.

    Parameters
    ----------
    grant_id
        Its id, as `sayso grants list` shows it.
    """
    return asyncio.run(_revoke(grant_id, passphrase_stdin, token_stdin))


async def _revoke(grant_id: str, passphrase_stdin: bool, token_stdin: bool) -> int:
    async with acting(passphrase_stdin=passphrase_stdin, token_stdin=token_stdin) as (
        broker,
        actor,
    ):
        if any(b.bypass_id == grant_id for b in await broker.kept.bypasses(actor)):
            label = (await broker.kept.revoke_bypass(actor, grant_id)).scope.label
        else:
            label = (await broker.kept.revoke(actor, grant_id)).key.label
    print(f"taken back: {safe_line(label)}")
    return 0


@app.command
def clear(
    *,
    user: User = None,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
) -> int:
    """Take all grants, vetoes and bypasses back: your own, or for an admin everybody's."""
    return asyncio.run(_clear(user, passphrase_stdin, token_stdin))


async def _clear(user: str | None, passphrase_stdin: bool, token_stdin: bool) -> int:
    async with acting(passphrase_stdin=passphrase_stdin, token_stdin=token_stdin) as (
        broker,
        actor,
    ):
        gone = len(await broker.kept.clear(actor, user_id=user))
        gone += len(await broker.kept.clear_bypasses(actor, user_id=user))
    print(f"taken back: {gone}")
    return 0


@app.command
def export(
    file: Path | None = None,
    /,
    *,
    printed: Annotated[
        bool,
        Parameter(name="--print", negative="", show_default=False, help="Print it instead."),
    ] = False,
    user: User = None,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
) -> int:
    """Write what was granted for always to a file, in the format that others read too.

    Parameters
    ----------
    file
        The file, approvals.json in sayso's private directory by default.
    """
    return asyncio.run(_export(file, printed, user, passphrase_stdin, token_stdin))


async def _export(
    file: Path | None, printed: bool, user: str | None, passphrase_stdin: bool, token_stdin: bool
) -> int:
    async with acting(passphrase_stdin=passphrase_stdin, token_stdin=token_stdin) as (
        broker,
        actor,
    ):
        text = await broker.kept.export(actor, user)
    if printed:
        print(text, end="")
        return 0
    place = _default() if file is None else file
    _write(place, text)
    print(f"written: {place}")
    return 0


@app.command(name="import")
def import_(
    file: Path | None = None,
    /,
    *,
    user: User = None,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
) -> int:
    """Take over the grants of a file; whoever does is the one who gave them.

    What holds a secret, what is granted already, what a veto is on, and a server's tool whose definition
    nobody has approved here is left out and said. A file that is not there is one
    without grants.

    Parameters
    ----------
    file
        The file, approvals.json in sayso's private directory by default.
    """
    return asyncio.run(_import(file, user, passphrase_stdin, token_stdin))


async def _import(
    file: Path | None, user: str | None, passphrase_stdin: bool, token_stdin: bool
) -> int:
    raw = _read(_default() if file is None else file)
    async with acting(passphrase_stdin=passphrase_stdin, token_stdin=token_stdin) as (
        broker,
        actor,
    ):
        done = await broker.kept.import_(actor, raw, user)
    for grant in done.grants:
        print(f"granted: {safe_line(grant.key.label)}")
    for words in done.left_out:
        print(f"left out: {safe_line(words)}")
    if not done.grants and not done.left_out:
        print("There are no grants in it.")
    return 0


def _default() -> Path:
    return find_places().data / FILE_NAME


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES)
    except FileNotFoundError:
        return write_approvals(()).encode()


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all, for its owner only; a directory that is made for it is private."""
    if path.parent == _default().parent or not path.parent.exists():
        private_directory(path.parent)
    write_whole(path, text.encode())


def _grant_row(grant: KeyGrant) -> Sequence[str]:
    what = "veto" if grant.veto else "grant"
    lasts = "always" if grant.session_id is None else "session"
    label = safe_line(grant.key.label)
    return grant.grant_id, what, lasts, safe_line(grant.user_id), safe_line(grant.giver_name), label


def _bypass_row(bypass: Bypass) -> Sequence[str]:
    shown: dict[str, Any] = bypass.to_json()
    lasts = "session" if bypass.until is None else shown["until"][:19] + "Z"
    user, by = safe_line(bypass.user_id), safe_line(bypass.giver_name)
    return bypass.bypass_id, "bypass", lasts, user, by, safe_line(bypass.scope.label)
