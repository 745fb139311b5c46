"""SRV-4: with an agent's token no route decides or configures; the OpenAPI document is walked."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sayso.server.auth import Who
from tests.fakes.site import Site, make_site, open_session, problem_of, submit

# What an agent may do, and all of it; whatever else there is has to refuse its token.
FOR_AGENTS = {
    ("GET", "/api/me"),
    ("POST", "/api/sessions"),
    ("POST", "/api/sessions/{session_id}/stop"),
    ("POST", "/api/sessions/{session_id}/tools"),
    ("GET", "/api/sessions/{session_id}/mode"),
    ("POST", "/api/calls"),
    ("POST", "/api/calls/decide"),
    ("GET", "/api/calls/{call_id}/wait"),
    ("POST", "/api/calls/{call_id}/answer"),
    ("POST", "/api/calls/{call_id}/leave"),
    ("POST", "/api/calls/{call_id}/claim"),
    ("POST", "/api/calls/{call_id}/renew"),
    ("POST", "/api/calls/{call_id}/outcome"),
    ("POST", "/api/batches"),
    ("POST", "/api/sessions/{session_id}/batches/{batch_id}/turn"),
    ("POST", "/api/sessions/{session_id}/unfinished"),
    ("POST", "/api/questions"),
    ("POST", "/api/questions/approval"),
    ("GET", "/api/questions/{question_id}/wait"),
    ("POST", "/api/questions/{question_id}/done"),
    ("PUT", "/api/sessions/{session_id}/tasks"),
    ("POST", "/api/sessions/{session_id}/plan"),
    ("GET", "/metrics"),
}
FOR_EVERYBODY = {
    ("GET", "/api/login"),
    ("POST", "/api/login"),
    ("POST", "/api/enrol"),
    ("GET", "/healthz"),
    ("GET", "/readyz"),
}
CONFIGURE = {
    ("POST", "/api/approval/rules"),
    ("PUT", "/api/approval/rules/{rule_id}"),
    ("DELETE", "/api/approval/rules/{rule_id}"),
    ("GET", "/api/people"),
    ("POST", "/api/people"),
    ("PUT", "/api/people/{person_id}"),
    ("DELETE", "/api/people/{person_id}"),
    ("POST", "/api/people/{person_id}/code"),
    ("POST", "/api/people/{person_id}/stand-in"),
    ("DELETE", "/api/people/{person_id}/stand-in"),
    ("POST", "/api/run-contexts"),
    ("PUT", "/api/run-contexts/{run_context_id}"),
    ("DELETE", "/api/run-contexts/{run_context_id}"),
    ("GET", "/api/roles"),
    ("POST", "/api/roles"),
    ("PUT", "/api/roles/{role}"),
    ("DELETE", "/api/roles/{role}"),
    ("POST", "/api/roles/{role}/members"),
    ("DELETE", "/api/roles/{role}/members"),
}
METHODS = {"get", "post", "put", "patch", "delete"}
# A body that would be taken, and one that would not: the refusal must not depend on it.
BODIES: tuple[dict[str, Any], ...] = (
    {},
    {"action": "reject"},
    {"tool_pattern": "*", "effect": "allow"},
    {"ok": True, "summary": "x"},
)


async def routes(site: Site) -> set[tuple[str, str]]:
    """Every route of the OpenAPI document."""
    schema = (await site.client().get("/schema/openapi.json")).json()
    return {
        (method.upper(), path)
        for path, item in schema["paths"].items()
        for method in METHODS & set(item)
    }


async def prepared() -> tuple[Site, dict[str, str], Any]:
    """A server on which something waits, its ids, and the agent it belongs to."""
    site = make_site()
    agent, page = await site.agent(), await site.page()
    session = await open_session(agent)
    standing = await submit(agent, session)
    body = {"session_id": session, "kind": "clarification", "items": [{"question": "which?"}]}
    asked = (await agent.post("/api/questions", json=body)).json()
    rule = (
        await page.post("/api/approval/rules", json={"tool_pattern": "x", "effect": "ask"})
    ).json()
    ids = {
        "session_id": session,
        "call_id": standing["call_id"],
        "request_id": standing["call_id"],
        "tool_call_id": standing["call_id"],
        "question_id": asked["question_id"],
        "rule_id": rule["id"],
        "batch_id": "b" * 36,
        **dict.fromkeys(("grant_id", "veto_id", "bypass_id"), standing["call_id"]),
        "person_id": "anna",
        "role": "finance",
        "run_context_id": "nightly",
    }
    return site, ids, agent


async def answers(client: Any, method: str, path: str, ids: dict[str, str]) -> set[int]:
    """The statuses with which a route answers that client, whatever it sends."""
    found = set()
    for body in BODIES if method != "GET" else ({},):
        answer = await client.request(
            method, path.format(**ids), json=None if method == "GET" else body
        )
        found.add(answer.status_code)
        if answer.status_code >= 400:
            problem_of(answer)
    return found


@pytest.mark.spec("SRV-4", "REQ-64")
def test_an_agents_token_is_refused_by_every_route_that_decides_or_configures() -> None:
    async def walk() -> None:
        site, ids, agent = await prepared()
        store = site.scene.store.inner
        before = dict(store._requests), dict(store._rules), len(store._audit)
        found = await routes(site)
        assert found >= FOR_AGENTS | FOR_EVERYBODY | CONFIGURE
        for method, path in sorted(found - FOR_AGENTS - FOR_EVERYBODY):
            assert await answers(agent, method, path, ids) == {403}, (method, path)
            if "/inbox/" in path and "{request_id}" in path:  # of whichever kind the request is
                question = {**ids, "request_id": ids["question_id"]}
                assert await answers(agent, method, path, question) == {403}, (method, path)
        assert (dict(store._requests), dict(store._rules), len(store._audit)) == before
        assert (await store.question(ids["question_id"])).waits
        await site.close()

    asyncio.run(walk())


@pytest.mark.spec("SRV-4")
def test_an_agents_token_cannot_settle_an_outcome() -> None:
    async def try_it() -> None:
        site, ids, agent = await prepared()
        path = f"/api/calls/{ids['call_id']}/outcome"
        answer = await agent.post(path, json={"ok": True, "summary": "it ran"})
        assert (answer.status_code, problem_of(answer)) == (409, "claim-lost")
        await site.close()

    asyncio.run(try_it())


@pytest.mark.spec("SRV-3")
def test_without_a_credential_every_route_is_closed() -> None:
    async def walk() -> None:
        site, ids, _ = await prepared()
        for method, path in sorted(await routes(site) - FOR_EVERYBODY):
            assert await answers(site.client(), method, path, ids) == {401}, (method, path)
        await site.close()

    asyncio.run(walk())


@pytest.mark.spec("REQ-62")
def test_an_approvers_token_decides_and_configures_nothing() -> None:
    async def walk() -> None:
        site, ids, _ = await prepared()
        approver = await site.approver()
        for method, path in sorted(CONFIGURE):
            assert await answers(approver, method, path, ids) == {403}, (method, path)
        for method, path in sorted(FOR_AGENTS - {("GET", "/api/me"), ("GET", "/metrics")}):
            if path.endswith(("/stop", "/outcome", "/mode")):
                continue  # a person may stop a session, look at its mode, settle an outcome
            assert await answers(approver, method, path, ids) == {403}, (method, path)
        answer = await approver.post(
            f"/api/tools/{ids['tool_call_id']}/resolve", json={"action": "reject"}
        )
        assert answer.status_code == 200
        await site.close()

    asyncio.run(walk())


def test_every_route_states_whom_it_is_for() -> None:
    async def look() -> None:
        site = make_site()
        silent = [
            route.path
            for route in site.app.routes
            for handler in getattr(route, "route_handlers", ())
            if not isinstance(handler.opt.get("who"), Who)
            and not route.path.startswith("/schema")
            and handler.http_methods != {"OPTIONS"}
        ]
        assert silent == []
        await site.close()

    asyncio.run(look())
