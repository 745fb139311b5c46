"""The object everybody holds: it performs the effects of a decision in order, through ports only."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import structlog

from sayso.audit.record import AuditRecord, RecordKind
from sayso.broker import review as reviewing
from sayso.broker.access import Access, Actor
from sayso.broker.answering import Questions
from sayso.broker.attention import Attention
from sayso.broker.audit_log import AuditLog
from sayso.broker.freezing import Freezing
from sayso.broker.insight import ByRule, decided_by_rule
from sayso.broker.kept_grants import KeptGrants
from sayso.broker.modes import Modes
from sayso.broker.notify import Outbox, cancelled, readable
from sayso.broker.people import People
from sayso.broker.reachability import warn_if_nobody
from sayso.broker.remembering import NOTHING_MORE, Answer, Answered, Wish, answer
from sayso.broker.run_contexts import RunContexts
from sayso.broker.session_gate import SessionGate, stop_session_by
from sayso.broker.session_rules import SessionRules
from sayso.broker.sessions import open_session, take_up_session
from sayso.broker.sets import CallSet, review_set, visible_set
from sayso.broker.sweep import sweep
from sayso.broker.wait import BEAT_SECONDS, Presence
from sayso.broker.world import World
from sayso.core.observed_tool import KnownTool
from sayso.core.session import Session
from sayso.errors import (
    GroupNotFound,
    NotEligible,
    RequestNotFound,
    RuleNotFound,
    RuleRefused,
)
from sayso.people.eligibility import may_see
from sayso.people.token import DECIDING
from sayso.policy.defaults import seed_rules
from sayso.policy.examples import check_examples
from sayso.policy.rule import Origin, Rule
from sayso.policy.ruleset import RuleSet, compile_ruleset
from sayso.policy.text_rule import check_rule
from sayso.requests.approval import ApprovalRequest, Vote
from sayso.requests.event import EventKind, Notice
from sayso.requests.quorum import asked_of

_log = structlog.get_logger("sayso.broker")

SWEEP_SECONDS = 1.0


class Broker:
    """The broker of one process; several may share one store."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.access = Access(world.store, world.clock, world.ids)
        self.presence = Presence()
        self.attention = Attention(world)
        self.log = AuditLog(world)
        self.session_rules = SessionRules(world, self.access)
        self.kept = KeptGrants(world)
        self.people = People(world, self.access)
        self.questions = Questions(world)
        self.freezing = Freezing(world, self.access)
        self.modes = Modes(world)
        self.run_contexts = RunContexts(world, self.access)
        self.open_session = partial(open_session, world)
        """Open a session with an agent's credential; see broker/sessions.py."""
        self._outbox = Outbox(world)
        self._tasks: list[asyncio.Task[None]] = []

    # ── its own life ──

    async def start(self) -> None:
        """Seed the rule table and begin to sweep, to show callers as present and to feed channels."""
        await self.world.store.seed_rules(seed_rules())
        await self._outbox.start()
        await warn_if_nobody(self.world)
        self._tasks = [
            asyncio.create_task(self._sweeping(), name="sayso-sweep"),
            asyncio.create_task(self._beating(), name="sayso-presence"),
            asyncio.create_task(self._outbox.run(), name="sayso-outbox"),
        ]

    async def close(self) -> None:
        """Stop the work of this process; what waits keeps waiting in the store."""
        for task in self._tasks:
            await cancelled(task)
        self._tasks = []

    # ── for agents ──

    async def take_up_session(self, actor: Actor, session_id: str) -> Session:
        """Take up a session that the same agent opened before a restart; see broker/sessions.py."""
        return await take_up_session(self.world, actor, session_id)

    def gate(self, session_id: str) -> SessionGate:
        """The gate as that session sees it; the caller has proven that the session is theirs."""
        return SessionGate(self.world, self.presence, session_id)

    async def gate_for(self, actor: Actor, session_id: str) -> SessionGate:
        """The gate of a session that was opened with this very credential; raises NotEligible."""
        session = await self.world.store.session(session_id)
        if session is None or session.credential_id != actor.credential.credential_id:
            raise NotEligible("this session is not yours", "open a session with this token")
        return self.gate(session_id)

    async def gate_of_call(self, actor: Actor, call_id: str) -> SessionGate:
        """The gate of the session a call belongs to; raises RequestNotFound, or NotEligible if not theirs."""
        found = await self.world.store.call(call_id)
        if found is None:
            raise RequestNotFound(f"no call has the id `{call_id[:64]}`")
        return await self.gate_for(actor, found[1].session_id)

    # ── for people ──

    async def inbox(self, actor: Actor) -> Sequence[ApprovalRequest]:
        """What waits and this actor may see, oldest first."""
        return await self._visible(actor, await self.world.store.pending())

    async def recent(self, actor: Actor, limit: int = 5) -> Sequence[ApprovalRequest]:
        """What was resolved last and this actor may see, newest first."""
        return await self._visible(actor, await self.world.store.recent(limit))

    async def request(self, actor: Actor, request_id: str) -> ApprovalRequest:
        """One request; raises RequestNotFound or NotEligible."""
        self._must_be_a_person(actor)
        return await reviewing.visible_request(self.world, actor, request_id)

    async def why_not(self, actor: Actor, request: ApprovalRequest) -> str | None:
        """Why this actor may not decide the request; None if they may."""
        people, now = await self.world.store.directory(), self.world.clock.now()
        return reviewing.why_not(actor, request, people, now)

    async def review(
        self,
        actor: Actor,
        request_id: str,
        vote: Vote,
        *,
        digest: str | None = None,
        comment: str | None = None,
        arguments: Mapping[str, Any] | None = None,
    ) -> ApprovalRequest:
        """Record a vote, for the call with other `arguments` if given; see broker/review.py."""
        self._must_be_a_person(actor)
        return await reviewing.review(
            self.world, actor, request_id, vote, digest=digest, comment=comment, arguments=arguments
        )

    async def answer(
        self,
        actor: Actor,
        request_id: str,
        vote: Vote,
        *,
        digest: str | None = None,
        comment: str | None = None,
        arguments: Mapping[str, Any] | None = None,
        wish: Wish = NOTHING_MORE,
    ) -> Answered:
        """Record a vote and what is to be remembered with it; see broker/remembering.py."""
        self._must_be_a_person(actor)
        given = Answer(vote, digest, comment, arguments, wish)
        return await answer(self.world, actor, request_id, given)

    async def call_set(self, actor: Actor, batch_id: str) -> CallSet:
        """The calls of a batch as one ordered set; raises RequestNotFound or NotEligible."""
        self._must_be_a_person(actor)
        return await visible_set(self.world, actor, batch_id)

    async def review_set(
        self,
        actor: Actor,
        batch_id: str,
        vote: Vote,
        *,
        digest: str | None = None,
        comment: str | None = None,
    ) -> CallSet:
        """Vote on all of a set that waits; see broker/sets.py for what it raises."""
        self._must_be_a_person(actor)
        return await review_set(self.world, actor, batch_id, vote, digest=digest, comment=comment)

    async def settle(
        self, actor: Actor, request_id: str, *, ok: bool, summary: str
    ) -> ApprovalRequest:
        """Say what came of a run whose outcome is unknown."""
        self._must_be_a_person(actor)
        return await reviewing.settle(self.world, actor, request_id, ok=ok, summary=summary)

    async def lift_sticky(self, actor: Actor, request_id: str) -> None:
        """Make a rejection stick no longer, so that the call is asked about again."""
        request = await self.request(actor, request_id)
        refusal = await self.why_not(actor, request)
        if refusal is not None:
            raise NotEligible(refusal)
        record = replace(
            self._configured(actor, "a rejection no longer sticks"),
            call_id=request.request_id,
            session_id=request.call.session_id,
            agent_id=request.call.agent_id,
            user_id=request.call.user_id,
            tool=request.call.written_name,
            digest=request.digest,
        )
        await self.world.store.lift_sticky(request_id, [record])

    async def stop_session(self, actor: Actor, session_id: str) -> None:
        """Stop a session: its own agent may, and the person it belongs to."""
        await stop_session_by(self.world, actor, session_id)

    # ── rules ──

    async def rules(self, actor: Actor) -> Sequence[Rule]:
        """The rule table, in its order."""
        self._must_be_a_person(actor)
        _, rules = await self.world.store.rules()
        return rules

    async def put_rule(self, actor: Actor, rule: Rule, *, new: bool) -> Rule:
        """Add or change a row of the rule table.

        Raises NotEligible, GroupNotFound, RuleNotFound, RuleSyntaxError for a pattern or condition that
        cannot be read, or RuleRefused for fields that do not go together, for a second catch-all and for
        an example that the rule does not bear out.
        """
        self.access.must_configure(actor)
        if rule.group_id not in {group.group_id for group in await self.world.store.groups()}:
            raise GroupNotFound(f"no permission group has the id `{rule.group_id}`", "use default")
        _, table = await self.world.store.rules()
        if new:
            rule = replace(rule, id=self.world.ids.new_id(self.world.clock.now()))
        elif rule.id not in {row.id for row in table}:
            raise RuleNotFound(f"no rule has the id `{rule.id[:64]}`", "list the rules")
        rule = replace(rule, origin=Origin.DATABASE, seeded=False)
        check_rule(rule)
        known = (await self.world.rules.current()).descriptors
        problems = compile_ruleset((), (rule,), known).problems
        if problems:
            raise RuleRefused(problems[0], "mend the pattern; nothing was changed")
        check_examples(rule, self.world.facts, known)
        words = f"rule {'added' if new else 'changed'}: {rule.effect.word} {rule.text}"
        await self.world.store.put_rule(rule, [self._configured(actor, words)], [self._settings()])
        self.world.feed.publish(["rules"])
        return rule

    async def delete_rule(self, actor: Actor, rule_id: str) -> None:
        """Delete a row of the rule table; raises RuleNotFound."""
        self.access.must_configure(actor)
        record = self._configured(actor, f"rule deleted: {rule_id}")
        if not await self.world.store.delete_rule(rule_id, [record], [self._settings()]):
            raise RuleNotFound(f"no rule has the id `{rule_id[:64]}`", "list the rules")
        self.world.feed.publish(["rules"])

    async def note_change(self, actor: Actor, words: str) -> None:
        """Record that somebody changed settings outside of the store, and tell whoever watches."""
        self.access.must_configure(actor)
        await self.world.store.record([self._configured(actor, words)], [self._settings()])
        self.world.feed.publish(["rules"])

    # ── insight ──

    async def tools(self, actor: Actor) -> Sequence[KnownTool]:
        """Every tool that any session was ever offered."""
        self._must_be_a_person(actor)
        return await self.world.store.known_tools()

    async def decided_by_rule(self, actor: Actor, limit: int = 5) -> Sequence[ByRule]:
        """What policy alone decided lately of the calls this actor may see, newest first."""
        self._must_be_a_person(actor)
        whose = None if actor.person.admin else actor.person.person_id
        return await decided_by_rule(self.world.store, whose, limit)

    # ── events ──

    async def events_kept(self, actor: Actor) -> tuple[int, int]:
        """The numbers of the oldest and of the newest event that is kept; 0 if there is none."""
        self._must_be_a_person(actor)
        store = self.world.store
        return await store.oldest_notice(), await store.last_notice()

    async def notices(self, actor: Actor, after: int, limit: int = 500) -> tuple[int, list[Notice]]:
        """The events after a number that this actor may read, and the number of the last one looked at."""
        self._must_be_a_person(actor)
        found = await self.world.store.notices(after, limit)
        seen = found[-1].event_id if found else after
        people, now = await self.world.store.directory(), self.world.clock.now()
        who = actor.person.person_id
        return seen, readable(found, who, people, now)

    # ── inside ──

    async def _visible(
        self, actor: Actor, requests: Sequence[ApprovalRequest]
    ) -> list[ApprovalRequest]:
        """Those of the requests that this actor may see."""
        self._must_be_a_person(actor)
        people, now = await self.world.store.directory(), self.world.clock.now()
        who = actor.person.person_id
        return [r for r in requests if may_see(who, asked_of(r), people, now)]

    def _must_be_a_person(self, actor: Actor) -> None:
        if actor.kind not in DECIDING:
            raise NotEligible(
                "an agent's token can never see or decide what people decide",
                "log in, or use an approver's token",
            )

    def _configured(self, actor: Actor, note: str) -> AuditRecord:
        return AuditRecord(
            RecordKind.CONFIGURATION,
            self.world.clock.now(),
            by=actor.person.name,
            channel=actor.channel,
            note=note,
        )

    def _settings(self) -> Notice:
        return Notice(EventKind.SETTINGS_CHANGED, self.world.clock.now())

    async def _sweeping(self) -> None:
        seen: tuple[RuleSet, int] | None = None
        people: int | None = None
        while True:
            try:
                edition = self.world.rules.edition()
                rules = await self.world.rules.current()
                # What can be approved, and so each card, follows from both.
                says = rules.unavailable, edition
                if seen is not None and (seen[0].unavailable, seen[1]) != says:
                    await self.world.store.record((), [self._settings()])
                    self.world.feed.publish(["rules"])
                changed = seen is None or rules is not seen[0] or edition != seen[1]
                version = (await self.world.store.directory()).version
                await sweep(self.world, rules_changed=changed, people_changed=version != people)
                people = version
                seen = rules, edition
            except Exception as error:  # whatever it was, what is due has to end
                _log.warning("the sweep failed and is tried again", error=str(error))
            await self.world.clock.sleep(SWEEP_SECONDS)

    async def _beating(self) -> None:
        while True:
            await self.world.clock.sleep(BEAT_SECONDS)
            try:
                await self.presence.beat(self.world)
            except Exception as error:
                _log.warning("callers could not be shown as present", error=str(error))
