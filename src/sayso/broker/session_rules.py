"""The rules of one session: its command line's, and those people add while it runs (POL-60, POL-64)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.audit.record import AuditRecord, RecordKind
from sayso.broker.access import Access, Actor
from sayso.broker.rule_source import given_rule
from sayso.broker.world import World
from sayso.core.effect import Effect
from sayso.core.session import GivenRule, Session
from sayso.errors import LostRace, NotEligible, RuleNotFound
from sayso.policy.rule import Origin
from sayso.policy.text_rule import parse_text_rule
from sayso.requests.event import EventKind, Notice


def flag_rules(
    *, allow: Sequence[str] = (), ask: Sequence[str] = (), deny: Sequence[str] = ()
) -> tuple[GivenRule, ...]:
    """The rules of a command line; raises RuleSyntaxError, which names the flag, for one that cannot be read."""
    found: dict[GivenRule, None] = {}
    for effect, texts in ((Effect.ALLOW, allow), (Effect.ASK, ask), (Effect.DENY, deny)):
        for text in texts:
            rule = parse_text_rule(effect, text, Origin.FLAG, place=f"--{effect.word}")
            found[GivenRule(effect.word, rule.text, Origin.FLAG.value)] = None
    return tuple(found)


class SessionRules:
    """Listing, adding and removing the rules of a session; only who may configure changes them."""

    def __init__(self, world: World, access: Access) -> None:
        self._world = world
        self._access = access

    async def all(self, actor: Actor, session_id: str) -> Sequence[GivenRule]:
        """The rules of a session, oldest first; raises NotEligible."""
        return (await self._session(actor, session_id)).rules

    async def add(self, actor: Actor, session_id: str, effect: Effect, text: str) -> GivenRule:
        """Add a text rule to a session; it counts from the next call on, also in a turn that runs.

        Raises NotEligible, and RuleSyntaxError for a rule that cannot be read.
        """
        text = parse_text_rule(effect, text, Origin.SESSION).text
        given = GivenRule(effect.word, text, Origin.SESSION.value)
        given_rule(given)
        words = f"rule added to a session: {effect.word} {text}"
        await self._change(actor, session_id, words, given, add=True)
        return given

    async def remove(self, actor: Actor, session_id: str, effect: Effect, text: str) -> None:
        """Take a rule out of a session, whoever gave it; raises NotEligible and RuleNotFound."""
        text = parse_text_rule(effect, text, Origin.SESSION).text
        given = GivenRule(effect.word, text, Origin.SESSION.value)
        words = f"rule removed from a session: {effect.word} {text}"
        await self._change(actor, session_id, words, given, add=False)

    async def _change(
        self, actor: Actor, session_id: str, words: str, given: GivenRule, *, add: bool
    ) -> None:
        while True:
            session = await self._session(actor, session_id)
            others = tuple(r for r in session.rules if not _same(r, given))
            if not add and others == session.rules:
                hint = "list the session's rules"
                raise RuleNotFound(f"the session has no rule `{given.effect} {given.text}`", hint)
            rules = (*others, given) if add else others
            record, notice = self._told(actor, session, words)
            try:
                after = replace(session, rules=rules)
                await self._world.store.change_session(session, after, [record], [notice])
            except LostRace:
                continue
            self._world.feed.publish(["rules"])
            return

    async def _session(self, actor: Actor, session_id: str) -> Session:
        self._access.must_configure(actor)
        session = await self._world.store.session(session_id)
        if session is None:
            raise NotEligible("this session does not exist", "name one that was opened")
        return session

    def _told(self, actor: Actor, session: Session, words: str) -> tuple[AuditRecord, Notice]:
        now = self._world.clock.now()
        record = AuditRecord(
            RecordKind.CONFIGURATION,
            now,
            session_id=session.session_id,
            agent_id=session.agent_id,
            user_id=session.user_id,
            source=session.source,
            by=actor.person.name,
            channel=actor.channel,
            note=words,
        )
        return record, Notice(EventKind.SETTINGS_CHANGED, now)


def _same(one: GivenRule, other: GivenRule) -> bool:
    return (one.effect, one.text) == (other.effect, other.text)
