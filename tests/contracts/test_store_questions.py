"""Every store: questions, one conditional write for each change, and task lists (REQ-1, REQ-3)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from sayso.audit.record import RecordKind
from sayso.broker.ports import QuestionChange
from sayso.core.session import Session
from sayso.errors import LostRace, NotEligible, TooManyWait
from sayso.people.token import Credential, CredentialKind
from sayso.questions.clarification import Item, Reply
from sayso.questions.lifecycle import Answered, Replied, apply
from sayso.questions.question import Ending, Kind, Question, QuestionDraft, question_of
from sayso.questions.todo import read_tasks
from sayso.requests.event import EventKind
from tests.contracts.store_values import OWNERS, notice, record
from tests.fakes.values import START, at

SESSION = Session("s1", "owner", "coder", "api", None, True, "cred", START)
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer", "default": 3}}}
DRAFTS = (
    QuestionDraft(Kind.CLARIFICATION, (Item("a?", ("x", "y"), True), Item("b\u202e\x00?"))),
    QuestionDraft(Kind.PLAN, plan="first\nthen"),
    QuestionDraft(Kind.ELICITATION, message="who?", schema=SCHEMA, server="crm"),
    QuestionDraft(Kind.ELICITATION, message="who?", url="https://example.com/x"),
)


def question(name: str = "q1", draft: QuestionDraft = DRAFTS[0], **more: Any) -> Question:
    return replace(question_of(draft, SESSION, name, ("owner",), START), **more)


async def opened(store: Any) -> None:
    await store.open_session(SESSION)
    await store.put_credential(OWNERS, [])


@pytest.mark.spec("GATE-9")
async def test_a_question_too_many_of_its_session_is_not_written(store: Any) -> None:
    await opened(store)
    await store.open_session(replace(SESSION, session_id="s2"))
    for number in range(2):
        await store.add_question(question(f"q{number}"), [], [], at_most=2)
    with pytest.raises(TooManyWait):
        await store.add_question(question("q2"), [], [], at_most=2)
    assert await store.question("q2") is None
    assert await store.add_question(question("q3", session_id="s2"), [], [], at_most=1) is None
    assert await store.add_question(question("q4"), [], []) is None, "there is no limit"


@pytest.mark.spec("REQ-1")
async def test_each_kind_is_read_as_it_was_written(store: Any) -> None:
    await opened(store)
    for n, draft in enumerate(DRAFTS):
        asked = question(f"q{n}", draft, created_at=at(n), expires_at=at(100 + n))
        told = notice(f"q{n}", kind=EventKind.PLAN_REQUESTED)
        assert (
            await store.add_question(asked, [record(RecordKind.QUESTION, f"q{n}")], [told]) is None
        )
        assert await store.question(f"q{n}") == asked
    assert [one.question_id for one in await store.open_questions()] == ["q0", "q1", "q2", "q3"]
    assert [one.question_id for one in await store.questions_of("s1")] == ["q0", "q1", "q2", "q3"]
    assert await store.questions_of("s2") == []
    assert await store.question("nobody's") is None
    assert [one.request_id for one in await store.notices(0, 9)] == ["q0", "q1", "q2", "q3"]


async def test_an_external_id_means_one_question(store: Any) -> None:
    await opened(store)
    first = question(external_id="e1")
    assert await store.add_question(first, [], []) is None
    again = question("q2", external_id="e1")
    assert await store.add_question(again, [record(RecordKind.QUESTION)], [notice()]) == first
    assert await store.question_called("s1", "e1") == first
    assert await store.question_called("s1", "e2") is None
    assert await store.notices(0, 9) == []
    assert await store.question("q2") is None


@pytest.mark.spec("REQ-3")
async def test_of_racing_answers_one_is_kept(store: Any) -> None:
    await opened(store)
    asked = question()
    await store.add_question(asked, [], [])
    tries = [
        QuestionChange(apply(asked, Replied(Reply(f"answer {n}"))), 1, at(1), answerer=OWNERS)
        for n in range(10)
    ]
    results = await asyncio.gather(
        *(store.change_question(one) for one in tries), return_exceptions=True
    )
    assert [type(r) for r in results if r is not None] == [LostRace] * 9
    winner = tries[results.index(None)].question
    assert await store.question("q1") == winner
    done = apply(winner, Answered(Ending(at(2), "owner", "owner", "web"), (Reply("x"),)))
    change = QuestionChange(
        done,
        2,
        at(2),
        OWNERS,
        (record(RecordKind.QUESTION),),
        (notice(kind=EventKind.PLAN_RESOLVED),),
    )
    await store.change_question(change)
    assert await store.question("q1") == done
    assert await store.open_questions() == []
    assert [one.kind for one in await store.notices(0, 9)] == [EventKind.PLAN_RESOLVED]
    with pytest.raises(ValueError, match="from one version to the next"):
        await store.change_question(replace(change, expected_version=1))


@pytest.mark.spec("REQ-64")
async def test_only_a_credential_that_decides_of_somebody_who_may_answers(store: Any) -> None:
    await opened(store)
    agent = Credential("c2", CredentialKind.AGENT, "owner", "h2", START, agent_id="coder")
    strange = Credential("c3", CredentialKind.APPROVER, "mallory", "h3", START)
    gone = Credential("c4", CredentialKind.APPROVER, "owner", "h4", START, expires_at=at(1))
    for credential in (agent, strange, gone):
        await store.put_credential(credential, [])
    asked = question()
    await store.add_question(asked, [], [])
    unknown = replace(OWNERS, credential_id="c9")
    for credential in (agent, strange, gone, unknown):
        after = apply(asked, Replied(Reply("x")))
        with pytest.raises(NotEligible):
            await store.change_question(QuestionChange(after, 1, at(2), answerer=credential))
    assert await store.question("q1") == asked


@pytest.mark.spec("REQ-21", "REQ-22")
async def test_what_is_over_is_found_and_a_stopped_session_asks_nothing(store: Any) -> None:
    await opened(store)
    await store.open_session(replace(SESSION, session_id="s2"))
    await store.add_question(question("q1", expires_at=at(10)), [], [])
    await store.add_question(question("q2", session_id="s2", created_at=at(1)), [], [])
    assert await store.questions_due(at(9)) == []
    assert [one.question_id for one in await store.questions_due(at(10))] == ["q1"]
    await store.stop_session("s2", at(5))
    assert [one.question_id for one in await store.questions_due(at(10))] == ["q1", "q2"]
    with pytest.raises(LostRace, match="has stopped"):
        await store.add_question(question("q3", session_id="s2"), [], [])
    assert await store.question("q3") is None
    waits = question("q2", session_id="s2", created_at=at(1))
    answer = QuestionChange(apply(waits, Replied(Reply("x"))), 1, at(6), answerer=OWNERS)
    with pytest.raises(LostRace, match="has stopped"):  # it is not cancelled yet
        await store.change_question(answer)


async def test_that_somebody_waits_is_noted_without_a_change(store: Any) -> None:
    await opened(store)
    asked = question()
    await store.add_question(asked, [], [])
    await store.touch_question("q1", at(20))
    await store.touch_question("q1", at(10))
    await store.touch_question("nobody's", at(10))
    seen = replace(asked, caller_seen=at(20))
    assert await store.question("q1") == seen
    after = apply(asked, Replied(Reply("x")))
    await store.change_question(QuestionChange(after, 1, at(21), answerer=OWNERS))
    assert (await store.question("q1")).caller_seen == at(20)


@pytest.mark.spec("Q-7")
async def test_a_task_list_takes_the_place_of_the_one_before(store: Any) -> None:
    assert list(await store.tasks("s1")) == []
    first = read_tasks([{"content": "a", "status": "done"}, {"content": "b", "status": "todo"}])
    told = notice("", kind=EventKind.TODO_CHANGED)
    await store.put_tasks("s1", first, at(1), [told])
    assert tuple(await store.tasks("s1")) == first
    await store.put_tasks("s1", first[:1], at(2), [told])
    assert tuple(await store.tasks("s1")) == first[:1]
    assert [one.kind for one in await store.notices(0, 9)] == [EventKind.TODO_CHANGED] * 2
