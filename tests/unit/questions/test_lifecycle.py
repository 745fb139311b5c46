"""The life of a question: one table, and nothing beside it."""

from __future__ import annotations

from itertools import product

import pytest

from sayso.core.moment import Moment, to_rfc3339
from sayso.core.session import Session
from sayso.errors import QuestionInvalid, RequestClosed
from sayso.questions.clarification import Item, Reply
from sayso.questions.lifecycle import (
    TRANSITIONS,
    Answered,
    Cancelled,
    Declined,
    Event,
    Expired,
    Replied,
    Told,
    apply,
    is_over,
)
from sayso.questions.question import Ending, Kind, Question, QuestionDraft, Status, question_of
from tests.fakes.values import START, at

SESSION = Session("s1", "ada", "coder", "api", None, True, "cred", START)
DRAFTS = {
    Kind.CLARIFICATION: QuestionDraft(Kind.CLARIFICATION, (Item("a?"), Item("b?"))),
    Kind.PLAN: QuestionDraft(Kind.PLAN, plan="first this"),
    Kind.ELICITATION: QuestionDraft(
        Kind.ELICITATION, message="who?", schema={"type": "object", "properties": {}}
    ),
}


def ending(now: Moment = START) -> Ending:
    return Ending(now, "Ada", "ada", "web")


def question(kind: Kind = Kind.CLARIFICATION) -> Question:
    return question_of(DRAFTS[kind], SESSION, "q1", ("ada",), START)


def events() -> tuple[Event, ...]:
    return (
        Replied(Reply("x")),
        Answered(ending()),
        Declined(ending()),
        Expired(Ending(START)),
        Cancelled(Ending(START)),
        Told(),
    )


def by(status: Status, kind: Kind) -> Question:
    """A question of that kind that has come to that status."""
    end: dict[Status, Event] = {
        Status.ANSWERED: Answered(ending()),
        Status.DECLINED: Declined(ending()),
        Status.EXPIRED: Expired(Ending(START)),
        Status.CANCELLED: Cancelled(Ending(START)),
    }
    asked = question(kind)
    return asked if status is Status.PENDING else apply(asked, end[status])


@pytest.mark.spec("REQ-3")
def test_each_kind_changes_exactly_as_the_table_says() -> None:
    ends = {Status.ANSWERED, Status.EXPIRED, Status.CANCELLED}
    for kind in Kind:
        statuses = ends | ({Status.DECLINED} if kind is Kind.ELICITATION else set())
        for status, event in product({Status.PENDING} | statuses, events()):
            before = by(status, kind)
            to = TRANSITIONS.get((status, type(event)))
            if to is None or (to is Status.DECLINED and kind is not Kind.ELICITATION):
                with pytest.raises(RequestClosed) as refused:
                    apply(before, event)
                assert refused.value.status == status.value
            else:
                after = apply(before, event)
                assert (after.status, after.version) == (to, before.version + 1)


@pytest.mark.spec("REQ-3")
def test_whoever_comes_late_is_told_how_and_by_whom_it_ended() -> None:
    answered = apply(question(), Answered(ending(at(5)), (Reply("x"), Reply("y"))))
    with pytest.raises(RequestClosed, match="already resolved by Ada: answered") as late:
        apply(answered, Answered(ending(at(6)), (Reply("z"),)))
    assert late.value.resolution == {
        "reason": "answered", "by": "Ada", "channel": "web", "comment": None,
        "at": to_rfc3339(at(5)),
    }  # fmt: skip
    with pytest.raises(RequestClosed, match="already resolved by sayso: expired"):
        apply(apply(question(), Expired(Ending(at(5)))), Replied(Reply("x")))


@pytest.mark.spec("Q-1")
def test_several_questions_are_answered_in_turn() -> None:
    asked = question()
    assert asked.next_item == Item("a?")
    one = apply(asked, Replied(Reply("x")))
    assert (one.status, one.next_item) == (Status.PENDING, Item("b?"))
    both = apply(one, Answered(ending(), (Reply("y"),)))
    assert (both.replies, both.next_item) == ((Reply("x"), Reply("y")), None)


def test_an_answer_that_was_told_is_not_kept() -> None:
    asked = question(Kind.ELICITATION)
    answered = apply(asked, Answered(ending(), sealed="box"))
    assert (answered.sealed, apply(answered, Told()).sealed) == ("box", None)


@pytest.mark.spec("REQ-22")
def test_time_is_over_from_its_end_on_and_without_a_time_never() -> None:
    assert not is_over(question(), at(10**9))
    limited = question_of(
        QuestionDraft(Kind.PLAN, plan="x", timeout=10.0), SESSION, "q1", (), START
    )
    assert (is_over(limited, at(9.9)), is_over(limited, at(10))) == (False, True)


def test_a_draft_that_cannot_be_asked_is_refused() -> None:
    secret = {"type": "object", "properties": {"password": {"type": "string"}}}
    for draft, why in (
        (QuestionDraft(Kind.CLARIFICATION), "no question"),
        (QuestionDraft(Kind.PLAN), "empty"),
        (QuestionDraft(Kind.PLAN, plan="x", timeout=0), "timeout"),
        (QuestionDraft(Kind.ELICITATION, message=""), "message"),
        (QuestionDraft(Kind.ELICITATION, message="x"), "either"),
        (QuestionDraft(Kind.ELICITATION, message="x", url="javascript:alert(1)"), "http"),
        (QuestionDraft(Kind.ELICITATION, message="x", schema=secret), "no key"),
        (
            QuestionDraft(
                Kind.ELICITATION, message="x", schema=secret, answer_key="k", external_id="e"
            ),
            "no external id",
        ),
    ):
        with pytest.raises(QuestionInvalid, match=why):
            question_of(draft, SESSION, "q1", (), START)
    long = question_of(
        QuestionDraft(Kind.PLAN, plan=f"\n\n {'x' * 500}\nmore"), SESSION, "q1", (), START
    )
    assert len(long.title) == 120
