"""`sayso review-glass ID`: as a second person, say whether breaking the glass was right."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated

from cyclopts import App, Parameter

from sayso.cli.acting import AsJson, PassphraseStdin, TokenStdin, acting
from sayso.cli.cards import card_json, find_request
from sayso.core.code_words import code_of

app = App(name="review-glass", help_format="plaintext")


@app.default
def review_glass(
    request_id: str,
    /,
    *,
    justified: Annotated[
        bool, Parameter(negative="--not-justified", help="Whether it was right to run it.")
    ],
    note: Annotated[str | None, Parameter(name=["--note", "-m"], help="For the audit log.")] = None,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
    as_json: AsJson = False,
) -> int:
    """Review what somebody ran without its votes.

    Parameters
    ----------
    request_id
        The request's id, or its beginning.
    """
    return asyncio.run(_review(request_id, justified, note, passphrase_stdin, token_stdin, as_json))


async def _review(
    request_id: str,
    justified: bool,
    note: str | None,
    passphrase_stdin: bool,
    token_stdin: bool,
    as_json: bool,
) -> int:
    async with acting(passphrase_stdin=passphrase_stdin, token_stdin=token_stdin) as (
        broker,
        actor,
    ):
        request = await find_request(broker, actor, request_id)
        done = await broker.attention.review_glass(
            actor, request.request_id, justified=justified, comment=note
        )
        said = json.dumps(await card_json(broker, done, actor), indent=2) if as_json else None
    print(said or f"reviewed: {code_of(done.digest)}")
    return 0
