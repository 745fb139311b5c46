"""Questions on channels: each is shown where it reaches somebody, and its end is shown there too.

A channel that fails is logged and changes nothing: the question waits in the inbox all the same (CH-11).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence

import structlog

from sayso.channels.channel import Channel
from sayso.channels.question_card import QuestionCard, question_card
from sayso.questions.question import Question

_log = structlog.get_logger("sayso.channels")

QuestionPicture = Callable[[Question], Awaitable[QuestionCard]]
"""Makes the card of a question as it is now, for the person whom the channels reach."""

SHOWN_SECONDS = 30.0


class QuestionDeliveries:
    """Which question was shown on which channel."""

    def __init__(self, channels: Sequence[Channel], picture: QuestionPicture | None) -> None:
        self._channels = {channel.name: channel for channel in channels}
        self._picture = picture or _plain
        self._shown: dict[str, set[str]] = {}

    async def announce(self, question: Question, reach: Iterable[Channel]) -> None:
        """Show a question on these channels, if it still waits."""
        shown = self._shown.get(question.question_id, set())
        fresh = [channel for channel in reach if channel.name not in shown]
        if not question.waits or not fresh:
            return
        card = await self._picture(question)
        for channel in fresh:
            if await _tried(channel, channel.announce_question(card)):
                self._shown.setdefault(question.question_id, set()).add(channel.name)

    async def update(self, question: Question) -> None:
        """Show how a question stands, wherever it was shown."""
        names = self._shown.get(question.question_id)
        if names is None:
            return
        card = await self._picture(question)
        for name in sorted(names):
            await _tried(self._channels[name], self._channels[name].update_question(card))
        if not question.waits:
            self._shown.pop(question.question_id, None)


async def _tried(channel: Channel, work: Awaitable[None]) -> bool:
    try:
        await asyncio.wait_for(work, SHOWN_SECONDS)
    except Exception as error:  # a failing channel decides nothing and stops nobody
        _log.warning("a channel failed", channel=channel.name, error=str(error))
        return False
    return True


async def _plain(question: Question) -> QuestionCard:
    return question_card(question, None)
