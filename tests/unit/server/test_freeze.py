"""The kill switch over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from sayso.people.person import Person
from tests.fakes.site import make_site, open_session, problem_of, submit
from tests.fakes.world import rule


def told(shown: list[dict[str, Any]] | None) -> str:
    return "".join(run.get("text", "") for run in shown or [])


@pytest.mark.spec("GATE-8", "SRV-4")
async def test_freezing_and_thawing_are_for_people_and_the_inbox_shows_it() -> None:
    site = make_site(rule("allow"), people=[Person("bob", "Bob")])
    agent, page, bob = await site.agent(), await site.page(), await site.approver("bob")
    session = await open_session(agent)
    assert (await page.get("/api/freeze")).json() == {"freezes": []}
    for method in ("GET", "POST", "DELETE"):
        refused = await agent.request(method, "/api/freeze", json={} if method == "POST" else None)
        assert (refused.status_code, problem_of(refused)) == (403, "not-eligible")
    assert (await site.client().post("/api/freeze", json={})).status_code == 401
    body = {"reason": "<b>lunch</b>"}
    (mine,) = (await bob.post("/api/freeze", json=body)).json()["freezes"]
    assert (mine["agent_id"], told(mine["by"]), told(mine["reason"]), mine["may_thaw"]) == (
        None, "Bob", "<b>lunch</b>", True,
    )  # fmt: skip
    answer = await submit(agent, session)
    assert (answer["effect"], answer["reason"]) == ("deny", "frozen")
    assert "frozen by Bob: <b>lunch</b>" in answer["message"]
    await page.post("/api/freeze", json={"agent_id": "other"})
    assert [f["may_thaw"] for f in (await bob.get("/api/freeze")).json()["freezes"]] == [
        True,
        False,
    ]
    inbox = (await page.get("/api/inbox")).json()
    assert [f["agent_id"] for f in inbox["freezes"]] == [None, "other"]
    others = await bob.delete("/api/freeze", params={"agent": "other"})
    assert (others.status_code, problem_of(others)) == (403, "not-eligible")
    (left,) = (await page.delete("/api/freeze")).json()["freezes"]  # the owner is an admin
    assert told(left["agent"]) == "other"
    assert (await submit(agent, session))["effect"] == "allow"
    nothing = await page.delete("/api/freeze")
    assert (nothing.status_code, problem_of(nothing)) == (409, "not-frozen")
    bad = await page.post("/api/freeze", json={"agents": "all"})
    assert bad.status_code == 400
    await site.close()


@pytest.mark.spec("GATE-8", "GATE-2")
async def test_a_claim_over_http_is_refused_while_frozen_and_the_approval_stays() -> None:
    site = make_site(rule("ask"))
    agent, page = await site.agent(), await site.page()
    asked = await submit(agent, await open_session(agent))
    path = f"/api/inbox/approvals/{asked['call_id']}/resolve"
    await page.post(path, json={"action": "approve", "digest": asked["digest"]})
    await page.post("/api/freeze", json={})
    claiming = f"/api/calls/{asked['call_id']}/claim", {"digest": asked["digest"]}
    refused = (await agent.post(claiming[0], json=claiming[1])).json()
    assert refused["claim"] is None
    standing = refused["standing"]
    assert (standing["status"], standing["effect"], standing["reason"]) == (
        "approved", "deny", "frozen",
    )  # fmt: skip
    await page.delete("/api/freeze")
    assert (await agent.post(claiming[0], json=claiming[1])).json()["claim"] is not None
    await site.close()
