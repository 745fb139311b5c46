"""The ports of the broker: what it needs from the world, and what it offers to hosts and adapters.

Implementations live above: store/, system/, client/, channels/; tests bring their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from sayso.audit.chain import Entry
from sayso.audit.record import AuditRecord
from sayso.core.call import Owner, ToolCall
from sayso.core.effect import Effect
from sayso.core.moment import Moment
from sayso.core.observed_tool import Definitions, KnownTool, ObservedTool
from sayso.core.session import CallDraft, GivenRule, Session
from sayso.people.person import Person
from sayso.people.token import Credential
from sayso.policy.rule import Rule
from sayso.policy.ruleset import RuleSet
from sayso.requests.approval import ApprovalRequest, Status
from sayso.requests.event import Notice

# ── values that cross the ports ────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class StoredCall:
    """A call that was submitted: its digest, the effect that was said, and what replaced it, if anything."""

    call_id: str
    digest: str
    effect: str
    reason: str
    superseded_by: str | None = None


@dataclass(frozen=True, slots=True)
class NewCall:
    """Everything a submitted call writes in one transaction; `request` only if it asks."""

    call: ToolCall
    digest: str
    effect: str
    reason: str
    request: ApprovalRequest | None
    records: tuple[AuditRecord, ...]
    notices: tuple[Notice, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """One conditional write: it happens whole if the stored version is `expected_version`, else not at all.

    `reviewer` is the credential a review came with: the same transaction checks that it exists, is
    of a deciding kind and is neither revoked nor expired at `at` (REQ-64). `follow_up` is the call
    that asks again, written in the same transaction. With `approves_definition` a person has approved
    the call under its tool's definition, which counts as approved from then on (POL-46).
    """

    request: ApprovalRequest
    expected_version: int
    at: Moment
    records: tuple[AuditRecord, ...] = ()
    notices: tuple[Notice, ...] = ()
    reviewer: Credential | None = None
    follow_up: NewCall | None = None
    approves_definition: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """A permission group of the rule table."""

    group_id: str
    name: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """Which audit entries are wanted: newest first, before a number, filtered; None means all."""

    limit: int = 100
    before: int | None = None
    tool: str | None = None
    by: str | None = None
    reason: str | None = None
    call_id: str | None = None
    since: Moment | None = None
    until: Moment | None = None


# ── what the broker needs ──────────────────────────────────────────────────────────────────────


Records: TypeAlias = Sequence[AuditRecord]
Notices: TypeAlias = Sequence[Notice]


class Store(Protocol):
    """Durable state. Every method is one transaction; each raises StoreUnavailable if it cannot be done.

    A method that returned has been made durable; a method that raised changed nothing.
    """

    async def submit(self, new: NewCall) -> StoredCall | None:
        """Write a new call; if its owner used its external id before, write nothing and return that call."""

    async def record(self, records: Records, notices: Notices = ()) -> None:
        """Append audit records and events that belong to no other write."""

    async def apply(self, change: Change) -> None:
        """Write a change of a request.

        Raises LostRace if the stored version is another, NotEligible if `reviewer` may not review.
        """

    async def request(self, request_id: str) -> ApprovalRequest | None:
        """The request with that id."""

    async def call(self, call_id: str) -> tuple[StoredCall, ToolCall] | None:
        """The submitted call with that id."""

    async def by_external_id(self, owner: Owner, external_id: str) -> StoredCall | None:
        """The call that an owner submitted under that external id."""

    async def open_twins(self, owner: Owner, digest: str) -> Sequence[ApprovalRequest]:
        """The requests of that owner for exactly that digest that are pending, approved or running, oldest first."""

    async def last_rejection(
        self, owner: Owner, digest: str, since: Moment
    ) -> ApprovalRequest | None:
        """The newest rejected request for that digest, resolved since the moment and not lifted."""

    async def lift_sticky(self, request_id: str, records: Records = ()) -> None:
        """Make a rejection stick no longer."""

    async def pending(self) -> Sequence[ApprovalRequest]:
        """Every request that is pending or whose outcome is unknown, oldest first."""

    async def recent(self, limit: int) -> Sequence[ApprovalRequest]:
        """The requests that were resolved last, newest first."""

    async def of_session(self, session_id: str) -> Sequence[ApprovalRequest]:
        """The open (pending, approved, running) requests of a session."""

    async def due(
        self, now: Moment, caller_before: Moment, approved_before: Moment
    ) -> Sequence[ApprovalRequest]:
        """The open requests that time concerns: expired, approved too long ago, lease over, caller unseen."""

    async def touch(self, request_ids: Sequence[str], now: Moment) -> None:
        """Note that the callers of these requests still wait; changes no version."""

    async def notices(self, after: int, limit: int) -> Sequence[Notice]:
        """The events after a number, in order."""

    async def last_notice(self) -> int:
        """The number of the newest event; 0 if there is none."""

    async def oldest_notice(self) -> int:
        """The number of the oldest event that is kept; 0 if there is none."""

    async def open_session(self, session: Session) -> None:
        """Store a new session."""

    async def session(self, session_id: str) -> Session | None:
        """The session with that id."""

    async def change_session(
        self, before: Session, after: Session, records: Records, notices: Notices
    ) -> None:
        """Replace what a session says of itself; raises LostRace if it is not what it was before."""

    async def stop_session(self, session_id: str, now: Moment, records: Records = ()) -> None:
        """Mark a session as stopped."""

    async def stopped_sessions(self) -> Sequence[str]:
        """The ids of stopped sessions in which something is still pending or approved."""

    async def rules(self) -> tuple[int, Sequence[Rule]]:
        """The rule table with its version, which grows with every change."""

    async def rules_version(self) -> int:
        """The version of the rule table alone; cheap, read at each call."""

    async def put_rule(self, rule: Rule, records: Records, notices: Notices) -> None:
        """Add or replace a row of the rule table; raises RuleRefused for a second catch-all (POL-42)."""

    async def delete_rule(self, rule_id: str, records: Records, notices: Notices) -> bool:
        """Delete a row; a seed deleted so never comes back. Returns whether it was there."""

    async def seed_rules(self, seeds: Sequence[Rule]) -> None:
        """Add the seeds that are missing; see policy/defaults.py."""

    async def groups(self) -> Sequence[Group]:
        """The permission groups; `default` is always among them."""

    async def people(self) -> Mapping[str, Person]:
        """The people, by id."""

    async def put_credential(self, credential: Credential, records: Records) -> None:
        """Store a new credential."""

    async def credential(self, secret_hash: str) -> Credential | None:
        """The credential whose secret has that hash."""

    async def credentials(self) -> Sequence[Credential]:
        """All credentials, newest first."""

    async def revoke_credential(self, credential_id: str, now: Moment, records: Records) -> bool:
        """Revoke a credential; returns whether it was live."""

    async def revoke_all(self, now: Moment, records: Records) -> int:
        """Revoke every credential; returns how many were live."""

    async def passphrase_hash(self) -> str | None:
        """The Argon2 hash of the owner's passphrase; None if none was chosen."""

    async def set_passphrase_hash(self, value: str, records: Records) -> None:
        """Store the hash of a new passphrase."""

    async def observe_tools(self, tools: Sequence[ObservedTool], now: Moment) -> None:
        """Remember tools the first time they are offered and when they change.

        The first definition of a server's tool counts as approved.
        """

    async def known_tools(self) -> Sequence[KnownTool]:
        """Every tool that was ever offered, by server and name."""

    async def definitions(self) -> Sequence[Definitions]:
        """The definitions of every server's tool; a change of them changes the version of the rules."""

    async def audit_page(self, page: Page) -> Sequence[Entry]:
        """Audit entries, newest first."""

    async def audit_chain(self, after: int, limit: int) -> Sequence[Entry]:
        """Audit entries in order, after a number, for verification and export."""


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

    async def announce(self, request: ApprovalRequest) -> None:
        """Show a new request to people."""

    async def update(self, request: ApprovalRequest) -> None:
        """Show that a request has changed."""


# ── what the broker offers ─────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Standing:
    """How a call stands, for the side that made it.

    `effect` and `reason` are the gate's verdict; `status` is the request's (None if no person was
    needed); `message` is for the agent. `call_id` may be another one than was asked about, where a
    superseded call was asked again. `code` is the four-word code of the digest. `verdict` is the
    verdict in full, as plain data.
    """

    call_id: str
    digest: str
    code: str
    effect: str
    reason: str
    message: str
    status: str | None = None
    by: str | None = None
    comment: str | None = None
    summary: str | None = None
    verdict: Mapping[str, Any] | None = None

    @property
    def allowed(self) -> bool:
        """Whether policy alone allows it: it runs without a claim."""
        return self.status is None and self.effect == Effect.ALLOW.word

    @property
    def goes_on(self) -> bool:
        """Whether the next word on it is still to come: it waits for people, or runs."""
        return self.status in (Status.PENDING, Status.RUNNING)


@dataclass(frozen=True, slots=True)
class Claim:
    """The single-use right to run a call; `lease_seconds` is how long it lasts unless renewed."""

    call_id: str
    token: str
    lease_seconds: float


class GatePort(Protocol):
    """The gate as one session sees it; the embedded and the remote one are the same (GATE-2)."""

    async def decide(self, draft: CallDraft) -> Standing:
        """The verdict, with grants, asking nobody."""

    async def submit(self, draft: CallDraft) -> Standing:
        """The verdict; where it asks, the durable request that people now see (or the one it joins)."""

    async def wait(self, call_id: str, timeout: float) -> Standing:
        """How the call stands once a person decided, or after so many seconds; keeps the caller present."""

    async def leave(self, call_id: str) -> None:
        """Say that nobody waits for the call any more; the request stays."""

    async def claim(self, call_id: str, digest: str) -> Claim | Standing:
        """Take the right to run the approved call; a Standing says why it was not given."""

    async def renew(self, claim: Claim) -> None:
        """Say that the call still runs; raises ClaimLost if the claim is no longer this runner's."""

    async def finish(
        self, call_id: str, token: str | None, ok: bool, summary: str, seconds: float | None
    ) -> None:
        """Record what came of the run; `token` is the claim's, None for a call that policy allowed."""

    async def see_tools(self, tools: Sequence[ObservedTool]) -> Sequence[ObservedTool]:
        """The tools that may be shown to the model, of those offered (POL-50)."""

    async def stop(self) -> None:
        """Stop the session: everything that waits is cancelled."""
