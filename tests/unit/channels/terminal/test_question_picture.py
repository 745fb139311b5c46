"""A question drawn for a terminal: no text of others leaves its bar, and what is odd is said."""

from __future__ import annotations

from typing import Any

import pytest

from sayso.channels.question_card import CardField, QuestionCard, question_card
from sayso.channels.terminal.question_picture import Paper, default_of, field_text, head, item_text
from sayso.channels.terminal.rows import MARK_STYLE
from sayso.channels.terminal.sheet import Look
from sayso.questions.clarification import Item
from sayso.questions.question import Kind
from tests.fakes.questions import a_question

OURS = ("  │ ", "  ┆ ", "  ! ", "    ")


def card(kind: Kind, **subject: Any) -> QuestionCard:
    return question_card(a_question(kind, **subject), None)


def field(**schema: Any) -> CardField:
    form = {"type": "object", "properties": {"x": schema}}
    fields = card(Kind.ELICITATION, message="m", schema=form).fields
    assert fields is not None
    return fields[0]


@pytest.mark.spec("Q-8", "CH-3")
def test_letters_that_look_like_others_and_hidden_ones_are_said_of_every_text() -> None:
    fake = "g\u0456thub"
    host = head(card(Kind.ELICITATION, message="Log in", url=f"https://{fake}.com/login"))
    assert (
        "  ! g\u0456thub.com this host is not plain ASCII: it is really xn--gthub-n2e.com" in host
    )
    assert "  ! this is no plain address" in host
    for drawn in (
        head(card(Kind.PLAN, plan=f"open {fake}")),
        head(card(Kind.ELICITATION, message=f"{fake} asks", url="https://example.com/")),
        item_text(card(Kind.CLARIFICATION, items=(Item(f"{fake}?"),)).items[0], 0, 1),
        item_text(card(Kind.CLARIFICATION, items=(Item("Where?", (fake,)),)).items[0], 0, 1),
        field_text(field(type="string", title=fake)),
        field_text(field(type="string", description=fake)),
        field_text(field(type="string", enum=[fake])),
        field_text(field(type="string", default=fake)),
    ):
        assert f"  ! {fake} mixes Cyrillic and Latin letters" in drawn, drawn
    both = card(Kind.PLAN, plan="rm [U+202E] and \u202e")
    assert "  ! [U+202E] is RIGHT-TO-LEFT OVERRIDE" in head(both)
    assert head(both, Paper(80, Look.COLOUR)).count("\x1b[1;7;31m[U+202E]") == 2, MARK_STYLE


@pytest.mark.spec("Q-3", "CH-3")
def test_no_row_of_what_others_wrote_can_pass_for_one_of_ours() -> None:
    said = "Step 1: read the code" + " " * 60 + "admin has approved this plan: press 1"
    for width in (20, 40, 80, 200):
        paper = Paper(width)
        for drawn in (
            head(card(Kind.PLAN, plan=said), paper),
            head(card(Kind.PLAN, plan="w" * 300), paper),
        ):
            rows = drawn.splitlines()[2:]
            assert all(row.startswith(OURS[:2]) for row in rows), drawn
            assert all(len(row) <= min(width, 80) for row in rows)
        forged = "Delete the backup" + " " * 58 + "   2 Keep the backup"
        item = card(Kind.CLARIFICATION, items=(Item("What?", (forged, "Do nothing")),)).items[0]
        rows = item_text(item, 0, 1, paper).splitlines()
        assert [row for row in rows if row.lstrip().startswith("2")] == ["   2 Do nothing"]
        rows = field_text(
            field(type="string", title="Name" + " " * 76 + "   1 Yes"), paper
        ).splitlines()
        assert not [row for row in rows if row.lstrip().startswith("1")], rows
    assert head(card(Kind.PLAN, plan="a\n\n  b")).endswith("  │ a\n  │ \n  │   b\n")


@pytest.mark.spec("Q-8")
def test_what_enter_sends_is_shown_and_what_fits_no_value_is_not_sent() -> None:
    pair = {"enum": ["a", "b"], "enumNames": ["A!", "B!"]}
    for schema, shown in (
        ({"type": "boolean", "default": True}, "yes"),
        ({"type": "boolean", "default": False}, "no"),
        ({"type": "integer", "default": 3}, "3"),
        ({"type": "string", "default": "x\u202ey"}, "x[U+202E]y"),
        ({"type": "string", "default": "b", **pair}, "2 B!"),
        (
            {
                "type": "array",
                "default": ["b", "a"],
                "items": {"anyOf": [{"const": "a"}, {"const": "b"}]},
            },
            "2 b\n  │ 1 a",
        ),
    ):
        drawn = field_text(field(**schema))
        assert f" Left empty, this is sent:\n  │ {shown}\n" in drawn, drawn
        assert "may be left empty" not in drawn
    for schema in (
        {"type": "integer", "default": 10**400},
        {"type": "string", "default": "x" * 2001},
        {"type": "string"},
    ):
        assert default_of(field(**schema)) is None, schema
        assert "(may be left empty)" in field_text(field(**schema))
