"""Every store: batches of calls, and the conditional write that picks who continues a turn (REQ-33)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sayso.errors import LostRace
from sayso.requests.batch import Batch, ended, taken
from tests.fakes.values import at

pytestmark = pytest.mark.spec("REQ-33")
BATCH = Batch("b1", "s1", ("c1", "c2"), at(1))


async def test_a_batch_is_kept_once(store: Any) -> None:
    assert await store.batch("b1") is None
    assert await store.add_batch(BATCH) == BATCH
    other = Batch("b1", "s1", ("c3",), at(2))
    assert await store.add_batch(other) == BATCH
    assert await store.batch("b1") == BATCH


async def test_of_racing_writers_one_wins(store: Any) -> None:
    await store.add_batch(BATCH)
    tries = [taken(BATCH, f"t{n}", at(60)) for n in range(20)]
    results = await asyncio.gather(
        *(store.change_batch(one) for one in tries), return_exceptions=True
    )
    assert [type(r) for r in results if r is not None] == [LostRace] * 19
    winner = tries[results.index(None)]
    assert await store.batch("b1") == winner
    with pytest.raises(LostRace):
        await store.change_batch(Batch("b2", "s1", (), at(1), version=2))


async def test_a_turn_that_was_ended_stays_ended(store: Any) -> None:
    await store.add_batch(BATCH)
    mine = taken(BATCH, "t", at(60))
    over = ended(mine, "t", at(5))
    await store.change_batch(mine)
    await store.change_batch(over)
    assert await store.batch("b1") == over
