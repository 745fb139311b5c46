"""The public `Gate`, embedded: really on a SQLite file, with a person in another broker."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sayso import CallAlreadyRan, CallDenied, CallInvalid, CallRejected, Gate
from sayso.config.source import LOOK_SECONDS
from sayso.errors import RuleSyntaxError, SettingsInvalid, StoreUnavailable
from sayso.front.assembly import open_broker
from sayso.people.token import CredentialKind
from sayso.requests.approval import Caller, Status
from tests.fakes.world import make_actor
from tests.unit.front.conftest import Aside

KINDS = ["sync", "async"]


async def call(gate: Gate, kind: str, tool: str, work: Any, **arguments: Any) -> Any:
    """One call through the async or the sync door; `work` gets the judged arguments."""
    if kind == "async":

        async def execute(judged: Mapping[str, Any]) -> Any:
            return work(**judged)

        return await gate.run(tool, arguments, execute)
    return await asyncio.to_thread(
        lambda: gate.run_sync(tool, arguments, lambda judged: work(**judged))
    )


def never(**_: Any) -> None:
    """A tool that must not run."""
    pytest.fail("it ran")


@pytest.mark.spec("GATE-2", "GATE-6")
@pytest.mark.parametrize("kind", KINDS)
async def test_policy_lets_pass_and_denies(gate: Gate, kind: str) -> None:
    assert await call(gate, kind, "add", lambda a, b: a + b, a=1, b=2) == 3
    with pytest.raises(CallDenied) as caught:
        await call(gate, kind, "wipe", never)
    assert caught.value.reason == "rule-deny"
    assert "wipe" in caught.value.message
    assert len(caught.value.request_id) == 36


@pytest.mark.spec("GATE-6")
@pytest.mark.parametrize("kind", KINDS)
async def test_a_person_decides(gate: Gate, aside: Aside, kind: str) -> None:
    ran: list[str] = []

    @gate.guard
    def send(to: list[str]) -> str:
        ran.extend(to)
        return "sent"

    @gate.guard(tool="send")
    async def send_async(to: list[str]) -> str:
        ran.extend(to)
        return "sent"

    def start(to: list[str]) -> asyncio.Task[str]:
        return asyncio.create_task(
            send_async(to) if kind == "async" else asyncio.to_thread(send, to)
        )

    to = ["alice"]
    running = start(to)
    request = await aside.asked()
    assert ran == []
    to[0] = "eve"  # what was shown is what runs
    await aside.approve(request)
    assert await asyncio.wait_for(running, 20) == "sent"
    assert ran == ["alice"]
    done = await aside.store.request(request.request_id)
    assert (done.status, done.outcome.summary) == (Status.DONE, "done")

    running = start(["bob"])
    request = await aside.asked()
    await aside.reject(request, "not bob")
    with pytest.raises(CallRejected) as caught:
        await asyncio.wait_for(running, 20)
    assert caught.value.message == "rejected by owner: not bob"
    assert (caught.value.by, caught.value.reason) == ("owner", "rejected")
    assert caught.value.request_id == request.request_id
    assert ran == ["alice"]


@pytest.mark.parametrize("kind", KINDS)
async def test_what_the_tool_raises_is_the_callers_and_is_noted(
    gate: Gate, aside: Aside, kind: str
) -> None:
    def broken() -> None:
        raise ZeroDivisionError("by nothing")

    running = asyncio.create_task(call(gate, kind, "break", broken))
    request = await aside.asked()
    await aside.approve(request)
    with pytest.raises(ZeroDivisionError, match="by nothing"):
        await asyncio.wait_for(running, 20)
    failed = await aside.store.request(request.request_id)
    assert (failed.status, failed.outcome.summary) == (Status.FAILED, "failed: ZeroDivisionError")


@pytest.mark.parametrize("kind", KINDS)
async def test_without_anybody_to_ask_it_is_refused_and_says_so(home: Path, kind: str) -> None:
    with contextlib.closing(Gate(terminal=False)) as alone:
        with pytest.raises(CallDenied, match="there is nobody to ask") as caught:
            await call(alone, kind, "send", never)
        assert caught.value.reason == "no-approver"
        assert await call(alone, kind, "add", lambda a: a, a=1) == 1


async def test_verdicts_without_asking_and_waiting_without_running(
    gate: Gate, aside: Aside
) -> None:
    assert (await gate.decide("add", {})).effect == "allow"
    assert (await asyncio.to_thread(gate.decide_sync, "wipe", {})).effect == "deny"
    assert await aside.store.pending() == []
    for authorize in (
        gate.authorize("send", {"to": "alice"}),
        asyncio.to_thread(gate.authorize_sync, "send", {"to": "bob"}),
    ):
        waiting = asyncio.ensure_future(authorize)
        await aside.approve(await aside.asked())
        standing = await asyncio.wait_for(waiting, 20)
        assert (standing.effect, standing.status) == ("allow", "approved")


async def test_an_argument_that_is_no_json_asks_nobody(gate: Gate, aside: Aside) -> None:
    with pytest.raises(CallInvalid):
        await call(gate, "async", "send", never, to=Path("x"))
    with pytest.raises(CallInvalid):
        await call(gate, "sync", "send", never, to={1})
    assert await aside.store.pending() == []


async def test_a_sync_tool_runs_in_the_calling_thread_and_keeps_its_lease(
    gate: Gate, aside: Aside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sayso.broker.claim.LEASE_SECONDS", 0.6)
    place: list[Any] = []

    def slow() -> str:
        place.append(threading.current_thread())
        time.sleep(2)
        return "slow"

    def caller() -> str:
        place.append(threading.current_thread())
        return gate.run_sync("slow", {}, lambda _: slow())

    running = asyncio.create_task(asyncio.to_thread(caller))
    request = await aside.asked()
    await aside.approve(request)
    assert await asyncio.wait_for(running, 20) == "slow"
    assert place[0] is place[1]
    done = await aside.store.request(request.request_id)
    assert done.status is Status.DONE  # and was not thought lost meanwhile
    assert done.outcome.seconds >= 1.9


@pytest.mark.spec("GATE-3")
async def test_a_cancelled_caller_only_detaches_and_its_retry_joins(
    gate: Gate, aside: Aside
) -> None:
    running = asyncio.create_task(call(gate, "async", "send", never, to="alice"))
    request = await aside.asked()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    left = await aside.store.request(request.request_id)
    assert (left.status, left.caller) == (Status.PENDING, Caller.GONE)
    await aside.approve(left)
    assert await call(gate, "sync", "send", lambda to: to, to="alice") == "alice"
    assert (await aside.store.request(request.request_id)).status is Status.DONE


@pytest.mark.spec("GATE-3")
def test_an_interrupted_caller_has_left_when_it_returns(home: Path) -> None:
    async def interrupt() -> str:
        async with open_broker() as broker:
            request = await Aside(broker).asked()
        os.kill(os.getpid(), signal.SIGINT)
        return request.request_id

    async def look(request_id: str) -> Any:
        async with open_broker() as broker:
            return await broker.world.store.request(request_id)

    found: list[str] = []
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with contextlib.closing(Gate(terminal=False, inbox=True)) as gate:
            aside = threading.Thread(target=lambda: found.append(asyncio.run(interrupt())))
            aside.start()
            with pytest.raises(KeyboardInterrupt):
                gate.run_sync("send", {}, lambda _: never())
            aside.join()
            left = asyncio.run(look(found[0]))
            assert (left.status, left.caller) == (Status.PENDING, Caller.GONE)
    finally:
        signal.signal(signal.SIGINT, before)


async def test_threads_and_loops_share_one_gate(gate: Gate, aside: Aside) -> None:
    @gate.guard
    def send(to: int) -> int:
        return to

    @gate.guard(tool="send")
    async def send_async(to: int) -> int:
        return to

    callers = [
        *(asyncio.to_thread(send, n) for n in range(3)),
        *(asyncio.to_thread(lambda n=n: asyncio.run(send_async(n))) for n in range(3, 6)),
        *(send_async(n) for n in range(6, 9)),
    ]
    running = asyncio.gather(*callers)
    await aside.asked(9)
    for request in await aside.store.pending():
        await aside.approve(request)
    assert await asyncio.wait_for(running, 30) == list(range(9))
    opened = [r for r in await aside.store.credentials() if r.name == "embedded"]
    assert len(opened) == 1


async def test_two_gates_on_one_store_are_two_agents(home: Path, aside: Aside) -> None:
    with (
        contextlib.closing(Gate(agent="one", terminal=False, inbox=True)) as one,
        contextlib.closing(Gate(agent="two", terminal=False, inbox=True)) as two,
    ):
        running = [
            asyncio.create_task(call(gate, "async", "send", lambda: "sent")) for gate in (one, two)
        ]
        await aside.asked(2)
        requests = await aside.store.pending()
        assert {request.call.owner.agent_id for request in requests} == {"one", "two"}
        for request in requests:
            await aside.approve(request)
        assert await asyncio.wait_for(asyncio.gather(*running), 20) == ["sent", "sent"]


@pytest.mark.parametrize("kind", KINDS)
async def test_closing_cancels_what_waits(gate: Gate, aside: Aside, kind: str) -> None:
    running = asyncio.create_task(call(gate, kind, "send", never))
    request = await aside.asked()
    await gate.aclose()
    with pytest.raises(CallRejected) as caught:
        await asyncio.wait_for(running, 20)
    assert caught.value.reason == "cancelled"
    assert (await aside.store.request(request.request_id)).status is Status.CANCELLED
    assert not any(r.live(aside.broker.world.clock.now()) for r in await aside.store.credentials())


@pytest.mark.parametrize("kind", KINDS)
async def test_closing_waits_for_what_runs(gate: Gate, aside: Aside, kind: str) -> None:
    started = threading.Event()

    async def slow_async(_: Mapping[str, Any]) -> str:
        started.set()
        await asyncio.sleep(0.5)
        return "ran"

    def slow(_: Mapping[str, Any]) -> str:
        started.set()
        time.sleep(0.5)
        return "ran"

    running = asyncio.create_task(
        gate.run("send", {}, slow_async)
        if kind == "async"
        else asyncio.to_thread(lambda: gate.run_sync("send", {}, slow))
    )
    request = await aside.asked()
    await aside.approve(request)
    await asyncio.to_thread(started.wait, 10)
    await gate.aclose()
    assert await asyncio.wait_for(running, 5) == "ran"
    assert (await aside.store.request(request.request_id)).status is Status.DONE


@pytest.mark.parametrize("kind", KINDS)
async def test_a_tool_that_closes_its_own_gate_ends_all_the_same(
    gate: Gate, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sayso.front.gate.CLOSE_SECONDS", 0.1)

    def closing() -> str:
        gate.close()
        return "closed"

    assert await asyncio.wait_for(call(gate, kind, "add", closing), 20) == "closed"


async def test_a_closed_gate_says_so_and_runs_nothing(gate: Gate) -> None:
    await gate.decide("add", {})
    await gate.aclose()
    gate.close()
    for kind in KINDS:
        with pytest.raises(StoreUnavailable, match="this gate is closed"):
            await call(gate, kind, "add", never)
    with pytest.raises(StoreUnavailable, match="this gate is closed"):
        gate.decide_sync("add", {})


async def test_a_gate_is_a_context_manager_of_both_kinds(home: Path) -> None:
    with Gate(terminal=False) as gate:
        assert gate.decide_sync("add", {}).effect == "allow"
    async with Gate(terminal=False) as gate:
        assert (await gate.decide("add", {})).effect == "allow"
    with pytest.raises(StoreUnavailable):
        await gate.decide("add", {})


async def test_who_joined_a_call_that_ran_is_told(gate: Gate, aside: Aside) -> None:
    running = asyncio.create_task(
        gate.run("send", {}, lambda _: asyncio.sleep(0, "sent"), external_id="a")
    )
    await aside.approve(await aside.asked())
    assert await asyncio.wait_for(running, 20) == "sent"
    with pytest.raises(CallAlreadyRan) as caught:
        await gate.run("send", {}, lambda _: asyncio.sleep(0, never()), external_id="a")
    assert caught.value.status == "done"


async def test_a_gate_has_places_and_an_agents_name_of_its_own(home: Path, tmp_path: Path) -> None:
    settings = tmp_path / "other.toml"
    settings.write_text('[permissions]\nallow = ["write(out/**)"]\n')
    database, workspace = tmp_path / "deep" / "other.db", tmp_path / "workspace"
    (workspace / "out").mkdir(parents=True)
    with contextlib.closing(
        Gate(
            agent="writer",
            workspace=workspace,
            database=database,
            settings=settings,
            terminal=False,
            inbox=True,
        )
    ) as gate:
        write = {"path": "out/a.txt", "content": ""}
        assert gate.decide_sync("write_file", write).effect == "allow"
        assert gate.decide_sync("write_file", {**write, "path": "a.txt"}).effect == "ask"
    assert database.exists()
    async with open_broker(database=database) as broker:
        credentials = await broker.world.store.credentials()
        assert [c.agent_id for c in credentials] == ["writer"]


async def test_broken_settings_let_nothing_pass_that_they_might_deny(
    home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (home / "settings.toml").write_text('[permissions]\nallow = ["tool(add)", "tool(("]\n')
    with contextlib.closing(Gate(terminal=False, inbox=True)) as gate:
        standing = await gate.decide("add", {})
        assert (standing.effect, standing.reason) == ("ask", "rules-unavailable")
    said = capfd.readouterr()
    assert said.out == ""  # standard output is the program's own
    assert "settings.toml:2:30: the rule does not end with `)`" in said.err


def test_a_home_that_cannot_be_used_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SAYSO_HOME", "somewhere")
    with pytest.raises(SettingsInvalid, match="not an absolute path"):
        Gate(terminal=False).decide_sync("add", {})
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SAYSO_HOME", str(tmp_path / "file" / "home"))
    with pytest.raises(StoreUnavailable, match="cannot be used: Not a directory") as caught:
        Gate(terminal=False).decide_sync("add", {})
    assert caught.value.hint is not None


def run_program(home: Path, text: str) -> subprocess.CompletedProcess[str]:
    """Run a small program against an installation."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text)],
        env={**os.environ, "SAYSO_HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
async def test_a_program_that_forks_and_never_closes(home: Path) -> None:
    ended = await asyncio.to_thread(
        run_program,
        home,
        """
        import os
        from sayso import Gate

        gate = Gate(terminal=False)

        @gate.guard
        def add(a: int) -> int:
            return a + 1

        print(add(1), flush=True)
        child = os.fork()
        print(add(2 if child else 20), flush=True)
        if child:
            assert os.waitpid(child, 0)[1] == 0
        """,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert sorted(ended.stdout.split()) == ["2", "21", "3"]
    async with open_broker() as broker:
        now = broker.world.clock.now()
        credentials = await broker.world.store.credentials()
        assert [credential.live(now) for credential in credentials] == [False, False]


@pytest.mark.spec("POL-51")
async def test_guarded_functions_are_remembered_beside_the_first_call(
    gate: Gate, aside: Aside
) -> None:
    @gate.guard
    def add(a: int, b: int = 1) -> int:
        """Add two numbers."""
        return a + b

    assert await asyncio.to_thread(add, 1) == 2
    for _ in range(100):
        known = await aside.store.known_tools()
        if known:
            break
        await asyncio.sleep(0.05)
    [tool] = [one.tool for one in known]
    assert (tool.server, tool.name, tool.description) == (None, "add", "Add two numbers.")
    assert set(tool.input_schema["properties"]) == {"a", "b"}


@pytest.mark.spec("POL-60")
async def test_a_program_may_bring_rules_of_its_own(home: Path) -> None:
    rules = {"allow": ["send"], "ask": ["add"], "deny": ["tool(delete_*)"]}
    with contextlib.closing(Gate(terminal=False, inbox=True, **rules)) as gate:  # type: ignore[arg-type]
        assert (await gate.decide("send", {})).reason == "rule-allow"
        assert (await gate.decide("add", {})).reason == "must-ask"
        standing = await gate.decide("delete_all", {})
        assert standing.reason == "rule-deny"
        assert standing.verdict is not None
        assert standing.verdict["rule"]["origin"] == "flag"
        assert (await gate.decide("wipe", {})).reason == "rule-deny", "the settings count beside"
    with pytest.raises(RuleSyntaxError, match="--allow: `wirte` is not a kind"):
        Gate(allow=["wirte(x)"])


@pytest.mark.spec("POL-60", "POL-63")
async def test_the_settings_of_the_program_s_project_count_and_are_followed(
    home: Path, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    file = project / "sayso.toml"
    file.write_text('[permissions]\nallow = ["send"]\ndeny = ["add"]\n')
    with contextlib.closing(Gate(terminal=False, inbox=True, workspace=project)) as gate:
        assert (await gate.decide("add", {})).reason == "rule-deny"
        assert (await gate.decide("send", {})).reason == "rule-ask", "what loosens waits for trust"
        file.write_text('[permissions]\ndeny = ["send"]\n')
        assert LOOK_SECONDS <= 1, "it is followed within two seconds"
        async with asyncio.timeout(20):
            while (await gate.decide("send", {})).reason != "rule-deny":  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        assert (await gate.decide("add", {})).effect == "allow"


@pytest.mark.spec("REQ-68")
@pytest.mark.parametrize("is_async", [False, True])
async def test_a_plain_function_answers_what_is_asked_and_holds_up_no_other_call(
    home: Path, aside: Aside, is_async: bool
) -> None:
    """It may block, and the leases of calls that run meanwhile are renewed all the same."""
    let_go, in_thread = threading.Event(), []

    def blocks(text: str) -> str:
        in_thread.append(threading.current_thread().name)
        let_go.wait(20)
        return f"because of {text}"

    async def waits(text: str) -> str:
        in_thread.append(threading.current_thread().name)
        while not let_go.is_set():  # noqa: ASYNC110
            await asyncio.sleep(0.02)
        return f"because of {text}"

    handler = waits if is_async else blocks
    with contextlib.closing(Gate(terminal=False, inbox=True, on_question=handler)) as gate:
        asking = asyncio.create_task(asyncio.to_thread(gate.run_sync, "send", {}, lambda _: "sent"))
        request = await aside.asked()
        world = aside.broker.world
        ids: Any = world.ids
        actor = await make_actor(world.store, ids, world.clock.now(), CredentialKind.SESSION)
        await aside.broker.attention.ask_back(actor, request.request_id, "what?")
        async with asyncio.timeout(20):
            while not in_thread:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        try:
            async with asyncio.timeout(5):  # the gate's own loop still works
                assert await asyncio.to_thread(gate.run_sync, "add", {}, lambda _: 3) == 3
        finally:
            let_go.set()
        await aside.becomes(
            request.request_id,
            lambda now: [q.answer for q in now.attention.questions] == ["because of what?"],
        )
        await aside.approve(await aside.store.request(request.request_id))
        assert await asking == "sent"
