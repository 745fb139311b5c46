"""`sayso approve ID`: approve exactly what was shown."""

from __future__ import annotations

import asyncio
import sys
from typing import Annotated

from cyclopts import App, Parameter

from sayso.cli.acting import PassphraseStdin, TokenStdin, acting
from sayso.cli.cards import card_text, find_request
from sayso.core.code_words import code_of
from sayso.errors import DigestMismatch, NotAuthenticated
from sayso.requests.approval import Vote

app = App(name="approve", help="Approve a request that waits.", help_format="plaintext")


@app.default
def approve(
    request_id: str,
    *,
    code: Annotated[
        str | None, Parameter(help="The four-word code of the card you looked at, in quotes.")
    ] = None,
    digest: Annotated[str | None, Parameter(help="The digest of the card you looked at.")] = None,
    note: Annotated[
        str | None, Parameter(name=["--note", "-m"], help="A note for the agent.")
    ] = None,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
) -> int:
    """Approve a request.

    On a terminal the card is shown first and confirmed. Without one, --code or --digest says which
    card was looked at, because an approval is bound to exactly what was shown.

    Parameters
    ----------
    request_id
        The request's id, or its beginning.
    """
    return asyncio.run(_approve(request_id, code, digest, note, passphrase_stdin, token_stdin))


async def _approve(
    request_id: str,
    code: str | None,
    digest: str | None,
    note: str | None,
    passphrase_stdin: bool,
    token_stdin: bool,
) -> int:
    async with acting(passphrase_stdin=passphrase_stdin, token_stdin=token_stdin) as (
        broker,
        actor,
    ):
        request = await find_request(broker, actor, request_id)
        if code is not None and " ".join(code.lower().split()) != code_of(request.digest):
            raise DigestMismatch(
                f"the code `{code}` is not the one of this call", "look at the card again"
            )
        if code is None and digest is None and request.waits:
            print(await card_text(broker, actor, request))
            _confirm()
        decided = await broker.review(
            actor,
            request.request_id,
            Vote.APPROVE,
            digest=digest if digest is not None else request.digest,
            comment=note,
        )
    print(f"{decided.status.value}: {code_of(decided.digest)}")
    return 0


def _confirm() -> None:
    if not sys.stdin.isatty():
        raise NotAuthenticated(
            "an approval is bound to what was shown, and there is no terminal to show it on",
            "look with `sayso inbox show ID`, then give its --code or --digest",
        )
    answer = input("Approve exactly this, once? Type yes: ")
    if answer.strip().lower() not in ("y", "yes"):
        raise NotAuthenticated("not approved", "nothing was changed")
