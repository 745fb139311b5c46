"""What people do over the API with a request besides voting."""

from __future__ import annotations

import pytest

from sayso.core.approval_policy import ApprovalPolicy, OnTimeout
from sayso.people.person import Person
from tests.fakes.site import Site, make_site, open_session, problem_of, submit
from tests.fakes.world import rule

ANNA = Person("anna", "Anna", admin=True)
EVA = Person("eva", "Eva", admin=True)


def team() -> Site:
    site = make_site(people=(ANNA, EVA))
    policy = ApprovalPolicy(quorum=3, break_glass=60.0, timeout=600.0, on_timeout=OnTimeout.ALLOW)
    site.scene.rules.say(rule("ask", approval=policy))
    return site


@pytest.mark.spec("REQ-68")
async def test_not_now_hides_it_from_one_person_alone() -> None:
    site = team()
    agent, page, anna = await site.agent(), await site.page(), await site.approver("anna")
    standing = await submit(agent, await open_session(agent))
    path = f"/api/inbox/{standing['call_id']}/snooze"
    card = (await page.post(path, json={"seconds": 900})).json()
    assert card["asking"]["snoozed_until"] is not None
    inbox = (await page.get("/api/inbox")).json()
    assert (inbox["total"], len(inbox["snoozed"])) == (0, 1)
    other = (await anna.get("/api/inbox")).json()
    assert (other["total"], other["snoozed"]) == (1, [])
    assert other["approvals"][0]["asking"]["snoozed_until"] is None
    assert (await page.post(path, json={"seconds": 0})).status_code == 200
    assert (await page.get("/api/inbox")).json()["total"] == 1
    assert (await page.post(path, json={"seconds": -1})).status_code == 400
    await site.close()


@pytest.mark.spec("REQ-68")
async def test_a_question_and_its_answer_stand_on_the_card_as_the_agents_words() -> None:
    site = team()
    agent, page = await site.agent(), await site.page()
    standing = await submit(agent, await open_session(agent))
    path = f"/api/inbox/{standing['call_id']}/ask-back"
    card = (await page.post(path, json={"question": "why <b>?"})).json()
    assert card["asking"]["may_ask_back"] is False
    assert card["asking"]["questions"][0]["answer"] is None
    again = await page.post(path, json={"question": "how?"})
    assert (again.status_code, problem_of(again)) == (409, "request-closed")
    told = (await agent.get(f"/api/calls/{standing['call_id']}/wait?timeout=20")).json()
    assert (told["status"], told["question"]["by"]) == ("pending", "owner")
    body = {"question_id": told["question"]["question_id"], "text": "because \u202e"}
    answer = f"/api/calls/{standing['call_id']}/answer"
    assert (await page.post(answer, json=body)).status_code == 403
    assert (await agent.post(answer, json=body)).status_code == 204
    assert (await agent.post(answer, json=body)).status_code == 409
    card = (await page.get(f"/api/inbox/approvals/{standing['call_id']}")).json()
    (question,) = card["asking"]["questions"]
    assert question["answer"][1]["mark"] == "U+202E"
    await site.close()


@pytest.mark.spec("REQ-68")
async def test_a_broken_glass_waits_in_the_inbox_for_a_second_person() -> None:
    site = team()
    agent, page, anna = await site.agent(), await site.page(), await site.approver("anna")
    session = await open_session(agent)
    standing = await submit(agent, session)
    path = f"/api/inbox/{standing['call_id']}/break-glass"
    shown = (await page.get(f"/api/inbox/approvals/{standing['call_id']}")).json()
    assert shown["asking"]["may_break_glass"] is True
    body = {"digest": standing["digest"], "why": "the site is down"}
    assert (await agent.post(path, json=body)).status_code == 403
    done = (await page.post(path, json=body)).json()
    assert (done["status"], done["resolution"]["reason"]) == ("approved", "break-glass")
    inbox = (await anna.get("/api/inbox")).json()
    assert [card["request_id"] for card in inbox["approvals"]] == [standing["call_id"]]
    assert inbox["approvals"][0]["asking"]["may_review_glass"] is True
    assert inbox["problems"] == []
    site.scene.clock.jump(61)
    (problem,) = (await anna.get("/api/inbox")).json()["problems"]
    assert problem[0]["text"].startswith("a broken glass was not reviewed in time")
    second = await submit(agent, session, arguments={"to": "b"})
    blocked = await page.post(
        f"/api/inbox/{second['call_id']}/break-glass",
        json={"digest": second["digest"], "why": "again"},
    )
    assert (blocked.status_code, problem_of(blocked)) == (403, "not-eligible")
    mine = await page.post(f"{path}/review", json={"justified": True})
    assert mine.status_code == 403
    reviewed = (await anna.post(f"{path}/review", json={"justified": False})).json()
    assert reviewed["asking"]["glass"]["reviewed_by"] == "Anna"
    assert reviewed["asking"]["glass"]["justified"] is False
    assert (await anna.get("/api/inbox")).json()["problems"] == []
    await site.close()


async def test_a_page_that_shows_the_card_says_so() -> None:
    site = team()
    agent, page = await site.agent(), await site.page()
    standing = await submit(agent, await open_session(agent))
    path = f"/api/inbox/{standing['call_id']}/shown"
    other = {"digest": "0" * len(standing["digest"])}
    assert (
        await page.post(path, json=other)
    ).status_code == 204  # another content, which counts for nothing
    assert (await site.scene.request(standing["call_id"])).attention.deliveries == ()
    seen = {"digest": standing["digest"]}
    assert (await page.post(path, json=seen)).status_code == 204
    assert (await agent.post(path, json=seen)).status_code == 403
    request = await site.scene.request(standing["call_id"])
    assert [(d.channel, d.person_id) for d in request.attention.deliveries] == [("web", "owner")]
    await site.close()
