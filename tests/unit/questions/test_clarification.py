"""Questions of an agent: what can be asked, and how a person's words are read."""

from __future__ import annotations

from typing import Any

import pytest

from sayso.errors import AnswerInvalid, QuestionInvalid
from sayso.questions.clarification import (
    Item,
    Reply,
    answers_json,
    read_items,
    reply_of,
    typed,
)

COLOURS = Item("Which?", ("red", "green", "blue, light"), multi_select=True)
ONE = Item("Which?", ("red", "green"))


@pytest.mark.spec("Q-1")
def test_what_cannot_be_asked_is_refused_with_the_reason() -> None:
    refused: list[tuple[dict[str, Any], str]] = [
        ({"question": ""}, "empty"),
        ({"question": "  \n"}, "empty"),
        ({}, "empty"),
        ({"question": "a?", "questions": [{"question": "b?"}]}, "both"),
        ({"options": ["x"], "questions": [{"question": "b?"}]}, "both"),
        ({"question": "a?", "multi_select": True}, "needs options"),
        ({"question": "a?", "options": [], "multi_select": True}, "needs options"),
        ({"question": "a?", "options": "red"}, "no list"),
        ({"question": "a?", "options": ["red", " red "]}, "twice"),
        ({"question": "a?", "options": ["red", ""]}, "empty"),
        ({"question": "a\ud800?"}, "Unicode"),
        ({"question": "x" * 4001}, "4001 characters"),
        ({"questions": []}, "no list of questions"),
        ({"questions": "a?"}, "no list of questions"),
        ({"questions": [{"question": "a?"}] * 9}, "9 questions are too many"),
        ({"questions": [{"question": "a?"}, {"question": ""}]}, "in question 2"),
        ({"questions": [{"question": "a?", "more": 1}]}, "in question 1"),
        ({"questions": ["a?"]}, "in question 1"),
    ]
    for given, why in refused:
        with pytest.raises(QuestionInvalid, match=why):
            read_items(**given)
    assert read_items("a?", [" red ", "green"], True) == (Item("a?", ("red", "green"), True),)
    assert read_items(questions=[{"question": "a?"}, Item("b?")]) == (Item("a?"), Item("b?"))
    assert len(read_items(questions=[{"question": "a?"}] * 8)) == 8


@pytest.mark.spec("Q-3")
def test_several_are_chosen_by_numbers_or_texts_with_commas_between_them() -> None:
    for text, chosen in (
        ("1,3", ("red", "blue, light")),
        (" 3 , 1 ", ("blue, light", "red")),
        ("GREEN,1", ("green", "red")),
        ("blue, light", ("blue, light",)),
        ("1,1,red", ("red",)),
        ("2,none of them", ("green", "none of them")),
    ):
        assert typed(COLOURS, text) == Reply(", ".join(chosen), chosen), text
    for text, why in (
        ("", "nothing is selected"),
        (" , ", "nothing is selected"),
        ("4", "no option 4"),
        ("0", "no option 0"),
        ("1,99999999999999999999999", "no option 999999999"),
    ):
        with pytest.raises(AnswerInvalid, match=why):
            typed(COLOURS, text)


@pytest.mark.spec("Q-1")
def test_one_is_answered_by_a_number_a_text_or_in_words() -> None:
    for text, answer in (
        ("2", "green"),
        ("Red", "red"),
        ("1, 2", "1, 2"),
        (" neither ", "neither"),
    ):
        assert typed(ONE, text) == Reply(answer)
    assert typed(Item("how many?"), "7") == Reply("7")
    numbers = Item("how many?", ("3", "2", "1"))
    assert typed(numbers, "1") == Reply("3"), "what is printed beside an option counts"
    several = Item("which?", ("2,3", "b", "c"), multi_select=True)
    assert typed(several, "2,3") == Reply("b, c", ("b", "c"))
    assert typed(several, "1") == Reply("2,3", ("2,3",))
    with pytest.raises(AnswerInvalid, match="no option 7"):
        typed(Item("how many?", ("7", "8")), "7")
    with pytest.raises(AnswerInvalid, match="empty"):
        typed(ONE, "  ")
    with pytest.raises(AnswerInvalid, match="8001 characters"):
        typed(ONE, "x" * 8001)


@pytest.mark.spec("Q-1")
def test_a_program_hands_in_words_or_a_selection() -> None:
    assert reply_of(COLOURS, None, ["red", "1"]) == Reply("red, 1", ("red", "1")), "word for word"
    assert reply_of(ONE, None, ["red"]) == Reply("red")
    assert reply_of(ONE, "red", None) == Reply("red")
    for answer, selected, why in (
        (None, None, "either"),
        ("red", ["red"], "either"),
        (None, ["red", "green"], "one answer"),
        ("", None, "empty"),
    ):
        with pytest.raises(AnswerInvalid, match=why):
            reply_of(ONE, answer, selected)
    told = answers_json([ONE, COLOURS], [Reply("red")])
    assert told == [{"question": "Which?", "answer": "red"}]
