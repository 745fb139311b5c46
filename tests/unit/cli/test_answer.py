"""`sayso answer`, and questions in `sayso inbox`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from sayso.cli.commands import answer as answering
from sayso.cli.exit_codes import ExitCode
from sayso.people.token import CredentialKind
from sayso.questions.clarification import read_items
from sayso.questions.question import Kind, QuestionDraft
from tests.fakes.command_line import CommandLine, mail

FORM = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "age": {"type": "integer"},
        "kind": {"type": "string", "enum": ["a", "b"], "default": "b"},
    },
    "required": ["name"],
}
ITEMS = read_items(
    questions=[
        {"question": "Which\u202e?", "options": ["red", "green", "blue"], "multi_select": True},
        {"question": "When?"},
    ]
)
ASK = QuestionDraft(Kind.CLARIFICATION, ITEMS)
WHO = QuestionDraft(Kind.ELICITATION, message="who?", schema=FORM, server="crm")
URL = QuestionDraft(Kind.ELICITATION, message="log in", url="https://example.com/")


def asked(sayso: CommandLine, draft: QuestionDraft) -> str:
    async def ask(broker: Any) -> str:
        actor = await broker.access.embedded_agent("coder")
        session = await broker.open_session(actor)
        gate = broker.gate(session.session_id)
        if draft.kind is Kind.PLAN:
            await gate.enter_plan_mode(None)
        return str((await gate.ask(draft)).question_id)

    return str(sayso.within(ask))


def stored(sayso: CommandLine, name: str) -> Any:
    async def look(broker: Any) -> Any:
        return await broker.world.store.question(name)

    return sayso.within(look)


@pytest.mark.spec("Q-1", "Q-3")
def test_a_question_is_listed_shown_and_answered_in_turn(sayso: CommandLine) -> None:
    name = asked(sayso, ASK)
    said = sayso("inbox", "list")
    assert "clarification" in said.out
    assert "Which[U+202E]?" in said.out
    assert f"answer   sayso answer {name[:14]} …" in said.out
    sayso.ask(mail())
    assert "approve  sayso approve" in sayso("inbox", "list").out
    cards = json.loads(sayso("inbox", "list", "--json").out)
    assert [card.get("kind") for card in cards] == [None, "clarification"]
    shown = sayso("inbox", "show", name[:20])
    assert "  │ Which[U+202E]?\n  ! [U+202E] is RIGHT-TO-LEFT OVERRIDE\n   1 red\n" in shown.out
    assert json.loads(sayso("inbox", "show", name, "--json").out)["request_id"] == name
    wrong = sayso.owner("answer", name, "1,3")
    assert (wrong.code, "2 answers are wanted, 1 came" in wrong.err) == (ExitCode.FAILURE, True)
    done = sayso.owner("answer", name[:20], "1,3", "now")
    assert (done.code, done.out) == (ExitCode.OK, f"answered: clarification {name}\n")
    question = stored(sayso, name)
    assert [reply.selected for reply in question.replies] == [("red", "blue"), None]
    late = sayso.owner("answer", name, "1", "now")
    assert (late.code, "already resolved by owner: answered" in late.err) == (
        ExitCode.REFUSED, True,
    )  # fmt: skip
    assert "answered, by owner" in sayso("inbox", "show", name).out
    assert sayso.owner("answer", "nobody", "x").code == ExitCode.FAILURE
    token = sayso.token(CredentialKind.AGENT, "coder")  # which answers nothing
    refused = sayso("answer", name, "x", "--token-stdin", stdin=f"{token}\n")
    assert refused.code == ExitCode.REFUSED


@pytest.mark.spec("Q-5")
def test_a_plan_is_answered_by_a_number_or_with_words(sayso: CommandLine) -> None:
    name = asked(sayso, QuestionDraft(Kind.PLAN, plan="first\nthen"))
    assert "   1 Yes, carry it out" in sayso("inbox", "show", name).out
    assert sayso.owner("answer", name, "tests", "first").code == ExitCode.OK
    question = stored(sayso, name)
    assert (question.plan_answer, question.ending.comment) == ("keep-planning", "tests first")
    name = asked(sayso, QuestionDraft(Kind.PLAN, plan="first\nthen"))
    done = sayso.owner("answer", name, "1", "--json")
    assert json.loads(done.out)["answer"] == "carry-out"


@pytest.mark.spec("Q-8")
def test_a_form_is_filled_in_on_the_terminal_or_declined(
    sayso: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = asked(sayso, WHO)
    refused = sayso.owner("answer", name, "Ada")
    assert "not answered on the command line" in refused.err
    assert "filled in on a terminal" in sayso.owner("answer", name).err
    assert "password" not in refused.err

    lines: Iterator[str] = iter(["Ada", "many", "7", ""])
    monkeypatch.setattr(answering, "must_have_terminal", lambda _: None)
    monkeypatch.setattr(answering, "read_shown", lambda _: next(lines))
    done = sayso.owner("answer", name)
    assert (done.code, "a integer is wanted" in done.err) == (ExitCode.OK, True)
    assert stored(sayso, name).content == {"name": "Ada", "age": 7, "kind": "b"}

    for flag, status in (("--decline", "declined"), ("--cancel", "cancelled")):
        name = asked(sayso, WHO)
        assert sayso.owner("answer", name, flag).out.startswith(status)
    name = asked(sayso, URL)
    lines = iter(["no", "yes"])
    assert sayso.owner("answer", name).code == ExitCode.FAILURE
    assert sayso.owner("answer", name).code == ExitCode.OK
    assert stored(sayso, name).status == "answered"
