"""What every store checks of a question alike: values only, no database."""

from __future__ import annotations

from sayso.broker.ports.questions import QuestionChange
from sayso.errors import LostRace, NotEligible
from sayso.people.directory import Directory
from sayso.people.eligibility import Asked, counts_as
from sayso.people.token import Credential
from sayso.questions.question import WHO_MAY_ANSWER


def check_answerer(change: QuestionChange, stored: Credential, people: Directory) -> None:
    """Check that the person of a credential may answer, of those there are now; raises NotEligible."""
    question = change.question
    asked = Asked(question.owner, WHO_MAY_ANSWER, question.eligible)
    if not counts_as(stored.person_id, asked, people, change.at):
        raise NotEligible("this person may not answer this", "ask somebody who may")


def check_next_question(change: QuestionChange) -> None:
    """Refuse a change that is not one step from the version it expects; ValueError means misuse."""
    if change.question.version != change.expected_version + 1:
        raise ValueError("a change goes from one version to the next")


def question_changed(question_id: str) -> LostRace:
    """The error for a conditional write that found another version."""
    return LostRace(
        f"the question `{question_id}` has changed in the meantime",
        "read it again and answer what it is now",
    )
