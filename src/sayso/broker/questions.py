"""Asking people something besides approvals, from the agent's side: durable, waited for, taken back."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.broker.modes import mode_now
from sayso.broker.ports import QuestionStanding
from sayso.broker.ports.asking import REFUSED
from sayso.broker.question_change import (
    asked_notice,
    asked_record,
    question_change,
    write_question,
)
from sayso.broker.reachability import reach_of
from sayso.broker.sealed_answer import check_key
from sayso.broker.world import World
from sayso.core.call import Owner
from sayso.core.mode import Mode
from sayso.core.moment import Moment, plus, seconds_between
from sayso.core.session import Session
from sayso.errors import (
    ExternalIdReused,
    LostRace,
    NotEligible,
    QuestionInvalid,
    RequestClosed,
    RequestNotFound,
    TooManyWait,
)
from sayso.people.eligibility import Asked, eligible_people
from sayso.questions.lifecycle import Cancelled, Event, Expired, Told, is_over
from sayso.questions.plan import NO_REVIEW, NOT_PLANNING
from sayso.questions.question import (
    WHO_MAY_ANSWER,
    Ending,
    Kind,
    Question,
    QuestionDraft,
    Status,
    question_of,
    same_subject,
)
from sayso.questions.todo import Task
from sayso.requests.event import EventKind, Notice

POLL_SECONDS = 10.0
"""A waiter looks again, and shows itself, after so long even if it hears nothing."""

PRESENT_SECONDS = 30.0
"""Whoever has not shown itself for so long does not wait: a secret is not taken for it."""

TOO_MANY = "too many questions of this session wait already; wait for the answers to some of them"
UNATTENDED = "this run is unattended: no one can answer; decide yourself and say what you assumed"
NOBODY = "interactive input is not available; proceed with your best judgement"
STOPPED = "this session has stopped: no one is asked"

_ENDED = {
    Status.EXPIRED: "nobody answered in time",
    Status.CANCELLED: "the question was cancelled",
    Status.DECLINED: "the person declined to answer",
}


async def ask(world: World, session: Session, draft: QuestionDraft) -> QuestionStanding:
    """Ask people; a standing of `refused` says why nobody was asked (Q-2).

    Raises QuestionInvalid for what cannot be asked, ExternalIdReused.
    """
    now = world.clock.now()
    people = await world.store.directory()
    asked = Asked(owner_of(session), WHO_MAY_ANSWER)
    question = question_of(
        draft, session, world.ids.new_id(now), eligible_people(asked, people), now
    )
    if question.answer_key is not None:
        check_key(question.answer_key)
    if question.external_id is not None:
        name = question.external_id
        earlier = await world.store.question_called(session.session_id, name)
        if earlier is not None:
            return _joined(earlier, draft)
    if draft.kind is Kind.PLAN:
        await _must_plan(world, session)
    refusal = await why_nobody(world, session, asked)
    if refusal is not None:
        message = NO_REVIEW if draft.kind is Kind.PLAN else refusal
        return QuestionStanding("", draft.kind, REFUSED, message)
    try:
        earlier = await world.store.add_question(
            question,
            [asked_record(question)],
            [asked_notice(question)],
            at_most=world.pending_limit,
        )
    except TooManyWait:
        return QuestionStanding("", draft.kind, REFUSED, TOO_MANY)
    except LostRace:
        return QuestionStanding("", draft.kind, REFUSED, STOPPED)
    if earlier is not None:
        return _joined(earlier, draft)
    world.feed.publish([question.question_id])
    return standing_of_question(question)


async def why_nobody(world: World, session: Session, asked: Asked) -> str | None:
    """Why nobody can be asked in this session now, in the words that the agent is told; None if somebody can."""
    if session.stopped_at is not None:
        return STOPPED
    if not session.attended:
        return UNATTENDED
    if not world.notifier.can_ask or (await reach_of(world, asked)).nobody:
        return NOBODY
    return None


async def _must_plan(world: World, session: Session) -> None:
    if session.parent or (await mode_now(world, session)).mode is not Mode.PLAN:
        raise QuestionInvalid(NOT_PLANNING, "a plan is shown only at the end of planning")


def owner_of(session: Session) -> Owner:
    """Whom what a session asks belongs to."""
    return Owner(session.user_id, session.agent_id, session.session_id)


async def wait_for_answer(
    world: World, session_id: str, question_id: str, timeout: float
) -> QuestionStanding:
    """How the question stands once it no longer waits, or after so many seconds; holds no thread (REQ-20)."""
    end = plus(world.clock.now(), timeout)
    subscription = world.feed.subscribe(question_id)
    try:
        while True:
            question = await own_question(world, session_id, question_id)
            now = world.clock.now()
            left = seconds_between(now, end)
            if not question.waits or left <= 0:
                return standing_of_question(question)
            if seconds_between(question.caller_seen, now) >= POLL_SECONDS / 2:
                await world.store.touch_question(question_id, now)
            over = is_over(question, now)
            del question  # those that wait long do not hold what they wait for
            await subscription.wait(min(left, 0.2 if over else POLL_SECONDS))
    finally:
        subscription.close()


async def done_with(world: World, session_id: str, question_id: str) -> None:
    """Whoever asked needs it no more: what waits is cancelled, a sealed answer is erased."""
    while True:
        question = await own_question(world, session_id, question_id)
        now = world.clock.now()
        event: Event
        if question.waits:
            event = Cancelled(Ending(now, comment="whoever asked no longer waits"))
        elif question.sealed is not None:
            event = Told()
        else:
            return
        if await _write(world, question, event, now):
            return


async def set_tasks(world: World, session: Session, tasks: Sequence[Task]) -> None:
    """Keep a session's task list and tell people of it."""
    now = world.clock.now()
    told = Notice(
        EventKind.TODO_CHANGED,
        now,
        session_id=session.session_id,
        root_session_id=session.parent[0] if session.parent else session.session_id,
        user_id=session.user_id,
        agent_id=session.agent_id,
        data={"total": len(tasks)},
    )
    await world.store.put_tasks(session.session_id, tasks, now, [told])
    world.feed.publish([session.session_id])


async def end_questions(world: World) -> int:
    """End the questions whose time is over or whose session has stopped; how many those were (REQ-22)."""
    now = world.clock.now()
    return await _end(world, await world.store.questions_due(now), now)


async def cancel_questions(world: World, session_id: str) -> int:
    """Cancel what a stopped session asked (REQ-21); how many questions those were."""
    return await _end(world, await world.store.questions_of(session_id), world.clock.now(), True)


async def own_question(world: World, session_id: str, question_id: str) -> Question:
    """A question of this session; raises RequestNotFound, or NotEligible for another session's."""
    question = await world.store.question(question_id)
    if question is None:
        raise RequestNotFound(f"no question has the id `{question_id[:64]}`")
    if question.session_id != session_id:
        raise NotEligible("this question belongs to another session")
    return question


def standing_of_question(question: Question) -> QuestionStanding:
    """How a question stands, for the side that asked it."""
    ending = question.ending
    answer = question.plan_answer
    return QuestionStanding(
        question_id=question.question_id,
        kind=question.kind,
        status=question.status.value,
        message=_ENDED.get(question.status, ""),
        replies=question.replies,
        content=question.content,
        sealed=question.sealed,
        plan_answer=None if answer is None else answer.value,
        by=None if ending is None else ending.by,
        comment=None if ending is None else ending.comment,
    )


def _joined(earlier: Question, draft: QuestionDraft) -> QuestionStanding:
    if not same_subject(earlier, draft):
        raise ExternalIdReused(
            f"the external id `{draft.external_id}` came before with another question",
            "give each question an id of its own",
        )
    return standing_of_question(earlier)


async def _end(
    world: World, questions: Sequence[Question], now: Moment, stopped: bool = False
) -> int:
    count = 0
    for question in questions:
        event: Event
        if not stopped and is_over(question, now):
            event = Expired(Ending(now))
        else:
            event = Cancelled(Ending(now, comment="the session was stopped"))
        count += await _write(world, question, event, now)
    return count


async def _write(world: World, question: Question, event: Event, now: Moment) -> bool:
    try:
        await write_question(world, question_change(question, event, now))
    except (RequestClosed, LostRace):
        return False
    return True
