"""The port that every channel fills, and the fidelity contract that keeps it honest (CH-15).

A channel carries cards out and votes back. It never decides: who may review is asked of the broker,
which takes an approval only with the digest of exactly what was shown.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from sayso.channels.card import Card
from sayso.channels.display import plain
from sayso.channels.question_card import QuestionCard
from sayso.people.person import Person
from sayso.requests.approval import Vote


class Decide(Protocol):
    """Hands a vote in; raises the errors of a review, such as RequestClosed if somebody else was first."""

    def __call__(
        self,
        request_id: str,
        vote: Vote,
        digest: str,
        comment: str | None,
        /,
        *,
        arguments: Mapping[str, Any] | None = None,
        remember: str = "once",
    ) -> Awaitable[str | None]:
        """`digest` is that of the card that was shown; `arguments` are to run instead (an edit).

        `remember` is one of the words that the card offers. What comes back is what the person has to
        know besides, such as that a grant could not be saved.
        """


TOO_LONG = "it is too long to be shown here in full: review it on the web"
INDISTINCT = "it holds hidden characters that cannot be made visible here: review it on the web"


@dataclass(frozen=True, slots=True)
class Fidelity:
    """What a channel can show of a call.

    `max_length` is how many characters of arguments and diff (None = any number), `diff` whether it
    shows diffs, `formatting` whether it can set a mark apart from text that looks like one.
    """

    max_length: int | None = None
    diff: bool = True
    formatting: bool = True


class Channel(Protocol):
    """A way to reach a person. Methods may raise whatever they like: the notifier stands in front."""

    @property
    def name(self) -> str:
        """The channel's name, as audit and cards write it."""

    @property
    def fidelity(self) -> Fidelity:
        """What the channel can show."""

    @property
    def can_ask(self) -> bool:
        """Whether a person could be asked through the channel now; cheap, read at each call."""

    @property
    def confirms(self) -> bool:
        """Whether a card that was announced without an error has been delivered to whom it reaches."""

    def reaches(self, person: Person) -> bool:
        """Whether this person could be told through the channel now; cheap."""

    async def check(self) -> None:
        """Raise ChannelError with what to do about it if the channel does not work."""

    async def announce(self, card: Card) -> None:
        """Show a new card."""

    async def update(self, card: Card) -> None:
        """Show that a card that was announced has changed; once resolved it offers no decision."""

    async def remind(self, card: Card) -> None:
        """Show a card that was announced once more: it still waits."""

    async def announce_question(self, card: QuestionCard) -> None:
        """Show a new question; a channel that takes no answers says where they are given."""

    async def update_question(self, card: QuestionCard) -> None:
        """Show that a question that was announced has changed; once resolved it takes no answer."""

    async def listen(self, decide: Decide) -> None:
        """Take people's votes and hand them in, until cancelled; returns at once if there are none."""

    async def close(self) -> None:
        """Give back what the channel holds."""


def fitted(card: Card, fidelity: Fidelity) -> Card:
    """The card as a channel may offer it: without approving, where it cannot show all of the call."""
    if not card.waits or card.approve_refused is not None:
        return card
    refused = None
    if fidelity.max_length is not None and _length(card, diff=fidelity.diff) > fidelity.max_length:
        refused = TOO_LONG
    elif not fidelity.formatting and card.what.hidden:
        refused = INDISTINCT
    return card if refused is None else replace(card, approve_refused=refused)


def _length(card: Card, *, diff: bool) -> int:
    texts = [part for argument in card.what.arguments for part in (argument.name, argument.value)]
    if diff and card.what.diff is not None:
        texts.append(card.what.diff)
    return sum(len(plain(text)) for text in texts)
