"""Every store: run contexts, which change the version of the rules, and the tokens that may name them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sayso.audit.record import RecordKind
from sayso.broker.ports import Page
from sayso.core.approval_policy import Severity
from sayso.core.mode import Mode
from sayso.core.run_context import RunContext, Unattended
from sayso.people.token import CredentialKind
from tests.contracts.store_values import credential, record

SAID = (record(RecordKind.CONFIGURATION),)
NIGHTLY = RunContext(
    "nightly",
    "Nightly",
    "reports",
    "Be brief.",
    "/work",
    ("docs",),
    ("out", "/tmp/x"),
    Mode.PLAN,
    Severity.LOW,
    ("read(**)",),
    Unattended.REFUSE,
    3600.0,
)


async def put(store: Any, before: RunContext | None, after: RunContext) -> bool:
    return bool(await store.put_run_context(before, after, SAID, ()))


@pytest.mark.spec("RC-1")
async def test_a_run_context_is_kept_with_every_field(store: Any) -> None:
    assert await put(store, None, NIGHTLY)
    assert await store.run_contexts() == [RunContext(), NIGHTLY]


async def test_one_takes_the_place_of_what_is_there_and_of_nothing_else(store: Any) -> None:
    changed = replace(NIGHTLY, name="By night", mode=None)
    assert not await put(store, NIGHTLY, changed)
    assert await put(store, None, NIGHTLY)
    assert not await put(store, None, changed)
    assert await put(store, NIGHTLY, changed)
    assert not await put(store, NIGHTLY, NIGHTLY), "somebody else has changed it meanwhile"
    assert await store.run_contexts() == [RunContext(), changed]
    assert await store.delete_run_context("nightly", SAID, ())
    assert not await store.delete_run_context("nightly", SAID, ())
    assert await store.run_contexts() == [RunContext()]
    assert len(await store.audit_page(Page())) == 3, "what was not done is not recorded"


async def test_default_is_always_there_and_may_be_changed(store: Any) -> None:
    assert not await put(store, None, RunContext())
    changed = RunContext(mode=Mode.DONT_ASK)
    assert await put(store, RunContext(), changed)
    assert await store.run_contexts() == [changed]
    assert await store.delete_run_context("default", SAID, ())
    assert await store.run_contexts() == [RunContext()]


async def test_a_change_of_run_contexts_is_a_new_version_of_the_rules(store: Any) -> None:
    versions = [await store.rules_version()]
    await put(store, None, NIGHTLY)
    versions.append(await store.rules_version())
    await put(store, NIGHTLY, replace(NIGHTLY, mode=None))
    versions.append(await store.rules_version())
    await store.delete_run_context("nightly", SAID, ())
    versions.append(await store.rules_version())
    assert sorted(set(versions)) == versions


async def test_a_token_keeps_the_run_contexts_that_its_sessions_may_name(store: Any) -> None:
    agents = replace(
        credential(CredentialKind.AGENT), agent_id="coder", run_contexts=("nightly", "x")
    )
    await store.put_credential(agents, SAID)
    assert await store.credential(agents.secret_hash) == agents
