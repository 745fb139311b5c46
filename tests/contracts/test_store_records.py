"""Every store: the audit log, events, sessions, rules, people and tools."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from sayso.audit.chain import GENESIS
from sayso.audit.record import AuditRecord, RecordKind
from sayso.broker.ports import Group, Page
from sayso.core.approval_policy import ApprovalPolicy, Severity
from sayso.core.effect import Effect
from sayso.core.observed_tool import Definitions, KnownTool, ObservedTool
from sayso.core.session import GivenRule, Session
from sayso.errors import LostRace, RuleRefused, StoreError
from sayso.people.person import owner
from sayso.people.token import CredentialKind
from sayso.policy.rule import Origin, Rule
from sayso.requests.event import EventKind, Notice
from sayso.store.guard import KEEP_NOTICES
from tests.contracts.store_values import (
    OWNERS,
    approve,
    asks,
    chain,
    credential,
    live,
    notice,
    record,
)
from tests.fakes.values import START, at

# ── audit ──────────────────────────────────────────────────────────────────────────────────────


async def test_records_form_one_chain_without_gaps(store: Any) -> None:
    await asyncio.gather(
        *(
            store.record([record(RecordKind.ACCESS, f"c{n}"), record(RecordKind.CLAIM)])
            for n in range(40)
        )
    )
    entries = await store.audit_chain(0, 1000)
    assert [entry.seq for entry in entries] == list(range(1, 81))
    assert entries[0].previous == GENESIS
    found = await chain(store)
    assert (found.ok, found.checked) == (True, 80)
    assert [entry.seq for entry in await store.audit_chain(78, 1000)] == [79, 80]
    assert [entry.seq for entry in await store.audit_chain(10, 2)] == [11, 12]


async def test_pages_of_the_audit_log_are_newest_first_and_filtered(store: Any) -> None:
    await store.record(
        [
            record(RecordKind.VERDICT, "c1", at=at(1), tool="mail", reason="rule-allow"),
            record(RecordKind.VERDICT, "c2", at=at(2), tool="mail", reason="rule-ask"),
            record(RecordKind.REVIEW, "c2", at=at(3), tool="mail", reason="approved", by="owner"),
            record(RecordKind.VERDICT, "c3", at=at(4), tool="shell", reason="rule-deny"),
        ]
    )

    async def numbers(**wanted: Any) -> list[int]:
        return [entry.seq for entry in await store.audit_page(Page(**wanted))]

    assert await numbers() == [4, 3, 2, 1]
    assert await numbers(limit=2) == [4, 3]
    assert await numbers(limit=2, before=3) == [2, 1]
    assert await numbers(tool="mail") == [3, 2, 1]
    assert await numbers(by="owner") == [3]
    assert await numbers(reason="rule-deny") == [4]
    assert await numbers(call_id="c2") == [3, 2]
    assert await numbers(call_id="c2", reason="rule-ask") == [2]
    assert await numbers(since=at(2), until=at(4)) == [3, 2]
    assert await numbers(tool="nothing") == []
    assert '"tool":"shell"' in (await store.audit_page(Page(limit=1)))[0].body
    await store.record(
        [
            AuditRecord(
                RecordKind.VERDICT,
                at(5),
                agent_id="coder",
                session_id="s1",
                tool="x",
                arguments={"agent_id": "other", "session_id": "s2"},
            ),
            AuditRecord(RecordKind.CLAIM, at(6), agent_id="other", session_id="s1"),
        ]
    )
    assert await numbers(agent="coder") == [5], "what stands in arguments imitates nothing"
    assert await numbers(session="s1", limit=1) == [6]
    assert await numbers(session="s1", agent="other") == [6]
    assert await numbers(agent="nobody") == await numbers(session="s2") == []


async def test_entries_whose_clock_stood_apart_are_newest_first(store: Any) -> None:
    for seconds in (5, 1, 9, 3, 9):
        await store.record([record(RecordKind.ACCESS, f"c{seconds}", at=at(seconds))])
    found: list[int] = []
    while page := await store.audit_page(Page(limit=2, before=found[-1] if found else None)):
        found += [entry.seq for entry in page]
    assert found == [5, 3, 1, 4, 2]
    beyond = await store.audit_page(Page(before=99))
    assert [entry.seq for entry in beyond] == found


# ── events ─────────────────────────────────────────────────────────────────────────────────────


async def test_events_are_numbered_and_read_on_from_any_number(store: Any) -> None:
    for number in range(5):
        await store.submit(asks(f"c{number}"))
    assert await store.last_notice() == 5
    assert await store.oldest_notice() == 1
    first = (await store.notices(0, 1))[0]
    assert first == replace(notice("c0"), event_id=1)
    assert [n.event_id for n in await store.notices(2, 2)] == [3, 4]
    assert [n.request_id for n in await store.notices(3, 500)] == ["c3", "c4"]
    assert await store.notices(5, 10) == []


async def test_an_event_carries_its_facts(store: Any) -> None:
    told = notice("c1", 3, kind=EventKind.APPROVAL_RESOLVED, data={"by": "owner", "n": [1, None]})
    rule = Rule("r1", Effect.ASK, Origin.DATABASE)
    await store.put_rule(rule, (), (told,))
    assert list(await store.notices(0, 9)) == [replace(told, event_id=1)]


async def test_old_events_are_dropped_and_ten_thousand_kept(store: Any) -> None:
    rule = Rule("r1", Effect.ASK, Origin.DATABASE)
    many = tuple(notice(f"c{n}") for n in range(1000))
    for _ in range(KEEP_NOTICES // 1000 + 3):
        await store.put_rule(rule, (), many)
    last, oldest = await store.last_notice(), await store.oldest_notice()
    assert last == KEEP_NOTICES + 3000
    assert 10_000 <= KEEP_NOTICES <= last - oldest + 1 <= KEEP_NOTICES + 1000
    kept = await store.notices(0, 50_000)
    assert [n.event_id for n in kept] == list(range(oldest, last + 1))
    assert [n.event_id for n in await store.notices(last - 2, 9)] == [last - 1, last]


# ── sessions ───────────────────────────────────────────────────────────────────────────────────


async def test_a_session_is_kept_and_stopped_once(store: Any) -> None:
    session = Session(
        "s1", "owner", "coder", "mcp", "/home/user", False, "cred", START, ("s0",), "Cron"
    )
    await store.open_session(session)
    assert await store.session("s1") == session
    with pytest.raises(StoreError):
        await store.open_session(replace(session, user_id="somebody"))
    assert await store.session("s1") == session
    await store.stop_session("s1", at(5))
    await store.stop_session("s1", at(9))
    await store.stop_session("nobody", at(9))
    assert await store.session("s1") == replace(session, stopped_at=at(5))


async def test_a_session_is_changed_if_it_is_what_it_was(store: Any) -> None:
    session = Session("s1", "owner", "coder", "mcp", None, True, "cred", START)
    await store.open_session(session)
    ruled = replace(session, rules=(GivenRule("deny", "tool(rm)", "session"),))
    told = Notice(EventKind.SETTINGS_CHANGED, START)
    await store.change_session(session, ruled, [], [told])
    assert await store.session("s1") == ruled
    with pytest.raises(LostRace):
        await store.change_session(session, ruled, [], [told])
    with pytest.raises(LostRace):
        await store.change_session(replace(session, session_id="s2"), ruled, [], [told])
    assert len(await store.notices(0, 9)) == 1
    await store.stop_session("s1", at(5))
    await store.change_session(ruled, session, [], [])
    assert await store.session("s1") == replace(session, stopped_at=at(5)), "it stays stopped"


async def test_events_are_written_beside_records(store: Any) -> None:
    await store.record([], [Notice(EventKind.SETTINGS_CHANGED, START)])
    (told,) = await store.notices(0, 9)
    assert (told.kind, told.event_id) == (EventKind.SETTINGS_CHANGED, 1)


# ── rules ──────────────────────────────────────────────────────────────────────────────────────


def a_rule(name: str, tool: str = "mail", **more: Any) -> Rule:
    return Rule(name, Effect.ASK, Origin.DATABASE, tool_pattern=tool, **more)


async def test_rules_change_with_their_version(store: Any) -> None:
    assert await store.rules() == (0, [])
    full = a_rule(
        "r2",
        path_pattern="secrets/*",
        pattern="*",
        agent_id="coder",
        source="cron",
        user_id="owner",
        when="true",
        unless="false",
        priority=59,
        group_id="strict",
        must_ask=True,
        note="n",
        justification="j",
        examples=("a",),
        counter_examples=("b", "c"),
        approval=ApprovalPolicy(severity=Severity.HIGH, timeout=5.0, approvers=()),
        place="rules.toml:1:2",
    )
    await store.put_rule(a_rule("r1"), (record(RecordKind.CONFIGURATION),), (notice(""),))
    await store.put_rule(full, (), ())
    assert await store.rules() == (2, [a_rule("r1"), full])
    await store.put_rule(a_rule("r1", "shell"), (), ())
    assert await store.rules() == (3, [a_rule("r1", "shell"), full])
    assert await store.rules_version() == 3
    assert len(await store.audit_chain(0, 9)) == await store.last_notice() == 1


async def test_a_rule_is_deleted_once(store: Any) -> None:
    await store.put_rule(a_rule("r1"), (), ())
    logged = ((record(RecordKind.CONFIGURATION),), (notice(""),))
    assert await store.delete_rule("r1", *logged) is True
    assert await store.delete_rule("r1", *logged) is False
    assert await store.rules() == (2, [])
    assert len(await store.audit_chain(0, 9)) == await store.last_notice() == 1


async def test_seeds_are_added_once_and_stay_deleted(store: Any) -> None:
    seeds = [a_rule("seed1", "*"), a_rule("seed2", "memory/*"), a_rule("seed3", "secrets/*")]
    await store.seed_rules(seeds)
    version, rules = await store.rules()
    assert list(rules) == seeds
    await store.seed_rules([replace(seed, id=f"{seed.id}-again") for seed in seeds])
    assert await store.rules() == (version, rules)  # the same patterns
    assert await store.delete_rule("seed2", (), ())
    changed = replace(seeds[0], effect=Effect.ALLOW, tool_pattern="mail")
    await store.put_rule(changed, (), ())
    await store.seed_rules(seeds)
    await store.seed_rules([replace(seed, id=f"{seed.id}-again") for seed in seeds])
    assert list((await store.rules())[1]) == [changed, seeds[2]]


async def test_a_seed_gives_way_to_a_persons_rule_of_the_same_pattern(store: Any) -> None:
    mine = replace(a_rule("mine", "*"), effect=Effect.ALLOW)
    await store.put_rule(mine, (), ())
    await store.seed_rules([a_rule("seed1", "*"), a_rule("seed2", "*", group_id="other")])
    assert list((await store.rules())[1]) == [mine, a_rule("seed2", "*", group_id="other")]
    assert await store.delete_rule("mine", (), ())
    await store.seed_rules([a_rule("seed1", "*")])  # the seed itself was never deleted
    assert [rule.id for rule in (await store.rules())[1]] == ["seed2", "seed1"]


@pytest.mark.spec("POL-42")
async def test_of_two_writers_at_once_one_makes_the_catch_all_and_the_other_is_refused(
    store: Any,
) -> None:
    one = replace(a_rule("one", "*"), effect=Effect.ASK)
    two = replace(a_rule("two", "*"), effect=Effect.ALLOW)
    written = (record(RecordKind.CONFIGURATION),)
    results = await asyncio.gather(
        store.put_rule(one, written, (notice(""),)),
        store.put_rule(two, written, (notice(""),)),
        return_exceptions=True,
    )
    assert [type(result) for result in results] == [type(None), RuleRefused]
    assert await store.rules() == (1, [one])
    assert len(await store.audit_chain(0, 9)) == await store.last_notice() == 1
    await store.put_rule(replace(one, effect=Effect.DENY), (), ())  # the row itself may change
    await store.put_rule(replace(two, group_id="other"), (), ())


async def test_the_default_group_and_the_owner_are_there(store: Any) -> None:
    assert [group.group_id for group in await store.groups()] == ["default"]
    assert all(isinstance(group, Group) for group in await store.groups())
    assert (await store.directory()).people == {"owner": owner()}


# ── credentials ────────────────────────────────────────────────────────────────────────────────


async def test_credentials_are_kept_and_found_by_the_hash_of_their_secret(store: Any) -> None:
    old = credential("old", CredentialKind.AGENT, agent_id="coder", name="ci")
    young = credential("new", CredentialKind.ADMIN, created_at=at(5), expires_at=at(9))
    for each in (old, young):
        await store.put_credential(each, (record(RecordKind.ACCESS),))
    assert await store.credential("hash-old") == old
    assert list(await store.credentials()) == [young, old]
    for clash in (replace(old, secret_hash="other"), replace(old, credential_id="other")):
        with pytest.raises(StoreError):
            await store.put_credential(clash, (record(RecordKind.ACCESS),))
    assert list(await store.credentials()) == [young, old]
    assert len(await store.audit_chain(0, 9)) == 2


async def test_a_credential_is_revoked_once(store: Any) -> None:
    await store.put_credential(credential("a"), ())
    await store.put_credential(credential("b", expires_at=at(1)), ())
    log = (record(RecordKind.ACCESS),)
    assert await store.revoke_credential("cred-a", at(2), log) is True
    assert await store.revoke_credential("cred-a", at(3), log) is False
    assert await store.revoke_credential("cred-b", at(3), log) is False
    assert await store.revoke_credential("nobody", at(3), log) is False
    assert (await store.credential("hash-a")).revoked_at == at(2)
    assert (await store.credential("hash-b")).revoked_at == at(3)
    assert len(await store.audit_chain(0, 9)) == 2


async def test_all_credentials_are_revoked_together(store: Any) -> None:
    for name, more in (("a", {}), ("b", {"expires_at": at(1)}), ("c", {"revoked_at": at(1)})):
        await store.put_credential(credential(name, **more), ())
    assert await store.revoke_all(at(2), (record(RecordKind.ACCESS),)) == 1
    assert await store.revoke_all(at(3), ()) == 0
    assert [c.revoked_at for c in await store.credentials()] == [at(1), at(2), at(2)]


async def test_the_passphrase_is_replaced(store: Any) -> None:
    assert await store.passphrase_hash() is None
    await store.set_passphrase_hash("$argon2id$1", (record(RecordKind.ACCESS),))
    await store.set_passphrase_hash("$argon2id$2", (record(RecordKind.ACCESS),))
    assert await store.passphrase_hash() == "$argon2id$2"
    assert len(await store.audit_chain(0, 9)) == 2


@pytest.mark.spec("POL-51")
async def test_tools_are_remembered_the_first_time_and_as_they_were_last_offered(
    store: Any,
) -> None:
    mail = ObservedTool("mail", "send", "sends", {"type": "object"}, {"readOnlyHint": False})
    own = ObservedTool(None, "send")
    await store.observe_tools([mail, own], at(1))
    await store.observe_tools([mail], at(2))
    assert list(await store.known_tools()) == [
        KnownTool(own, at(1), at(1)),
        KnownTool(mail, at(1), at(1)),
    ]
    changed = replace(mail, description="sends it")
    await store.observe_tools([changed, own], at(3))
    assert list(await store.known_tools()) == [
        KnownTool(own, at(1), at(1)),
        KnownTool(changed, at(1), at(3)),
    ]
    await store.observe_tools([], at(4))


@pytest.mark.spec("POL-46")
async def test_the_first_definition_of_a_servers_tool_and_those_people_approve_count(
    store: Any,
) -> None:
    first = ObservedTool("mail", "send", "sends", {"type": "object", "a": 1})
    same = ObservedTool("mail", "send", "sends", {"a": 1, "type": "object"}, {"readOnlyHint": True})
    other = replace(first, description="sends it, and a copy to us")
    version = await store.rules_version()
    await store.observe_tools([first, ObservedTool(None, "own")], at(1))
    one = Definitions("mail", "send", first.definition, frozenset({first.definition}))
    assert list(await store.definitions()) == [one]
    assert await store.rules_version() == version + 1
    await store.observe_tools([same], at(2))
    assert list(await store.definitions()) == [one]
    assert await store.rules_version() == version + 1
    await store.observe_tools([other], at(3))
    assert list(await store.definitions()) == [replace(one, current=other.definition)]
    assert await store.rules_version() == version + 2

    await store.put_credential(OWNERS, ())
    await store.submit(asks("c1", server="mail", tool="send", definition=other.definition))
    assert (await store.call("c1"))[1].definition == other.definition
    request = await live(store, "c1")
    await store.apply(replace(approve(request), approves_definition=True))
    both = frozenset({first.definition, other.definition})
    assert list(await store.definitions()) == [Definitions("mail", "send", other.definition, both)]
    assert await store.rules_version() == version + 3


# ── the feed beside it ─────────────────────────────────────────────────────────────────────────


async def test_the_feed_of_a_store_wakes_whoever_waits(store: Any) -> None:
    place = store.feed.subscribe("c1")
    await store.submit(asks("c1"))
    store.feed.publish(["c1"])
    assert await place.wait(5)
    place.close()


@pytest.mark.spec("REQ-14")
async def test_one_tool_is_found_as_it_was_last_offered(store: Any) -> None:
    mine, theirs = ObservedTool(None, "save", "Saves."), ObservedTool("fs", "save", "Saves it.")
    await store.observe_tools([mine, theirs], at(1))
    await store.observe_tools([replace(mine, description="Saves all.")], at(2))
    assert await store.tool(None, "save") == replace(mine, description="Saves all.")
    assert await store.tool("fs", "save") == theirs
    assert await store.tool("fs", "other") is None
