"""`sayso ask-back ID QUESTION`: ask the agent something before deciding."""

from __future__ import annotations

import asyncio
import json

from cyclopts import App

from sayso.cli.acting import AsJson, PassphraseStdin, TokenStdin, acting
from sayso.cli.cards import card_json, find_request
from sayso.core.code_words import code_of

app = App(name="ask-back", help_format="plaintext")


@app.default
def ask_back(
    request_id: str,
    question: str,
    /,
    *,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
    as_json: AsJson = False,
) -> int:
    """Ask the agent something about a request that waits.

    Its answer will stand on the card as its own words, which nobody has checked.

    Parameters
    ----------
    request_id
        The request's id, or its beginning.
    question
        What you want to know.
    """
    return asyncio.run(_ask_back(request_id, question, passphrase_stdin, token_stdin, as_json))


async def _ask_back(
    request_id: str, question: str, passphrase_stdin: bool, token_stdin: bool, as_json: bool
) -> int:
    async with acting(passphrase_stdin=passphrase_stdin, token_stdin=token_stdin) as (
        broker,
        actor,
    ):
        request = await find_request(broker, actor, request_id)
        changed = await broker.attention.ask_back(actor, request.request_id, question)
        said = json.dumps(await card_json(broker, changed, actor), indent=2) if as_json else None
    print(said or f"asked: {code_of(changed.digest)}")
    return 0
