"""Questions over HTTP: asked by agents, shown and answered in the inbox."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.fakes.site import Site, open_session, problem_of

SECRET = {
    "type": "object",
    "properties": {
        "password": {"type": "string", "title": "Your \u202epassword", "minLength": 8},
        "kind": {"type": "string", "oneOf": [{"const": "a", "title": "A!"}]},
    },
    "required": ["password"],
}


async def asked(agent: Any, session: str, **body: Any) -> dict[str, Any]:
    answer = await agent.post("/api/questions", json={"session_id": session, **body})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def text(runs: list[dict[str, Any]]) -> str:
    return "".join(run.get("text", f"[{run.get('mark')}]") for run in runs)


@pytest.mark.spec("Q-1", "Q-3")
async def test_a_clarification_stands_in_the_inbox_and_its_answer_reaches_the_agent(
    site: Site,
) -> None:
    agent, page = await site.agent(), await site.page()
    session = await open_session(agent, context_label="CronJob: \u202eDigest")
    items = [
        {"question": "Which\u202e one?", "options": ["red", "green"], "multi_select": True},
        {"question": "When?"},
    ]
    standing = await asked(agent, session, kind="clarification", items=items)
    assert (standing["status"], standing["replies"]) == ("pending", [])
    name = standing["question_id"]
    inbox = (await page.get("/api/inbox")).json()
    assert inbox["total"] == 1
    (card,) = inbox["clarifications"]
    assert (card["request_id"], card["version"], card["may_answer"]) == (name, 1, True)
    assert text(card["title"]) == "Which[U+202E] one?"
    assert text(card["context_label"]) == "CronJob: [U+202E]Digest"
    assert [(text(i["question"]), i["multi_select"]) for i in card["items"]] == [
        ("Which[U+202E] one?", True),
        ("When?", False),
    ]
    assert [text(option) for option in card["items"][0]["options"]] == ["red", "green"]
    path = f"/api/inbox/clarifications/{name}/resolve"
    unclear = await page.post(path, json={"selected": ["red"]})
    assert (unclear.status_code, problem_of(unclear)) == (400, "answer-invalid")
    waiting = asyncio.create_task(agent.get(f"/api/questions/{name}/wait", params={"timeout": 20}))
    body = {"selected": ["red", "green"], "version": 1}
    first = (await page.post(path, json=body)).json()
    assert (first["status"], text(first["items"][0]["answer"])) == ("pending", "red, green")
    stale = await page.post(path, json={"answer": "now", "version": 1})
    assert (stale.status_code, problem_of(stale)) == (409, "lost-race")
    last = (await page.post(path, json={"answers": ["now"]})).json()
    assert (last["status"], last["resolution"]["by"], last["may_answer"]) == (
        "answered", "owner", False,
    )  # fmt: skip
    told = (await waiting).json()
    assert told["replies"] == [
        {"answer": "red, green", "selected": ["red", "green"]},
        {"answer": "now", "selected": None},
    ]
    late = await page.post(path, json={"answers": ["later"]})
    assert (late.status_code, problem_of(late)) == (409, "request-closed")
    assert (late.json()["request_status"], late.json()["resolution"]["by"]) == (
        "answered", "owner",
    )  # fmt: skip
    shown = (await page.get(f"/api/inbox/clarifications/{name}")).json()
    assert shown["status"] == "answered"
    assert (await page.get(f"/api/inbox/plans/{name}")).status_code == 404
    assert (await page.get("/api/inbox")).json()["total"] == 0


async def test_the_inbox_is_filtered_by_agent_and_session(site: Site) -> None:
    agent, page = await site.agent(), await site.page()
    session = await open_session(agent)
    item = [{"question": "Which?"}]
    await asked(agent, session, kind="clarification", items=item)
    for query, count in (
        ({"agent": "coder"}, 1), ({"agent": "other"}, 0),
        ({"session": session}, 1), ({"session": "x"}, 0), ({"severity": "low"}, 0),
    ):  # fmt: skip
        found = (await page.get("/api/inbox", params=query)).json()
        assert len(found["clarifications"]) == found["total"] == count, query


@pytest.mark.spec("Q-8")
async def test_a_form_is_shown_field_by_field_and_its_answer_is_never_shown(site: Site) -> None:
    agent, page = await site.agent(), await site.page()
    session = await open_session(agent)
    body = {"kind": "elicitation", "message": "log in", "schema": SECRET, "server": "crm"}
    keyless = await agent.post("/api/questions", json={"session_id": session, **body})
    assert (keyless.status_code, problem_of(keyless)) == (400, "question-invalid")
    key = "3p7bfXt9wbTTW2HC7OQ1Nz+DQ8hbeGdNrfx+FG+IK08="
    name = (await asked(agent, session, **body, answer_key=key))["question_id"]
    (card,) = (await page.get("/api/inbox")).json()["elicitations"]
    assert (card["mode"], text(card["message"]), text(card["server"])) == ("form", "log in", "crm")
    password, kind = card["fields"]
    assert (password["name"], password["secret"], password["required"]) == ("password", True, True)
    assert (text(password["label"]), password["constraints"]) == (
        "Your [U+202E]password", {"minLength": 8},
    )  # fmt: skip
    assert [(c["value"], text(c["label"])) for c in kind["choices"]] == [("a", "A!")]
    path = f"/api/inbox/elicitations/{name}/resolve"
    wrong = await page.post(path, json={"action": "accept", "content": {"password": "hunter2"}})
    assert (wrong.status_code, problem_of(wrong)) == (400, "answer-invalid")
    assert set(wrong.json()["fields"]) == {"password"}
    content = {"password": "hunter2-hunter2", "kind": "a"}
    done = await page.post(path, json={"action": "accept", "content": content})
    assert done.json()["status"] == "answered"
    told = (await agent.get(f"/api/questions/{name}/wait", params={"timeout": 0})).json()
    assert (told["content"], told["sealed"] is None) == (None, False)
    everything = wrong.text + done.text + (await page.get(f"/api/inbox/elicitations/{name}")).text
    assert "hunter2" not in everything + repr(told)
    assert (await agent.post(f"/api/questions/{name}/done")).status_code == 204
    told = (await agent.get(f"/api/questions/{name}/wait", params={"timeout": 0})).json()
    assert told["sealed"] is None


@pytest.mark.spec("Q-8")
async def test_a_url_is_shown_with_its_host_and_is_a_link_only_where_it_is_plain(
    site: Site,
) -> None:
    agent, page = await site.agent(), await site.page()
    session = await open_session(agent)
    for url, href, host in (
        ("https://example.com/a?b=c", True, "example.com"),
        ("https://bank.example@evil.example/", False, "evil.example"),
        ("https://ex\u0430mple.com/", False, "ex\u0430mple.com"),
        ("https://example.com/\u202e", False, "example.com"),
    ):
        body = {"kind": "elicitation", "message": "log in", "url": url}
        name = (await asked(agent, session, **body))["question_id"]
        card = (await page.get(f"/api/inbox/elicitations/{name}")).json()
        assert (card["mode"], card["url"]["href"]) == ("url", url if href else None)
        assert text(card["url"]["host"]) == host
        done = await page.post(
            f"/api/inbox/elicitations/{name}/resolve", json={"action": "decline"}
        )
        assert done.json()["status"] == "declined"
    bad = {"session_id": session, "kind": "elicitation", "message": "x", "url": "file:///etc"}
    assert (await agent.post("/api/questions", json=bad)).status_code == 400


@pytest.mark.spec("Q-7")
async def test_a_task_list_is_set_by_the_agent_and_read_by_people(site: Site) -> None:
    agent, page = await site.agent(), await site.page()
    session = await open_session(agent)
    path = f"/api/sessions/{session}/tasks"
    items = [{"content": "a\u202e", "status": "completed"}, {"content": "b", "status": "todo"}]
    assert (await agent.put(path, json={"items": items})).status_code == 204
    told = (await page.get(path)).json()
    assert (told["done"], told["total"]) == (1, 2)
    assert [(text(t["content"]), t["status"]) for t in told["items"]] == [
        ("a[U+202E]", "done"),
        ("b", "pending"),
    ]
    wrong = await agent.put(path, json={"items": [{"content": "a", "status": "later"}]})
    assert (wrong.status_code, problem_of(wrong)) == (400, "question-invalid")
    assert (await page.get("/api/sessions/nobody/tasks")).status_code == 404


@pytest.mark.spec("SRV-4", "REQ-64")
async def test_an_agent_asks_in_its_own_session_and_answers_nothing(site: Site) -> None:
    agent, other, page = await site.agent(), await site.agent("other"), await site.page()
    session = await open_session(agent)
    item = [{"question": "Which?"}]
    name = (await asked(agent, session, kind="clarification", items=item))["question_id"]
    body = {"session_id": session, "kind": "clarification", "items": item}
    assert (await other.post("/api/questions", json=body)).status_code == 403
    assert (await page.post("/api/questions", json=body)).status_code == 403
    for act in (
        other.get(f"/api/questions/{name}/wait"),
        other.post(f"/api/questions/{name}/done"),
        agent.post(f"/api/inbox/clarifications/{name}/resolve", json={"answer": "x"}),
        agent.get(f"/api/inbox/clarifications/{name}"),
    ):
        assert (await act).status_code == 403
    assert (await agent.get("/api/questions/nobody/wait")).status_code == 404
    assert (await agent.post(f"/api/questions/{name}/done")).status_code == 204
    card = (await page.get(f"/api/inbox/clarifications/{name}")).json()
    assert (card["status"], card["resolution"]["by"]) == ("cancelled", None)


@pytest.mark.spec("Q-5", "Q-6")
async def test_a_plan_is_approved_on_the_page_and_ends_planning(site: Site) -> None:
    agent, page = await site.agent(), await site.page()
    session = await open_session(agent)
    ask = {"session_id": session, "kind": "plan", "plan": "first\u202e\nthen"}
    early = await agent.post("/api/questions", json=ask)
    assert (early.status_code, problem_of(early)) == (400, "question-invalid")
    begun = await agent.post(f"/api/sessions/{session}/plan", json={"reason": "it is large"})
    assert begun.json() == {"planning": True, "refused": None}
    for body, answer, comment in (
        ({"answer": "keep-planning", "feedback": "tests first"}, "keep-planning", "tests first"),
        ({"answer": "carry-out"}, "carry-out", None),
    ):
        name = (await agent.post("/api/questions", json=ask)).json()["question_id"]
        (card,) = (await page.get("/api/inbox")).json()["plans"]
        assert (text(card["plan"]), card["answer"]) == ("first[U+202E]\nthen", None)
        assert [one["answer"] for one in card["answers"]] == [
            "carry-out",
            "accept-edits",
            "keep-planning",
        ]
        assert card["answers"][0]["label"] == "Yes, carry it out"
        path = f"/api/inbox/plans/{name}/resolve"
        both = await page.post(path, json={"answer": "carry-out", "feedback": "but"})
        assert (both.status_code, problem_of(both)) == (400, "answer-invalid")
        done = (await page.post(path, json=body)).json()
        assert (done["answer"], done["resolution"]["comment"]) == (answer, comment)
        told = (await agent.get(f"/api/questions/{name}/wait", params={"timeout": 0})).json()
        assert (told["plan_answer"], told["comment"]) == (answer, comment)
    assert (await agent.post("/api/questions", json=ask)).status_code == 400
