"""SRV-4, REQ-61: what configures or concerns somebody else's session, walked with each kind of credential."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

from sayso.people.person import Person
from sayso.server.auth import Who
from tests.fakes.site import Site, make_site, open_session, problem_of, submit

WORKS = range(200, 300)
REFUSED = 403

# Everything that changes what holds for others, with a body that an admin's login has taken.
CONFIGURING: tuple[tuple[str, str, dict[str, Any] | None], ...] = (
    ("POST", "/api/approval/rules", {"tool_pattern": "x", "effect": "allow"}),
    ("PUT", "/api/approval/rules/{rule}", {"tool_pattern": "x", "effect": "allow"}),
    ("DELETE", "/api/approval/rules/{rule}", None),
    ("GET", "/api/people", None),
    ("POST", "/api/people", {"name": "mallory", "admin": True}),
    ("PUT", "/api/people/anna", {"operator": False}),
    ("POST", "/api/people/anna/code", None),
    ("DELETE", "/api/people/mallory", None),
    ("GET", "/api/roles", None),
    ("POST", "/api/roles", {"name": "finance", "members": ["anna"]}),
    ("PUT", "/api/roles/finance", {"quorum": 1}),
    ("POST", "/api/roles/finance/members", {"member": "otto"}),
    ("DELETE", "/api/roles/finance/members?member=otto", None),
    ("DELETE", "/api/roles/finance", None),
    ("POST", "/api/run-contexts", {"id": "loose", "mode": "default"}),
    ("PUT", "/api/run-contexts/loose", {"name": "looser"}),
    ("DELETE", "/api/run-contexts/loose", None),
)

# What concerns one session or its request: who of user, limited operator, approver's, admin's token may.
OF_A_SESSION: tuple[tuple[str, str, dict[str, Any] | None, str], ...] = (
    ("GET", "/api/inbox/approvals/{call}", None, "user approver admin"),
    ("GET", "/api/sessions/{session}/mode", None, "user admin"),
    ("GET", "/api/sessions/{session}/tasks", None, "user approver admin"),
    ("POST", "/api/inbox/{call}/snooze", {"seconds": 5}, "user approver admin"),
    ("POST", "/api/inbox/approvals/{call}/resolve", {"action": "reject"}, "user approver admin"),
    ("POST", "/api/tools/{call}/resolve", {"action": "reject"}, "user approver admin"),
    (
        "POST",
        "/api/sessions/{session}/permissions/{call}",
        {"decision": "deny_once"},
        "user approver admin",
    ),
    ("GET", "/api/audit", None, "approver admin"),
    ("GET", "/api/audit/verify", None, "approver admin"),
    ("POST", "/api/sessions/{session}/mode", {"mode": "plan"}, "user admin"),
)

# What an agent creates, with a body that is taken: it counts against the limit.
CREATING: tuple[tuple[str, str, dict[str, Any] | None], ...] = (
    ("POST", "/api/sessions", {}),
    ("POST", "/api/sessions/{session}/tools", {"tools": []}),
    ("POST", "/api/calls", {"session_id": "", "tool": "t", "arguments": {}}),
    ("POST", "/api/calls/decide", {"session_id": "", "tool": "t", "arguments": {}}),
    ("POST", "/api/calls/{call}/answer", {"question_id": "x", "text": None}),
    ("POST", "/api/calls/{call}/leave", None),
    (
        "POST",
        "/api/batches",
        {
            "session_id": "",
            "name": "b",
            "calls": [{"tool": "t", "arguments": {}}],
        },
    ),
    ("POST", "/api/sessions/{session}/unfinished", None),
    (
        "POST",
        "/api/questions",
        {"session_id": "", "kind": "clarification", "items": [{"question": "?"}]},
    ),
    (
        "POST",
        "/api/questions/approval",
        {"session_id": "", "tool": "ask_approval", "arguments": {"action": "x"}},
    ),
    ("PUT", "/api/sessions/{session}/tasks", {"items": []}),
    ("POST", "/api/sessions/{session}/plan", {}),
)


async def prepared(**config: Any) -> tuple[Site, httpx.AsyncClient, dict[str, str]]:
    """A server with a user and an operator of other agents, and a session of that user in which a call waits."""
    site = make_site(**config)
    folk = site.scene.store.folk
    folk["anna"] = Person("anna", "Anna")
    folk["otto"] = Person("otto", "Otto", operator=True, agents=("cleaner",))
    agent = await site.agent("coder", "anna")
    session = await open_session(agent)
    return site, agent, {"session": session, "call": (await submit(agent, session))["call_id"]}


async def sent(client: httpx.AsyncClient, method: str, path: str, body: Any, ids: Any) -> int:
    for name, value in ids.items():
        path = path.replace("{" + name + "}", value)
    if body is not None and "session_id" in body:
        body = {**body, "session_id": ids["session"]}
    answer = await client.request(method, path, json=body)
    if answer.status_code >= 400:
        problem_of(answer)
    return answer.status_code


@pytest.mark.spec("REQ-61", "SRV-4")
def test_only_an_admins_login_or_token_configures_whatever_else_somebody_holds() -> None:
    async def walk() -> None:
        site, agent, ids = await prepared()
        page = await site.page()
        rule = {"tool_pattern": "y", "effect": "ask"}
        ids["rule"] = (await page.post("/api/approval/rules", json=rule)).json()["id"]
        others = {
            "an agent's token": agent,
            "the user's login": await site.page("anna"),
            "a limited operator's login": await site.page("otto"),
            "an admin's approver's token": await site.approver(),
            "an approver's token": await site.approver("anna"),
            "an admin's token of nobody's admin": await site.admin("anna"),
        }
        for method, path, body in CONFIGURING:
            for who, client in others.items():
                assert await sent(client, method, path, body, ids) == REFUSED, (method, path, who)
            assert await sent(page, method, path, body, ids) in WORKS, (method, path)
        # whatever stands in no table: who is no admin gets nothing from what configures
        for route in site.app.routes:
            for handler in getattr(route, "route_handlers", ()):
                if handler.opt.get("who") is Who.CONFIGURES and "stand-in" not in route.path:
                    path = route.path_format.replace("{", "").replace("}", "")
                    for method in handler.http_methods - {"OPTIONS", "HEAD"}:
                        for client in others.values():
                            assert await sent(client, method, path, {}, ids) >= 400, (method, path)
        await site.close()

    asyncio.run(walk())


@pytest.mark.spec("REQ-61", "SRV-4")
def test_a_session_is_its_users_and_its_operators_and_no_limited_operators_of_others() -> None:
    async def walk() -> None:
        site, agent, ids = await prepared()
        clients = {
            "operator": await site.page("otto"),
            "user": await site.page("anna"),
            "approver": await site.approver(),
            "admin": await site.admin(),
        }
        for method, path, body, may in OF_A_SESSION:
            ids["call"] = (await submit(agent, ids["session"], tool=f"{method} {path}"))["call_id"]
            allowed = [who for who in clients if who in may.split()]
            for who in clients.keys() - allowed:
                status = await sent(clients[who], method, path, body, ids)
                # what somebody may not even see does not exist for them
                assert status in (REFUSED, 404), (method, path, who, status)
            for number, who in enumerate(allowed):
                status = await sent(clients[who], method, path, body, ids)
                # the first one has settled it: whoever comes later is told so
                assert status in WORKS or (number and status == 409), (method, path, who, status)
        await site.close()

    asyncio.run(walk())


@pytest.mark.spec("SRV-3")
def test_whatever_an_agent_creates_counts_against_its_limit() -> None:
    async def walk() -> None:
        site, agent, ids = await prepared(calls_per_second=0.001, calls_at_once=2)
        for method, path, body in CREATING:
            assert await sent(agent, method, path, body, ids) == 429, (method, path)
        assert await sent(await site.page("anna"), "GET", "/api/inbox", None, ids) == 200
        await site.close()

    asyncio.run(walk())
