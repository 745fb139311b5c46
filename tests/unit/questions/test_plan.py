"""Plan review: a person's word on a plan, and the name of its file."""

from __future__ import annotations

import pytest

from sayso.errors import AnswerInvalid, QuestionInvalid
from sayso.questions.plan import PlanAnswer, plan_answer, plan_name, read_plan


@pytest.mark.spec("Q-5")
def test_three_answers_and_all_else_is_feedback() -> None:
    keep = PlanAnswer.KEEP_PLANNING
    for said, expected in (
        ("carry-out", (PlanAnswer.CARRY_OUT, None)),
        ("1", (PlanAnswer.CARRY_OUT, None)),
        ("yes, carry it out", (PlanAnswer.CARRY_OUT, None)),
        ("2", (PlanAnswer.ACCEPT_EDITS, None)),
        ("No, keep planning", (keep, None)),
        ("yes", (keep, "yes")),
        ("Yes, carry it out, but later", (keep, "Yes, carry it out, but later")),
    ):
        assert plan_answer(said) == expected, said
    assert plan_answer("3", "tests first") == (keep, "tests first")
    assert plan_answer("no", "tests first") == (keep, "no\ntests first")
    with pytest.raises(AnswerInvalid, match="takes no feedback"):
        plan_answer("carry-out", "but not the last step")
    with pytest.raises(AnswerInvalid, match="empty"):
        plan_answer("  ")
    for plan, why in (("", "empty"), (" \n", "empty"), (None, "empty"), ("x" * 100_001, "100001")):
        with pytest.raises(QuestionInvalid, match=why):
            read_plan(plan)


@pytest.mark.spec("Q-5")
def test_a_plan_has_the_first_free_number_and_a_safe_name() -> None:
    assert plan_name("06hh", set()) == "06hh-1.md"
    assert plan_name("06hh", {"06hh-1.md", "06hh-2.md", "06hh-4.md"}) == "06hh-3.md"
    assert plan_name("../../etc/x\n", set()) == "______etc_x_-1.md"
    assert plan_name("", set()) == "session-1.md"
