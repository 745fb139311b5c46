"""`sayso reject ID`: reject a request; the note reaches the agent."""

from __future__ import annotations

import asyncio
from typing import Annotated

from cyclopts import App, Parameter

from sayso.cli.acting import PassphraseStdin, TokenStdin, acting
from sayso.cli.cards import find_request
from sayso.core.code_words import code_of
from sayso.requests.approval import Vote

app = App(name="reject", help="Reject a request that waits.", help_format="plaintext")


@app.default
def reject(
    request_id: str,
    *,
    note: Annotated[
        str | None, Parameter(name=["--note", "-m"], help="Why, for the agent.")
    ] = None,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
) -> int:
    """Reject a request; an identical call is then refused for a while with the same reason.

    Parameters
    ----------
    request_id
        The request's id, or its beginning.
    """
    return asyncio.run(_reject(request_id, note, passphrase_stdin, token_stdin))


async def _reject(
    request_id: str, note: str | None, passphrase_stdin: bool, token_stdin: bool
) -> int:
    async with acting(passphrase_stdin=passphrase_stdin, token_stdin=token_stdin) as (
        broker,
        actor,
    ):
        request = await find_request(broker, actor, request_id)
        decided = await broker.review(actor, request.request_id, Vote.REJECT, comment=note)
    print(f"{decided.status.value}: {code_of(decided.digest)}")
    return 0
