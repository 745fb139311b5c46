"""What waits for people, and deciding it."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from sayso.channels.card import card_of
from sayso.core.approval_policy import ApprovalPolicy, Approver
from sayso.core.call import MAX_ARGUMENT_BYTES
from sayso.core.moment import to_rfc3339
from sayso.people.person import Person
from sayso.requests.approval import ApprovalRequest, Status
from sayso.server import cards
from tests.fakes.site import Site, make_site, open_session, problem_of, submit
from tests.fakes.world import START, rule

RESOLVE = "/api/inbox/approvals/{}/resolve"


async def test_the_inbox_shows_what_waits_and_what_was_decided_last(site: Site) -> None:
    agent, page = await site.agent(), await site.page()
    session = await open_session(agent, source="mcp", workspace="/home/ada")
    first = await submit(agent, session, arguments={"to": "a"})
    second = await submit(agent, session, arguments={"to": "b"})
    inbox = (await page.get("/api/inbox")).json()
    assert inbox["total"] == 2
    assert [card["request_id"] for card in inbox["approvals"]] == [
        first["call_id"],
        second["call_id"],
    ]
    assert [inbox[kind] for kind in ("clarifications", "elicitations", "plans", "recent")] == [
        []
    ] * 4
    card = inbox["approvals"][0]
    assert card["digest"] == first["digest"]
    assert card["code"] == first["code"]
    assert card["who"]["may_decide"] is True
    assert card["created_at"].startswith(to_rfc3339(START)[:10])
    assert card["created_at"].endswith("Z")

    body = {"action": "approve", "digest": first["digest"]}
    decided = await page.post(RESOLVE.format(first["call_id"]), json=body)
    assert (decided.status_code, decided.json()["status"]) == (200, "approved")
    inbox = (await page.get("/api/inbox")).json()
    assert (inbox["total"], [card["status"] for card in inbox["recent"]]) == (1, ["approved"])
    pending = (await page.get("/api/approval/pending")).json()
    assert [card["request_id"] for card in pending] == [second["call_id"]]


@pytest.mark.spec("POL-63")
async def test_the_inbox_says_what_is_wrong_with_the_settings(site: Site) -> None:
    page = await site.page()
    assert (await page.get("/api/inbox")).json()["problems"] == []
    site.scene.rules.say(unavailable="settings.toml:1:1: \x1b[2J")
    (problem,) = (await page.get("/api/inbox")).json()["problems"]
    assert problem[0]["text"] == "settings.toml:1:1: "
    assert "mark" in problem[1], "what hides in it is shown as a box"


@pytest.mark.spec("POL-60", "REQ-64")
async def test_an_agent_may_bind_its_session_and_allow_it_nothing(site: Site) -> None:
    agent = await site.agent()
    session = await open_session(agent, deny=["send_mail"], ask=["tool(add)"])
    assert (await submit(agent, session))["reason"] == "rule-deny"
    assert (await submit(agent, session, tool="add", arguments={}))["reason"] == "must-ask"
    for body, word in (
        ({"allow": ["send_mail"]}, "allow"),
        ({"rules": [{"effect": "allow", "text": "send_mail", "origin": "flag"}]}, "rules"),
    ):
        refused = await agent.post("/api/sessions", json=body)
        assert refused.status_code == 400
        assert f"unknown field `{word}`" in refused.json()["detail"]
    wrong = await agent.post("/api/sessions", json={"deny": ["wirte(x)"]})
    assert "--deny: `wirte` is not a kind of rule" in wrong.json()["detail"]


async def test_the_inbox_is_filtered_by_agent_session_and_severity(site: Site) -> None:
    coder, mailer, page = await site.agent("coder"), await site.agent("mailer"), await site.page()
    one, two = await open_session(coder), await open_session(mailer)
    await submit(coder, one)
    await submit(mailer, two)
    for query, total in (
        ({"agent": "coder"}, 1),
        ({"agent": "nobody"}, 0),
        ({"session": two}, 1),
        ({"severity": "medium"}, 2),
        ({"severity": "high"}, 0),
        ({"agent": "mailer", "session": one}, 0),
    ):
        assert (await page.get("/api/inbox", params=query)).json()["total"] == total, query
    wrong = await page.get("/api/inbox", params={"severity": "extreme"})
    assert (wrong.status_code, problem_of(wrong)) == (400, "request-invalid")


@pytest.mark.spec("REQ-42")
async def test_what_is_unknown_is_404_and_what_is_not_yours_403() -> None:
    site = make_site(people=(Person("guest", "guest"),))
    agent, guest, page = await site.agent(), await site.approver("guest"), await site.page()
    standing = await submit(agent, await open_session(agent))
    for act in ("resolve",):
        body = {"action": "reject"}
        for person, request_id, status, name in (
            (page, "nothing", 404, "request-not-found"),
            (guest, standing["call_id"], 403, "not-eligible"),
        ):
            for path in (
                f"/api/inbox/approvals/{request_id}/{act}",
                f"/api/tools/{request_id}/{act}",
            ):
                answer = await person.post(path, json=body)
                assert (answer.status_code, problem_of(answer)) == (status, name)
            shown = await person.get(f"/api/inbox/approvals/{request_id}")
            assert (shown.status_code, problem_of(shown)) == (status, name)
    assert (await guest.get("/api/inbox")).json()["total"] == 0
    await site.close()


@pytest.mark.spec("REQ-42")
async def test_a_second_decision_is_told_who_decided(site: Site) -> None:
    agent, page, phone = await site.agent(), await site.page(), await site.approver()
    standing = await submit(agent, await open_session(agent))
    path = RESOLVE.format(standing["call_id"])
    body = {"action": "approve", "digest": standing["digest"], "note": "go on"}
    assert (await page.post(path, json=body)).status_code == 200
    for again in (body, {"action": "reject", "note": "no"}):
        for person in (page, phone):
            answer = await person.post(path, json=again)
            assert (answer.status_code, problem_of(answer)) == (409, "request-closed")
            told = answer.json()
            assert told["request_status"] == "approved"
            resolution = told["resolution"]
            assert (resolution["by"], resolution["channel"]) == ("owner", "web")
            assert (resolution["reason"], resolution["comment"]) == ("approved", "go on")
            assert "owner" in told["detail"]


@pytest.mark.spec("REQ-3")
async def test_of_two_who_decide_at_once_one_is_told_of_the_other() -> None:
    people = (Person("ada", "Ada", admin=True), Person("ben", "Ben", admin=True))
    site = make_site(people=people)
    agent = await site.agent()
    session = await open_session(agent)
    for number in range(20):
        standing = await submit(agent, session, arguments={"number": number})
        path = RESOLVE.format(standing["call_id"])
        approve = {"action": "approve", "digest": standing["digest"]}
        ada, ben = await site.approver("ada"), await site.page("ben")
        answers = await asyncio.gather(
            ada.post(path, json=approve), ben.post(path, json={"action": "reject"})
        )
        won, lost = sorted(answers, key=lambda answer: answer.status_code)
        assert (won.status_code, lost.status_code) == (200, 409)
        winner = "Ada" if won is answers[0] else "Ben"
        assert lost.json()["resolution"]["by"] == winner
        assert won.json()["status"] == ("approved" if winner == "Ada" else "rejected")
    await site.close()


@pytest.mark.spec("REQ-40")
async def test_an_approve_needs_the_digest_of_what_was_shown(site: Site) -> None:
    agent, page = await site.agent(), await site.page()
    standing = await submit(agent, await open_session(agent))
    path = RESOLVE.format(standing["call_id"])
    for body in (
        {"action": "approve"},
        {"action": "approve", "digest": None},
        {"action": "approve", "digest": "0" * 64},
        {"action": "approve", "digest": ""},
    ):
        answer = await page.post(path, json=body)
        assert (answer.status_code, problem_of(answer)) == (409, "digest-mismatch")
        assert "resolution" not in answer.json()
    assert (await site.scene.request(standing["call_id"])).status is Status.PENDING


async def test_a_rejection_reaches_the_agent_and_sticks_until_it_is_lifted(site: Site) -> None:
    agent, page = await site.agent(), await site.page()
    session = await open_session(agent)
    standing = await submit(agent, session)
    path = f"/api/tools/{standing['call_id']}/resolve"
    answer = await page.post(path, json={"action": "reject", "note": "not on a Friday"})
    assert answer.json()["status"] == "rejected"
    told = (await agent.get(f"/api/calls/{standing['call_id']}/wait")).json()
    assert (told["effect"], told["by"], told["comment"]) == ("deny", "owner", "not on a Friday")
    assert (await submit(agent, session))["reason"] == "sticky-deny"
    lifted = await page.delete(f"/api/sticky/{standing['call_id']}")
    assert lifted.status_code == 204
    assert (await submit(agent, session))["status"] == "pending"
    assert (await page.delete("/api/sticky/nothing")).status_code == 404


async def test_nothing_is_approved_while_rules_cannot_be_loaded(site: Site) -> None:
    agent, page = await site.agent(), await site.page()
    standing = await submit(agent, await open_session(agent))
    site.scene.rules.say(unavailable="settings.toml:3:1: nonsense")
    card = (await page.get(f"/api/inbox/approvals/{standing['call_id']}")).json()
    assert card["approve_refused"] == "rules cannot be loaded"
    body = {"action": "approve", "digest": standing["digest"]}
    answer = await page.post(RESOLVE.format(standing["call_id"]), json=body)
    assert (answer.status_code, problem_of(answer)) == (409, "not-now")


async def test_hostile_text_reaches_people_whole_and_marked(site: Site) -> None:
    agent, page = await site.agent(), await site.page()
    hostile = "<script>alert(1)</script>\u202egnp.exe\x00\x1b[2J\u200b pаypal \U000e0041 end"
    standing = await submit(
        agent,
        await open_session(agent),
        tool="<b>x</b>",
        arguments={hostile[:-4]: hostile},
        detail=hostile,
    )
    answer = await page.get(f"/api/inbox/approvals/{standing['call_id']}")
    assert answer.headers["content-type"] == "application/json"
    card = answer.json()
    runs = card["what"]["arguments"][0]["value"]
    marks = {run["mark"] for run in runs if "mark" in run}
    assert {"U+202E", "U+0000", "U+001B", "U+200B", "U+E0041"} <= marks
    assert card["what"]["hidden"] > 0
    joined = "".join(
        run["text"] if "text" in run else chr(int(run["mark"].removeprefix("U+"), 16))
        for run in runs
    )
    assert joined == hostile


async def test_a_card_of_one_mebibyte_is_not_cut(site: Site) -> None:
    agent, page = await site.agent(), await site.page()
    text = "x" * (MAX_ARGUMENT_BYTES - len('{"text":""}'))
    standing = await submit(agent, await open_session(agent), arguments={"text": text})
    card = (await page.get(f"/api/inbox/approvals/{standing['call_id']}")).json()
    assert card["what"]["arguments"][0]["value"] == [{"text": text}]


async def test_a_large_card_is_written_once_and_holds_nobody_up(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []

    def slowly(request: ApprovalRequest, **more: Any) -> Any:
        written.append(request.request_id)
        time.sleep(2)
        return card_of(request, **more)

    monkeypatch.setattr(cards, "card_of", slowly)
    agent, page = await site.agent(), await site.page()
    standing = await submit(agent, await open_session(agent), arguments={"text": "x" * 20_000})
    path = f"/api/inbox/approvals/{standing['call_id']}"
    looking = [asyncio.create_task(page.get(path)) for _ in range(3)]
    longest, last = 0.0, time.monotonic()
    while not all(task.done() for task in looking):
        assert (await site.client().get("/healthz")).status_code == 200
        longest, last = max(longest, time.monotonic() - last), time.monotonic()
        await asyncio.sleep(0.01)
    assert (await page.get(path)).content == looking[0].result().content
    assert written == [standing["call_id"]]
    assert longest < 1.5


async def test_a_card_changes_with_its_request_and_with_who_looks() -> None:
    site = make_site(people=(Person("op", "op", operator=True),))
    agent, page, operator = await site.agent(), await site.page(), await site.approver("op")
    ada = rule("ask", approval=ApprovalPolicy(approver=Approver.ADMIN))
    site.scene.rules.say(ada)
    standing = await submit(agent, await open_session(agent))
    path = f"/api/inbox/approvals/{standing['call_id']}"
    assert (await page.get(path)).json()["who"]["may_decide"] is False, "not over one's own call"
    assert (await operator.get(path)).json()["who"]["may_decide"] is False
    assert (await operator.get(path)).json()["approve_refused"]
    await agent.post(f"/api/calls/{standing['call_id']}/leave")
    assert (await page.get(path)).json()["caller"] == "gone"
    await site.close()
