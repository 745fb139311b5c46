"""The calls of agents over HTTP: made, awaited, claimed and reported."""

from __future__ import annotations

import asyncio

import pytest

from sayso.requests.approval import Status
from tests.fakes.site import Site, make_site, open_session, problem_of, submit
from tests.fakes.world import rule


async def approve(site: Site, standing: dict[str, str]) -> None:
    page = await site.page()
    path = f"/api/inbox/approvals/{standing['call_id']}/resolve"
    answer = await page.post(path, json={"action": "approve", "digest": standing["digest"]})
    assert answer.status_code == 200, answer.text


async def test_a_session_belongs_to_the_token_and_not_to_what_a_body_says(site: Site) -> None:
    agent = await site.agent("coder")
    opened = (await agent.post("/api/sessions", json={})).json()
    assert (opened["user_id"], opened["agent_id"]) == ("owner", "coder")
    for field in ("user_id", "agent_id", "permission_group"):
        answer = await agent.post("/api/sessions", json={field: "somebody"})
        assert (answer.status_code, problem_of(answer)) == (400, "body-invalid")
        body = {"session_id": opened["session_id"], "tool": "t", "arguments": {}, field: "x"}
        assert problem_of(await agent.post("/api/calls", json=body)) == "body-invalid"
    answer = await agent.post("/api/sessions", json={"source": "the moon"})
    assert problem_of(answer) == "call-invalid"


async def test_policy_alone_answers_at_once() -> None:
    site = make_site(rule("allow", "read"), rule("deny", "rm"))
    agent = await site.agent()
    session = await open_session(agent)
    allowed = await submit(agent, session, tool="read")
    assert (allowed["effect"], allowed["reason"], allowed["status"]) == (
        "allow",
        "rule-allow",
        None,
    )
    assert allowed["verdict"]["rule"]["text"] == "tool(read)"
    denied = await submit(agent, session, tool="rm")
    assert (denied["effect"], denied["reason"]) == ("deny", "rule-deny")
    report = {"ok": True, "summary": "read"}
    path = f"/api/calls/{allowed['call_id']}/outcome"
    assert (await agent.post(path, json=report)).status_code == 204
    answer = await agent.post(f"/api/calls/{denied['call_id']}/outcome", json=report)
    assert (answer.status_code, problem_of(answer)) == (409, "claim-lost")
    await site.close()


async def test_deciding_alone_asks_nobody(site: Site) -> None:
    agent = await site.agent()
    body = {"session_id": await open_session(agent), "tool": "send_mail", "arguments": {}}
    answer = await agent.post("/api/calls/decide", json=body)
    assert (answer.status_code, answer.json()["effect"]) == (200, "ask")
    assert await site.scene.store.pending() == []


async def test_an_external_id_makes_a_call_once_per_session(site: Site) -> None:
    agent, other = await site.agent(), await site.agent("other")
    session = await open_session(agent)
    first = await submit(agent, session, external_id="toolu_1")
    again = await submit(agent, session, external_id="toolu_1")
    assert again["call_id"] == first["call_id"]
    body = {
        "session_id": session,
        "tool": "send_mail",
        "arguments": {"to": "eve"},
        "external_id": "toolu_1",
    }
    answer = await agent.post("/api/calls", json=body)
    assert (answer.status_code, problem_of(answer)) == (409, "external-id-reused")
    elsewhere = await submit(other, await open_session(other), external_id="toolu_1")
    assert elsewhere["call_id"] != first["call_id"]
    together = await asyncio.gather(
        *(submit(agent, session, external_id="toolu_2", arguments={"n": 1}) for _ in range(10))
    )
    assert len({standing["call_id"] for standing in together}) == 1


async def test_a_call_is_awaited_claimed_and_reported_once(site: Site) -> None:
    agent = await site.agent()
    standing = await submit(agent, await open_session(agent))
    path = f"/api/calls/{standing['call_id']}"
    waiting = asyncio.create_task(agent.get(f"{path}/wait", params={"timeout": 20}))
    await asyncio.sleep(0.05)
    assert not waiting.done()
    await approve(site, standing)
    told = (await asyncio.wait_for(waiting, 5)).json()
    assert (told["effect"], told["status"], told["by"]) == ("allow", "approved", "owner")

    wrong = await agent.post(f"{path}/claim", json={"digest": "0" * 64})
    assert (wrong.status_code, problem_of(wrong)) == (409, "digest-mismatch")
    claims = await asyncio.gather(
        *(agent.post(f"{path}/claim", json={"digest": standing["digest"]}) for _ in range(5))
    )
    taken = [answer.json()["claim"] for answer in claims if answer.json()["claim"] is not None]
    refused = [answer.json()["standing"] for answer in claims if answer.json()["claim"] is None]
    assert len(taken) == 1
    assert {standing["status"] for standing in refused} == {"running"}
    token = taken[0]["token"]

    renewal = {"token": token, "lease_seconds": 30}
    assert (await agent.post(f"{path}/renew", json=renewal)).status_code == 204
    lost = await agent.post(f"{path}/renew", json={**renewal, "token": "other"})
    assert (lost.status_code, problem_of(lost)) == (409, "claim-lost")
    report = {"token": token, "ok": True, "summary": "sent", "seconds": 0.3}
    assert (await agent.post(f"{path}/outcome", json=report)).status_code == 204
    assert (await agent.get(f"{path}/wait", params={"timeout": 0})).json()["status"] == "done"
    late = await agent.post(f"{path}/outcome", json=report)
    assert (late.status_code, problem_of(late)) == (409, "claim-lost")


async def test_a_wait_ends_with_its_time(site: Site) -> None:
    agent = await site.agent()
    standing = await submit(agent, await open_session(agent))
    path = f"/api/calls/{standing['call_id']}/wait"
    told = await agent.get(path, params={"timeout": 0.05})
    assert (told.status_code, told.json()["status"]) == (200, "pending")
    for timeout in ("55.1", "-1", "nan", "inf", "soon", "1e400"):
        answer = await agent.get(path, params={"timeout": timeout})
        assert (answer.status_code, problem_of(answer)) == (400, "request-invalid"), timeout


async def test_when_the_server_closes_a_wait_ends_and_the_request_stays(site: Site) -> None:
    agent = await site.agent()
    standing = await submit(agent, await open_session(agent))
    path = f"/api/calls/{standing['call_id']}/wait"
    waiting = asyncio.create_task(agent.get(path, params={"timeout": 50}))
    await asyncio.sleep(0.05)
    site.app.state.closing.begin()
    told = await asyncio.wait_for(waiting, 2)
    assert (told.status_code, told.json()["status"]) == (200, "pending")
    again = await asyncio.wait_for(agent.get(path, params={"timeout": 50}), 2)
    assert again.json()["status"] == "pending"
    assert (await site.scene.request(standing["call_id"])).status is Status.PENDING


async def test_another_tokens_session_and_calls_are_not_yours(site: Site) -> None:
    agent, other = await site.agent(), await site.agent()
    session = await open_session(agent)
    standing = await submit(agent, session)
    await approve(site, standing)
    path = f"/api/calls/{standing['call_id']}"
    call = {"session_id": session, "tool": "t", "arguments": {}}
    for method, url, body in (
        ("POST", "/api/calls", call),
        ("POST", "/api/calls/decide", call),
        ("POST", f"/api/sessions/{session}/stop", None),
        ("POST", f"/api/sessions/{session}/tools", {"tools": []}),
        ("GET", f"{path}/wait", None),
        ("POST", f"{path}/leave", None),
        ("POST", f"{path}/claim", {"digest": standing["digest"]}),
        ("POST", f"{path}/renew", {"token": "x", "lease_seconds": 1}),
        ("POST", f"{path}/outcome", {"ok": True, "summary": ""}),
    ):
        answer = await other.request(method, url, json=body)
        assert (answer.status_code, problem_of(answer)) == (403, "not-eligible"), url
    unknown = await other.get("/api/calls/nothing/wait")
    assert (unknown.status_code, problem_of(unknown)) == (404, "request-not-found")
    assert (await site.scene.request(standing["call_id"])).status is Status.APPROVED


async def test_leaving_is_said_and_stopping_cancels(site: Site) -> None:
    agent, page = await site.agent(), await site.page()
    session = await open_session(agent)
    standing = await submit(agent, session)
    assert (await agent.post(f"/api/calls/{standing['call_id']}/leave")).status_code == 204
    card = (await page.get(f"/api/inbox/approvals/{standing['call_id']}")).json()
    assert (card["status"], card["caller"]) == ("pending", "gone")
    assert (await agent.post(f"/api/sessions/{session}/stop")).status_code == 204
    card = (await page.get(f"/api/inbox/approvals/{standing['call_id']}")).json()
    assert card["status"] == "cancelled"
    assert (await submit(agent, session))["effect"] == "deny"


async def test_a_person_settles_an_outcome_that_is_unknown_and_nothing_else(site: Site) -> None:
    agent, page = await site.agent(), await site.page()
    standing = await submit(agent, await open_session(agent))
    path = f"/api/calls/{standing['call_id']}/outcome"
    report = {"ok": True, "summary": "it was sent"}
    answer = await page.post(path, json=report)
    assert (answer.status_code, problem_of(answer)) == (409, "request-closed")


async def test_the_tools_a_model_may_see_are_those_policy_does_not_deny() -> None:
    site = make_site(rule("deny", "rm"))
    agent, page = await site.agent(), await site.page()
    session = await open_session(agent)
    tools = [
        {"name": "rm", "description": "removes"},
        {"name": "ls", "input_schema": {"type": "object"}},
        {"name": "read", "server": "files", "annotations": {"readOnlyHint": True}},
    ]
    answer = await agent.post(f"/api/sessions/{session}/tools", json={"tools": tools})
    visible = answer.json()["visible"]
    assert visible == [{"server": None, "name": "ls"}, {"server": "files", "name": "read"}]
    seen = (await page.get("/api/approval/tools")).json()
    assert [(tool["name"], tool["category"]) for tool in seen["built_in"]] == [
        ("ls", "dynamic"),
        ("rm", "dynamic"),
    ]
    assert [(tool["name"], tool["server"]) for tool in seen["mcp"]] == [("read", "files")]
    assert list(seen["mcp_servers"]) == ["files"]
    await site.close()


@pytest.mark.spec("SRV-3")
async def test_a_credential_that_makes_calls_too_fast_is_slowed_down() -> None:
    site = make_site(calls_per_second=0.5, calls_at_once=3)
    agent, other = await site.agent(), await site.agent()
    session = await open_session(agent)
    await submit(agent, session)
    await submit(agent, session)
    body = {"session_id": session, "tool": "t", "arguments": {}}
    for path in ("/api/calls", "/api/calls/decide"):
        answer = await agent.post(path, json=body)
        assert (answer.status_code, problem_of(answer)) == (429, "rate-limited")
        assert 1 <= int(answer.headers["retry-after"]) <= 2
    await open_session(other)
    await site.close()


@pytest.mark.spec("SRV-3")
async def test_a_large_call_counts_for_many() -> None:
    site = make_site(calls_per_second=0.5, calls_at_once=2000)
    agent = await site.agent()
    session = await open_session(agent)
    large = {"session_id": session, "tool": "t", "arguments": {"x": "a" * 1_000_000}}
    small = {"session_id": session, "tool": "t", "arguments": {"x": "a"}}
    assert (await agent.post("/api/calls/decide", json=large)).status_code == 200
    assert (await agent.post("/api/calls/decide", json=small)).status_code == 200
    assert (await agent.post("/api/calls/decide", json=large)).status_code == 200
    answer = await agent.post("/api/calls", json=large)
    assert (answer.status_code, problem_of(answer)) == (429, "rate-limited")
    assert (await agent.post("/api/calls", json=small)).status_code == 200
    await site.close()


@pytest.mark.spec("SRV-3")
async def test_what_an_agent_may_write_without_a_call_is_slowed_down_too() -> None:
    site = make_site(calls_per_second=0.1, calls_at_once=2000)
    agent = await site.agent()
    session = await open_session(agent)
    standing = await submit(agent, session)
    large = {"tools": [{"name": "t", "description": "a" * 1_500_000}]}
    assert (await agent.post(f"/api/sessions/{session}/tools", json=large)).status_code == 200
    answer = await agent.post(f"/api/sessions/{session}/tools", json=large)
    assert (answer.status_code, problem_of(answer)) == (429, "rate-limited")
    leaving = f"/api/calls/{standing['call_id']}/leave"
    answers = [(await agent.post(leaving)).status_code for _ in range(600)]
    assert set(answers) == {204, 429}
    await site.close()
