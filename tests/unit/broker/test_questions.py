"""Questions of agents: asked, waited for, answered once, by whoever may."""

from __future__ import annotations

import asyncio
import base64
from dataclasses import replace
from typing import Any

import pytest

from sayso.broker.asking import ask_user, asked, elicit, todo
from sayso.broker.broker import Broker
from sayso.broker.notify import readable
from sayso.broker.ports import QuestionStanding
from sayso.broker.questions import NOBODY, PRESENT_SECONDS, UNATTENDED
from sayso.broker.sealed_answer import public_key, seal, unseal
from sayso.broker.sweep import sweep
from sayso.errors import (
    AnswerInvalid,
    ExternalIdReused,
    LostRace,
    NotEligible,
    NotNow,
    QuestionInvalid,
    RequestClosed,
    RequestNotFound,
)
from sayso.people.person import Person
from sayso.people.token import CredentialKind
from sayso.questions.clarification import Item, read_items
from sayso.questions.question import Kind, Question, QuestionDraft
from sayso.requests.event import EventKind
from tests.fakes.world import Scene, make_scene

SECRET = {"type": "object", "properties": {"password": {"type": "string", "minLength": 8}}}
HUNTER = "hunter2-hunter2"


def asks(*questions: str, **more: Any) -> QuestionDraft:
    items = read_items(questions=[{"question": text} for text in questions or ("which?",)])
    return QuestionDraft(Kind.CLARIFICATION, items, **more)


async def waiting(scene: Scene) -> Question:
    """The one question that waits, once there is one."""
    async with asyncio.timeout(5):
        while True:
            found = await scene.store.open_questions()
            if found:
                (question,) = found
                return question  # type: ignore[no-any-return]
            await asyncio.sleep(0)


@pytest.mark.spec("REQ-1", "Q-1", "SRV-2")
async def test_a_question_is_stored_before_anybody_is_told_and_its_answer_wakes_the_waiter() -> (
    None
):
    scene = make_scene()
    gate = await scene.gate()
    stored: list[bool] = []
    publish = scene.world.feed.publish

    def publishing(topics: list[str]) -> None:
        stored.append(topics[0] in scene.store.inner._questions)
        publish(topics)

    scene.world.feed.publish = publishing  # type: ignore[method-assign]
    asking = asyncio.create_task(ask_user(gate, "Which?", ["red", "green", "blue"], True))
    question = await waiting(scene)
    assert stored == [True]
    actor = await scene.actor()
    await scene.broker.questions.answer_typed(actor, question.question_id, "1,3", question.version)
    assert await asking == {"answer": "red, blue", "selected": ["red", "blue"]}
    kinds = [(n.kind, n.data) for n in await scene.store.notices(0, 9)]
    assert kinds == [
        (EventKind.CLARIFICATION_REQUESTED, {"title": "Which?"}),
        (EventKind.CLARIFICATION_RESOLVED, {"status": "answered", "by": "owner"}),
    ]
    records = [r for r in await scene.audit() if r["kind"] == "question"]
    assert [(r["note"], r.get("by"), r.get("comment")) for r in records] == [
        ("asked: Which?", None, None),
        ("clarification answered", "owner", "red, blue"),
    ]


@pytest.mark.spec("Q-1")
async def test_several_are_answered_in_turn_and_what_did_not_come_says_where() -> None:
    scene = make_scene()
    gate = await scene.gate()
    asked = [{"question": "a?"}, {"question": "b?", "options": ["x", "y"], "multi_select": True}]
    asking = asyncio.create_task(ask_user(gate, questions=asked))
    question, actor = await waiting(scene), await scene.actor()
    answer = scene.broker.questions.answer
    one = await answer(actor, question.question_id, answer="first", version=1)
    assert one.waits
    await answer(actor, question.question_id, selected=["y"], version=2)
    assert await asking == {
        "answers": [
            {"question": "a?", "answer": "first"},
            {"question": "b?", "answer": "y", "selected": ["y"]},
        ]
    }
    # the time ends between the first and the second
    asking = asyncio.create_task(ask_user(gate, questions=asked, timeout=60.0))
    question = await waiting(scene)
    await answer(actor, question.question_id, answer="first", version=1)
    scene.clock.jump(61)
    await sweep(scene.world)
    assert await asking == {
        "error": "nobody answered in time",
        "question": "b?",
        "answers": [{"question": "a?", "answer": "first"}],
    }


@pytest.mark.spec("Q-1")
async def test_all_can_be_answered_at_once_and_one_only_for_what_was_looked_at() -> None:
    scene = make_scene()
    gate, actor = await scene.gate(), await scene.actor()
    name = (await gate.ask(asks("a?", "b?"))).question_id
    answer = scene.broker.questions.answer
    for given, why in (
        ({"answer": "x"}, "does not say which"),
        ({"answers": ["x"]}, "2 answers are wanted"),
        ({"answers": ["x", "y"], "answer": "z"}, "another answer"),
        ({}, "does not say which"),
        ({"version": 1}, "either text or a selection"),
    ):
        with pytest.raises(AnswerInvalid, match=why):
            await answer(actor, name, **given)
    with pytest.raises(LostRace):
        await answer(actor, name, answer="x", version=7)
    done = await answer(actor, name, answers=["x", "y"])
    assert [reply.answer for reply in done.replies] == ["x", "y"]


@pytest.mark.spec("REQ-3", "REQ-42")
async def test_a_second_answer_and_a_late_one_are_told_how_it_ended() -> None:
    scene = make_scene(people=[Person("anna", "Anna", admin=True)])
    gate = await scene.gate()
    name = (await gate.ask(asks())).question_id
    me, anna = await scene.actor(), await scene.actor(person_id="anna")
    tries = [scene.broker.questions.answer(who, name, answer="x") for who in (me, anna, me)]
    results = await asyncio.gather(*tries, return_exceptions=True)
    refused = [r for r in results if isinstance(r, RequestClosed)]
    assert len(refused) == 2
    assert all("already resolved by owner: answered" in str(error) for error in refused)
    name = (await gate.ask(asks(timeout=5.0))).question_id
    scene.clock.jump(5)
    with pytest.raises(RequestClosed, match="expired"):  # although nobody has swept
        await scene.broker.questions.answer(me, name, answer="x")
    with pytest.raises(RequestNotFound):
        await scene.broker.questions.answer(me, "nobody's", answer="x")
    with pytest.raises(RequestNotFound):  # it is no plan
        await scene.broker.questions.answer_plan(me, name, "carry-out")


@pytest.mark.spec("REQ-11", "REQ-64")
async def test_the_user_operators_and_admins_answer_and_nobody_else() -> None:
    people = [
        Person("anna", "Anna", admin=True),
        Person("otto", "Otto", operator=True, agents=("coder",)),
        Person("mallory", "Mallory", operator=True, agents=("other",)),
    ]
    scene = make_scene(people=people)
    gate = await scene.gate()
    for who in ("owner", "anna", "otto"):
        name = (await gate.ask(asks())).question_id
        actor = await scene.actor(CredentialKind.APPROVER, who)
        assert name in {q.question_id for q in await scene.broker.questions.waiting(actor)}
        assert not (await scene.broker.questions.answer(actor, name, answer="x")).waits
    name = (await gate.ask(asks())).question_id
    mallory = await scene.actor(CredentialKind.SESSION, "mallory")
    assert await scene.broker.questions.waiting(mallory) == []
    agent = await scene.agent()
    for actor in (mallory, agent):
        with pytest.raises(NotEligible):
            await scene.broker.questions.answer(actor, name, answer="x")
    with pytest.raises(NotEligible):
        await scene.broker.questions.waiting(agent)
    # whoever became eligible only afterwards was not asked
    scene.store.folk["mallory"] = replace(people[2], agents=("coder",))
    with pytest.raises(NotEligible, match="could not decide when it was asked"):
        await scene.broker.questions.answer(mallory, name, answer="x")
    assert (await scene.store.question(name)).waits


@pytest.mark.spec("Q-2")
async def test_where_nobody_can_answer_the_agent_is_told_so_at_once() -> None:
    scene = make_scene()
    unattended = await scene.session(attended=False)
    told = await ask_user(scene.broker.gate(unattended.session_id), "Which?")
    assert told == {
        "error": "this run is unattended: no one can answer; decide yourself and say what you assumed",
        "question": "Which?",
    }
    gate = await scene.gate()
    scene.notifier.can_ask = False
    nobody = "interactive input is not available; proceed with your best judgement"
    assert (await ask_user(gate, "Which?"))["error"] == nobody
    scene.notifier.can_ask, scene.notifier.unreachable = True, {"owner"}
    assert (await ask_user(gate, questions=[{"question": "Which?"}])) == {
        "error": nobody,
        "question": "Which?",
        "answers": [],
    }
    assert await scene.store.open_questions() == []
    assert (nobody, told["error"].replace("x", "x")) == (NOBODY, UNATTENDED)
    with pytest.raises(QuestionInvalid):
        await ask_user(gate, "")


@pytest.mark.spec("REQ-21")
async def test_a_stopped_session_cancels_what_it_asked_and_asks_nothing_more() -> None:
    scene = make_scene()
    gate = await scene.gate()
    asking = asyncio.create_task(ask_user(gate, "Which?"))
    question = await waiting(scene)
    await gate.stop()
    assert await asking == {"error": "the question was cancelled", "question": "Which?"}
    stored = await scene.store.question(question.question_id)
    assert stored.ending.comment == "the session was stopped"
    assert "stopped" in (await ask_user(gate, "Which?"))["error"]


@pytest.mark.spec("REQ-20", "REQ-22")
async def test_any_replica_ends_what_is_over_and_answers_reach_a_waiter_elsewhere() -> None:
    scene = make_scene()
    gate, other = await scene.gate(), scene.another_broker()
    name = (await gate.ask(asks(timeout=60.0))).question_id
    waiter = asyncio.create_task(gate.wait_for_answer(name, 300))
    await asyncio.sleep(0)
    scene.clock.jump(60)
    await sweep(other.world)
    assert (await waiter).status == "expired"
    name = (await gate.ask(asks())).question_id
    waiter = asyncio.create_task(gate.wait_for_answer(name, 300))
    await other.questions.answer(await scene.actor(), name, answer="x")
    assert (await waiter).replies[0].answer == "x"


async def test_a_wait_ends_with_its_time_and_another_sessions_question_is_not_told() -> None:
    scene = make_scene()
    gate, other = await scene.gate(), await scene.gate("writer")
    name = (await gate.ask(asks())).question_id
    assert (await gate.wait_for_answer(name, 0)).waits
    for act in (other.wait_for_answer(name, 0), other.done_with(name)):
        with pytest.raises(NotEligible):
            await act
    with pytest.raises(RequestNotFound):
        await gate.wait_for_answer("nobody's", 0)


@pytest.mark.spec("REQ-31")
async def test_a_question_with_a_name_is_asked_once_and_survives_its_caller() -> None:
    scene = make_scene()
    gate = await scene.gate()
    asking = asyncio.create_task(ask_user(gate, "Which?", external_id="q7"))
    question = await waiting(scene)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    assert (await scene.store.question(question.question_id)).waits
    await scene.broker.questions.answer(await scene.actor(), question.question_id, answer="x")
    again = scene.another_broker().gate(gate.session_id)  # as after a restart
    assert await ask_user(again, "Which?", external_id="q7") == {"answer": "x"}
    with pytest.raises(ExternalIdReused):
        await ask_user(again, "Which one?", external_id="q7")
    # without a name nobody could ever fetch the answer
    asking = asyncio.create_task(ask_user(gate, "Which?"))
    question = await waiting(scene)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    stored = await scene.store.question(question.question_id)
    assert (stored.status.value, stored.ending.comment) == (
        "cancelled", "whoever asked no longer waits",
    )  # fmt: skip


@pytest.mark.spec("Q-8")
async def test_an_answer_with_a_secret_reaches_whoever_asked_and_no_store_log_or_event() -> None:
    scene = make_scene()
    gate, actor = await scene.gate(), await scene.actor()
    key = scene.ids.secret()
    asking = asyncio.create_task(elicit(gate, "log in", schema=SECRET, secret=lambda: key))
    question = await waiting(scene)
    accept = scene.broker.questions.accept
    with pytest.raises(AnswerInvalid) as refused:
        await accept(actor, question.question_id, {"password": "hunter2"})
    assert "hunter2" not in str(refused.value)
    answered = await accept(actor, question.question_id, {"password": HUNTER})
    assert (answered.content, answered.sealed is None) == (None, False)
    assert await asking == {"action": "accept", "content": {"password": HUNTER}}
    stored = await scene.store.question(question.question_id)
    assert (stored.sealed, stored.content) == (None, None)
    everything = [stored, answered, await scene.audit(), await scene.store.notices(0, 99)]
    assert "hunter2" not in repr(everything)


@pytest.mark.spec("Q-8")
async def test_a_secret_is_not_taken_while_nobody_waits_for_it() -> None:
    scene = make_scene()
    gate, actor = await scene.gate(), await scene.actor()
    key = scene.ids.secret()
    draft = QuestionDraft(
        Kind.ELICITATION, message="log in", schema=SECRET, answer_key=public_key(key)
    )
    name = (await gate.ask(draft)).question_id
    scene.clock.jump(PRESENT_SECONDS + 1)
    with pytest.raises(NotNow, match="a secret is never kept"):
        await scene.broker.questions.accept(actor, name, {"password": HUNTER})
    waiter = asyncio.create_task(gate.wait_for_answer(name, 60))
    await asyncio.sleep(0)
    await scene.broker.questions.accept(actor, name, {"password": HUNTER})
    told = await waiter
    assert told.sealed is not None
    assert unseal(told.sealed, key) == {"password": HUNTER}


@pytest.mark.spec("Q-8")
async def test_a_form_is_accepted_declined_or_put_away_and_a_url_opened_by_the_person_alone() -> (
    None
):
    scene = make_scene()
    gate, actor = await scene.gate(), await scene.actor()
    plain = {"type": "object", "properties": {"name": {"type": "string"}}}
    url = "https://example.com/login"
    questions = scene.broker.questions

    async def ended(act: Any, **about: Any) -> dict[str, Any]:
        asking = asyncio.create_task(elicit(gate, "who?", secret=scene.ids.secret, **about))
        await act((await waiting(scene)).question_id)
        return await asking

    assert await ended(
        lambda name: questions.accept(actor, name, {"name": "Ada"}), schema=plain
    ) == {"action": "accept", "content": {"name": "Ada"}}
    assert await ended(lambda name: questions.decline(actor, name), schema=plain) == {
        "action": "decline"
    }
    assert await ended(lambda name: questions.cancel(actor, name), schema=plain) == {
        "action": "cancel"
    }
    assert await ended(lambda name: questions.accept(actor, name, None), url=url) == {
        "action": "accept"
    }
    scene.notifier.can_ask = False
    assert await elicit(gate, "who?", url=url, secret=scene.ids.secret) == {"action": "cancel"}
    scene.notifier.can_ask = True
    name = (await gate.ask(QuestionDraft(Kind.ELICITATION, message="x", url=url))).question_id
    with pytest.raises(AnswerInvalid, match="takes no content"):
        await questions.accept(actor, name, {"password": "x"})
    with pytest.raises(QuestionInvalid, match="answer key"):
        await gate.ask(
            QuestionDraft(Kind.ELICITATION, message="x", schema=SECRET, answer_key="short")
        )


def test_a_sealed_answer_opens_for_its_key_alone() -> None:
    mine, other = b"m" * 32, b"o" * 32
    sealed = seal({"a": 1}, public_key(mine), b"f" * 32)
    assert unseal(sealed, mine) == {"a": 1}
    for broken, key in ((sealed, other), (sealed[:-4] + "AAAA", mine), ("?", mine)):
        with pytest.raises(AnswerInvalid):
            unseal(broken, key)
    with pytest.raises(QuestionInvalid):
        seal({}, "AAAA", b"f" * 32)
    with pytest.raises(QuestionInvalid):  # a key of small order
        seal({}, base64.b64encode(bytes(32)).decode(), b"f" * 32)


@pytest.mark.spec("Q-7")
async def test_a_task_list_is_kept_whole_and_people_are_told() -> None:
    scene = make_scene(people=[Person("mallory", "Mallory")])
    session = await scene.session()
    gate = scene.broker.gate(session.session_id)
    told = await todo(
        gate, [{"content": "a", "status": "completed"}, {"content": "b", "status": "todo"}]
    )
    assert (told["done"], told["total"]) == (1, 2)
    kept = await scene.broker.questions.tasks(await scene.actor(), session.session_id)
    assert [task.content for task in kept] == ["a", "b"]
    assert [n.kind for n in await scene.store.notices(0, 9)] == [EventKind.TODO_CHANGED]
    mallory = await scene.actor(person_id="mallory")
    with pytest.raises(NotEligible):
        await scene.broker.questions.tasks(mallory, session.session_id)
    with pytest.raises(RequestNotFound):
        await scene.broker.questions.tasks(await scene.actor(), "nobody's")


async def test_channels_hear_of_a_question_and_of_its_end() -> None:
    scene = make_scene()
    gate = await scene.gate()
    first = (await gate.ask(asks())).question_id
    outbox = scene.broker._outbox
    await outbox.start()  # as after a restart: what waits is announced again
    assert scene.notifier.questions == [(first, ["owner"])]
    second: QuestionStanding = await gate.ask(asks("secret \u202e?"))
    await outbox.drain()
    assert scene.notifier.questions[1:] == [(second.question_id, ["owner"])]
    scene.notifier.fails = RuntimeError("no")
    await scene.broker.questions.answer(await scene.actor(), first, answer="x")
    await outbox.drain()
    assert scene.notifier.question_states == [(first, "answered")]


async def test_an_answer_to_a_question_after_a_secret_is_hidden_in_the_log() -> None:
    scene = make_scene()
    gate = await scene.gate()
    name = (await gate.ask(asks("Which password is it?"))).question_id
    await scene.broker.questions.answer(await scene.actor(), name, answer="hunter2")
    assert "hunter2" not in repr(await scene.audit())


def test_items_are_what_they_were_made_of() -> None:
    assert read_items(questions=[Item("a?", ("x",), True)]) == (Item("a?", ("x",), True),)


@pytest.mark.spec("AUD-1", "Q-1")
async def test_the_log_names_each_who_answered_and_proves_what_was_asked() -> None:
    scene = make_scene(people=[Person("bob", "Bob", operator=True)])
    gate = await scene.gate()
    asked = await gate.ask(asks("where?", "which?"))
    bob, owner = await scene.actor(person_id="bob"), await scene.actor()
    answer = scene.broker.questions.answer
    await answer(bob, asked.question_id, answer="production", version=1)
    await answer(owner, asked.question_id, answer="blue", version=2)
    plan = await gate.ask(QuestionDraft(Kind.ELICITATION, message="x", url="https://a.example/"))
    other = await gate.ask(QuestionDraft(Kind.ELICITATION, message="x", url="https://b.example/"))
    records = [r for r in await scene.audit() if r["kind"] == "question"]
    assert [(r["note"], r.get("by"), r.get("comment")) for r in records[1:3]] == [
        ("clarification answered in part", "Bob", "production"),
        ("clarification answered", "owner", "blue"),
    ]
    assert len({r["digest"] for r in records[:3]}) == 1
    digests = {r["call_id"]: r["digest"] for r in records}
    assert digests[plan.question_id] != digests[other.question_id]


@pytest.mark.spec("SRV-2")
async def test_only_those_whom_a_session_concerns_hear_of_its_task_list() -> None:
    people = [Person("eve", "Eve"), Person("otto", "Otto", operator=True)]
    scene = make_scene(people=people)
    await todo(await scene.gate(), [{"content": "write", "status": "pending"}])
    told, directory = await scene.store.notices(0, 9), await scene.store.directory()
    heard = {
        name: len(readable(told, name, directory, scene.clock.now()))
        for name in ("owner", "otto", "eve")
    }
    assert heard == {"owner": 1, "otto": 1, "eve": 0}


@pytest.mark.spec("GATE-9")
async def test_a_session_that_asks_too_much_is_told_to_wait_for_answers() -> None:
    scene = make_scene()
    scene = replace(scene, broker=Broker(replace(scene.world, pending_limit=2)))
    await scene.actor()
    gate = scene.broker.gate((await scene.session()).session_id)
    for _ in range(2):
        assert (await gate.ask(asks("which?"))).waits
    third = await gate.ask(asks("and this?"))
    assert (third.waits, third.status) == (False, "refused")
    assert "too many questions" in third.message
    (_, question) = await scene.store.open_questions()
    await gate.done_with(question.question_id)
    assert (await gate.ask(asks("and now?"))).waits


async def test_who_is_cancelled_while_a_question_is_being_asked_leaves_none_behind() -> None:
    scene = make_scene()
    await scene.actor()
    gate = scene.broker.gate((await scene.session()).session_id)
    begun, go_on = asyncio.Event(), asyncio.Event()

    class Slow:
        session_id = gate.session_id
        wait_for_answer, done_with = gate.wait_for_answer, gate.done_with

        async def ask(self, draft: QuestionDraft) -> QuestionStanding:
            begun.set()
            await go_on.wait()
            return await gate.ask(draft)

    caller = asyncio.create_task(asked(Slow(), asks("still there?")))  # type: ignore[arg-type]
    await begun.wait()
    caller.cancel()
    await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert await scene.store.open_questions() == []
