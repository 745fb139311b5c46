"""`sayso inbox`: what waits for people, on the command line."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Annotated

from cyclopts import App, Parameter

from sayso.broker.broker import Broker
from sayso.cli.acting import AsJson
from sayso.cli.cards import beginning_of, card_json, card_text, inbox_table, short_ids
from sayso.cli.freezes import say_frozen
from sayso.cli.questions import (
    card_of_question,
    question_beginning,
    question_table,
    question_text,
)
from sayso.cli.saying import quiet_logs, say
from sayso.core.code_words import code_of
from sayso.front.assembly import open_broker
from sayso.requests.alike import folded
from sayso.requests.approval import ApprovalRequest

All = Annotated[
    bool,
    Parameter(
        name="--all", negative="", show_default=False, help="Also list what is alike one by one."
    ),
]

app = App(name="inbox", help="See what waits for people.", help_format="plaintext")


@app.command(name="list")
def list_(*, all_: All = False, as_json: AsJson = False) -> int:
    """List everything that waits, longest first; more than five alike take one line."""
    return asyncio.run(_list(all_, as_json))


@app.command
def show(request_id: str, /, *, as_json: AsJson = False) -> int:
    """Show one request in full: nothing of it is cut or hidden.

    Parameters
    ----------
    request_id
        The request's id, or its beginning.
    """
    return asyncio.run(_show(request_id, as_json))


async def _warn(broker: Broker, requests: Sequence[ApprovalRequest]) -> None:
    """Say what is wrong with the settings, those of the requests' workspaces among them."""
    for request in requests:
        await broker.world.rules.current(request.call.workspace)
    for problem in broker.world.rules.problems():
        say("warning", problem)


async def _list(unfolded: bool, as_json: bool) -> int:
    quiet_logs()  # what they would say is said in words
    async with open_broker() as broker:
        store = broker.world.store
        requests = [*await store.unreviewed(), *await store.pending()]
        await _warn(broker, requests)
        await say_frozen(broker)
        questions = await store.open_questions()
        if as_json:
            cards = [await card_json(broker, request) for request in requests]
            asked = [await card_of_question(broker, question, None) for question in questions]
            print(json.dumps([*cards, *(card.to_json() for card in asked)], indent=2))
            return 0
        if not requests and not questions:
            print("Nothing waits for you.")
            return 0
        now = broker.world.clock.now()
        if requests:
            print(inbox_table(requests, now, unfolded=unfolded))
            if not unfolded and len(folded(requests)) < len(requests):
                print("\nalike    sayso inbox list --all")
        if questions:
            print(f"{chr(10) if requests else ''}{question_table(questions, now)}")
    if questions:
        name = short_ids([one.question_id for one in questions])[questions[0].question_id]
        print(f"\nlook     sayso inbox show {name}")
        print(f"answer   sayso answer {name} …")
    if not requests:
        return 0
    first = requests[0]
    short = short_ids([request.request_id for request in requests])[first.request_id]
    print(f"\nlook     sayso inbox show {short}")
    print(f'approve  sayso approve {short} --code "{code_of(first.digest)}"')
    print(f'reject   sayso reject {short} -m "why"')
    return 0


async def _show(request_id: str, as_json: bool) -> int:
    quiet_logs()
    async with open_broker() as broker:
        question = await question_beginning(broker, request_id)
        if question is not None:
            card = await card_of_question(broker, question, None)
            print(json.dumps(card.to_json(), indent=2) if as_json else question_text(card))
            return 0
        request = await beginning_of(broker, request_id)
        await _warn(broker, [request])
        await say_frozen(broker)
        if as_json:
            print(json.dumps(await card_json(broker, request), indent=2))
        else:
            print(await card_text(broker, None, request))
    return 0
