"""The dialogue that a call came from, over HTTP: taken, bounded, kept without secrets, shown as text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sayso.core.dialogue import MAX_WORDS
from tests.fakes.site import Site, make_site, open_session, problem_of, submit
from tests.fakes.world import rule

HOSTILE = "\u202eevil\u2066 <script>x</script> {{ 7*7 }}"


@pytest.fixture
async def asking() -> Any:
    site = make_site(rule("ask"))
    yield site
    await site.close()


async def card_of(site: Site, standing: dict[str, Any]) -> dict[str, Any]:
    page = await site.page()
    answer = await page.get("/api/inbox")
    assert answer.status_code == 200
    (card,) = [c for c in answer.json()["approvals"] if c["request_id"] == standing["call_id"]]
    return dict(card)


@pytest.mark.spec("REQ-2", "CH-1")
async def test_the_card_shows_the_dialogue_as_runs_with_roles_and_without_secrets(
    asking: Site,
) -> None:
    agent = await asking.agent()
    told = {
        "user_request": HOSTILE,
        "summary": None,
        "messages": [
            {"role": "user", "content": "long ago"},
            {"role": "assistant", "content": "password=hunter2hunter2"},
            {"role": "tool", "content": "x" * 1_000_000},
            {"role": "system", "content": "be brief"},
        ],
    }
    session = await open_session(agent)
    standing = await submit(agent, session, context=told)
    card = await card_of(asking, standing)
    assert card["context"] == {
        "user_request": {
            "content": [
                {"mark": "U+202E", "name": "RIGHT-TO-LEFT OVERRIDE"},
                {"text": "evil"},
                {"mark": "U+2066", "name": "LEFT-TO-RIGHT ISOLATE"},
                {"text": " <script>x</script> {{ 7*7 }}"},
            ],
            "cut": False,
        },
        "summary": None,
        "summary_by": None,
        "messages": [
            {
                "role": "assistant",
                "content": [{"text": "password=[secret, 14 characters]"}],
                "cut": False,
            },
            {"role": "tool", "content": [{"text": "x" * MAX_WORDS}], "cut": True},
            {"role": "system", "content": [{"text": "be brief"}], "cut": False},
        ],
    }
    assert "evil" not in json.dumps([card["what"], card["action"], card["why"]])
    bare = await submit(agent, session)
    assert (await card_of(asking, bare))["context"] is None
    assert bare["digest"] == standing["digest"]


@pytest.mark.parametrize(
    "context",
    ["x", [], {"messages": {}}, {"messages": [{"role": "root", "content": "x"}]}, {"prompt": "x"},
     {"user_request": 5}, {"messages": [{"role": "user", "content": None}]}],
    ids=repr,
)  # fmt: skip
async def test_what_is_no_dialogue_is_refused_and_makes_no_request(
    asking: Site, context: Any
) -> None:
    agent = await asking.agent()
    body = {
        "session_id": await open_session(agent),
        "tool": "send_mail",
        "arguments": {},
        "context": context,
    }
    for path in ("/api/calls", "/api/calls/decide"):
        answer = await agent.post(path, json=body)
        assert (answer.status_code, problem_of(answer)) == (400, "body-invalid")
    assert await asking.scene.store.pending() == []


@pytest.mark.spec("REQ-2")
async def test_a_batch_says_once_what_all_its_calls_came_from(asking: Site) -> None:
    agent = await asking.agent()
    call = {"tool": "send_mail", "arguments": {"n": 1}}
    body = {
        "session_id": await open_session(agent),
        "name": "t1",
        "context": {"user_request": "both"},
        "calls": [call, {**call, "context": {"user_request": "mine"}}],
    }
    answer = await agent.post("/api/batches", json=body)
    assert answer.status_code == 200, answer.text
    found = []
    for standing in answer.json()["standings"]:
        context = (await card_of(asking, standing))["context"]
        found.append(context["user_request"]["content"])
    assert found == [[{"text": "both"}], [{"text": "mine"}]]
