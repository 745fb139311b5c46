"""Who is asked, who can be reached, and what becomes of an ask that reaches nobody."""

from __future__ import annotations

import pytest

from sayso.broker.reachability import reach_of, who_is_reachable
from sayso.broker.sweep import sweep
from sayso.channels.viewing import card_now
from sayso.core.approval_policy import ApprovalPolicy, Approver
from sayso.core.asking import Escalation, Unreachable
from sayso.people.person import OWNER, Person
from sayso.people.token import CredentialKind
from sayso.requests.approval import Status
from sayso.requests.quorum import asked_of
from tests.fakes.world import Scene, draft, make_scene, rule

ANNA = Person("anna", "Anna", admin=True)
OLEG = Person("oleg", "Oleg", operator=True)


def asking(**fields: object) -> Scene:
    policy = ApprovalPolicy(**fields)  # type: ignore[arg-type]
    return make_scene(rule("ask", approval=policy), people=[ANNA, OLEG])


@pytest.mark.spec("REQ-67", "REQ-23")
async def test_how_many_of_those_who_may_decide_can_be_reached_is_known_and_shown() -> None:
    scene = asking(approver=Approver.ADMIN)
    standing = await (await scene.gate()).submit(draft())
    request = await scene.request(standing.call_id)
    reach = await reach_of(scene.world, asked_of(request))
    assert (reach.eligible, reach.reachable, reach.words) == (1, 1, None)  # not the user herself
    scene.notifier.unreachable = {"owner", "anna"}
    reach = await reach_of(scene.world, asked_of(request))
    assert (reach.nobody, reach.words) == (True, "nobody can answer: 0 of 1 reachable")
    everybody = (await who_is_reachable(scene.world)).everybody
    assert (everybody.eligible, everybody.reachable) == (3, 1)
    card = await card_now(scene.world, request, None, "anna")
    assert card.asking.nobody == "nobody can answer: 0 of 1 reachable"
    assert request.status is Status.PENDING, "it waits, and is visible"
    assert [r.request_id for r in await scene.store.pending()] == [request.request_id]


async def test_where_nobody_may_decide_the_card_says_so() -> None:
    scene = asking(approvers=())
    standing = await (await scene.gate()).submit(draft())
    card = await card_now(scene.world, await scene.request(standing.call_id), None)
    assert card.asking.nobody == "nobody can answer: nobody may decide this"


@pytest.mark.spec("REQ-67")
async def test_the_page_reaches_whoever_can_log_in_and_nobody_else() -> None:
    scene = asking()
    scene.notifier.ways = lambda person: ("web",)  # type: ignore[method-assign]
    assert (await who_is_reachable(scene.world)).ids == set()
    await scene.store.set_passphrase_hash("hash", [])
    assert (await who_is_reachable(scene.world)).ids == {OWNER}
    await scene.actor(CredentialKind.APPROVER, "anna", lifetime=60)
    await scene.actor(CredentialKind.AGENT, "oleg", agent_id="coder")
    assert (await who_is_reachable(scene.world)).ids == {OWNER, "anna"}
    await scene.clock.sleep(60)
    assert (await who_is_reachable(scene.world)).ids == {OWNER}


@pytest.mark.spec("REQ-67")
async def test_a_policy_may_refuse_what_reaches_nobody_and_does_so_only_then() -> None:
    scene = asking(unreachable=Unreachable.REFUSE)
    gate = await scene.gate()
    assert (await gate.submit(draft())).status == "pending"
    scene.notifier.unreachable = {"owner", "anna", "oleg"}
    refused = await gate.submit(draft("delete_mail"))
    assert (refused.effect, refused.reason) == ("deny", "nobody-reachable")
    assert "none of those who may decide can be reached" in refused.message
    assert (await scene.audit())[-1]["reason"] == "nobody-reachable"
    decided = await gate.decide(draft("delete_mail"))
    assert (decided.effect, decided.reason) == ("deny", "nobody-reachable")


@pytest.mark.spec("REQ-16")
async def test_whom_the_policy_names_is_asked_later_and_could_decide_all_along() -> None:
    scene = asking(escalate=Escalation(("anna", "operator"), 300.0))
    await scene.broker.start()
    standing = await (await scene.gate()).submit(draft())
    await scene.clock.sleep(1)
    assert scene.notifier.asked == [["owner"]]
    request = await scene.request(standing.call_id)
    anna = await scene.actor(person_id="anna")
    assert await scene.broker.why_not(anna, request) is None
    await scene.clock.sleep(300)
    assert scene.notifier.asked[1:] == [["anna", "oleg", "owner"]]
    request = await scene.request(standing.call_id)
    assert (request.status, request.reviews) == (Status.PENDING, ())
    assert (await scene.audit())[-1]["reason"] == "escalated"
    await scene.broker.close()


async def test_somebody_is_asked_at_once_where_all_are_named_for_later() -> None:
    scene = asking(escalate=Escalation(("owner", "anna", "oleg"), 300.0))
    await scene.broker.start()
    await (await scene.gate()).submit(draft())
    await scene.clock.sleep(1)
    assert scene.notifier.asked == [["anna", "oleg", "owner"]]
    await scene.broker.close()


@pytest.mark.spec("REQ-67")
async def test_asking_widens_at_once_where_those_asked_first_cannot_be_reached() -> None:
    escalate = {"escalate": Escalation(("admin",)), "unreachable": Unreachable.ESCALATE}
    scene = asking(approvers=("anna", "oleg"), **escalate)
    gate = await scene.gate()
    standing = await gate.submit(draft())
    assert (await scene.request(standing.call_id)).attention.escalated_at is None
    scene.notifier.unreachable = {"oleg"}
    standing = await gate.submit(draft("delete_mail"))
    request = await scene.request(standing.call_id)
    assert request.attention.escalated_at == request.created_at
    assert request.status is Status.PENDING


@pytest.mark.spec("REQ-16", "ST-5")
async def test_people_are_reminded_at_their_times_by_whichever_replica_there_is() -> None:
    scene = asking(reminders=(60.0, 120.0))
    standing = await (await scene.gate()).submit(draft())
    other = scene.another_broker()
    await other.start()  # whoever made it has gone
    await scene.clock.sleep(59)
    assert scene.notifier.reminded == []
    await scene.clock.sleep(63)
    everybody = ["anna", "oleg", "owner"]
    assert scene.notifier.reminded == [(standing.call_id, everybody)] * 2
    assert (await scene.request(standing.call_id)).status is Status.PENDING
    await other.close()


async def test_reminders_that_nobody_was_there_to_send_are_one() -> None:
    scene = asking(reminders=(60.0, 120.0, 180.0, 999.0))
    standing = await (await scene.gate()).submit(draft())
    await scene.clock.sleep(500)
    await sweep(scene.world)
    assert (await scene.request(standing.call_id)).attention.reminders == 3
    said = [r["comment"] for r in await scene.audit() if r["reason"] == "reminded"]
    assert said == ["reminder 3"]


async def test_at_the_start_it_is_said_if_nobody_can_answer(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = asking()
    scene.notifier.unreachable = {"owner", "anna", "oleg"}
    await scene.broker.start()
    await scene.broker.close()
    said = caplog.text + "".join(capsys.readouterr())
    assert "nobody can answer" in said
