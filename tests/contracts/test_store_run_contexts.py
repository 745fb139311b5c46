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


async def put(store: Any, context: RunContext, *, new: bool) -> bool:
    return bool(await store.put_run_context(context, SAID, (), new=new))


@pytest.mark.spec("RC-1")
async def test_a_run_context_is_kept_with_every_field(store: Any) -> None:
    assert await put(store, NIGHTLY, new=True)
    assert await store.run_contexts() == [RunContext(), NIGHTLY]


async def test_one_is_added_once_and_only_what_is_there_is_replaced(store: Any) -> None:
    assert not await put(store, NIGHTLY, new=False)
    assert await put(store, NIGHTLY, new=True)
    assert not await put(store, replace(NIGHTLY, name="another"), new=True)
    changed = replace(NIGHTLY, name="By night", mode=None)
    assert await put(store, changed, new=False)
    assert await store.run_contexts() == [RunContext(), changed]
    assert await store.delete_run_context("nightly", SAID, ())
    assert not await store.delete_run_context("nightly", SAID, ())
    assert await store.run_contexts() == [RunContext()]
    assert len(await store.audit_page(Page())) == 3, "what was not done is not recorded"


async def test_default_is_always_there_and_may_be_changed(store: Any) -> None:
    assert not await put(store, RunContext(), new=True)
    changed = RunContext(mode=Mode.DONT_ASK)
    assert await put(store, changed, new=False)
    assert await store.run_contexts() == [changed]
    assert await store.delete_run_context("default", SAID, ())
    assert await store.run_contexts() == [RunContext()]


async def test_a_change_of_run_contexts_is_a_new_version_of_the_rules(store: Any) -> None:
    versions = [await store.rules_version()]
    await put(store, NIGHTLY, new=True)
    versions.append(await store.rules_version())
    await put(store, replace(NIGHTLY, mode=None), new=False)
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
