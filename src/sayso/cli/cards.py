"""Requests on the command line: found by their id or its beginning, shown by the card every surface shows."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from typing import Any

from sayso.broker.access import Actor
from sayso.broker.broker import Broker
from sayso.channels.card import Card
from sayso.channels.display import one_line, plain, show
from sayso.channels.terminal.picture import draw
from sayso.channels.terminal.sheet import MAX_WIDTH, Look
from sayso.channels.viewing import card_now
from sayso.cli.table import table
from sayso.core.code_words import code_of
from sayso.core.moment import Moment, seconds_between
from sayso.errors import DigestMismatch, NotAuthenticated, RequestNotFound
from sayso.requests.alike import folded
from sayso.requests.approval import ApprovalRequest, Caller, Status

MIN_BEGINNING = 6
SHORT = 14
"""So many characters of an id are shown in lists, unless two would look the same."""

RECENT = 200
"""How many of the requests that were resolved last can be found by the beginning of their id."""


async def find_request(broker: Broker, actor: Actor, request_id: str) -> ApprovalRequest:
    """The request with that id or beginning, if the actor may see it.

    Raises RequestNotFound, also for a beginning that several share; NotEligible.
    """
    found = await beginning_of(broker, request_id)
    return await broker.request(actor, found.request_id)


async def beginning_of(broker: Broker, request_id: str) -> ApprovalRequest:
    """The request with exactly that id, or the one whose id begins so: of those that wait, or lately did."""
    store = broker.world.store
    exact = await store.request(request_id)
    if exact is not None:
        return exact
    if len(request_id) >= MIN_BEGINNING:
        known = (await store.pending(), await store.unreviewed(), await store.recent(RECENT))
        for requests in known:
            begins = [r for r in requests if r.request_id.startswith(request_id)]
            if len(begins) > 1:
                raise RequestNotFound(
                    f"several requests begin with `{request_id[:64]}`",
                    f"write more of it: {begins[0].request_id}",
                )
            if begins:
                return begins[0]
    raise RequestNotFound(f"no request has the id `{request_id[:64]}`", "see: sayso inbox list")


def check_code(request: ApprovalRequest, code: str | None) -> None:
    """Check the four words somebody says they looked at; raises DigestMismatch."""
    if code is not None and " ".join(code.lower().split()) != code_of(request.digest):
        raise DigestMismatch(
            f"the code `{code[:80]}` is not the one of this call",
            f"look at it: sayso inbox show {request.request_id}",
        )


def must_see(request: ApprovalRequest) -> None:
    """Raise NotAuthenticated where there is no terminal to show the card on."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise NotAuthenticated(
            "an approval is bound to what was shown, and there is no terminal to show it on",
            f"look with `sayso inbox show {request.request_id}`, then give its --code or --digest",
        )


def short_ids(ids: Sequence[str]) -> dict[str, str]:
    """The beginning of each id that is enough to tell it from the others."""
    length = SHORT
    while len({one[:length] for one in ids}) < len(set(ids)):
        length += 1
    return {one: one[:length] for one in ids}


async def picture(broker: Broker, actor: Actor | None, request: ApprovalRequest) -> Card:
    """The card of a request for this actor; without one nothing can be decided on it."""
    refusal = "log in to decide" if actor is None else await broker.why_not(actor, request)
    person_id = None if actor is None else actor.person.person_id
    return await card_now(broker.world, request, refusal, person_id)


async def card_json(
    broker: Broker, request: ApprovalRequest, actor: Actor | None = None
) -> dict[str, Any]:
    """The card as the API writes it."""
    return (await picture(broker, actor, request)).to_json()


async def card_text(broker: Broker, actor: Actor | None, request: ApprovalRequest) -> str:
    """The card in the terminal's width, at most 80 columns, in full: nothing of it is cut."""
    look = Look.COLOUR if sys.stdout.isatty() and "NO_COLOR" not in os.environ else Look.PLAIN
    card = await picture(broker, actor, request)
    width = shutil.get_terminal_size((MAX_WIDTH, 24)).columns if sys.stdout.isatty() else MAX_WIDTH
    drawn = draw(card, broker.world.clock.now(), width=width, full=True, look=look)
    return drawn.text.rstrip("\n")


def inbox_table(requests: Sequence[ApprovalRequest], now: Moment, *, unfolded: bool = False) -> str:
    """The requests one a line: id, severity, how long it has waited, code, and what would be done.

    Where more than a few are alike, one line stands for them and says how many more there are (GATE-9),
    unless `unfolded`.
    """
    rows_of = [(request, 0) for request in requests] if unfolded else folded(requests)
    short = short_ids([request.request_id for request in requests])
    rows = [
        (
            short[request.request_id],
            request.policy.severity.word,
            age(seconds_between(request.created_at, now)),
            code_of(request.digest),
            _what(request) + (f" (and {more} more alike)" if more else ""),
        )
        for request, more in rows_of
    ]
    return table(("id", "severity", "waits", "code", "action"), rows)


def _what(request: ApprovalRequest) -> str:
    action = plain(one_line(show(request.action)))
    if request.status is Status.UNKNOWN:
        return f"{action} (it ran; what came of it is unknown)"
    if request.glass is not None and request.glass.review is None:
        return f"{action} (the glass was broken; a second person has to review it)"
    return f"{action} (its caller has gone)" if request.caller is Caller.GONE else action


def age(seconds: float) -> str:
    """A time in words, as lists show it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h" if seconds < 172_800 else f"{seconds / 86_400:.0f} days"
