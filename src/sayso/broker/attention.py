"""What people and channels do with a request besides voting: shown, "not now", "why?", broken glass (REQ-68).

Each is one conditional write with its audit record and its event, and none of them is a rejection.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sayso.broker.access import Actor
from sayso.broker.change import change_of, write
from sayso.broker.reachability import eligible_ids
from sayso.broker.review import check, visible_request, vote_of, why_not
from sayso.broker.submit import own_request
from sayso.broker.world import World
from sayso.core.moment import Moment, plus
from sayso.core.reason import Reason
from sayso.errors import CallInvalid, LostRace, NotEligible, RequestNotFound
from sayso.people.eligibility import may_see
from sayso.people.token import DECIDING
from sayso.requests.approval import ApprovalRequest, Resolution, Vote
from sayso.requests.attention import Delivery, Question, Snooze
from sayso.requests.broken_glass import BrokenGlass, SecondReview
from sayso.requests.channel_cap import check_channel
from sayso.requests.deadline import is_over
from sayso.requests.emergency import may_break_glass, may_review_glass
from sayso.requests.glass_events import GlassBroken, GlassReviewed
from sayso.requests.lifecycle import Event, closed
from sayso.requests.nudges import Answered, AskedBack, Delivered, Snoozed, SnoozeOver
from sayso.requests.quorum import asked_of

MAX_SNOOZE_SECONDS = 7 * 86_400.0
MAX_QUESTION = 1000
MAX_ANSWER = 4000

Making = Callable[[ApprovalRequest, Moment], Event]


class Attention:
    """The acts of people on a request that are no votes."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def delivered(
        self, request_id: str, digest: str, channel: str, person_ids: Sequence[str]
    ) -> None:
        """Note that a channel showed the card, with this content, to these people.

        Only those who may decide are noted, and nothing once the call was edited: nobody saw that.
        """
        for person_id in person_ids:
            await self._delivered(request_id, digest, channel, person_id)

    async def shown(self, actor: Actor, request_id: str, digest: str) -> ApprovalRequest:
        """Note that the card, with this content, stands before this person's eyes.

        Raises NotEligible, RequestNotFound.
        """
        _must_decide(actor)
        request = await visible_request(self._world, actor, request_id)
        await self._delivered(request_id, digest, actor.channel, actor.person.person_id)
        return await self._world.store.request(request_id) or request

    async def snooze(self, actor: Actor, request_id: str, seconds: float) -> ApprovalRequest:
        """Hide a request that waits from this person for so many seconds; 0 shows it again.

        It expires as before. Raises RequestNotFound, NotEligible, RequestClosed, CallInvalid.
        """
        if not 0 <= seconds <= MAX_SNOOZE_SECONDS:
            raise CallInvalid(
                f"a request cannot be put off for {seconds:g} seconds", "at most seven days"
            )
        person = actor.person

        def making(request: ApprovalRequest, now: Moment) -> Event:
            if seconds == 0:
                return SnoozeOver(person.person_id)
            return Snoozed(Snooze(person.person_id, person.name, plus(now, seconds)))

        return await self._act(actor, request_id, making)

    async def ask_back(self, actor: Actor, request_id: str, text: str) -> ApprovalRequest:
        """Ask the agent something about a call that waits; its answer will stand on the card.

        Raises RequestNotFound, NotEligible, RequestClosed (also while another question is open),
        CallInvalid.
        """
        asked = text.strip()
        if not asked or len(asked) > MAX_QUESTION:
            raise CallInvalid(
                f"a question has 1 to {MAX_QUESTION} characters", "ask it in other words"
            )
        person, ids = actor.person, self._world.ids

        def making(request: ApprovalRequest, now: Moment) -> Event:
            return AskedBack(Question(ids.new_id(now), person.person_id, person.name, asked, now))

        return await self._act(actor, request_id, making)

    async def break_glass(
        self, actor: Actor, request_id: str, *, digest: str | None, why: str
    ) -> ApprovalRequest:
        """Let a call run in the place of the votes it lacks; a second person has to review it in time.

        Only somebody who may decide can, where the policy permits it, and only where their approval
        alone would not do. Raises what a review raises, and CallInvalid without a reason.
        """
        reason = why.strip()
        if not reason or len(reason) > MAX_ANSWER:
            raise CallInvalid(
                f"why the glass is broken takes 1 to {MAX_ANSWER} characters", "say why"
            )
        _must_decide(actor)
        world, person = self._world, actor.person
        while True:
            request = await visible_request(world, actor, request_id)
            now, people = world.clock.now(), await world.store.directory()
            await check(world, actor, request, Vote.APPROVE, digest, people, now)
            refusal = may_break_glass(request, person.person_id, people, now)
            if refusal is not None:
                raise NotEligible(
                    f"the glass cannot be broken: {refusal}", "approve it, or wait for the others"
                )
            given = vote_of(actor, request, Vote.APPROVE, digest, reason, people, now)
            check_channel(request, given)
            within = request.policy.break_glass
            assert within is not None, "a policy that permits it says within what time"
            event = GlassBroken(
                Resolution(Reason.BREAK_GLASS, now, person.name, actor.channel, reason),
                given,
                BrokenGlass(person.person_id, person.name, reason, now, plus(now, within)),
            )
            try:
                change = change_of(
                    request,
                    event,
                    now,
                    reviewer=actor.credential,
                    people_version=people.version,
                )
                return await write(world, change)
            except LostRace:
                continue

    async def review_glass(
        self, actor: Actor, request_id: str, *, justified: bool, comment: str | None
    ) -> ApprovalRequest:
        """Say of a broken glass, as a second person, whether it was right; it changes nothing that ran.

        Raises RequestNotFound, NotEligible, RequestClosed if there is nothing to review.
        """
        if comment is not None and len(comment) > MAX_ANSWER:
            raise CallInvalid(f"the note is longer than {MAX_ANSWER} characters", "shorten it")
        _must_decide(actor)
        person = actor.person
        while True:
            request = await visible_request(self._world, actor, request_id)
            now, people = self._world.clock.now(), await self._world.store.directory()
            refusal = why_not(actor, request, people, now) or may_review_glass(
                request, person.person_id, people, now
            )
            if refusal is not None:
                raise NotEligible(refusal, "ask somebody else who may decide it")
            said = SecondReview(
                person.person_id,
                person.name,
                actor.credential.credential_id,
                actor.channel,
                justified,
                (comment or "").strip() or None,
                now,
            )
            try:
                change = change_of(
                    request,
                    GlassReviewed(said),
                    now,
                    reviewer=actor.credential,
                    people_version=people.version,
                )
                return await write(self._world, change)
            except LostRace:
                continue

    async def unreviewed(self, actor: Actor) -> list[ApprovalRequest]:
        """The broken glasses that wait for a second person and this actor may see."""
        _must_decide(actor)
        people, now = await self._world.store.directory(), self._world.clock.now()
        return [
            request
            for request in await self._world.store.unreviewed()
            if may_see(actor.person.person_id, asked_of(request), people, now)
        ]

    async def _act(self, actor: Actor, request_id: str, making: Making) -> ApprovalRequest:
        """Write what somebody who may decide does with a request that waits."""
        _must_decide(actor)
        while True:
            request = await visible_request(self._world, actor, request_id)
            now, people = self._world.clock.now(), await self._world.store.directory()
            refusal = why_not(actor, request, people, now)
            if refusal is not None:
                raise NotEligible(refusal, "ask somebody who may")
            if not request.waits or is_over(request, now):
                raise closed(request)
            change = change_of(
                request,
                making(request, now),
                now,
                reviewer=actor.credential,
                channel=actor.channel,
                people_version=people.version,
            )
            try:
                return await write(self._world, change)
            except LostRace:
                continue

    async def _delivered(self, request_id: str, digest: str, channel: str, person_id: str) -> None:
        while True:
            request = await self._world.store.request(request_id)
            now = self._world.clock.now()
            if request is None or not request.waits or is_over(request, now):
                return
            known = request.attention.delivered_to(channel, person_id)
            if (
                known
                or request.digest != digest
                or person_id not in await eligible_ids(self._world, request)
            ):
                return
            event = Delivered(Delivery(channel, person_id, now))
            try:
                await write(self._world, change_of(request, event, now))
                return
            except LostRace:
                continue


async def answering(
    world: World, session_id: str, call_id: str, question_id: str, text: str | None
) -> None:
    """The agent's side answers what a person asked back; None says that it cannot.

    Its words are shown as its own, and decide nothing. Raises RequestNotFound, NotEligible for another
    session's call, RequestClosed for a question that is not open, CallInvalid for one too long.
    """
    if text is not None and len(text) > MAX_ANSWER:
        raise CallInvalid(f"an answer has at most {MAX_ANSWER} characters", "say it shorter")
    while True:
        request = await own_request(world, session_id, call_id)
        if request is None:
            raise RequestNotFound("this call waits for nobody: policy decided it")
        if not request.waits:
            raise closed(request)
        now = world.clock.now()
        try:
            await write(world, change_of(request, Answered(question_id, text or None, now), now))
            return
        except LostRace:
            continue


def _must_decide(actor: Actor) -> None:
    if actor.kind not in DECIDING:
        raise NotEligible(
            "an agent's token can never see or decide what people decide",
            "log in, or use an approver's token",
        )
