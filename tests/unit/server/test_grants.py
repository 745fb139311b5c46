"""What people had remembered, over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.site import Site, open_session, problem_of, submit
from tests.fakes.world import rule

RESOLVE = "/api/inbox/approvals/{}/resolve"


def told(shown: list[dict[str, Any]]) -> str:
    return "".join(run.get("text", "") for run in shown)


@pytest.mark.spec("REQ-40", "REQ-51", "REQ-55")
async def test_an_answer_is_remembered_listed_and_taken_back(site: Site) -> None:
    site.scene.rules.say()
    agent, page = await site.agent(), await site.page()
    session = await open_session(agent)
    asked = await submit(agent, session)
    (card,) = (await page.get("/api/inbox")).json()["approvals"]
    offer = card["offer"]
    assert [told(label) for label in offer["covers"]] == ["use send_mail, whatever its arguments"]
    assert (offer["approve"], offer["reject"]) == (["session", "always"], ["session", "always"])
    assert [bypass["scope"] for bypass in offer["bypass"]] == ["all"]
    body = {
        "action": "approve", "digest": asked["digest"], "remember": "always", "bypass_secs": 900,
    }  # fmt: skip
    decided = (await page.post(RESOLVE.format(asked["call_id"]), json=body)).json()
    assert decided["status"] == "approved"
    saved = decided["remembered"]
    assert [told(label) for label in saved["saved"]] == [
        "use send_mail, whatever its arguments",
        "every call of this session that would ask",
    ]
    assert saved["problem"] is None
    again = await submit(agent, session, arguments={"to": "bob"})
    assert (again["effect"], again["reason"]) == ("allow", "saved-grant")

    (grant,) = (await page.get("/api/grants")).json()
    assert (told(grant["by"]), grant["session_id"], grant["request_id"]) == (
        "owner", None, asked["call_id"],
    )  # fmt: skip
    assert (await page.get("/api/vetoes")).json() == []
    (bypass,) = (await page.get("/api/bypasses")).json()
    assert bypass["scope"] == "all"
    assert bypass["until"] > bypass["added"]
    wrong = await page.delete(f"/api/vetoes/{grant['id']}")
    assert problem_of(wrong) == "grant-not-found"
    assert (await page.delete(f"/api/grants/{grant['id']}")).status_code == 204
    assert (await page.delete(f"/api/bypasses/{bypass['id']}")).status_code == 204
    assert (await page.delete(f"/api/bypasses/{bypass['id']}")).status_code == 404
    assert (await submit(agent, session, arguments={"to": "carl"}))["status"] == "pending"


@pytest.mark.spec("REQ-51")
async def test_all_is_cleared(site: Site) -> None:
    site.scene.rules.say()
    agent, page = await site.agent(), await site.page()
    session = await open_session(agent)
    for tool, body in (
        ("a", {"action": "approve", "remember": "always", "bypass_secs": 0}),
        ("b", {"action": "reject", "remember": "session", "note": "no"}),
    ):
        asked = await submit(agent, session, tool=tool)
        if asked["status"] == "pending":
            await page.post(
                RESOLVE.format(asked["call_id"]), json={**body, "digest": asked["digest"]}
            )
            await page.delete("/api/bypasses")
    refused = await submit(agent, session, tool="b", arguments={"to": "x"})
    assert (refused["reason"], refused["message"]) == (
        "saved-deny", "rejected by owner in this session: no (do not repeat it)",
    )  # fmt: skip
    for kind in ("grants", "vetoes", "bypasses"):
        assert (await page.delete(f"/api/{kind}")).status_code == 204
        assert (await page.get(f"/api/{kind}")).json() == []


@pytest.mark.spec("REQ-55")
async def test_what_is_not_offered_is_refused_and_nothing_is_decided(site: Site) -> None:
    site.scene.rules.say(rule("ask"))
    agent, page = await site.agent(), await site.page()
    asked = await submit(agent, await open_session(agent))
    (card,) = (await page.get("/api/inbox")).json()["approvals"]
    assert (card["offer"]["approve"], card["offer"]["bypass"]) == ([], [])
    assert card["offer"]["reject"] == ["session", "always"]
    for more in ({"remember": "always"}, {"bypass_secs": 60}):
        body = {"action": "approve", "digest": asked["digest"], **more}
        refused = await page.post(RESOLVE.format(asked["call_id"]), json=body)
        assert refused.status_code == 409
        assert problem_of(refused) == "not-remembered"
    body = {"action": "reject", "bypass_secs": 60}
    refused = await page.post(RESOLVE.format(asked["call_id"]), json=body)
    assert problem_of(refused) == "not-remembered"
    assert (await page.get("/api/inbox")).json()["total"] == 1


@pytest.mark.spec("REQ-40")
@pytest.mark.parametrize(
    ("decision", "status", "reason"),
    [
        ("allow_once", "approved", "no-rule"),
        ("allow_always", "approved", "saved-grant"),
        ("deny_once", "rejected", "no-rule"),
        ("deny_always", "rejected", "saved-deny"),
    ],
)
async def test_the_end_users_own_route(site: Site, decision: str, status: str, reason: str) -> None:
    site.scene.rules.say()
    agent, page = await site.agent(), await site.page()
    session = await open_session(agent)
    asked = await submit(agent, session)
    body = {"decision": decision, "digest": asked["digest"]}
    elsewhere = f"/api/sessions/{asked['call_id']}/permissions/{asked['call_id']}"
    assert (await page.post(elsewhere, json=body)).status_code == 404
    route = f"/api/sessions/{session}/permissions/{asked['call_id']}"
    assert (await page.post(route, json=body)).json()["status"] == status
    assert (await page.post(route, json=body)).status_code == 409
    assert (await submit(agent, session, arguments={"to": "x"}))["reason"] == reason
