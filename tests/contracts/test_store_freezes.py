"""Every store: the brakes that people put on, each their own, with the version by which replicas notice."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from sayso.audit.record import RecordKind
from sayso.core.freeze import Freeze
from sayso.store.sqlite import open_sqlite
from tests.contracts.store_values import chain, everything, notice, record
from tests.fakes.values import at


def brake(
    who: str = "owner", agent_id: str | None = None, seconds: float = 0, **more: Any
) -> Freeze:
    return Freeze(who, who.title(), "test", at(seconds), agent_id, **more)


async def put_on(store: Any, freeze: Freeze) -> bool:
    logged = [record(RecordKind.CONFIGURATION, "")], [notice("")]
    return bool(await store.freeze(freeze, *logged))


async def take_off(store: Any, agent_id: str | None, who: str | None) -> int:
    logged = [record(RecordKind.CONFIGURATION, "")], [notice("")]
    return int(await store.thaw(agent_id, who, *logged))


@pytest.mark.spec("GATE-8")
async def test_each_person_has_a_brake_of_their_own(store: Any) -> None:
    assert await store.freezes() == []
    version = await store.rules_version()
    mine = brake(reason="the deploy is broken", seconds=2)
    annas = brake("anna", seconds=1)
    one_agent = brake("anna", "coder", 3)
    for freeze in (mine, annas, one_agent):
        assert await put_on(store, freeze)
    assert list(await store.freezes()) == [annas, mine, one_agent]
    assert await store.rules_version() == version + 3
    assert await take_off(store, None, "anna") == 1
    assert list(await store.freezes()) == [mine, one_agent]
    await put_on(store, annas)
    assert await take_off(store, None, None) == 2
    assert list(await store.freezes()) == [one_agent]
    assert await take_off(store, "coder", None) == 1
    assert await store.freezes() == []
    assert await store.rules_version() == version + 7
    assert (await chain(store)).ok


@pytest.mark.spec("GATE-8")
async def test_what_changes_nothing_writes_nothing(store: Any) -> None:
    first = brake("anna", "coder", reason="first")
    await put_on(store, first)
    before = await everything(store)
    assert not await put_on(store, brake("anna", "coder", 9, reason="second"))
    assert await take_off(store, None, None) == 0
    assert await take_off(store, "coder", "owner") == 0
    assert await take_off(store, "other", None) == 0
    assert list(await store.freezes()) == [first]
    assert await everything(store) == before


@pytest.mark.spec("GATE-8")
async def test_another_program_on_the_file_sees_it_at_once(tmp_path: Path) -> None:
    path = tmp_path / "data" / "sayso.db"
    one, other = open_sqlite(path), open_sqlite(path)
    try:
        version = await other.rules_version()
        done = await asyncio.gather(*(put_on(store, brake()) for store in (one, other)))
        assert sorted(done) == [False, True]
        assert await other.rules_version() == version + 1
        assert [freeze.by for freeze in await other.freezes()] == ["Owner"]
    finally:
        one.close()
        other.close()
