"""A small world for the broker: a clock, ids, rules, channels and people that do as they are told."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sayso.broker.access import Actor
from sayso.broker.broker import Broker
from sayso.broker.ports import Store
from sayso.broker.rule_source import given_rules
from sayso.broker.session_gate import SessionGate
from sayso.broker.world import World
from sayso.core.approval_policy import ApprovalPolicy
from sayso.core.effect import Effect
from sayso.core.freeze import Freeze
from sayso.core.ids import make_id
from sayso.core.in_force import InForce
from sayso.core.moment import Moment, plus
from sayso.core.observed_tool import Definitions
from sayso.core.session import CallDraft, GivenRule, Session
from sayso.people.person import OWNER, Person
from sayso.people.token import Credential, CredentialKind, hash_token, write_token
from sayso.policy.descriptors import Descriptors
from sayso.policy.facts import NOTHING_KNOWN, Facts
from sayso.policy.rule import Origin, Rule
from sayso.policy.ruleset import RuleSet, compile_ruleset
from sayso.questions.question import Question
from sayso.requests.approval import ApprovalRequest
from sayso.requests.precondition import NO_FILES, Files
from sayso.store.memory import MemoryStore

START = Moment(1_800_000_000_000_000)
"""When every world begins."""


def at(seconds: float) -> Moment:
    """The moment so many seconds after the beginning."""
    return plus(START, seconds)


class FakeClock:
    """The time of the running loop, counted from START; in a VirtualLoop it is made up."""

    def __init__(self) -> None:
        self._began = asyncio.get_running_loop().time()

    def now(self) -> Moment:
        return at(asyncio.get_running_loop().time() - self._began)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def jump(self, seconds: float) -> None:
        """Be so much later at once: for a loop whose time is real, where nobody wants to wait."""
        self._began -= seconds


class FakeIds:
    """Ids and secrets from a seed, the same in every run."""

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)

    def new_id(self, now: Moment) -> str:
        return make_id(now, self._random.randbytes(16))

    def secret(self) -> bytes:
        return self._random.randbytes(32)


class FakeNotifier:
    """Channels that remember what they were told; `fails` is what they raise, if anything."""

    def __init__(self) -> None:
        self.can_ask = True
        self.fails: Exception | None = None
        self.unreachable: set[str] = set()
        self.announced: list[ApprovalRequest] = []
        self.asked: list[list[str]] = []
        self.reminded: list[tuple[str, list[str]]] = []
        self.updated: list[ApprovalRequest] = []
        self.questions: list[tuple[str, list[str]]] = []
        self.question_states: list[tuple[str, str]] = []

    def ways(self, person: Person) -> tuple[str, ...]:
        return () if person.person_id in self.unreachable else ("test",)

    async def remind(self, request: ApprovalRequest, asked: Collection[Person]) -> None:
        self.reminded.append((request.request_id, [person.person_id for person in asked]))

    async def announce(self, request: ApprovalRequest, asked: Collection[Person] = ()) -> None:
        self.announced.append(request)
        self.asked.append([person.person_id for person in asked])
        if self.fails is not None:
            raise self.fails

    async def update(self, request: ApprovalRequest) -> None:
        self.updated.append(request)
        if self.fails is not None:
            raise self.fails

    async def announce_question(self, question: Question, asked: Collection[Person] = ()) -> None:
        self.questions.append((question.question_id, [person.person_id for person in asked]))
        if self.fails is not None:
            raise self.fails

    async def update_question(self, question: Question) -> None:
        self.question_states.append((question.question_id, question.status.value))
        if self.fails is not None:
            raise self.fails


def rule(
    effect: Effect | str,
    tool: str = "*",
    *,
    must_ask: bool = False,
    approval: ApprovalPolicy | None = None,
    justification: str = "",
) -> Rule:
    """A rule of the user's settings for a tool's name."""
    effect = effect if isinstance(effect, Effect) else Effect.parse(effect)
    return Rule(
        id=f"global:{effect.word}:tool({tool})",
        effect=effect,
        origin=Origin.GLOBAL,
        kind="tool",
        tool_pattern=tool,
        must_ask=must_ask,
        approval=approval,
        justification=justification,
    )


def compiled(
    rules: Sequence[Rule],
    unavailable: str | None = None,
    definitions: Sequence[Definitions] = (),
    freezes: Sequence[Freeze] = (),
) -> RuleSet:
    """Rules made ready for judging."""
    return compile_ruleset(
        rules,
        (),
        Descriptors(),
        facts=NOTHING_KNOWN,
        unavailable=unavailable,
        definitions=definitions,
        in_force=InForce(freezes=tuple(freezes)),
    )


class FakeRules:
    """Rules that a test changes at will; `unavailable` is why they cannot be loaded.

    What is frozen is read in the `store`, where there is one.
    """

    def __init__(self, *rules: Rule, store: Any = None) -> None:
        self.edited = 0
        self._store = store
        self.say(*rules)

    def say(
        self,
        *rules: Rule,
        unavailable: str | None = None,
        definitions: Sequence[Definitions] = (),
    ) -> None:
        """From now on these are the rules, and what servers' tools say they do."""
        self.rules = rules
        self.definitions = definitions
        self.unavailable = unavailable
        self.edited += 1
        self._compiled = compiled(rules, unavailable, definitions)

    async def current(
        self, workspace: str | None = None, given: Sequence[GivenRule] = ()
    ) -> RuleSet:
        freezes = () if self._store is None else await self._store.freezes()
        if not given and not freezes:
            return self._compiled
        rules = (*self.rules, *given_rules(given))
        return compiled(rules, self.unavailable, self.definitions, freezes)

    def edition(self) -> int:
        return self.edited

    def problems(self) -> tuple[str, ...]:
        return () if self.unavailable is None else (self.unavailable,)


class Folk(dict[str, Person]):
    """People besides the owner; whoever is put here or taken away is so in the store at once."""

    def __init__(self, inner: Any, people: Mapping[str, Person]) -> None:
        super().__init__(people)
        self._inner = inner
        if people:
            self._keep({}, people)

    def __setitem__(self, name: str, person: Person) -> None:
        super().__setitem__(name, person)
        self._keep({}, {name: person})

    def pop(self, name: str, *default: Any) -> Any:
        self._keep({name: None}, {})
        return super().pop(name, *default)

    def _keep(self, gone: Mapping[str, None], new: Mapping[str, Person]) -> None:
        there = self._inner._directory
        kept = {name: person for name, person in there.people.items() if name not in gone}
        version = there.version + 1
        self._inner._directory = replace(there, people={**kept, **new}, version=version)


class PeopledStore:
    """An in-memory store whose people a test sets at will; everything else goes through."""

    def __init__(self, inner: Any, people: Mapping[str, Person]) -> None:
        self.inner = inner
        self.folk = Folk(inner, people)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


@dataclass
class FakeFiles:
    """Files that hold what a test says; all others are not there."""

    held: dict[str, str] = field(default_factory=dict)

    def fingerprint(self, path: str) -> str:
        return self.held.get(path, "absent")


@dataclass
class Scene:
    """A broker with its world, in which a test can be any of the people and any agent."""

    broker: Broker
    store: Any
    clock: FakeClock
    ids: FakeIds
    rules: FakeRules
    notifier: FakeNotifier
    runs: list[Mapping[str, Any]] = field(default_factory=list)

    @property
    def world(self) -> World:
        return self.broker.world

    async def actor(
        self,
        kind: CredentialKind = CredentialKind.SESSION,
        person_id: str = OWNER,
        agent_id: str | None = None,
        lifetime: float | None = None,
    ) -> Actor:
        """Somebody with a fresh credential."""
        return await make_actor(
            self.store, self.ids, self.clock.now(), kind, person_id, agent_id, lifetime
        )

    async def agent(self, agent_id: str = "coder") -> Actor:
        """An agent with a fresh token."""
        return await self.actor(CredentialKind.AGENT, agent_id=agent_id)

    async def session(self, agent_id: str = "coder", **more: Any) -> Session:
        """A new session of an agent."""
        return await self.broker.open_session(await self.agent(agent_id), **more)

    async def gate(self, agent_id: str = "coder") -> SessionGate:
        """The gate of a new session."""
        return self.broker.gate((await self.session(agent_id)).session_id)

    async def request(self, request_id: str) -> ApprovalRequest:
        """The request as it is stored."""
        found = await self.store.request(request_id)
        assert found is not None, "there is no such request"
        return found  # type: ignore[no-any-return]

    async def audit(self) -> list[dict[str, Any]]:
        """The bodies of the audit log, in order."""
        return await audit_bodies(self.store)

    async def execute(self, arguments: Mapping[str, Any]) -> str:
        """The tool: it notes that it ran, and with what."""
        self.runs.append(arguments)
        return "sent"

    def another_broker(self) -> Broker:
        """A second broker on the same store, as another process has it."""
        return Broker(self.world)


async def make_actor(
    store: Store,
    ids: FakeIds,
    now: Moment,
    kind: CredentialKind,
    person_id: str = OWNER,
    agent_id: str | None = None,
    lifetime: float | None = None,
) -> Actor:
    """Store a fresh credential of that kind and act with it."""
    credential = Credential(
        credential_id=ids.new_id(now),
        kind=kind,
        person_id=person_id,
        secret_hash=hash_token(write_token(kind, ids.secret())),
        created_at=now,
        expires_at=None if lifetime is None else plus(now, lifetime),
        agent_id=agent_id,
    )
    await store.put_credential(credential, [])
    return Actor((await store.directory()).people[person_id], credential, "test")


def make_scene(
    *rules: Rule,
    people: Sequence[Person] = (),
    store: Any = None,
    seed: int = 0,
    facts: Facts = NOTHING_KNOWN,
    files: Files = NO_FILES,
) -> Scene:
    """A broker on a store of its own; it is not started, so nothing happens by itself."""
    inner = MemoryStore() if store is None else store
    peopled = PeopledStore(inner, {person.person_id: person for person in people})
    clock, ids, notifier = FakeClock(), FakeIds(seed), FakeNotifier()
    source = FakeRules(*rules, store=inner)
    world = World(peopled, inner.feed, clock, ids, source, facts, notifier, files)
    return Scene(Broker(world), peopled, clock, ids, source, notifier)


def draft(tool: str = "send_mail", **changes: Any) -> CallDraft:
    """A call as an agent's side puts it."""
    return replace(CallDraft(tool, {"to": "alice@example.com"}), **changes)


async def audit_bodies(store: Any) -> list[dict[str, Any]]:
    """The bodies of the audit log, in order."""
    return [json.loads(entry.body) for entry in await store.audit_chain(0, 1_000_000)]
