"""Run contexts and modes over the API: for people, and an agent's token chooses only what tightens."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.site import Site, make_site, open_session, problem_of, submit


@pytest.mark.spec("RC-1")
async def test_run_contexts_are_made_changed_and_deleted() -> None:
    site = make_site()
    page = await site.page()
    (default,) = (await page.get("/api/run-contexts")).json()
    assert (default["id"], default["security_group"], default["mode"]) == (
        *("default", "default", None),
    )
    body = {
        "id": "nightly",
        "name": "Nightly",
        "working_directory": "/srv",
        "allow_fs_reads": ["data"],
        "mode": "dontAsk",
        "auto_approve_severity": "low",
        "permissions": ["read(**)"],
        "timeout": 60.0,
    }
    added = await page.post("/api/run-contexts", json=body)
    assert added.status_code == 201
    assert added.json() == {**default, **body, "mode": "dont-ask"}
    changed = await page.put(
        "/api/run-contexts/nightly", json={"mode": None, "permissions": None, "timeout": None}
    )
    assert changed.json() == {
        **added.json(), "mode": None, "permissions": None, "timeout": None,
    }  # fmt: skip
    for wrong in (
        {"id": "x", "mode": "yolo"},
        {"id": "x", "permissions": ["shell("]},
        {"id": "nightly"},
        {"id": "No"},
    ):
        refused = await page.post("/api/run-contexts", json=wrong)
        assert (refused.status_code, problem_of(refused)) == (400, "run-context-refused"), wrong
    unknown = await page.put("/api/run-contexts/none", json={})
    assert (unknown.status_code, problem_of(unknown)) == (404, "run-context-not-found")
    group = await page.put("/api/run-contexts/nightly", json={"security_group": "none"})
    assert (group.status_code, problem_of(group)) == (404, "group-not-found")
    assert (await page.delete("/api/run-contexts/default")).status_code == 400
    assert (await page.delete("/api/run-contexts/nightly")).status_code == 204
    assert (await page.delete("/api/run-contexts/nightly")).status_code == 404
    approver = await site.approver()
    assert (await approver.get("/api/run-contexts")).status_code == 200
    assert (await approver.post("/api/run-contexts", json=body)).status_code == 403
    await site.close()


async def _mode(client: Any, session: str, mode: str | None) -> Any:
    return await client.post(f"/api/sessions/{session}/mode", json={"mode": mode})


@pytest.mark.spec("MODE-1", "MODE-2")
async def test_the_mode_of_a_session_is_shared_by_its_clients_and_switched_by_its_user() -> None:
    site: Site = make_site()
    agent, page, approver = await site.agent(), await site.page(), await site.approver()
    session = await open_session(agent)
    switched = await _mode(approver, session, "dontAsk")
    assert switched.json() == {
        "session_id": session, "mode": "dont-ask", "switched_to": "dont-ask",
        "run_context": "default", "note": None,
    }  # fmt: skip
    for client in (agent, page):
        found = (await client.get(f"/api/sessions/{session}/mode")).json()
        assert found["mode"] == "dont-ask"
    assert (await submit(agent, session))["reason"] == "mode-dont-ask"
    assert (await _mode(page, session, None)).json()["mode"] == "default"
    assert (await submit(agent, session))["effect"] == "ask"
    wrong = await _mode(page, session, "yolo")
    assert (wrong.status_code, problem_of(wrong)) == (400, "call-invalid")
    bypass = await _mode(page, session, "bypass")
    assert (bypass.status_code, problem_of(bypass)) == (400, "call-invalid")
    assert "sandbox" in bypass.json()["detail"]
    assert (await _mode(agent, session, "plan")).status_code == 403
    stranger = await site.agent("other")
    assert (await stranger.get(f"/api/sessions/{session}/mode")).status_code == 403
    assert (await page.get("/api/sessions/none/mode")).status_code == 403
    await site.close()


@pytest.mark.spec("MODE-2", "RC-1")
async def test_an_agent_opens_its_session_in_a_mode_that_tightens_and_in_what_its_token_names() -> (
    None
):
    site = make_site()
    agent, page = await site.agent(), await site.page()
    await page.post("/api/run-contexts", json={"id": "loose"})
    opened = await agent.post("/api/sessions", json={"mode": "plan"})
    assert (opened.json()["mode"], opened.json()["mode_note"]) == ("plan", None)
    for body in ({"mode": "accept-edits"}, {"mode": "bypass"}, {"run_context": "loose"}):
        refused = await agent.post("/api/sessions", json=body)
        assert (refused.status_code, problem_of(refused)) == (403, "not-eligible"), body
    assert (await agent.post("/api/sessions", json={"mode": "yolo"})).status_code == 400
    await site.close()
