"""`sayso inbox`: what waits for people, on the command line."""

from __future__ import annotations

import asyncio
import json

from cyclopts import App

from sayso.cli.acting import AsJson
from sayso.cli.cards import beginning_of, card_json, card_text, row_text
from sayso.core.code_words import code_of
from sayso.front.assembly import open_broker

app = App(name="inbox", help="What waits for people.", help_format="plaintext")


@app.command(name="list")
def list_(*, as_json: AsJson = False) -> int:
    """List everything that waits, longest first."""
    return asyncio.run(_list(as_json))


@app.command
def show(request_id: str, *, as_json: AsJson = False) -> int:
    """Show one request in full.

    Parameters
    ----------
    request_id
        The request's id, or its beginning.
    """
    return asyncio.run(_show(request_id, as_json))


async def _list(as_json: bool) -> int:
    async with open_broker() as broker:
        requests = await broker.world.store.pending()
        now = broker.world.clock.now()
        if as_json:
            print(json.dumps([await card_json(broker, request) for request in requests], indent=2))
            return 0
        if not requests:
            print("Nothing waits for you.")
        for request in requests:
            print(row_text(request, now))
        if requests:
            example = requests[0]
            print()
            print(f"Look: sayso inbox show {example.request_id}")
            print(
                f'Decide: sayso approve {example.request_id} --code "{code_of(example.digest)}"'
                " · sayso reject ID -m WHY"
            )
    return 0


async def _show(request_id: str, as_json: bool) -> int:
    async with open_broker() as broker:
        request = await beginning_of(broker, request_id)
        if as_json:
            print(json.dumps(await card_json(broker, request), indent=2))
        else:
            print(await card_text(broker, None, request))
    return 0
