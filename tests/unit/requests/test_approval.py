from __future__ import annotations

from sayso.core.reason import Reason
from sayso.requests.approval import Outcome, Vote, Why
from sayso.requests.event import EventKind, Notice
from tests.fakes.values import a_request, a_review, at, said


def test_a_request_has_the_id_of_its_call() -> None:
    assert a_request().request_id == "c1"


def test_a_review_as_data_keeps_its_credential_inside() -> None:
    data = a_review("alice", Vote.REJECT, comment="no").to_json()
    assert data["by"] == "alice"
    assert (data["vote"], data["comment"], data["at"]) == (
        "reject",
        "no",
        "2027-01-15T08:00:01.000000Z",
    )
    assert "cred-alice" not in str(data)


def test_a_resolution_as_data_says_who_and_why() -> None:
    data = said(Reason.EXPIRED).to_json()
    assert (data["reason"], data["by"]) == ("expired", None)


def test_an_outcome_as_data_says_who_said_it() -> None:
    assert Outcome(True, "sent", at(1), 0.5, "owner").to_json() == {
        "ok": True,
        "summary": "sent",
        "at": "2027-01-15T08:00:01.000000Z",
        "seconds": 0.5,
        "said_by": "owner",
    }


def test_why_as_data_has_the_sentence_for_people() -> None:
    assert Why(Reason.RULE_ASK, "it asks").to_json()["sentence"] == "it asks"


def test_an_event_carries_ids_a_version_and_no_arguments() -> None:
    event = Notice(
        EventKind.APPROVAL_REVIEW, at(0), "c1", "s1", "s0", "owner", "coder", 3, {"have": 1}, 7
    )
    assert event.to_json() == {
        "id": 7,
        "event": "approval_review",
        "version": 3,
        "request_id": "c1",
        "session_id": "s1",
        "root_session_id": "s0",
        "at": "2027-01-15T08:00:00.000000Z",
        "have": 1,
    }
