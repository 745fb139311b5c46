"""Run contexts: who makes them and names them, and that what they say is read at each call (GATE-5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from sayso.broker.circumstances import readable_and_writable
from sayso.core.effect import Effect
from sayso.core.run_context import RunContext
from sayso.core.session import Session
from sayso.errors import (
    CallInvalid,
    GroupNotFound,
    NotEligible,
    RunContextNotFound,
    RunContextRefused,
)
from sayso.people.token import CredentialKind
from sayso.policy.rule import Origin, Rule
from sayso.policy.text_rule import parse_text_rule
from sayso.requests.event import EventKind
from tests.fakes.circumstances import scene_with_settings
from tests.fakes.facts import FakeFacts
from tests.fakes.world import Scene, draft, rule

READ = draft("read_file", arguments={"path": "/home/user/project/notes.txt"})
PROJECT = "/home/user/project"


async def made(scene: Scene, name: str, **what: Any) -> RunContext:
    return await scene.broker.run_contexts.add(await scene.actor(), name, what)


async def opened(scene: Scene, name: str, **more: Any) -> Session:
    agent = await scene.agent()
    agent = replace(agent, credential=replace(agent.credential, run_contexts=(name,)))
    return await scene.broker.open_session(agent, run_context=name, **more)


@pytest.mark.spec("RC-1")
async def test_only_who_may_configure_makes_run_contexts_and_all_of_it_is_recorded() -> None:
    scene, _ = scene_with_settings()
    owner, contexts = await scene.actor(), scene.broker.run_contexts
    assert [c.run_context_id for c in await contexts.all(owner)] == ["default"]
    for kind in (CredentialKind.AGENT, CredentialKind.APPROVER):
        who = await scene.actor(kind, agent_id="x" if kind is CredentialKind.AGENT else None)
        with pytest.raises(NotEligible):
            await contexts.add(who, "nightly", {})
        with pytest.raises(NotEligible):
            await contexts.change(who, "default", {"mode": "auto"})
        with pytest.raises(NotEligible):
            await contexts.delete(who, "default")
    with pytest.raises(NotEligible):
        await contexts.all(await scene.agent())
    added = await contexts.add(owner, "nightly", {"mode": "dontAsk", "timeout": 60.0})
    assert (added.name, added.mode, added.timeout) == ("nightly", "dont-ask", 60.0)
    changed = await contexts.change(owner, "nightly", {"name": "By night", "mode": None})
    assert (changed.name, changed.mode, changed.timeout) == ("By night", None, 60.0)
    assert await contexts.change(owner, "nightly", {}) == changed
    await contexts.delete(owner, "nightly")
    notes = [b["note"] for b in await scene.audit() if "run context" in b.get("note", "")]
    assert [note.split(" (")[0] for note in notes] == [
        "run context added: nightly",
        "run context changed: nightly",
        "run context deleted: nightly",
    ]
    assert notes[1].endswith("(name, mode)")
    kinds = [notice.kind for notice in await scene.store.notices(0, 99)]
    assert kinds == [EventKind.SETTINGS_CHANGED] * 3


@pytest.mark.spec("RC-1")
async def test_what_no_run_context_can_be_is_refused() -> None:
    scene, _ = scene_with_settings()
    owner, contexts = await scene.actor(), scene.broker.run_contexts
    wrong: list[tuple[Mapping[str, Any], str]] = [
        ({"mode": "yolo"}, "`mode`: `yolo` is not a mode"),
        ({"auto_approve_severity": "huge"}, "`huge` is not a severity"),
        ({"unattended": "maybe"}, "`unattended`"),
        ({"timeout": 0.0}, "`timeout`"),
        ({"name": " "}, "`name`"),
        ({"working_directory": "here"}, "`working_directory`"),
        ({"allow_fs_reads": [""]}, "`allow_fs_reads`"),
        ({"allow_fs_writes": ["a\0"]}, "`allow_fs_writes`"),
        ({"permissions": ["shell("]}, "`permissions`"),
        ({"system_prompt": "x" * 20_001}, "`system_prompt`"),
    ]
    for what, words in wrong:
        with pytest.raises(RunContextRefused, match=words):
            await contexts.add(owner, "x", what)
    with pytest.raises(GroupNotFound):
        await contexts.add(owner, "x", {"security_group": "none"})
    for name in ("", "Nightly", "../x", "a" * 65):
        with pytest.raises(RunContextRefused, match="not an id"):
            await contexts.add(owner, name, {})
    with pytest.raises(RunContextRefused, match="already"):
        await contexts.add(owner, "default", {})
    with pytest.raises(RunContextRefused, match="would be every agent's"):
        await contexts.change(owner, "default", {"permissions": ["tool(send_mail)"]})
    with pytest.raises(RunContextRefused, match="cannot be deleted"):
        await contexts.delete(owner, "default")
    with pytest.raises(RunContextNotFound):
        await contexts.change(owner, "x", {})
    with pytest.raises(RunContextNotFound):
        await contexts.delete(owner, "x")
    assert len(await contexts.all(owner)) == 1


@pytest.mark.spec("RC-1")
async def test_a_session_names_only_run_contexts_that_people_allowed_for_its_token() -> None:
    scene, _ = scene_with_settings()
    await made(scene, "loose")
    owner = await scene.actor()
    with pytest.raises(NotEligible, match="may not name the run context `loose`"):
        await scene.session(run_context="loose")
    token, _ = await scene.broker.access.create_token(
        owner, CredentialKind.AGENT, agent_id="coder", run_contexts=["loose", "gone"]
    )
    agent = await scene.broker.access.authenticate(token, "http")
    session = await scene.broker.open_session(agent, run_context="loose")
    assert session.run_context == "loose"
    with pytest.raises(RunContextNotFound, match="`gone`"):
        await scene.broker.open_session(agent, run_context="gone")
    below = await scene.broker.open_session(agent, parent=session.session_id, name="worker")
    lesser = await scene.agent()
    for one in (session, below):
        with pytest.raises(NotEligible, match="may not name"):
            await scene.broker.take_up_session(lesser, one.session_id)
    assert (await scene.broker.take_up_session(agent, below.session_id)).parent
    assert (await scene.broker.take_up_session(agent, session.session_id)).run_context == "loose"
    note = next(b["note"] for b in await scene.audit() if "token made" in b.get("note", ""))
    assert note == "token made: agent coder in loose, gone"


@pytest.mark.spec("RC-1", "GATE-5")
async def test_a_deleted_run_context_ends_what_runs_under_it_and_a_change_counts_at_once() -> None:
    scene, _ = scene_with_settings(rule("allow", "add"))
    await made(scene, "nightly")
    owner = await scene.actor()
    session = await opened(scene, "nightly")
    gate = scene.broker.gate(session.session_id)
    assert (await gate.decide(draft())).effect == "ask"
    await scene.broker.run_contexts.change(owner, "nightly", {"mode": "dont-ask"})
    assert (await gate.decide(draft())).reason == "mode-dont-ask"
    assert (await gate.decide(draft("add"))).effect == "allow"
    await scene.broker.run_contexts.delete(owner, "nightly")
    assert (await gate.decide(draft("add"))).reason == "cancelled"


@pytest.mark.spec("RC-2", "GATE-5")
async def test_paths_of_the_run_context_are_read_at_each_call() -> None:
    scene, _ = scene_with_settings()
    owner = await scene.actor()
    gate = scene.broker.gate((await scene.session(workspace=PROJECT)).session_id)
    write = draft("write_file", arguments={"path": "/tmp/out/x", "content": "1"})
    assert (await gate.decide(READ)).reason == "run-context"
    assert (await gate.decide(write)).effect == "ask"
    await scene.broker.run_contexts.change(owner, "default", {"allow_fs_writes": ["/tmp/out"]})
    assert (await gate.decide(write)).reason == "run-context"
    await scene.broker.run_contexts.change(owner, "default", {"allow_fs_writes": []})
    assert (await gate.decide(write)).effect == "ask"


@pytest.mark.spec("RC-2")
def test_reads_in_the_working_directory_docs_and_skills_and_writes_only_where_said() -> None:
    facts = FakeFacts(home="/home/user", links={"/srv/link": "/data/real"})
    context = RunContext(
        allow_fs_reads=("notes", "/srv/link", "~/shared", "../beside"),
        allow_fs_writes=("out",),
    )
    readable, writable = readable_and_writable(context, PROJECT, facts)
    assert writable == (f"{PROJECT}/out",)
    assert readable == (
        PROJECT,
        f"{PROJECT}/docs",
        f"{PROJECT}/skills",
        f"{PROJECT}/notes",
        "/data/real",
        "/home/user/shared",
        f"{PROJECT}/out",
    )
    assert readable_and_writable(context, None, facts) == (
        ("/data/real", "/home/user/shared"),
        (),
    ), "what is relative opens nothing where there is no working directory"
    unknown = FakeFacts(unknown=True)
    assert readable_and_writable(context, PROJECT, unknown) == ((), ())


@pytest.mark.spec("RC-2")
def test_what_is_relative_opens_nothing_where_a_link_in_the_working_directory_leads_elsewhere() -> (
    None
):
    links = {
        f"{PROJECT}/docs": "/",
        f"{PROJECT}/skills": "/home/user/notes",
        f"{PROJECT}/out": "/home/user/notes",
        f"{PROJECT}/in": "/srv",
        f"{PROJECT}/build": f"{PROJECT}/src",
        "/home/user/docs": "/home/user/notes",
        "/linked": PROJECT,
    }
    facts = FakeFacts(home="/home/user", links=links)
    context = RunContext(
        allow_fs_reads=("in", "in/www", "../../../etc"),
        allow_fs_writes=("out", "build", "./a/../b"),
    )
    for place in (PROJECT, "/linked"):
        readable, writable = readable_and_writable(context, place, facts)
        assert writable == (f"{PROJECT}/b",)
        assert readable == (PROJECT, f"{PROJECT}/b")
    assert readable_and_writable(RunContext(), "/home/user", facts)[0] == ("/home/user/skills",)
    whole = RunContext(allow_fs_writes=(f"{PROJECT}/out",))
    assert readable_and_writable(whole, PROJECT, facts)[1] == ("/home/user/notes",)


@pytest.mark.spec("RC-2")
def test_a_working_directory_that_is_the_home_or_above_it_opens_only_its_docs_and_skills() -> None:
    facts = FakeFacts(home="/home/user", links={"/tmp/root": "/"})
    for wide in ("/", "/home", "/home/user", "/tmp/root"):
        readable, _ = readable_and_writable(RunContext(), wide, facts)
        assert len(readable) == 2, wide
        assert all(path.endswith(("docs", "skills")) for path in readable)
    written = RunContext(working_directory="/home/user")
    assert readable_and_writable(written, "/", facts)[0][0] == "/home/user"
    assert readable_and_writable(RunContext(), "/home/user2", facts)[0][0] == "/home/user2"


@pytest.mark.spec("RC-1")
async def test_a_session_works_in_the_folder_of_its_run_context_or_below() -> None:
    scene, _ = scene_with_settings()
    await made(scene, "shop", working_directory=PROJECT)
    assert (await opened(scene, "shop")).workspace == PROJECT
    assert (await opened(scene, "shop", workspace=f"{PROJECT}/in")).workspace == f"{PROJECT}/in"
    for elsewhere in ("/home/user", f"{PROJECT}s", "/"):
        with pytest.raises(NotEligible, match="is for `/home/user/project`"):
            await opened(scene, "shop", workspace=elsewhere)


@pytest.mark.spec("RC-1", "POL-12")
async def test_a_working_directory_below_the_home_is_a_whole_path_once_a_session_is_opened() -> (
    None
):
    facts = FakeFacts(home="/home/user")
    denied = parse_text_rule(Effect.DENY, "read(./secrets/*)", Origin.GLOBAL)
    scene, _ = scene_with_settings(denied, facts=facts)
    await made(scene, "shop", working_directory="~/project")
    session = await opened(scene, "shop")
    assert session.workspace == PROJECT
    secret = draft("read_file", arguments={"path": f"{PROJECT}/secrets/k"})
    assert (await scene.broker.gate(session.session_id).decide(secret)).reason == "rule-deny"
    assert (await opened(scene, "shop", workspace=f"{PROJECT}/in")).workspace == f"{PROJECT}/in"
    assert (await scene.session(workspace="~/project")).workspace == PROJECT
    facts.home = None
    with pytest.raises(CallInvalid, match="`~/project` is no working directory that is known here"):
        await opened(scene, "shop")
    with pytest.raises(CallInvalid, match="`project` is no working directory"):
        await scene.session(workspace="project")


def asks_of_others() -> Rule:
    from sayso.core.approval_policy import parse_approval_policy

    return rule("ask", "pay", approval=parse_approval_policy({"approver": "operator"}))


@pytest.mark.spec("RC-4")
async def test_requests_of_a_source_without_a_person_wait_a_day_unless_something_says_otherwise() -> (
    None
):
    from sayso.core.approval_policy import parse_approval_policy

    hour = rule("ask", "hourly", approval=parse_approval_policy({"timeout": 3600}))
    scene, _ = scene_with_settings(hour, asks_of_others())
    owner = await scene.actor()

    async def wait(tool: str = "send_mail", **more: Any) -> float | None:
        session = await scene.session(**more)
        standing = await scene.broker.gate(session.session_id).submit(draft(tool))
        request = await scene.request(standing.call_id)
        if request.expires_at is None:
            return None
        return (request.expires_at - request.created_at) / 1_000_000

    for source in ("cron", "webhook", "mail"):
        for said in (None, True, False):
            session = await scene.session(source=source, attended=said)
            assert not session.attended, "nobody attends it, whatever its agent's side says"
        assert await wait(source=source) == 86_400
    assert await wait() is None, "where somebody attends, it waits for them"
    assert await wait("hourly", source="cron") == 3600
    assert await wait("pay", source="cron") == 86_400
    assert await wait("pay") == 600
    await scene.broker.run_contexts.change(owner, "default", {"timeout": 120.0})
    assert await wait(source="cron") == 120
    assert await wait(attended=False) == 120
    assert await wait() is None


@pytest.mark.spec("RC-4")
async def test_an_unattended_run_is_permitted_what_its_run_context_says_today() -> None:
    scene, _ = scene_with_settings()
    owner = await scene.actor()
    await made(scene, "nightly")
    session = await opened(scene, "nightly", source="cron")
    gate = scene.broker.gate(session.session_id)
    assert (await gate.decide(draft())).effect == "ask"
    change = scene.broker.run_contexts.change
    await change(owner, "nightly", {"permissions": ["tool(send_mail)"]})
    assert (await gate.decide(draft())).reason == "unattended-permitted"
    await change(owner, "nightly", {"permissions": []})
    assert (await gate.decide(draft())).reason == "unattended-refused"
    await change(owner, "nightly", {"unattended": "ask_inbox"})
    assert (await gate.decide(draft())).effect == "ask"


async def test_a_rejection_sticks_also_where_the_run_context_would_lift_the_ask() -> None:
    scene, _ = scene_with_settings()
    owner = await scene.actor()
    session = await scene.session()
    gate = scene.broker.gate(session.session_id)
    standing = await gate.submit(draft())
    from sayso.requests.approval import Vote

    await scene.broker.review(owner, standing.call_id, Vote.REJECT, comment="no")
    await scene.broker.run_contexts.change(owner, "default", {"auto_approve_severity": "high"})
    assert (await gate.decide(draft())).reason == "sticky-deny"
    other = draft(arguments={"to": "bob@example.com"})
    assert (await gate.decide(other)).reason == "auto-severity"
