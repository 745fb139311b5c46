"""Plan review: what a person can say to a plan, and what the agent is told then (Q-5, Q-6)."""

from __future__ import annotations

import re
from enum import StrEnum

from sayso.core.mode import Mode
from sayso.errors import AnswerInvalid, QuestionInvalid
from sayso.questions.clarification import MAX_ANSWER, checked

MAX_PLAN = 100_000

NO_REVIEW = "end your turn with the plan as your answer"
"""What the agent is told where nobody can review its plan."""

NOT_PLANNING = "you are not planning"


class PlanAnswer(StrEnum):
    """The three answers; whatever else somebody says is feedback, and the agent goes on planning."""

    CARRY_OUT = "carry-out"
    ACCEPT_EDITS = "accept-edits"
    KEEP_PLANNING = "keep-planning"


WORDS = {
    PlanAnswer.CARRY_OUT: "Yes, carry it out",
    PlanAnswer.ACCEPT_EDITS: "Yes, and accept its file edits without asking",
    PlanAnswer.KEEP_PLANNING: "No, keep planning",
}
"""The answers as people read them, in their order."""

MODE_AFTER = {
    PlanAnswer.CARRY_OUT: Mode.DEFAULT,
    PlanAnswer.ACCEPT_EDITS: Mode.ACCEPT_EDITS,
}
"""The mode of the session after an approval: planning ends."""


def read_plan(plan: object) -> str:
    """The plan as an agent gives it; raises QuestionInvalid for an empty or too long one."""
    if not isinstance(plan, str) or not plan.strip():
        raise QuestionInvalid("the plan is empty", "write down what you mean to do")
    return checked(plan, "plan", MAX_PLAN)


def plan_answer(answer: str, feedback: str | None = None) -> tuple[PlanAnswer, str | None]:
    """A person's word on a plan, by a program's name for it, its number, its text, or as feedback.

    An approval has no feedback: what somebody wants changed is no yes. Raises AnswerInvalid for an
    empty answer, and for an approval with feedback.
    """
    feedback = (feedback or "").strip() or None
    if feedback is not None and len(feedback) > MAX_ANSWER:
        raise AnswerInvalid(f"the feedback is too long: at most {MAX_ANSWER} characters")
    said = answer.strip()
    for number, (known, words) in enumerate(WORDS.items(), 1):
        if said.casefold() in (known.value, words.casefold(), str(number)):
            if known is not PlanAnswer.KEEP_PLANNING and feedback is not None:
                raise AnswerInvalid(
                    "an approval takes no feedback",
                    "keep planning, and say what is to be changed",
                )
            return known, feedback
    if not said and feedback is None:
        raise AnswerInvalid("the answer is empty", "approve the plan, or say what to change")
    if len(said) > MAX_ANSWER:
        raise AnswerInvalid(f"the answer is too long: at most {MAX_ANSWER} characters")
    both = [text for text in (said, feedback) if text]
    return PlanAnswer.KEEP_PLANNING, "\n".join(both)


def file_stem(session_id: str) -> str:
    """The session id as the beginning of a file's name: letters, digits, `-` and `_` only."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", session_id)[:80] or "session"


def plan_name(session_id: str, taken: set[str]) -> str:
    """The name of the file for a session's next plan, `<session>-<n>.md` with the first free number."""
    stem, number = file_stem(session_id), 1
    while f"{stem}-{number}.md" in taken:
        number += 1
    return f"{stem}-{number}.md"
