"""What each step of a request's life leaves in the log and tells every surface."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sayso.broker.change import change_of
from sayso.core.reason import Reason
from sayso.requests.approval import ApprovalRequest, Lease, Vote
from sayso.requests.attention import Attention, Delivery, Question, Snooze
from sayso.requests.glass_events import GlassBroken, GlassOverdue, GlassReviewed
from sayso.requests.lifecycle import (
    TRANSITIONS,
    Approved,
    CallerJoined,
    CallerLeft,
    Cancelled,
    Claimed,
    Event,
    Expired,
    Finished,
    Lapsed,
    LeaseOver,
    Limited,
    OutcomeSaid,
    Refused,
    Rejected,
    Renewed,
    Reviewed,
    Superseded,
    Unreportable,
)
from sayso.requests.nudges import (
    Answered,
    AskedBack,
    Delivered,
    Escalated,
    QuestionTold,
    Reminded,
    Snoozed,
    SnoozeOver,
)
from tests.fakes.values import (
    a_glass,
    a_request,
    a_review,
    a_second_review,
    approved,
    at,
    in_every_state,
    outcome,
    running,
)
from tests.fakes.values import said as ended

REJECT = a_review(vote=Vote.REJECT)
QUESTION = Question("q1", "owner", "owner", "why?", at(1))
ASKED = a_request(attention=Attention(questions=(QUESTION,)))
BROKEN = replace(in_every_state()["done"], glass=a_glass())

STEPS: list[tuple[ApprovalRequest, Event, list[str], list[str]]] = [
    (a_request(), Reviewed(a_review()), ["review approve owner"], ["approval_review None"]),
    (
        a_request(),
        Approved(ended(Reason.APPROVED, by="owner"), a_review()),
        ["review approve owner", "resolution allow approved owner"],
        ["approval_resolved True"],
    ),
    (
        a_request(),
        Approved(ended(Reason.RULE_ALLOW)),
        ["resolution allow rule-allow"],
        ["approval_resolved True"],
    ),
    (
        a_request(),
        Rejected(ended(Reason.REJECTED, by="owner"), REJECT),
        ["review reject owner", "resolution deny rejected owner"],
        ["approval_resolved False"],
    ),
    (
        a_request(),
        Expired(ended(Reason.EXPIRED)),
        ["resolution deny expired"],
        ["approval_resolved False"],
    ),
    (
        a_request(),
        Cancelled(ended(Reason.CANCELLED)),
        ["resolution deny cancelled"],
        ["approval_resolved False"],
    ),
    (
        approved(),
        Refused(ended(Reason.DENY_ON_RESOLVE)),
        ["resolution deny deny-on-resolve"],
        ["approval_resolved False"],
    ),
    (
        approved(),
        Superseded(ended(Reason.NEEDS_FRESH_APPROVAL)),
        ["resolution deny needs-fresh-approval"],
        ["approval_resolved False"],
    ),
    (
        approved(),
        Lapsed(ended(Reason.LAPSED)),
        ["resolution deny lapsed"],
        ["approval_resolved False"],
    ),
    (
        approved(),
        Claimed(Lease("t1", at(9), "runner")),
        ["claim allow approved"],
        ["call_outcome running"],
    ),
    (running(), Renewed("t1", at(99)), [], []),
    (running(), Finished("t1", outcome()), ["outcome done sent"], ["call_outcome done"]),
    (running(), Unreportable("t1"), ["outcome unreported"], ["call_outcome unreported"]),
    (running(), LeaseOver(ended(Reason.ERROR)), ["outcome unknown"], ["call_outcome unknown"]),
    (
        in_every_state()["unknown"],
        OutcomeSaid(outcome(said_by="owner")),
        ["outcome done owner sent"],
        ["call_outcome done"],
    ),
    (
        a_request(),
        Delivered(Delivery("telegram", "owner", at(1))),
        ["attention delivered"],
        ["delivery_changed delivered"],
    ),
    (a_request(), Reminded(2), ["attention reminded"], ["approval_changed reminded"]),
    (a_request(), Escalated(at(1)), ["attention escalated"], ["approval_changed escalated"]),
    (
        a_request(),
        Snoozed(Snooze("owner", "owner", at(60))),
        ["attention snoozed owner"],
        ["approval_changed snoozed"],
    ),
    (
        a_request(),
        SnoozeOver("owner"),
        ["attention snooze-over"],
        ["approval_changed snooze-over"],
    ),
    (
        a_request(),
        AskedBack(QUESTION),
        ["attention asked-back owner"],
        ["approval_changed asked-back"],
    ),
    (ASKED, QuestionTold("q1", at(2)), [], []),
    (
        ASKED,
        Answered("q1", "because", at(2)),
        ["attention answered"],
        ["approval_changed answered"],
    ),
    (
        a_request(),
        GlassBroken(ended(Reason.BREAK_GLASS, by="owner"), a_review(), a_glass()),
        ["review approve owner", "resolution allow break-glass owner"],
        ["approval_resolved True"],
    ),
    (
        BROKEN,
        GlassReviewed(a_second_review(justified=False)),
        ["break-glass not-justified anna"],
        ["approval_changed not-justified"],
    ),
    (
        BROKEN,
        GlassOverdue(at(5)),
        ["break-glass not-reviewed"],
        ["approval_changed not-reviewed"],
    ),
    (a_request(), CallerLeft(), [], ["caller_changed gone"]),
    (a_request(), Limited(at(600)), [], []),
    (approved(), CallerJoined(at(3)), [], ["caller_changed waiting"]),
]


def test_the_steps_here_are_all_there_are() -> None:
    assert {type(event) for _, event, _, _ in STEPS} == {event for _, event in TRANSITIONS} | {
        Finished,
        OutcomeSaid,
    }


@pytest.mark.spec("AUD-1")
@pytest.mark.parametrize(("request_", "event", "records", "told"), STEPS)
def test_a_step_is_recorded_and_told_in_the_same_words_whoever_took_it(
    request_: ApprovalRequest, event: Event, records: list[str], told: list[str]
) -> None:
    change = change_of(request_, event, at(5), channel=None)
    assert change.expected_version == request_.version == change.request.version - 1
    written = [
        " ".join(filter(None, (r.kind.value, r.effect, r.reason, r.by, r.outcome)))
        for r in change.records
    ]
    assert written == records
    assert all(r.digest == request_.digest and r.waited == 5 for r in change.records)
    notices = [
        f"{n.kind.value} {n.data.get('approved', n.data.get('status', n.data.get('caller', n.data.get('what'))))}"
        for n in change.notices
    ]
    assert notices == told
    assert all(n.version == change.request.version for n in change.notices)


def test_where_a_word_on_an_outcome_came_from_is_recorded() -> None:
    event = OutcomeSaid(outcome(said_by="owner"))
    change = change_of(in_every_state()["unknown"], event, at(5), channel="web")
    assert [(r.by, r.channel) for r in change.records] == [("owner", "web")]
