"""Questions on the terminal: the one input reader takes their answers too (Q-3)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from sayso.broker.access import Actor
from sayso.broker.asking import ask_user, elicit, exit_plan_mode
from sayso.channels.card import card_of
from sayso.channels.question_card import QuestionCard, question_card
from sayso.channels.terminal import TerminalApprover
from sayso.questions.question import Question
from tests.fakes.terminal import FakeKeyring, Person, a_terminal
from tests.fakes.values import a_request, at
from tests.fakes.world import Scene, make_scene

PASSPHRASE = "open sesame"
FORM = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Your\u202e name"},
        "password": {"type": "string", "minLength": 8},
        "colour": {"type": "string", "enum": ["red", "green"]},
        "age": {"type": "integer"},
    },
    "required": ["name", "password", "colour"],
}


class SceneAnswers:
    """Hands answers to a scene's broker, as the owner."""

    def __init__(self, scene: Scene, actor: Actor) -> None:
        self._questions = scene.broker.questions
        self._actor = actor

    async def typed(self, request_id: str, text: str, version: int) -> QuestionCard:
        found = await self._questions.answer_typed(self._actor, request_id, text, version)
        return question_card(found, None)

    async def plan(self, request_id: str, answer: str, feedback: str | None) -> None:
        await self._questions.answer_plan(self._actor, request_id, answer, feedback)

    async def accept(self, request_id: str, content: Mapping[str, Any] | None) -> None:
        await self._questions.accept(self._actor, request_id, content)

    async def decline(self, request_id: str) -> None:
        await self._questions.decline(self._actor, request_id)


@pytest.fixture(autouse=True)
def _look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.fixture
def person() -> Iterator[Person]:
    with a_terminal() as somebody:
        yield somebody


async def no_votes(*_: Any, **__: Any) -> None:
    raise AssertionError("nobody votes here")


@asynccontextmanager
async def listening(scene: Scene, person: Person) -> AsyncIterator[TerminalApprover]:
    approver = TerminalApprover(
        FakeKeyring(),
        lambda: at(130),
        path=person.path,
        quiet_seconds=0.02,
        answers=SceneAnswers(scene, await scene.actor()),
    )
    task = asyncio.create_task(approver.listen(no_votes))
    try:
        yield approver
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def asked(scene: Scene) -> Question:
    for _ in range(200):
        found = await scene.store.open_questions()
        if found:
            return found[0]  # type: ignore[no-any-return]
        await asyncio.sleep(0.01)
    raise AssertionError("nothing was asked")


async def announced(scene: Scene, approver: TerminalApprover) -> Question:
    question = await asked(scene)
    await approver.announce_question(question_card(question, None))
    return question


@pytest.mark.spec("Q-3", "Q-1")
async def test_a_multi_select_is_answered_by_numbers_and_then_the_next_question(
    person: Person,
) -> None:
    scene = make_scene()
    gate = await scene.gate()
    items = [
        {"question": "Which\x1b[2J?", "options": ["red", "green", "blue"], "multi_select": True},
        {"question": "When?\nApprove with a"},
    ]
    async with listening(scene, person) as approver:
        asking = asyncio.create_task(ask_user(gate, questions=items))
        await announced(scene, approver)
        await person.sees("with commas between them")
        assert "  │ Which[U+001B][2J?" in person.screen
        assert "Question 1 of 2" in person.screen
        person.press("4\n")
        await person.sees("Passphrase")
        person.press(f"{PASSPHRASE}\n")
        await person.sees("there is no option 4: the numbers are 1 to 3.")
        person.press("1,3\n")
        await person.sees("Question 2 of 2")
        assert "  │ When?\n  │ Approve with a" in person.screen
        person.press("tomorrow\n")
        await person.sees("Answered.")
        answers = (await asking)["answers"]
    assert [(one["answer"], one.get("selected")) for one in answers] == [
        ("red, blue", ["red", "blue"]),
        ("tomorrow", None),
    ]


@pytest.mark.spec("Q-5")
async def test_a_plan_is_approved_by_a_number_or_sent_back_with_words(person: Person) -> None:
    scene = make_scene()
    gate = await scene.gate()
    await gate.enter_plan_mode(None)
    async with listening(scene, person) as approver:
        reviewing = asyncio.create_task(exit_plan_mode(gate, "first\nthen", lambda *_: "p"))
        await announced(scene, approver)
        await person.sees("what is to be changed (Esc")
        assert "   2 Yes, and accept its file edits without asking\n" in person.screen
        person.press("tests first\n")
        await person.sees("Passphrase")
        person.press(f"{PASSPHRASE}\n")
        assert await reviewing == {"approved": False, "feedback": "tests first"}
        reviewing = asyncio.create_task(exit_plan_mode(gate, "tests, then", lambda *_: "p"))
        await announced(scene, approver)
        await person.sees("what is to be changed (Esc", 2)
        person.press("1\n")
        assert await reviewing == {"approved": True, "mode": "default", "path": "p"}
        await person.sees("Answered.", 2)


@pytest.mark.spec("Q-8")
async def test_a_form_is_filled_in_field_by_field_and_a_secret_is_not_on_the_screen(
    person: Person,
) -> None:
    scene = make_scene()
    gate = await scene.gate()
    async with listening(scene, person) as approver:
        asking = asyncio.create_task(
            elicit(gate, "log in", schema=FORM, server="crm", secret=scene.ids.secret)
        )
        await announced(scene, approver)
        await person.sees("a fill it in   d decline")
        await asyncio.sleep(0.05)
        person.press("a")
        await person.sees("Your[U+202E] name")
        person.press("Ada\n")
        await person.sees("not shown as you type")
        person.press("short\n")
        await person.sees("a number from the list")
        person.press("2\n")
        await person.sees("a whole number")
        person.press("\n")
        await person.sees("Passphrase")
        person.press(f"{PASSPHRASE}\n")
        await person.sees("password: this value is shorter than 8 characters")
        await person.sees("Your[U+202E] name", 2)
        person.press("Ada\n")
        await person.sees("not shown as you type", 2)
        person.press("hunter2-hunter2\n")
        await person.sees("a number from the list", 2)
        person.press("green\n")
        await person.sees("a whole number", 2)
        person.press("42\n")
        assert await asking == {
            "action": "accept",
            "content": {"name": "Ada", "password": "hunter2-hunter2", "colour": "green", "age": 42},
        }
    assert "hunter2" not in person.screen
    assert "short\n" not in person.screen


@pytest.mark.spec("Q-8")
async def test_enter_sends_the_default_that_was_shown_and_none_that_was_not(person: Person) -> None:
    scene = make_scene()
    gate = await scene.gate()
    schema = {
        "type": "object",
        "properties": {
            "share": {"type": "boolean", "title": "Share my address book", "default": True},
            "age": {"type": "integer"},
        },
    }
    async with listening(scene, person) as approver:
        asking = asyncio.create_task(
            elicit(gate, "hello", schema=schema, server="crm", secret=scene.ids.secret)
        )
        await announced(scene, approver)
        await person.sees("a fill it in   d decline")
        await asyncio.sleep(0.05)
        person.press("a")
        await person.sees("Left empty, this is sent:\n  │ yes\n")
        person.press("\n")
        await person.sees("age (may be left empty)\n")
        person.press("\n")
        await person.sees("Passphrase")
        person.press(f"{PASSPHRASE}\n")
        assert await asking == {"action": "accept", "content": {"share": True}}


@pytest.mark.spec("Q-8")
async def test_a_url_is_shown_with_its_host_and_only_the_person_opens_it(person: Person) -> None:
    scene = make_scene()
    gate = await scene.gate()
    url = "https://bank.example@evil.example/"
    async with listening(scene, person) as approver:
        asking = asyncio.create_task(elicit(gate, "log in", url=url, secret=scene.ids.secret))
        await announced(scene, approver)
        await person.sees("a opened it   d decline")
        assert "at the host evil.example:" in person.screen
        await asyncio.sleep(0.05)
        person.press("d")
        await person.sees("Passphrase")
        person.press(f"{PASSPHRASE}\n")
        assert await asking == {"action": "decline"}


@pytest.mark.spec("Q-3")
async def test_cards_and_questions_wait_in_one_queue_and_escape_leaves_it_for_later(
    person: Person,
) -> None:
    scene = make_scene()
    gate = await scene.gate()
    async with listening(scene, person) as approver:
        asking = asyncio.create_task(ask_user(gate, "Which?"))
        question = await announced(scene, approver)
        await person.sees("Your answer (Esc")
        await approver.announce(card_of(a_request(), now=at(10)))
        await person.settle()
        assert "? explain" not in person.screen, "one at a time"
        person.press("\x1b")
        await person.sees("It still waits")
        await person.sees("? explain")
        assert (await scene.store.question(question.question_id)).waits
        asking.cancel()


@pytest.mark.spec("CH-2")
async def test_what_was_answered_elsewhere_leaves_the_screen_and_the_queue(person: Person) -> None:
    scene = make_scene()
    gate = await scene.gate()
    async with listening(scene, person) as approver:
        asking = asyncio.create_task(ask_user(gate, "Which?"))
        question = await announced(scene, approver)
        await person.sees("Your answer (Esc")
        done = await scene.broker.questions.answer(
            await scene.actor(), question.question_id, answer="x"
        )
        await approver.update_question(question_card(done, None))
        await person.sees("No longer waiting for you.")
        assert await asking == {"answer": "x"}


async def test_what_somebody_may_not_answer_or_does_not_concern_them_is_not_shown(
    person: Person,
) -> None:
    scene = make_scene()
    gate = await scene.gate()
    async with listening(scene, person) as approver:
        asking = asyncio.create_task(ask_user(gate, "Which?"))
        question = await asked(scene)
        await approver.announce_question(question_card(question, "not yours"))
        await person.settle()
        assert person.screen == ""
        asking.cancel()
