"""What a gated server wants to be told is asked in the inbox, and the client never hears of it (Q-8)."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from mcp.types import ClientCapabilities, ElicitResult

from sayso.questions.question import Question
from tests.fakes.mcp import Rig, rig, silent
from tests.fakes.world import Scene, make_scene

SECRET = {"type": "object", "properties": {"password": {"type": "string", "minLength": 8}}}


def create(request_id: Any, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "method": "elicitation/create", "params": params}


async def waiting(scene: Scene, count: int = 1) -> list[Question]:
    for _ in range(200):
        found = await scene.store.open_questions()
        if len(found) == count:
            return list(found)
        await asyncio.sleep(0.005)
    raise AssertionError(f"{len(found)} wait")


async def told(made: Rig, request_id: Any) -> dict[str, Any]:
    """What the server was answered."""
    for _ in range(200):
        for line in made.upstream.received:
            message = json.loads(line)
            if (
                isinstance(message, dict)
                and message.get("id") == request_id
                and "method" not in message
            ):
                return dict(message)
        await asyncio.sleep(0.005)
    raise AssertionError(f"no answer to {request_id}")


@pytest.mark.spec("Q-8")
async def test_accept_decline_and_cancel_go_back_to_the_server_alone() -> None:
    scene = make_scene()
    gate, actor = await scene.gate(), await scene.actor()
    questions = scene.broker.questions
    async with rig(react=silent, gate=gate) as made:  # type: ignore[arg-type]
        made.upstream.say(create(1, message="log in", requestedSchema=SECRET))
        (question,) = await waiting(scene)
        assert (question.server, question.message) == ("files", "log in")
        content = {"password": "hunter2-hunter2"}
        await questions.accept(actor, question.question_id, content)
        answer = await told(made, 1)
        result = ElicitResult.model_validate(answer["result"])
        assert (result.action, result.content) == ("accept", content)

        url = "https://example.com/login"
        made.upstream.say(create("u", mode="url", message="log in", url=url, elicitationId="x"))
        (question,) = await waiting(scene)
        assert question.url == url
        await questions.accept(actor, question.question_id, None)
        assert (await told(made, "u"))["result"] == {"action": "accept"}

        made.upstream.say(create(2, mode="form", message="who?", requestedSchema=SECRET))
        await questions.decline(actor, (await waiting(scene))[0].question_id)
        assert (await told(made, 2))["result"] == {"action": "decline"}
        made.upstream.say(create(3, message="who?", requestedSchema=SECRET))
        await questions.cancel(actor, (await waiting(scene))[0].question_id)
        assert (await told(made, 3))["result"] == {"action": "cancel"}
        assert made.output == [], "the client, and so the model, hears nothing of it"
        assert "hunter2" not in repr([made.said, made.output, await scene.audit()])


async def test_what_is_no_form_is_an_error_and_too_many_are_cancelled() -> None:
    scene = make_scene()
    async with rig(react=silent, gate=await scene.gate()) as made:  # type: ignore[arg-type]
        for number, params in enumerate(
            (
                {},
                {"message": 1},
                {"message": "x"},
                {"message": "x", "mode": "url"},
                {"message": "x", "mode": "url", "url": "file:///etc/passwd"},
                {"message": "x", "mode": "url", "url": 7},
                {"message": "x", "requestedSchema": {"type": "array"}},
            )
        ):
            made.upstream.say(create(number, **params))
            assert (await told(made, number))["error"]["code"] == -32602, params
        for number in range(100, 109):
            made.upstream.say(create(number, message="x", requestedSchema=SECRET))
        assert (await told(made, 108))["result"] == {"action": "cancel"}
        await waiting(scene, 8)
        # the server takes one back, and it leaves the inbox
        cancel = {"method": "notifications/cancelled", "params": {"requestId": 100}}
        made.upstream.say({"jsonrpc": "2.0", **cancel})
        await waiting(scene, 7)
        assert made.output == []
    await waiting(scene, 0)  # the rest with the end of the gateway


async def test_the_server_hears_that_elicitations_are_answered_and_other_messages_pass() -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"capabilities": {"roots": {}}, "clientInfo": {"name": "x", "version": "1"}},
    }
    async with rig(react=silent) as made:
        await made.ask(hello)
        (sent,) = [json.loads(line) for line in made.upstream.received]
        able = ClientCapabilities.model_validate(sent["params"]["capabilities"])
        assert able.elicitation is not None
        assert (able.elicitation.form is None, able.elicitation.url is None) == (False, False)
        assert sent["params"]["clientInfo"] == hello["params"]["clientInfo"]
        assert able.roots is not None
        # what only speaks of it is not one
        for message in (
            {"jsonrpc": "2.0", "method": "notifications/elicitation/complete", "params": {}},
            {"jsonrpc": "2.0", "method": "elicitation/create", "params": {}},
        ):
            made.upstream.say(message)
            await made.until(lambda message=message: message in made.messages)


async def test_where_the_gate_is_gone_the_server_is_told_so() -> None:
    class Gone:
        session_id = "s1"

        def __getattr__(self, name: str) -> Any:
            from sayso.errors import ServerUnreachable

            async def fails(*_: Any, **__: Any) -> Any:
                raise ServerUnreachable("no sayso server answers", "start it")

            return fails

    async with rig(react=silent, gate=Gone()) as made:  # type: ignore[arg-type]
        made.upstream.say(create(1, message="x", requestedSchema=SECRET))
        assert (await told(made, 1))["error"]["code"] == -32603


@pytest.mark.spec("Q-8")
async def test_what_the_client_says_in_the_persons_place_never_reaches_the_server() -> None:
    scene = make_scene()
    gate, actor = await scene.gate(), await scene.actor()
    forged = {"jsonrpc": "2.0", "result": {"action": "accept", "content": {"password": "x" * 9}}}
    async with rig(react=silent, gate=gate) as made:  # type: ignore[arg-type]
        made.upstream.say(create(1, message="log in", requestedSchema=SECRET))
        (question,) = await waiting(scene)
        for said in ({**forged, "id": 1}, {**forged, "id": "1"}, [{**forged, "id": 1}]):
            await made.ask(said)
        await made.ask({**forged, "id": 7})  # the client's own affair
        assert (await told(made, 7))["result"] == forged["result"]
        assert len(made.upstream.received) == 1
        await scene.broker.questions.decline(actor, question.question_id)
        assert (await told(made, 1))["result"] == {"action": "decline"}
        await made.ask({**forged, "id": 1})
        await made.ask({**forged, "id": 8})
        await told(made, 8)
        assert len(made.upstream.received) == 3, "after the person's answer there is no second one"
        assert any("never was asked" in words for words in made.said)


@pytest.mark.spec("Q-8")
async def test_no_spelling_and_no_batch_brings_an_elicitation_to_the_client() -> None:
    scene = make_scene()
    async with rig(react=silent, gate=await scene.gate()) as made:  # type: ignore[arg-type]
        line = json.dumps(create(1, message="x", requestedSchema=SECRET))
        escaped = line.replace('"elicitation/', '"\\u0065licitation/')
        made.upstream.say(escaped.encode())
        await waiting(scene, 1)
        news = {"jsonrpc": "2.0", "method": "notifications/message", "params": {}}
        made.upstream.say([create(2, message="x", requestedSchema=SECRET), news])
        made.upstream.say([create(3, message="x", requestedSchema=SECRET)])
        await waiting(scene, 3)
        assert b"licitation" not in repr(made.output).encode()
        assert "notifications/message" in repr(made.output)
