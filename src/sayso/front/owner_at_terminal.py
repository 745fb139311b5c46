"""The owner at the terminal of an embedded gate: unlocked once with the passphrase, then their votes count."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sayso.broker.access import Actor
from sayso.broker.answering import Questions
from sayso.broker.broker import Broker
from sayso.broker.remembering import Wish
from sayso.channels.card import Card
from sayso.channels.channel import Decide
from sayso.channels.question_card import QuestionCard, question_card
from sayso.channels.viewing import card_now
from sayso.errors import NotAuthenticated, PassphraseWrong
from sayso.people.eligibility import Asked, may_review
from sayso.people.person import OWNER
from sayso.people.token import SESSION
from sayso.questions.question import WHO_MAY_ANSWER, Question
from sayso.requests.approval import ApprovalRequest, Vote
from sayso.requests.quorum import asked_of
from sayso.requests.standing_grant import Remember


class OwnerAtTerminal:
    """The keyring, the pictures and the votes of one terminal; `broker` is there once it is built."""

    def __init__(self, broker: Callable[[], Broker]) -> None:
        self._broker = broker
        self._actor: Actor | None = None

    async def chosen(self) -> bool:
        """Whether a passphrase has been chosen on this installation."""
        return await self._broker().access.has_passphrase()

    async def choose(self, passphrase: str) -> None:
        """Keep the first passphrase and be unlocked with it."""
        await self._broker().access.choose_passphrase(passphrase, None, "terminal")
        await self.unlock(passphrase)

    async def unlock(self, passphrase: str) -> bool:
        """Log in with the passphrase; whether it fits. Raises RateLimited after too many tries."""
        try:
            _, self._actor = await self._broker().access.login(passphrase, "terminal")
        except PassphraseWrong:
            return False
        return True

    async def picture(self, request: ApprovalRequest) -> Card:
        """The card of a request as the owner sees it."""
        world = self._broker().world
        people = await world.store.directory()
        refusal = may_review(OWNER, SESSION, asked_of(request), people, world.clock.now())
        return await card_now(world, request, refusal, OWNER, people)

    async def question_picture(self, question: Question) -> QuestionCard:
        """The card of a question as the owner sees it."""
        world = self._broker().world
        people = await world.store.directory()
        asked = Asked(question.owner, WHO_MAY_ANSWER, question.eligible)
        refusal = may_review(OWNER, SESSION, asked, people, world.clock.now())
        return question_card(question, refusal)

    async def typed(self, request_id: str, text: str, version: int) -> QuestionCard:
        """See Answers."""
        found = await self._questions.answer_typed(self._unlocked, request_id, text, version)
        return await self.question_picture(found)

    async def plan(self, request_id: str, answer: str, feedback: str | None) -> None:
        """See Answers."""
        await self._questions.answer_plan(self._unlocked, request_id, answer, feedback)

    async def accept(self, request_id: str, content: Mapping[str, Any] | None) -> None:
        """See Answers."""
        await self._questions.accept(self._unlocked, request_id, content)

    async def decline(self, request_id: str) -> None:
        """See Answers."""
        await self._questions.decline(self._unlocked, request_id)

    @property
    def _questions(self) -> Questions:
        return self._broker().questions

    @property
    def _unlocked(self) -> Actor:
        if self._actor is None:
            raise NotAuthenticated("the terminal is not unlocked", "give the passphrase")
        return self._actor

    def decide(self, channel: str) -> Decide:
        """What hands the votes of a channel to the broker."""

        async def vote(
            request_id: str,
            vote: Vote,
            digest: str,
            comment: str | None,
            /,
            *,
            arguments: Mapping[str, Any] | None = None,
            remember: str = "once",
        ) -> str | None:
            if self._actor is None:
                raise NotAuthenticated(f"the {channel} is not unlocked", "give the passphrase")
            answered = await self._broker().answer(
                self._actor,
                request_id,
                vote,
                digest=digest,
                comment=comment,
                arguments=arguments,
                wish=Wish(Remember(remember)),
            )
            return answered.problem

        return vote

    async def shown(self, request_id: str, digest: str) -> None:
        """Note that a card is on the owner's screen, which is a delivery to them."""
        await self.delivered(request_id, digest, "terminal", [OWNER])

    async def delivered(
        self, request_id: str, digest: str, channel: str, people: Sequence[str]
    ) -> None:
        """Note what a channel says it has delivered."""
        await self._broker().attention.delivered(request_id, digest, channel, people)

    async def lock(self) -> None:
        """End the login, if there was one."""
        actor, self._actor = self._actor, None
        if actor is not None:
            await self._broker().access.revoke(actor, actor.credential.credential_id)
