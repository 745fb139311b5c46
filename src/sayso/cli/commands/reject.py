"""`sayso reject ID`: reject a request; the note reaches the agent."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated

from cyclopts import App, Parameter

from sayso.cli.acting import AsJson, PassphraseStdin, TokenStdin, acting
from sayso.cli.cards import card_json, find_request
from sayso.core.code_words import code_of
from sayso.requests.approval import Vote

app = App(name="reject", help_format="plaintext")


@app.default
def reject(
    request_id: str,
    /,
    *,
    note: Annotated[
        str | None, Parameter(name=["--note", "-m"], help="Why: the agent is told.")
    ] = None,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
    as_json: AsJson = False,
) -> int:
    """Reject a request that waits.

    It needs a person's credential: the passphrase, or an approver's or admin's
    token on standard input or in SAYSO_TOKEN.

    An identical call is then refused for a while with the same reason.

    Parameters
    ----------
    request_id
        The request's id, or its beginning.
    """
    return asyncio.run(_reject(request_id, note, passphrase_stdin, token_stdin, as_json))


async def _reject(
    request_id: str, note: str | None, passphrase_stdin: bool, token_stdin: bool, as_json: bool
) -> int:
    async with acting(passphrase_stdin=passphrase_stdin, token_stdin=token_stdin) as (
        broker,
        actor,
    ):
        request = await find_request(broker, actor, request_id)
        decided = await broker.review(actor, request.request_id, Vote.REJECT, comment=note)
        said = json.dumps(await card_json(broker, decided, actor), indent=2) if as_json else None
    print(said or f"{decided.status.value}: {code_of(decided.digest)}")
    return 0
