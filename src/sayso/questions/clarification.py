"""A clarification: what an agent asks of a person, and how a person's words are read (Q-1, Q-3).

Options help to answer and bind nobody: what is no option is taken as the person's own words. Several
questions are one request, answered in turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sayso.errors import AnswerInvalid, QuestionInvalid

MOST_QUESTIONS = 8
MOST_OPTIONS = 50
MAX_QUESTION = 4000
MAX_OPTION = 500
MAX_ANSWER = 8000
JOINED = ", "
"""What stands between the selected options in an answer."""


@dataclass(frozen=True, slots=True)
class Item:
    """One question; with `multi_select` any number of its options can be chosen."""

    question: str
    options: tuple[str, ...] = ()
    multi_select: bool = False

    def to_json(self) -> dict[str, Any]:
        """The question as an agent's side sends it; what is not set is left out."""
        told: dict[str, Any] = {"question": self.question}
        if self.options:
            told["options"] = list(self.options)
        if self.multi_select:
            told["multi_select"] = True
        return told


@dataclass(frozen=True, slots=True)
class Reply:
    """A person's answer to one question; `selected` is set for those with `multi_select`."""

    answer: str
    selected: tuple[str, ...] | None = None

    def to_json(self) -> dict[str, Any]:
        """The answer as the agent gets it."""
        told: dict[str, Any] = {"answer": self.answer}
        if self.selected is not None:
            told["selected"] = list(self.selected)
        return told


def read_items(
    question: object = None,
    options: object = None,
    multi_select: object = None,
    questions: object = None,
) -> tuple[Item, ...]:
    """The questions of a call of `ask_user`, in either of its two forms.

    Raises QuestionInvalid for both forms at once, an empty question, `multi_select` without options,
    and more than 8 questions; it says at which of several.
    """
    if questions is None:
        return (_item(question, options, multi_select, ""),)
    if question is not None or options is not None or multi_select is not None:
        raise QuestionInvalid(
            "`question` and `questions` came both", "give one question, or a list of them"
        )
    if isinstance(questions, str) or not isinstance(questions, Sequence) or not questions:
        raise QuestionInvalid("`questions` is no list of questions", "give 1 to 8 of them")
    if len(questions) > MOST_QUESTIONS:
        raise QuestionInvalid(
            f"{len(questions)} questions are too many", f"ask at most {MOST_QUESTIONS} at once"
        )
    return tuple(_read_one(one, f" in question {n}") for n, one in enumerate(questions, 1))


def reply_of(item: Item, answer: str | None, selected: Sequence[str] | None) -> Reply:
    """An answer that a program hands in: text, or the options that were chosen, word for word.

    Raises AnswerInvalid for an empty answer, and for a selection where nothing can be selected.
    """
    if (answer is None) == (selected is None):
        raise AnswerInvalid(
            "an answer is either text or a selection", "give one of `answer` and `selected`"
        )
    if selected is None:
        return typed(item, answer or "")
    if not item.multi_select and len(selected) != 1:
        raise AnswerInvalid("one answer is wanted", "select one option, or answer in words")
    chosen = tuple(_own_words(one) for one in selected)
    if not item.multi_select:
        return Reply(chosen[0])
    return _several(chosen)


def typed(item: Item, text: str) -> Reply:
    """An answer as somebody typed it: options by their number or text, or the person's own words.

    A number always means the option that it stands beside on the screen, also where another option
    reads so. Where several may be chosen commas stand between them (`1,3`). Raises AnswerInvalid for an empty
    answer and a number that no option has.
    """
    if not item.multi_select:
        return Reply(_pick(item, text))
    parts = [part for part in text.split(",") if part.strip()]
    if (
        not all(_is_number(part.strip()) for part in parts)
        and _by_text(item, text.strip()) is not None
    ):
        parts = [text]
    return _several(tuple(_pick(item, part) for part in parts))


def answers_json(items: Sequence[Item], replies: Sequence[Reply]) -> list[dict[str, Any]]:
    """The answers so far, each with its question."""
    return [
        {"question": item.question, **reply.to_json()}
        for item, reply in zip(items, replies, strict=False)
    ]


def _several(chosen: tuple[str, ...]) -> Reply:
    selected = tuple(dict.fromkeys(chosen))
    if not selected:
        raise AnswerInvalid("nothing is selected", "select at least one, or cancel")
    return Reply(JOINED.join(selected), selected)


def _pick(item: Item, text: str) -> str:
    text = _own_words(text)
    if item.options and _is_number(text):
        number = int(text[:9])
        if not 1 <= number <= len(item.options):
            raise AnswerInvalid(
                f"there is no option {text[:9]}", f"the numbers are 1 to {len(item.options)}"
            )
        return item.options[number - 1]
    option = _by_text(item, text)
    return text if option is None else option


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _by_text(item: Item, text: str) -> str | None:
    if text in item.options:
        return text
    alike = [option for option in item.options if option.casefold() == text.casefold()]
    return alike[0] if len(alike) == 1 else None


def _own_words(text: str) -> str:
    text = text.strip()
    if not text:
        raise AnswerInvalid("the answer is empty", "write something, or cancel")
    if len(text) > MAX_ANSWER:
        raise AnswerInvalid(
            f"the answer has {len(text)} characters", f"at most {MAX_ANSWER} can be taken"
        )
    return text


def _read_one(value: object, where: str) -> Item:
    if isinstance(value, Item):
        return _item(value.question, value.options or None, value.multi_select, where)
    if not isinstance(value, Mapping) or set(value) - {"question", "options", "multi_select"}:
        raise QuestionInvalid(
            f"there is something else than a question{where}",
            "a question is {question, options?, multi_select?}",
        )
    return _item(value.get("question"), value.get("options"), value.get("multi_select"), where)


def _item(question: object, options: object, multi_select: object, where: str) -> Item:
    if not isinstance(question, str) or not question.strip():
        raise QuestionInvalid(f"the question is empty{where}", "say what you want to know")
    if multi_select not in (None, True, False):
        raise QuestionInvalid(f"`multi_select` is not true or false{where}")
    found = _options(options, where)
    if multi_select and not found:
        raise QuestionInvalid(f"`multi_select` needs options{where}", "give the options to select")
    return Item(checked(question, "question", MAX_QUESTION), found, bool(multi_select))


def _options(options: object, where: str) -> tuple[str, ...]:
    if options is None:
        return ()
    if isinstance(options, str) or not isinstance(options, Sequence):
        raise QuestionInvalid(f"`options` is no list of texts{where}")
    if len(options) > MOST_OPTIONS:
        raise QuestionInvalid(f"there are {len(options)} options{where}", f"at most {MOST_OPTIONS}")
    found = []
    for option in options:
        if not isinstance(option, str) or not option.strip():
            raise QuestionInvalid(f"an option is no text, or empty{where}")
        found.append(checked(option.strip(), "option", MAX_OPTION))
    if len(set(found)) != len(found):
        raise QuestionInvalid(f"an option stands there twice{where}", "name each option once")
    return tuple(found)


def checked(text: str, what: str, most: int) -> str:
    """The text, where it is one that can be stored and is not too long; raises QuestionInvalid."""
    if len(text) > most:
        raise QuestionInvalid(f"the {what} has {len(text)} characters", f"at most {most}")
    try:
        text.encode("utf-8")
    except UnicodeError as error:
        raise QuestionInvalid(f"the {what} is not valid Unicode") from error
    return text
