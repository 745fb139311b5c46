"""Questions as values."""

from __future__ import annotations

from typing import Any

from sayso.core.session import Session
from sayso.questions.question import Kind, Question, QuestionDraft, question_of
from tests.fakes.values import START

SESSION = Session("s1", "owner", "coder", "api", None, True, "cred", START)


def a_question(kind: Kind, **subject: Any) -> Question:
    """A question that waits, asked with what a draft takes."""
    return question_of(QuestionDraft(kind, **subject), SESSION, "q1", ("owner",), START)
