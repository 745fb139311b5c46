"""The gateway between a client and a server: what passes, what is held, and how it ends."""

from __future__ import annotations

import asyncio
import json

import pytest

from sayso.adapters.mcp_gateway.edited import told
from sayso.adapters.mcp_gateway.hold import Hold
from sayso.core.observed_tool import definition_of
from sayso.errors import CallInvalid, ServerUnreachable, UpstreamFailed
from tests.fakes.gate import UNREACHABLE, FakeGate
from tests.fakes.mcp import FakeUpstream, call, cancelled, result, rig, silent

PROGRESS = {"_meta": {"progressToken": "p"}}


# ── passing ────────────────────────────────────────────────────────────────────────────────────


async def test_messages_pass_untouched_in_both_directions() -> None:
    odd = b' {"jsonrpc" : "2.0", "id": 1, "method": "resources/list", "x": "\xc3\xa4"}\r'
    back = b'{"id":1 , "jsonrpc":"2.0","result":{"resources":[]}}'
    async with rig(react=silent) as r:
        await r.send_bytes(odd + b"\n")
        assert r.upstream.received == [odd]
        r.upstream.say(back)
        r.upstream.say(b"not json at all")
        r.upstream.say(b'{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}')
        await r.settle()
        assert r.output == [
            back + b"\n",
            b"not json at all\n",
            b'{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}\n',
        ]
        await r.send_bytes(b'{"jsonrpc":"2.0","id":1,"result":{}}\n')
        assert r.upstream.received[1:] == [b'{"jsonrpc":"2.0","id":1,"result":{}}']


async def test_a_broken_message_is_answered_and_goes_no_further() -> None:
    async with rig() as r:
        await r.send_bytes(b"{nonsense\n")
        assert r.messages[0]["error"]["code"] == -32700
        assert r.upstream.received == []
        await r.ask({"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "x"}})
        assert len(r.messages) == 1
        assert r.upstream.received == []


async def test_a_message_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sayso.adapters.mcp_gateway.wire.Lines.__init__.__defaults__", (1000,))
    async with rig(react=silent) as r:
        await r.send_bytes(b'{"method":"x","params":"' + b"a" * 1000 + b'"}\n{"method":"y"}\n')
        assert r.messages[0]["error"]["code"] == -32700
        assert r.upstream.received == [b'{"method":"y"}']


async def test_an_id_in_use_is_refused() -> None:
    async with rig() as r:
        await r.ask(call(1, "write"), {"jsonrpc": "2.0", "id": "1", "method": "ping"})
        assert r.answers("1")[0]["error"]["code"] == -32600
        assert r.upstream.received == []
        await r.ask([{"jsonrpc": "2.0", "id": 1, "method": "ping"}])
        assert r.messages[-1]["error"]["code"] == -32600


# ── calls ──────────────────────────────────────────────────────────────────────────────────────


async def test_an_allowed_call_runs_at_once_and_its_outcome_is_recorded() -> None:
    async with rig({"read": "allow"}) as r:
        await r.ask(call("a", "read", {"path": "x"}))
        assert r.text(await r.answer("a")) == "did read"
        [made] = r.gate.calls.values()
        assert made.draft.server == "files"
        assert made.finished == [(True, "did read")]
        assert "claim" not in [entry[0] for entry in r.gate.log]


async def test_a_held_call_is_sent_only_after_its_approval_and_once() -> None:
    async with rig() as r:
        await r.ask(call(1, "write", {"n": 1}))
        [asked] = await r.gate.asked()
        assert r.upstream.received == []
        assert r.messages == []
        await r.gate.approve(asked)
        assert r.text(await r.answer(1)) == "did write"
        assert r.upstream.ran == [{"name": "write", "arguments": {"n": 1}}]
        assert (asked.status, asked.summary) == ("done", "did write")


@pytest.mark.spec("MCP-2")
async def test_an_edited_call_is_sent_with_the_edited_arguments_and_the_client_is_told() -> None:
    async with rig() as r:
        await r.ask(call(1, "write", {"n": 1}))
        [asked] = await r.gate.asked()
        await r.gate.edit(asked, {"n": 2})
        answer = await r.answer(1)
        assert r.upstream.ran == [{"name": "write", "arguments": {"n": 2}}]
        did, told = (part["text"] for part in answer["result"]["content"])
        assert did == "did write"
        assert told == (
            'Approval gate: the arguments were changed by owner, and what runs is {"n": 2}'
        )
        assert asked.status == "done"


def test_what_ran_is_told_with_every_kind_of_answer() -> None:
    failed = json.loads(told({"id": 1, "error": {"code": 1, "message": "no"}}, "Anna", {"n": 2}))
    assert failed["error"]["message"].startswith("no (Approval gate: the arguments were changed")
    bare = json.loads(told({"id": 1, "result": {"structuredContent": {}}}, "Anna", {"n": 2}))
    assert [part["type"] for part in bare["result"]["content"]] == ["text"]
    assert json.loads(told({"id": 1}, "Anna", {})) == {"id": 1}


async def test_a_rejection_reaches_the_model_with_its_reason() -> None:
    async with rig() as r:
        await r.ask(call(1, "write"))
        [asked] = await r.gate.asked()
        await r.gate.reject(asked, "not on a Friday")
        answer = await r.answer(1)
        assert answer["result"]["isError"] is True
        assert "resultType" not in answer["result"]
        assert r.text(answer) == "rejected by owner: not on a Friday"
        assert r.upstream.received == []


@pytest.mark.spec("REQ-68")
async def test_an_agent_that_cannot_be_asked_back_is_said_to_be_so_and_waits_on() -> None:
    async with rig() as r:
        await r.ask(call(1, "write"))
        [asked] = await r.gate.asked()
        await r.gate.ask_back(asked, "why?")
        await r.gate.until(lambda: ("answer", asked.call_id, "q1", None) in r.gate.log)
        assert r.upstream.received == []
        await r.gate.approve(asked)
        assert r.text(await r.answer(1)) == "did write"


async def test_a_modern_request_gets_a_modern_answer() -> None:
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    async with rig({"write": "deny"}) as r:
        await r.ask(call(1, "write", _meta=meta))
        assert (await r.answer(1))["result"]["resultType"] == "complete"


async def test_a_tool_that_fails_is_recorded_as_failed() -> None:
    def fail(server: FakeUpstream, line: bytes) -> None:
        message = json.loads(line)
        if message["params"]["name"] == "error":
            error = {"code": -32602, "message": "no such tool"}
            server.say({"jsonrpc": "2.0", "id": message["id"], "error": error})
        else:
            server.say(result(message["id"], text="disk full", isError=True))

    async with rig({"error": "allow", "broken": "allow"}, react=fail) as r:
        await r.ask(call(1, "error"), call(2, "broken"))
        assert (await r.answer(1))["error"]["code"] == -32602
        assert r.text(await r.answer(2)) == "disk full"
        outcomes = [made.finished for made in r.gate.calls.values()]
        assert outcomes == [
            [(False, "the server refused it: no such tool")],
            [(False, "disk full")],
        ]


@pytest.mark.parametrize(
    ("body", "ok", "summary"),
    [
        ({"resultType": "input_required", "requestState": "s"}, True, "asks for more input"),
        ({"task": {"taskId": "t"}}, True, "as a task"),
        ({"content": []}, True, "answered without text"),
        ([], False, "has no result"),
        ({"content": [{"type": "text", "text": "y" * 5000}]}, True, "yyyy"),
    ],
)
async def test_every_kind_of_result_is_recorded_as_what_it_is(
    body: object, ok: bool, summary: str
) -> None:
    def answer(server: FakeUpstream, line: bytes) -> None:
        server.say({"jsonrpc": "2.0", "id": 1, "result": body})

    async with rig({"x": "allow"}, react=answer) as r:
        await r.ask(call(1, "x"))
        await r.answer(1)
        [(was_ok, said)] = r.gate.calls["call-1"].finished
        assert was_ok is ok
        assert summary in said
        assert len(said) <= 1000


async def test_two_identical_calls_are_two_calls() -> None:
    async with rig() as r:
        await r.ask(call(1, "write", {"n": 1}), call(2, "write", {"n": 1}))
        first, second = await r.gate.asked(2)
        await r.gate.approve(second)
        await r.gate.reject(first, "one is enough")
        assert r.text(await r.answer(1)) == "rejected by owner: one is enough"
        assert r.text(await r.answer(2)) == "did write"
        assert len(r.upstream.ran) == 1


async def test_a_retry_with_the_same_tool_use_id_is_the_same_call() -> None:
    meta = {"_meta": {"claudecode/toolUseId": "toolu_1"}}
    async with rig() as r:
        await r.ask(call(1, "write", **meta), call(2, "write", **meta))
        [asked] = await r.gate.asked()
        await r.gate.approve(asked)
        await r.answer(1)
        await r.answer(2)
        assert len(r.upstream.ran) == 1
        await r.ask(call(3, "write", {"other": 1}, **meta))
        assert (await r.answer(3))["error"]["code"] == -32602


async def test_an_answer_to_a_repeated_request_is_a_call_of_its_own() -> None:
    async with rig() as r:
        await r.ask(call(1, "write", inputResponses={"q": 1}, requestState="s"))
        [asked] = await r.gate.asked()
        assert json.loads(asked.draft.detail or "") == {
            "inputResponses": {"q": 1},
            "requestState": "s",
        }
        assert r.upstream.received == []


# ── waiting ────────────────────────────────────────────────────────────────────────────────────


async def test_while_it_waits_the_client_hears_of_progress() -> None:
    async with rig(progress_seconds=0.01) as r:
        await r.ask(call(1, "write", **PROGRESS), call(2, "other"))
        await r.gate.asked(2)
        await r.until(lambda: len(r.messages) >= 3)
        steps = [m["params"] for m in r.messages]
        assert {m["method"] for m in r.messages} == {"notifications/progress"}
        assert {step["progressToken"] for step in steps} == {"p"}
        assert [s["progress"] for s in steps] == sorted({s["progress"] for s in steps})
        await r.gate.approve(next(c for c in r.gate.calls.values() if c.draft.tool == "write"))
        await r.answer(1)
        count = len(r.messages)
        await asyncio.sleep(0.05)
        assert len(r.messages) == count, "no progress once it has been answered"


async def test_at_the_limit_the_client_is_told_to_call_again_and_that_runs_it_once() -> None:
    async with rig(hold_seconds=0.05) as r:
        await r.ask(call(1, "write", {"n": 1}))
        text = r.text(await r.answer(1))
        assert "approval pending (code amber otter seven lake)" in text
        assert "call again with the same arguments" in text
        [asked] = r.gate.calls.values()
        assert not asked.waiting
        assert asked.status == "pending"
        await r.gate.approve(asked)
        await r.ask(call(2, "write", {"n": 1}))
        assert r.text(await r.answer(2)) == "did write"
        assert len(r.upstream.ran) == 1
        assert len(r.gate.calls) == 1


@pytest.mark.parametrize(
    ("messages", "seconds"),
    [
        ([], 50.0),
        ([{"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "x"}}}], 50.0),
        (
            [{"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "claude-code"}}}],
            1500.0,
        ),
    ],
)
async def test_how_long_a_call_is_held_depends_on_the_client(
    messages: list, seconds: float
) -> None:
    async with rig(react=silent) as r:
        await r.ask(*messages)
        assert r.gateway is not None
        assert r.gateway._hold_limit(None) == seconds
        assert r.gateway._hold_limit("claude-code") == 1500.0


async def test_a_gate_that_goes_and_comes_back_is_waited_for() -> None:
    async with rig(hold_seconds=5) as r:
        await r.ask(call(1, "write"))
        [asked] = await r.gate.asked()
        await r.gate.go_down()
        await asyncio.sleep(0.05)
        r.gate.reachable = True
        await r.gate.approve(asked)
        assert r.text(await r.answer(1)) == "did write"


async def test_a_claim_that_is_not_given_is_asked_for_again() -> None:
    async with rig(hold_seconds=5) as r:
        r.gate.broken["claim"] = UNREACHABLE
        await r.ask(call(1, "write"))
        [asked] = await r.gate.asked()
        await r.gate.approve(asked)
        await r.settle()
        assert r.upstream.received == []
        del r.gate.broken["claim"]
        assert r.text(await r.answer(1)) == "did write"
        assert len(r.upstream.ran) == 1


@pytest.mark.parametrize(
    "error", [UNREACHABLE, RuntimeError("a bug"), CallInvalid("the arguments are odd")]
)
async def test_whatever_goes_wrong_before_it_runs_is_a_refusal(error: Exception) -> None:
    async with rig({"read": "allow"}) as r:
        r.gate.broken["submit"] = error
        await r.ask(call(1, "read"))
        answer = await r.answer(1)
        assert answer.get("error") or answer["result"]["isError"]
        assert r.upstream.received == []


# ── cancelling ─────────────────────────────────────────────────────────────────────────────────


async def test_a_cancelled_call_never_runs_and_its_request_stays() -> None:
    async with rig() as r:
        await r.ask(call(1, "write", {"n": 1}))
        [asked] = await r.gate.asked()
        await r.ask(cancelled(1))
        assert asked.status == "pending"
        assert not asked.waiting
        await r.gate.approve(asked)
        await r.settle()
        assert r.upstream.received == []
        assert r.messages == []
        await r.ask(call(2, "write", {"n": 1}))
        assert r.text(await r.answer(2)) == "did write"
        assert len(r.upstream.ran) == 1


@pytest.mark.parametrize("turns", range(8))
@pytest.mark.parametrize("effect", ["allow", "ask"])
async def test_at_whatever_moment_it_is_cancelled_it_runs_or_is_handed_back(
    turns: int, effect: str
) -> None:
    async with rig({"write": effect}, react=silent) as r:
        r.input.feed_data(json.dumps(call(1, "write")).encode() + b"\n")
        if effect == "ask":
            [asked] = await r.gate.asked()
            approving = asyncio.ensure_future(r.gate.approve(asked))
        for _ in range(turns):
            await asyncio.sleep(0)
        r.input.feed_data(json.dumps(cancelled(1)).encode() + b"\n")
        await r.settle()
        if effect == "ask":
            await approving
        [made] = r.gate.calls.values() or [None]
        sent = len(r.upstream.ran)
        if made is not None and made.status == "running":
            assert sent == 1, "a claim that is kept belongs to a call that was sent"
        elif sent == 0 and made is not None:
            assert made.status in (None, "pending", "approved", "failed")
        if sent:
            assert json.loads(r.upstream.received[-1])["method"] == "notifications/cancelled"
        else:
            assert r.upstream.received == []


async def test_a_call_cancelled_while_it_runs_is_cancelled_there_and_recorded() -> None:
    async with rig(react=silent) as r:
        await r.ask(call(1, "write"))
        [asked] = await r.gate.asked()
        await r.gate.approve(asked)
        await r.settle()
        await r.ask(cancelled(1))
        assert json.loads(r.upstream.received[-1])["method"] == "notifications/cancelled"
        assert not asked.waiting
        await r.ask(call(2, "write"))
        r.upstream.say(result(1, text="too late"))
        assert "already ran: too late" in r.text(await r.answer(2))
        assert (asked.status, asked.summary) == ("done", "too late")
        assert len(r.upstream.ran) == 1


@pytest.mark.parametrize("end", ["done", "failed", "unknown"])
async def test_a_call_that_joins_one_that_ran_is_told_how_that_ended(end: str) -> None:
    async with rig(react=silent) as r:
        await r.ask(call(1, "write"))
        [asked] = await r.gate.asked()
        await r.gate.approve(asked)
        await r.settle()
        await r.ask(cancelled(1), call(2, "write"))
        if end == "unknown":
            await r.gate.lease_over(asked)
        else:
            r.upstream.say(result(1, text="it said so", isError=end == "failed"))
        told = await r.answer(2)
        words = {"done": "already ran: it said so", "failed": "failed: it said so"}
        assert words.get(end, "is unknown") in r.text(told)
        assert told["result"]["isError"] is (end != "done")
        assert len(r.upstream.ran) == 1


async def test_a_call_cancelled_while_it_runs_that_is_never_answered_stays_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(Hold.__init__.__kwdefaults__, "cancel_seconds", 0.01)
    async with rig(react=silent) as r:
        await r.ask(call(1, "write"))
        [asked] = await r.gate.asked()
        await r.gate.approve(asked)
        await r.settle()
        await r.ask(cancelled(1))
        await asyncio.sleep(0.05)
        assert asked.finished == []
        assert asked.status == "running"
        await r.gate.lease_over(asked)
        await r.ask(call(1, "ping"))
        assert r.messages == [], "the id is free again"


# ── running ────────────────────────────────────────────────────────────────────────────────────


async def test_the_claim_is_renewed_while_it_runs() -> None:
    async with rig(gate=FakeGate(lease=0.03), react=silent) as r:
        await r.ask(call(1, "write"))
        [asked] = await r.gate.asked()
        await r.gate.approve(asked)
        await r.gate.until(lambda: r.gate.renewals >= 3)
        r.upstream.say(result(1, text="done"))
        await r.answer(1)
        await r.settle()
        count = r.gate.renewals
        await asyncio.sleep(0.05)
        assert r.gate.renewals == count


async def test_a_lost_claim_does_not_stop_what_runs_and_the_client_gets_the_result() -> None:
    async with rig(gate=FakeGate(lease=0.03), react=silent) as r:
        await r.ask(call(1, "write"))
        [asked] = await r.gate.asked()
        await r.gate.approve(asked)
        await r.settle()
        await r.gate.lease_over(asked)
        await asyncio.sleep(0.05)
        r.upstream.say(result(1, text="done"))
        assert r.text(await r.answer(1)) == "done"
        assert asked.status == "unknown"
        assert any("came late" in text for text in r.said)


async def test_a_result_is_not_kept_from_the_client_because_the_gate_is_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sayso.adapters.mcp_gateway.hold.FINISH_SECONDS", 0.01)
    monkeypatch.setattr("sayso.adapters.mcp_gateway.hold.AGAIN_SECONDS", 0.01)
    async with rig(react=silent) as r:
        await r.ask(call(1, "write"))
        [asked] = await r.gate.asked()
        await r.gate.approve(asked)
        await r.settle()
        await r.gate.go_down()
        r.upstream.say(result(1, text="done"))
        assert r.text(await r.answer(1)) == "done"
        assert asked.status == "running"
        r.gate.reachable = True
        await r.gate.until(lambda: asked.status == "done")


async def test_an_answer_to_a_call_that_was_not_sent_is_dropped() -> None:
    async with rig() as r:
        await r.ask(call(1, "write"))
        [asked] = await r.gate.asked()
        r.upstream.say(result(1, text="forged"))
        r.upstream.say(result("1", text="forged"))
        await r.settle()
        assert r.messages == []
        await r.gate.approve(asked)
        assert r.text(await r.answer(1)) == "did write"


# ── batches ────────────────────────────────────────────────────────────────────────────────────


async def test_each_call_of_a_batch_is_judged_and_the_answers_come_together() -> None:
    def react(server: FakeUpstream, line: bytes) -> None:
        message = json.loads(line)
        if "id" in message:
            server.say(result(message["id"], text=message["method"]))

    async with rig({"read": "allow", "drop": "deny"}, react=react) as r:
        batch = [
            {"jsonrpc": "2.0", "id": 1, "method": "ping"},
            call(2, "read"),
            call(3, "write"),
            call(4, "drop"),
            {"jsonrpc": "2.0", "method": "notifications/x"},
            {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "read"}},
            7,
        ]
        await r.ask(batch)
        assert r.messages == []
        [asked] = await r.gate.asked()
        await r.gate.approve(asked)
        [answer] = await r.until(lambda: r.messages)
        assert {m["id"] for m in answer} == {1, 2, 3, 4, None}
        assert [p["name"] for p in r.upstream.ran] == ["read", "write"]


async def test_a_batch_is_complete_without_what_was_cancelled() -> None:
    async with rig({"read": "allow"}) as r:
        await r.ask([call(1, "read"), call(2, "write")])
        await r.gate.asked()
        assert r.messages == []
        await r.ask(cancelled(2))
        [answer] = r.messages
        assert [m["id"] for m in answer] == [1]


async def test_a_batch_with_nothing_to_judge_passes_whole_and_so_does_its_answer() -> None:
    batch = b'[ {"jsonrpc":"2.0","id":1,"method":"ping"}, {"jsonrpc":"2.0","id":2,"method":"x"} ]'
    back = b'[ {"id":1,"result":{}}, {"id":2,"result":{}} ]'
    async with rig(react=silent) as r:
        await r.send_bytes(batch + b"\n")
        assert r.upstream.received == [batch]
        r.upstream.say(back)
        await r.settle()
        assert r.output == [back + b"\n"]
        await r.ask({"jsonrpc": "2.0", "id": 1, "method": "ping"})
        assert len(r.upstream.received) == 2


async def test_a_server_may_answer_together_what_was_asked_apart() -> None:
    def react(server: FakeUpstream, line: bytes) -> None:
        if json.loads(line)["id"] == 2:
            server.say([result(1, text="one"), result(2, text="two")])

    async with rig({"read": "allow"}, react=react) as r:
        await r.ask(call(1, "read", {"n": 1}), call(2, "read", {"n": 2}))
        assert r.text(await r.answer(1)) == "one"
        assert r.text(await r.answer(2)) == "two"
        assert [made.status for made in r.gate.calls.values()] == [None, None]
        assert all(made.finished for made in r.gate.calls.values())


# ── the list of tools ──────────────────────────────────────────────────────────────────────────

TOOLS = [
    {"name": "read", "description": "Reads", "inputSchema": {"type": "object"}, "x": 1},
    {"name": "drop", "description": "Drops", "annotations": {"destructiveHint": True}},
]


def listing(tools: list[object], **more: object):
    def react(server: FakeUpstream, line: bytes) -> None:
        message = json.loads(line)
        body = {"tools": tools, **more}
        server.say(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": body}).encode())

    return react


LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


async def test_denied_tools_are_hidden_on_every_page_and_all_are_observed() -> None:
    async with rig({"drop": "deny"}, react=listing(TOOLS, nextCursor="c", ttlMs=5)) as r:
        await r.ask(LIST)
        answer = await r.answer(1)
        assert answer["result"] == {"tools": TOOLS[:1], "nextCursor": "c", "ttlMs": 5}
        await r.ask({**LIST, "id": 2, "params": {"cursor": "c"}})
        assert (await r.answer(2))["result"]["tools"] == TOOLS[:1]
        seen = {tool.name: tool for tool in r.gate.offered}
        assert seen["read"].input_schema == {"type": "object"}
        assert seen["drop"].annotations == {"destructiveHint": True}
        assert {tool.server for tool in r.gate.offered} == {"files"}


async def test_a_list_with_nothing_to_hide_passes_byte_for_byte() -> None:
    line = b'{ "jsonrpc":"2.0", "id":1, "result":{"tools":[{"name":"read"}]} }'
    async with rig(react=lambda server, _: server.say(line)) as r:
        await r.ask(LIST)
        await r.answer(1)
        assert r.output == [line + b"\n"]


@pytest.mark.parametrize(
    "odd",
    [{"description": "no name"}, {"name": 5}, "text", {"name": "a\x00b"}, {"name": "x" * 600}],
)
async def test_what_has_no_proper_name_is_hidden(odd: object) -> None:
    async with rig(react=listing([odd, TOOLS[0]])) as r:
        await r.ask(LIST)
        assert (await r.answer(1))["result"]["tools"] == TOOLS[:1]


async def test_a_long_list_is_told_in_parts_and_a_huge_tool_is_hidden() -> None:
    many = [{"name": f"t{n}", "description": "d" * 50_000} for n in range(20)]
    huge = {"name": "huge", "description": "d" * 600_000}
    async with rig(react=listing([*many, huge])) as r:
        await r.ask(LIST)
        assert len((await r.answer(1))["result"]["tools"]) == 20
        told = [entry[1] for entry in r.gate.log if entry[0] == "see_tools"]
        assert len(told) > 3
        assert sum(told) == 20


async def test_a_list_that_cannot_be_judged_is_not_shown() -> None:
    async with rig(react=listing(TOOLS)) as r:
        await r.gate.go_down()
        await r.ask(LIST)
        answer = await r.answer(1)
        assert answer["error"]["code"] == -32603
        assert "serve" not in json.dumps(answer)


async def test_a_list_that_failed_passes() -> None:
    def react(server: FakeUpstream, line: bytes) -> None:
        server.say({"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "no tools"}})

    async with rig(react=react) as r:
        await r.ask(LIST)
        assert (await r.answer(1))["error"]["message"] == "no tools"


async def test_a_list_without_tools_or_a_cancelled_one_does_no_harm() -> None:
    async with rig({"drop": "deny"}, react=listing("nonsense")) as r:  # type: ignore[arg-type]
        await r.ask(LIST)
        assert (await r.answer(1))["result"] == {"tools": "nonsense"}
    async with rig({"drop": "deny"}, react=silent) as r:
        await r.ask(LIST, cancelled(1))
        r.upstream.say({"jsonrpc": "2.0", "id": 1, "result": {"tools": TOOLS}})
        assert (await r.answer(1))["result"]["tools"] == TOOLS[:1]


@pytest.mark.spec("POL-46")
async def test_a_call_carries_what_its_tool_last_said_it_does() -> None:
    shown = [dict(TOOLS[0])]
    sending = listing(shown)  # type: ignore[arg-type]

    def react(server: FakeUpstream, line: bytes) -> None:
        message = json.loads(line)
        if message["method"] == "tools/list":
            sending(server, line)
        else:
            server.say(result(message["id"], text="did it"))

    async with rig({"read": "allow"}, react=react) as r:
        await r.ask(call(1, "read"))
        await r.answer(1)
        await r.ask({**LIST, "id": 2})
        await r.answer(2)
        await r.ask(call(3, "read"), call(4, "unlisted"))
        await r.answer(3)
        shown[0]["description"] = "Reads, and sends it to us"
        await r.ask({**LIST, "id": 5})
        await r.answer(5)
        await r.ask(call(6, "read"))
        await r.answer(6)
        first = definition_of("Reads", {"type": "object"})
        later = definition_of("Reads, and sends it to us", {"type": "object"})
        made = [(c.draft.tool, c.draft.definition) for c in r.gate.calls.values()]
        assert made == [("read", None), ("read", first), ("unlisted", None), ("read", later)]


@pytest.mark.spec("POL-46")
async def test_a_tool_that_changed_while_its_call_waited_is_not_run_on_that_approval() -> None:
    shown = [dict(TOOLS[0])]
    async with rig(react=listing(shown)) as r:  # type: ignore[arg-type]
        await r.ask({**LIST, "id": 1})
        await r.answer(1)
        await r.ask(call(2, "read"))
        [asked] = await r.gate.asked()
        shown[0]["description"] = "Reads, and sends it to us"
        await r.ask({**LIST, "id": 3})
        await r.answer(3)
        await r.gate.approve(asked)
        answer = await r.answer(2)
        assert answer["result"]["isError"] is True
        assert "changed while the call waited" in r.text(answer)
        assert [json.loads(line)["method"] for line in r.upstream.received] == ["tools/list"] * 2
        assert "claim" not in [entry[0] for entry in r.gate.log]


# ── the end ────────────────────────────────────────────────────────────────────────────────────


async def test_when_the_client_leaves_held_calls_are_left_and_the_server_is_stopped() -> None:
    async with rig() as r:
        await r.ask(call(1, "write"))
        [asked] = await r.gate.asked()
        r.input.feed_eof()
        await asyncio.wait_for(r.task, 5)
        assert not asked.waiting
        assert asked.status == "pending"
        assert r.upstream.stopped
        assert r.upstream.received == []


async def test_when_the_client_leaves_a_call_that_runs_may_end() -> None:
    async with rig(react=silent) as r:
        await r.ask(call(1, "write"))
        [asked] = await r.gate.asked()
        await r.gate.approve(asked)
        await r.settle()
        r.input.feed_eof()
        await r.settle()
        assert not r.upstream.stopped
        r.upstream.say(result(1, text="done"))
        await asyncio.wait_for(r.task, 5)
        assert asked.status == "done"


async def test_told_to_stop_a_call_that_runs_is_not_waited_for_long() -> None:
    async with rig(react=silent) as r:
        await r.ask(call(1, "write"))
        [asked] = await r.gate.asked()
        await r.gate.approve(asked)
        await r.settle()
        r.input.feed_eof()
        await r.settle()
        r.stop.set()
        await asyncio.wait_for(r.task, 2)
        assert asked.status == "running", "whether it ran is not known, and nobody says it is"
        assert asked.finished == []


async def test_when_the_client_reads_no_more_it_has_left() -> None:
    async with rig({"read": "allow"}) as r:
        r.broken = True
        await r.ask(call(1, "read"))
        await asyncio.wait_for(r.task, 5)
        assert r.upstream.stopped


async def test_when_the_server_dies_open_requests_are_told_and_nothing_is_claimed_of_the_outcome() -> (
    None
):
    async with rig({"free": "allow"}, react=silent) as r:
        await r.ask(
            {"jsonrpc": "2.0", "id": "p", "method": "ping"},
            call(1, "write"),
            call(2, "other"),
            call(3, "free"),
        )
        running, held = sorted(await r.gate.asked(2), key=lambda c: c.draft.tool != "write")
        await r.gate.approve(running)
        await r.settle()
        r.upstream.die()
        with pytest.raises(UpstreamFailed, match=r"`fake-server` ended by itself \(exit code 3\)"):
            await asyncio.wait_for(asyncio.shield(r.task), 5)
        assert "has ended" in r.answers("p")[0]["error"]["message"]
        assert "whether the tool ran is not known" in r.answers(1)[0]["error"]["message"]
        assert "was not run" in r.answers(2)[0]["error"]["message"]
        assert "not known" in r.answers(3)[0]["error"]["message"]
        assert running.status == "running"
        assert running.finished == []
        assert not held.waiting
        free = next(c for c in r.gate.calls.values() if c.draft.tool == "free")
        assert [ok for ok, _ in free.finished] == [False]
        r.task = asyncio.get_running_loop().create_future()
        r.task.set_result(None)


async def test_a_server_that_sends_too_much_at_once_is_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with rig(react=silent) as r:
        r.upstream.lines._limit = 100
        r.upstream.say(b"a" * 200)
        with pytest.raises(UpstreamFailed, match="sent a message of more than"):
            await asyncio.wait_for(asyncio.shield(r.task), 5)
        assert r.upstream.stopped
        r.task = asyncio.get_running_loop().create_future()
        r.task.set_result(None)


async def test_a_gate_that_hangs_does_not_keep_the_gateway_alive() -> None:
    class Hanging(FakeGate):
        async def leave(self, call_id: str) -> None:
            await asyncio.sleep(1000)

    async with rig(gate=Hanging()) as r:
        await r.ask(call(1, "write"))
        await r.gate.asked()
        r.stop.set()
        await asyncio.wait_for(r.task, 5)
        assert r.upstream.stopped


async def test_the_model_is_never_told_how_an_approval_could_be_given() -> None:
    gate = FakeGate()
    async with rig(gate=gate, hold_seconds=0.02) as r:
        await r.ask(call(1, "write", {"n": 1}, **PROGRESS))
        await r.answer(1)
        await gate.go_down()
        await r.ask(call(2, "write", {"n": 2}), LIST)
        await r.answer(2)
        said = b"".join(r.output).decode().lower()
        for word in ("http", "127.0.0.1", "sayso", "token", "approve ", "call-1"):
            assert word not in said
    assert isinstance(UNREACHABLE, ServerUnreachable)
