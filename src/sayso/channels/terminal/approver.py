"""The terminal approver: shows one card at a time and takes a person's vote with one key (CH-3)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable

from sayso.channels.card import Card
from sayso.channels.channel import Decide, Fidelity
from sayso.channels.question_card import QuestionCard
from sayso.channels.terminal.dialogue import Dialogue
from sayso.channels.terminal.prompt import QUIET_SECONDS, Prompt
from sayso.channels.terminal.question_dialogue import Answers, QuestionDialogue
from sayso.channels.terminal.question_picture import Paper
from sayso.channels.terminal.sheet import Look
from sayso.channels.terminal.tty import CONTROLLING, Terminal, usable
from sayso.channels.terminal.unlocking import Keyring, Lock
from sayso.core.moment import Moment
from sayso.errors import Undeliverable
from sayso.people.person import OWNER, Person

MAX_LENGTH = 200_000
"""The most characters of arguments and diff that one can be expected to look through here."""

_RESULTS_NOT_SHOWN = ("pending", "running")


class TerminalApprover:
    """The controlling terminal as a channel; `listen` is its one reader, cards wait in a queue."""

    name = "terminal"
    confirms = False
    """Announcing puts a card into a queue; `shown` is told once it is on the screen."""

    def __init__(
        self,
        keyring: Keyring,
        now: Callable[[], Moment],
        *,
        diff_lines: int = 120,
        path: str = CONTROLLING,
        quiet_seconds: float = QUIET_SECONDS,
        concerns: Callable[[Card | QuestionCard], bool] = lambda card: True,
        shown: Callable[[str, str], Awaitable[object]] | None = None,
        answers: Answers | None = None,
    ) -> None:
        """`keyring` checks the owner's passphrase, `now` is the clock, `path` the terminal's device.

        `concerns` tells which cards are shown here; others wait elsewhere. `shown` is told the id and
        the digest of each request whose card stands on the screen. `answers` takes the answers to
        questions; without it none is shown here.
        """
        self._answers = answers
        self._shown = shown
        self._concerns = concerns
        self._lock = Lock(keyring)
        self._now = now
        self._diff_lines = diff_lines
        self._path = path
        self._quiet_seconds = quiet_seconds
        self._waiting: dict[str, Card | QuestionCard] = {}
        self._notes: list[str] = []
        self._arrived = asyncio.Event()
        self._seen: set[str] = set()
        self._current: Dialogue | QuestionDialogue | None = None

    @property
    def fidelity(self) -> Fidelity:
        """What this terminal can show: on a dumb one, marks cannot be told from text."""
        return Fidelity(max_length=MAX_LENGTH, formatting=_look() is not Look.PLAIN)

    @property
    def can_ask(self) -> bool:
        """Whether there is a terminal and this program has it."""
        return usable(self._path)

    def reaches(self, person: Person) -> bool:
        """The owner, whose passphrase this terminal takes."""
        return person.person_id == OWNER

    async def check(self) -> None:
        """Raise Undeliverable if there is no terminal to ask on."""
        if not usable(self._path):
            raise Undeliverable(
                "there is no terminal to ask on", "run it on a terminal, or use the web inbox"
            )

    async def announce(self, card: Card) -> None:
        """Put a card into the queue."""
        if not self._concerns(card):
            return
        await self.check()
        self._waiting[card.request_id] = card
        self._arrived.set()

    async def remind(self, card: Card) -> None:
        """A card stays on the screen, or in the queue, until it is decided: there is nothing to repeat."""

    async def update(self, card: Card) -> None:
        """Take a card that was resolved off the queue, or off the screen, and say how it ended."""
        current = self._current
        if isinstance(current, Dialogue) and current.request_id == card.request_id:
            current.update(card)
        if card.waits:
            if card.request_id in self._waiting:
                self._waiting[card.request_id] = card
            return
        self._waiting.pop(card.request_id, None)
        if card.request_id in self._seen and card.status not in _RESULTS_NOT_SHOWN:
            self._notes.append(f" {card.code}: {card.result}.")
            self._arrived.set()

    async def announce_question(self, card: QuestionCard) -> None:
        """Put a question into the queue."""
        if self._answers is None or card.refused is not None or not self._concerns(card):
            return
        await self.check()
        self._waiting[card.request_id] = card
        self._arrived.set()

    async def update_question(self, card: QuestionCard) -> None:
        """Take a question that was resolved off the queue, or off the screen."""
        current = self._current
        if isinstance(current, QuestionDialogue) and current.request_id == card.request_id:
            current.update(card)
        elif card.waits:
            if card.request_id in self._waiting:
                self._waiting[card.request_id] = card
        else:
            self._waiting.pop(card.request_id, None)

    async def listen(self, decide: Decide) -> None:
        """Show the cards one after the other and hand votes in, until cancelled.

        Raises TerminalGone if the terminal goes away; the card that was shown is asked again then.
        """
        while True:
            await self._arrived.wait()
            self._arrived.clear()
            while self._notes or self._waiting:
                await self._next(decide)

    async def close(self) -> None:
        """Forget what waits; it keeps waiting in the store."""
        self._waiting.clear()
        self._notes.clear()

    async def _next(self, decide: Decide) -> None:
        terminal = Terminal(self._path)
        try:
            if self._notes:
                await terminal.write("".join(f"{note}\n" for note in self._notes))
                self._notes.clear()
                return
            request_id = next(iter(self._waiting))
            card = self._waiting[request_id]
            with terminal.keys_only():
                if isinstance(card, QuestionCard):
                    await self._ask_question(terminal, card)
                else:
                    await self._ask(terminal, card, decide)
            self._waiting.pop(request_id, None)
        finally:
            terminal.close()

    async def _ask(self, terminal: Terminal, card: Card, decide: Decide) -> None:
        dialogue = Dialogue(
            card,
            Prompt(terminal, self._quiet_seconds),
            self._lock,
            decide,
            self._now,
            width=terminal.width,
            diff_lines=self._diff_lines,
            look=_look(),
            shown=self._shown,
        )
        self._seen.add(card.request_id)
        await self._talk(terminal, dialogue)

    async def _ask_question(self, terminal: Terminal, card: QuestionCard) -> None:
        if self._answers is not None:
            prompt = Prompt(terminal, self._quiet_seconds)
            paper = Paper(terminal.width, _look())
            dialogue = QuestionDialogue(card, prompt, self._lock, self._answers, paper)
            await self._talk(terminal, dialogue)

    async def _talk(self, terminal: Terminal, dialogue: Dialogue | QuestionDialogue) -> None:
        """Talk until the person has answered, or the request was resolved elsewhere."""
        self._current = dialogue
        talking = asyncio.create_task(dialogue.run(), name="sayso-terminal-dialogue")
        resolved = asyncio.create_task(dialogue.resolved(), name="sayso-terminal-resolved")
        try:
            await asyncio.wait({talking, resolved}, return_when=asyncio.FIRST_COMPLETED)
            if talking.done():
                talking.result()
            else:
                await _cancelled(talking)
                await terminal.write("\n No longer waiting for you.\n")
        finally:
            self._current = None
            await _cancelled(talking)
            await _cancelled(resolved)


async def _cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait({task})  # unlike awaiting the task, this leaves a cancellation of ours ours
    if not task.cancelled():
        task.exception()


def _look() -> Look:
    if os.environ.get("TERM", "dumb") == "dumb":
        return Look.PLAIN
    return Look.MONOCHROME if os.environ.get("NO_COLOR") else Look.COLOUR
