"""What the broker needs of the world beside the store: the feed, time, chance, rules and channels."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

from sayso.core.moment import Moment
from sayso.core.session import GivenRule
from sayso.people.person import Person
from sayso.policy.ruleset import RuleSet
from sayso.questions.question import Question
from sayso.requests.approval import ApprovalRequest


class Subscription(Protocol):
    """A place in the feed; it holds no thread and no connection."""

    async def wait(self, timeout: float) -> bool:
        """Wait until the topic is published again, at most so many seconds; whether it was."""

    def close(self) -> None:
        """Give the place back."""


class Feed(Protocol):
    """Says that something changed: ids only; lost and doubled notices do no harm."""

    def publish(self, topics: Iterable[str]) -> None:
        """Wake whoever waits for these topics here, and hint to other processes."""

    def subscribe(self, topic: str) -> Subscription:
        """Start listening to a topic: a request's id, or ALL; nothing published from now on is missed."""


ALL = "*"
"""The topic of every change."""


class Clock(Protocol):
    """The time."""

    def now(self) -> Moment:
        """The present moment; it never goes back within one process."""

    async def sleep(self, seconds: float) -> None:
        """Wait so many seconds."""


class Ids(Protocol):
    """Randomness an attacker cannot guess."""

    def new_id(self, now: Moment) -> str:
        """A new durable id."""

    def secret(self) -> bytes:
        """32 random bytes."""


class SecretKey(Protocol):
    """A key that only this installation has; receipts are signed with it."""

    def secret(self) -> bytes:
        """The secret key, 32 bytes."""


class RuleSource(Protocol):
    """Where the compiled rules come from; what it answers is read anew for each call."""

    async def current(
        self, workspace: str | None = None, given: Sequence[GivenRule] = ()
    ) -> RuleSet:
        """Today's rules for the calls of a workspace and of a session with rules of its own.

        On any failure a RuleSet that is `unavailable`, never an exception's silence.
        """

    def edition(self) -> int:
        """A number that grows whenever a settings file is seen to have changed (POL-63)."""

    def problems(self) -> tuple[str, ...]:
        """What is wrong with the settings files, for people; empty if nothing is."""


class Notifier(Protocol):
    """The channels, as the broker sees them; a failure here never decides anything."""

    @property
    def can_ask(self) -> bool:
        """Whether there is any channel or inbox through which a person could be asked."""

    def ways(self, person: Person) -> Collection[str]:
        """The names of the channels through which this person could be told now; cheap."""

    async def announce(self, request: ApprovalRequest, asked: Collection[Person]) -> None:
        """Show a new request to the people who are asked, or to more of them."""

    async def remind(self, request: ApprovalRequest, asked: Collection[Person]) -> None:
        """Show a request that waits to these people once more."""

    async def update(self, request: ApprovalRequest) -> None:
        """Show that a request has changed."""

    async def announce_question(self, question: Question, asked: Collection[Person]) -> None:
        """Show a new question to the people who may answer it."""

    async def update_question(self, question: Question) -> None:
        """Show that a question has changed."""
