"""How often a call looks into the store on its way: each look is time, and over a network much of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import sayso.store.sqlite as sqlite
from sayso.broker.broker import Broker
from sayso.broker.ports import Claim
from sayso.broker.rule_source import CachedRules, FixedLists, ListRules
from sayso.policy.facts import NOTHING_KNOWN
from sayso.requests.approval import Vote
from sayso.store.sqlite import SqliteStore, open_sqlite
from tests.fakes.world import draft, make_scene, rule

AT_MOST = {"submit": 7, "wait": 1, "review": 3, "claim": 5, "finish": 1}
"""Statements that read, by what they are for. More of them need a reason that is worth their time."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = open_sqlite(tmp_path / "sayso.db", check=False)
    yield store
    store.close()


async def test_a_trip_reads_the_store_no_more_often_than_it_has_to(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = make_scene(store=store)
    lists = FixedLists(ListRules(0, (rule("ask"),)))
    rules = CachedRules(store, lists, (), NOTHING_KNOWN)
    scene = replace(scene, broker=Broker(replace(scene.world, rules=rules)))
    person, gate = await scene.actor(), await scene.gate()
    reads: Counter[str] = Counter()
    doing = ""
    fetch = sqlite._fetch

    def counted(*arguments: Any) -> list[Any]:
        reads[doing] += 1
        return fetch(*arguments)

    for trip in ("first", "second"):  # in the first, rules are compiled and people are read
        doing = f"{trip} submit"
        standing = await gate.submit(draft(external_id=trip))
        doing = f"{trip} review"
        await scene.broker.review(person, standing.call_id, Vote.APPROVE, digest=standing.digest)
        doing = f"{trip} wait"
        assert (await gate.wait(standing.call_id, 1)).status == "approved"
        doing = f"{trip} claim"
        claim = await gate.claim(standing.call_id, standing.digest)
        assert isinstance(claim, Claim)
        doing = f"{trip} finish"
        await gate.finish(claim.call_id, claim.token, True, "sent", 0.0)
        monkeypatch.setattr(sqlite, "_fetch", counted)
    found = {what: reads[f"second {what}"] for what in AT_MOST}
    assert found == AT_MOST, "fewer are better: then lower the ceiling"
