"""Every store: what claimed calls take of budgets, however many claim at once."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sayso.broker.ports import Change
from sayso.core.budget import Booking, Budget
from sayso.core.moment import Moment
from sayso.core.reason import Reason
from sayso.errors import BudgetSpent, LostRace
from sayso.requests.approval import ApprovalRequest, Status
from sayso.requests.lifecycle import LeaseOver, apply
from sayso.store.sqlite import open_sqlite
from tests.contracts.store_values import OWNERS, approve, asks, claim
from tests.fakes.values import at, said

HOUR = Budget(3, 3600)


def taking(
    request: ApprovalRequest, amount: float = 1, seconds: float = 2, rule: str = "r1"
) -> Change:
    """The claim of a request that takes so much of a budget."""
    booking = Booking(rule, amount, HOUR)
    return replace(claim(request), at=at(seconds), bookings=(booking,))


async def ready(store: Any, count: int) -> list[ApprovalRequest]:
    """So many approved requests."""
    await store.put_credential(OWNERS, [])
    found = []
    for n in range(count):
        new = asks(f"c{n}", arguments={"n": n})
        await store.submit(new)
        change = approve(new.request)
        await store.apply(change)
        found.append(change.request)
    return found


@pytest.mark.spec("REQ-37")
async def test_of_many_claims_at_once_no_more_are_booked_than_fit(store: Any) -> None:
    requests = await ready(store, 8)
    done = await asyncio.gather(
        *(store.apply(taking(request)) for request in requests), return_exceptions=True
    )
    refused = [error for error in done if error is not None]
    assert len(refused) == 5
    assert all(isinstance(error, BudgetSpent) for error in refused)
    assert await store.spent("r1", at(0)) == 3.0
    states = [(await store.request(r.request_id)).status for r in requests]
    assert states.count(Status.RUNNING) == 3
    assert states.count(Status.APPROVED) == 5


@pytest.mark.spec("REQ-37")
async def test_two_programs_on_one_file_do_not_overspend(tmp_path: Path) -> None:
    path = tmp_path / "data" / "sayso.db"
    one, other = open_sqlite(path), open_sqlite(path)
    try:
        requests = await ready(one, 8)
        done = await asyncio.gather(
            *((one, other)[n % 2].apply(taking(r)) for n, r in enumerate(requests)),
            return_exceptions=True,
        )
        assert sum(error is None for error in done) == 3
        assert await other.spent("r1", at(0)) == 3.0
    finally:
        one.close()
        other.close()


@pytest.mark.spec("REQ-37")
async def test_what_was_booked_counts_for_its_time_and_while_it_may_still_run(store: Any) -> None:
    requests = await ready(store, 4)
    await store.apply(taking(requests[0], 1.5))
    running = taking(requests[1], 1.5)
    await store.apply(running)
    assert await store.spent("r1", at(0)) == 3.0
    assert await store.spent("r1", at(2)) == 3.0  # both still run
    assert await store.spent("another", Moment(0)) == 0.0
    with pytest.raises(BudgetSpent):
        await store.apply(taking(requests[2], 0.5))
    lost = apply(running.request, LeaseOver(said(Reason.ERROR, 40)))
    await store.apply(Change(lost, running.request.version, at(40)))
    assert await store.spent("r1", at(4000)) == 3.0  # what is unknown, too
    with pytest.raises(LostRace):
        await store.apply(taking(requests[2], 0.5, seconds=9000))
    assert (await store.request(requests[2].request_id)).status is Status.APPROVED
