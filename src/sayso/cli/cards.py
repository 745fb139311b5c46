"""Requests on the command line: found by their id or its beginning, shown by the card every surface shows."""

from __future__ import annotations

import os
import sys
from typing import Any

from sayso.broker.access import Actor
from sayso.broker.broker import Broker
from sayso.channels.card import Card, card_of
from sayso.channels.display import one_line, plain, show
from sayso.channels.terminal.picture import Look, draw
from sayso.core.code_words import code_of
from sayso.core.moment import Moment, seconds_between
from sayso.errors import RequestNotFound
from sayso.requests.approval import ApprovalRequest

MIN_BEGINNING = 6


async def find_request(broker: Broker, actor: Actor, request_id: str) -> ApprovalRequest:
    """The request with that id or beginning, if the actor may see it.

    Raises RequestNotFound, also for a beginning that several share; NotEligible.
    """
    found = await beginning_of(broker, request_id)
    return await broker.request(actor, found.request_id)


async def beginning_of(broker: Broker, request_id: str) -> ApprovalRequest:
    """The request with exactly that id, or the one that waits whose id begins so."""
    exact = await broker.world.store.request(request_id)
    if exact is not None:
        return exact
    begins = [
        request
        for request in await broker.world.store.pending()
        if len(request_id) >= MIN_BEGINNING and request.request_id.startswith(request_id)
    ]
    if len(begins) != 1:
        several = "several requests begin with" if begins else "no request has the id"
        raise RequestNotFound(f"{several} `{request_id[:64]}`", "see: sayso inbox list")
    return begins[0]


async def picture(broker: Broker, actor: Actor | None, request: ApprovalRequest) -> Card:
    """The card of a request for this actor; without one nothing can be decided on it."""
    refusal = "log in to decide" if actor is None else broker.why_not(actor, request)
    unavailable = (await broker.world.rules.current()).unavailable is not None
    return card_of(
        request,
        may_decide=refusal is None,
        reason=refusal,
        now=broker.world.clock.now(),
        rules_unavailable=unavailable,
    )


async def card_json(broker: Broker, request: ApprovalRequest) -> dict[str, Any]:
    """The card as the API writes it."""
    return (await picture(broker, None, request)).to_json()


async def card_text(broker: Broker, actor: Actor | None, request: ApprovalRequest) -> str:
    """The card in at most 80 columns, in full: nothing of it is cut."""
    look = Look.COLOUR if sys.stdout.isatty() and "NO_COLOR" not in os.environ else Look.PLAIN
    card = await picture(broker, actor, request)
    return draw(card, broker.world.clock.now(), full=True, look=look).text


def row_text(request: ApprovalRequest, now: Moment) -> str:
    """One line of the inbox: id, severity, age, code, action."""
    age = _age(seconds_between(request.created_at, now))
    state = "" if request.waits else f" ({request.status.value})"
    return (
        f"{request.request_id}  {request.policy.severity.word:6}  {age:>7}  "
        f"{code_of(request.digest)}  {plain(one_line(show(request.action)))}{state}"
    )


def _age(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h" if seconds < 172_800 else f"{seconds / 86_400:.0f} days"
