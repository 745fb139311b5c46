"""The OpenAPI document is complete, and what is answered is what it says."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.fakes.site import Site, make_site, submit
from tests.fakes.world import rule

METHODS = ("get", "post", "put", "delete")


async def document(site: Site) -> dict[str, Any]:
    answer = await site.client().get("/schema/openapi.json")
    assert answer.status_code == 200
    return dict(answer.json())


def operations(schema: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (path, method, item[method])
        for path, item in schema["paths"].items()
        for method in METHODS
        if method in item
    ]


@pytest.mark.spec("SRV-1")
async def test_every_route_is_described_with_its_errors_and_examples(site: Site) -> None:
    schema = await document(site)
    assert schema["openapi"].startswith("3.1")
    found = operations(schema)
    assert len(found) >= 30
    assert len({operation["operationId"] for _, _, operation in found}) == len(found)
    for path, method, operation in found:
        where = f"{method} {path}"
        assert operation["description"], where
        assert operation["tags"], where
        answers = operation["responses"]
        assert {"500", "503"} <= set(answers), where
        if path.startswith("/api") and path not in ("/api/login", "/api/enrol"):
            assert "401" in answers, where
            assert operation["security"], where
        if "{" in path and path not in (
            "/api/sessions/{session_id}/stop",
            "/api/sessions/{session_id}/tools",
            "/api/sessions/{session_id}/unfinished",
            "/api/sessions/{session_id}/tasks",
            "/api/sessions/{session_id}/plan",
            "/api/sessions/{session_id}/mode",
        ):
            assert "404" in answers, where
        if "requestBody" in operation:
            assert {"400", "413", "415"} <= set(answers), where
            assert operation["requestBody"]["required"] is True, where
            assert set(operation["requestBody"]["content"]) == {"application/json"}, where
        for status, answer in answers.items():
            if status.startswith(("4", "5")):
                content = answer["content"]["application/problem+json"]
                assert content["schema"] == {"$ref": "#/components/schemas/Problem"}, where
                assert content["examples"], where
            elif status not in ("204",):
                assert answer["content"], where


async def test_every_body_refuses_unknown_fields_and_every_schema_says_what_it_is(
    site: Site,
) -> None:
    schemas = (await document(site))["components"]["schemas"]
    bodies = {name for name in schemas if name.endswith("Body")}
    assert len(bodies) == 51
    for name, schema in schemas.items():
        assert schema["description"], name
        assert (schema.get("additionalProperties") is False) == (name in bodies), name
    assert schemas["CallBody"]["required"] == ["session_id", "tool", "arguments"]
    assert schemas["ResolveBody"]["properties"]["action"]["enum"] == ["approve", "reject"]
    assert set(schemas["Card"]["required"]) == set(schemas["Card"]["properties"])


async def test_what_is_answered_is_what_the_document_says() -> None:
    site = make_site(rule("allow", "read"))
    schema = await document(site)
    seen: set[tuple[str, str, int]] = set()

    async def check(client: Any, method: str, template: str, **more: Any) -> Any:
        values = more.pop("values", {})
        answer = await client.request(method, template.format(**values), **more)
        described = schema["paths"][template][method.lower()]["responses"][str(answer.status_code)]
        seen.add((method, template, answer.status_code))
        if answer.status_code != 204:
            (kind, content), *_ = described["content"].items()
            assert answer.headers["content-type"].split(";")[0] == kind
            closed = closed_schema({**content["schema"], "components": schema["components"]})
            Draft202012Validator(closed).validate(answer.json())
        return answer

    agent, page, guest = await site.agent(), await site.page(), site.client()
    opened = await check(agent, "POST", "/api/sessions", json={"source": "mcp"})
    session = opened.json()["session_id"]
    call = {
        "session_id": session,
        "tool": "send",
        "arguments": {"to": ["a", 1, None]},
        "diff": "+a",
    }
    standing = (await check(agent, "POST", "/api/calls", json=call)).json()
    await check(agent, "POST", "/api/calls/decide", json=call)
    await check(agent, "POST", "/api/calls", json={**call, "tool": "read"})
    await check(agent, "POST", "/api/calls", json={})
    values = {"call_id": standing["call_id"], "request_id": standing["call_id"]}
    values |= {"session_id": session, "tool_call_id": standing["call_id"]}
    await check(page, "GET", "/api/inbox")
    await check(page, "GET", "/api/inbox/approvals/{request_id}", values=values)
    await check(guest, "GET", "/api/inbox")
    await check(agent, "GET", "/api/inbox")
    approve = {"action": "approve", "digest": standing["digest"]}
    path = "/api/inbox/approvals/{request_id}/resolve"
    await check(page, "POST", path, values=values, json=approve)
    await check(page, "POST", path, values=values, json=approve)
    await check(page, "POST", "/api/tools/{tool_call_id}/resolve", values=values, json=approve)
    await check(agent, "GET", "/api/calls/{call_id}/wait", values=values, params={"timeout": 0})
    claim = {"digest": standing["digest"]}
    taken = await check(agent, "POST", "/api/calls/{call_id}/claim", values=values, json=claim)
    await check(agent, "POST", "/api/calls/{call_id}/claim", values=values, json=claim)
    report = {"token": taken.json()["claim"]["token"], "ok": True, "summary": "s", "seconds": 1}
    await check(agent, "POST", "/api/calls/{call_id}/outcome", values=values, json=report)
    await check(page, "GET", "/api/inbox")
    await submit(agent, session, arguments={"n": 1})
    await check(page, "GET", "/api/approval/pending")
    tools = {"tools": [{"name": "a", "server": "s"}, {"name": "b"}]}
    await check(agent, "POST", "/api/sessions/{session_id}/tools", values=values, json=tools)
    await check(page, "GET", "/api/approval/tools")
    body = {"tool_pattern": "x", "effect": "ask", "policy": {"approver": "admin"}}
    added = await check(page, "POST", "/api/approval/rules", json=body)
    await check(page, "GET", "/api/approval/rules")
    rule_id = {"rule_id": added.json()["id"]}
    await check(page, "PUT", "/api/approval/rules/{rule_id}", values=rule_id, json=body)
    await check(page, "DELETE", "/api/approval/rules/{rule_id}", values=rule_id)
    await check(page, "DELETE", "/api/approval/rules/{rule_id}", values=rule_id)
    await check(page, "GET", "/api/audit")
    await check(page, "GET", "/api/audit/verify")
    await check(page, "GET", "/api/me")
    await check(agent, "GET", "/api/me")
    await check(guest, "GET", "/healthz")
    await check(guest, "GET", "/readyz")
    await check(guest, "POST", "/api/login", json={"passphrase": "none was chosen"})
    assert len(seen) >= 28
    await site.close()


def closed_schema(schema: Any) -> Any:
    """The schema with every object closed: what is sent beyond it is found, too."""
    if isinstance(schema, dict):
        closed = {key: closed_schema(value) for key, value in schema.items()}
        if "properties" in closed and isinstance(closed["properties"], dict):
            closed.setdefault("additionalProperties", False)
        return closed
    return [closed_schema(item) for item in schema] if isinstance(schema, list) else schema
