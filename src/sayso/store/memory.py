"""The in-memory store, for tests of programs that use sayso: all promises but durability, in short."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from sayso.audit.chain import GENESIS, Entry, body_of, link
from sayso.audit.record import AuditRecord
from sayso.broker.ports import Change, Group, NewCall, Notices, Page, Records, StoredCall
from sayso.core.call import Owner, ToolCall
from sayso.core.moment import Moment
from sayso.core.observed_tool import Definitions, KnownTool, ObservedTool
from sayso.core.session import Session
from sayso.errors import StoreError
from sayso.people.person import OWNER, Person, owner
from sayso.people.token import Credential
from sayso.policy.defaults import check_catch_all, missing_seeds, pattern_key
from sayso.policy.rule import Rule
from sayso.requests.approval import ApprovalRequest, Status
from sayso.requests.event import Notice
from sayso.requests.lifecycle import OPEN
from sayso.store.feed import LocalFeed
from sayso.store.guard import (
    KEEP_NOTICES,
    THE_GROUP,
    WAITING_FOR_PEOPLE,
    change_session,
    check_next,
    check_reviewer,
    check_reviews,
    is_due,
    lost_race,
    on_page,
    resolution_order,
    resolved_at,
)
from sayso.store.memory_tools import KnownTools


class MemoryStore:
    """A store that lives as long as its object; methods are atomic across threads and loops.

    `feed` wakes whoever waits in this process.
    """

    def __init__(self) -> None:
        self.feed = LocalFeed()
        self._lock = threading.RLock()
        self._calls: dict[str, tuple[StoredCall, ToolCall]] = {}
        self._external: dict[tuple[Owner, str], str] = {}
        self._requests: dict[str, ApprovalRequest] = {}
        self._notices: list[Notice] = []
        self._last_notice = 0
        self._audit: list[tuple[AuditRecord, Entry]] = []
        self._sessions: dict[str, Session] = {}
        self._rules: dict[str, Rule] = {}
        self._rules_version = 0
        self._seed_keys: dict[str, str] = {}
        self._deleted_seeds: set[str] = set()
        self._people: dict[str, Person] = {OWNER: owner()}
        self._credentials: dict[str, Credential] = {}
        self._passphrase: str | None = None
        self._tools = KnownTools()

    def close(self) -> None:
        """Nothing is kept: there is nothing to close."""

    # ── calls and requests ─────────────────────────────────────────────────────────────────────

    async def submit(self, new: NewCall) -> StoredCall | None:
        """Write a new call, or return the one that has its owner and external id."""
        call = new.call
        with self._lock:
            if call.external_id is not None:
                known = self._external.get((call.owner, call.external_id))
                if known is not None:
                    return self._calls[known][0]
            self._check_new(new)
            self._add(new)
            if call.external_id is not None:
                self._external[call.owner, call.external_id] = call.call_id
        return None

    async def record(self, records: Records, notices: Notices = ()) -> None:
        """Append audit records and events that belong to no other write."""
        with self._lock:
            self._append(records, notices)

    async def apply(self, change: Change) -> None:
        """Write a change of a request, whole or not at all."""
        check_next(change)
        new = change.request
        with self._lock:
            old = self._requests.get(new.request_id)
            stored = None
            if change.reviewer is not None:
                stored = self._credentials.get(change.reviewer.credential_id)
                check_reviewer(stored, change.at)
            if old is None or old.version != change.expected_version:
                raise lost_race(new.request_id)
            check_reviews(new, len(old.reviews), stored)
            if change.follow_up is not None:
                self._check_new(change.follow_up)
            self._requests[new.request_id] = replace(
                new,
                caller_seen=max(new.caller_seen, old.caller_seen),
                sticky_lifted=old.sticky_lifted,
            )
            self._append(change.records, change.notices)
            self._rules_version += change.approves_definition and self._tools.approve(new.call)
            if change.follow_up is not None:
                self._add(change.follow_up)
                stored_call, call = self._calls[new.request_id]
                self._calls[new.request_id] = (
                    replace(stored_call, superseded_by=change.follow_up.call.call_id),
                    call,
                )

    async def request(self, request_id: str) -> ApprovalRequest | None:
        """The request with that id."""
        return self._requests.get(request_id)

    async def call(self, call_id: str) -> tuple[StoredCall, ToolCall] | None:
        """The submitted call with that id."""
        return self._calls.get(call_id)

    async def by_external_id(self, owner: Owner, external_id: str) -> StoredCall | None:
        """The call that an owner submitted under that external id."""
        with self._lock:
            call_id = self._external.get((owner, external_id))
            return None if call_id is None else self._calls[call_id][0]

    async def open_twins(self, owner: Owner, digest: str) -> Sequence[ApprovalRequest]:
        """The open requests of that owner for exactly that digest, oldest first."""
        return self._find(
            lambda r: r.status in OPEN and r.digest == digest and r.call.owner == owner
        )

    async def last_rejection(
        self, owner: Owner, digest: str, since: Moment
    ) -> ApprovalRequest | None:
        """The newest rejected request for that digest, resolved since the moment and not lifted."""
        found = self._find(
            lambda r: (
                r.status is Status.REJECTED
                and r.digest == digest
                and r.call.owner == owner
                and not r.sticky_lifted
                and resolved_at(r) >= since
            )
        )
        return max(found, key=resolution_order, default=None)

    async def lift_sticky(self, request_id: str, records: Records = ()) -> None:
        """Make a rejection stick no longer."""
        with self._lock:
            self._append(records, ())
            old = self._requests.get(request_id)
            if old is not None:
                self._requests[request_id] = replace(old, sticky_lifted=True)

    async def pending(self) -> Sequence[ApprovalRequest]:
        """Every request that is pending or whose outcome is unknown, oldest first."""
        return self._find(lambda r: r.status in WAITING_FOR_PEOPLE)

    async def recent(self, limit: int) -> Sequence[ApprovalRequest]:
        """The requests that were resolved last, newest first."""
        found = self._find(
            lambda r: r.resolution is not None and r.status not in WAITING_FOR_PEOPLE
        )
        return sorted(found, key=resolution_order, reverse=True)[:limit]

    async def of_session(self, session_id: str) -> Sequence[ApprovalRequest]:
        """The open requests of a session, oldest first."""
        return self._find(lambda r: r.status in OPEN and r.call.session_id == session_id)

    async def due(
        self, now: Moment, caller_before: Moment, approved_before: Moment
    ) -> Sequence[ApprovalRequest]:
        """The open requests that time concerns."""
        return self._find(lambda r: is_due(r, now, caller_before, approved_before))

    async def touch(self, request_ids: Sequence[str], now: Moment) -> None:
        """Note that the callers of these requests still wait."""
        with self._lock:
            for request_id in request_ids:
                old = self._requests.get(request_id)
                if old is not None and old.caller_seen < now:
                    self._requests[request_id] = replace(old, caller_seen=now)

    # ── events ─────────────────────────────────────────────────────────────────────────────────

    async def notices(self, after: int, limit: int) -> Sequence[Notice]:
        """The events after a number, in order."""
        with self._lock:
            first = self._notices[0].event_id if self._notices else 1
            start = max(0, after + 1 - first)
            return self._notices[start : start + limit]

    async def last_notice(self) -> int:
        """The number of the newest event; 0 if there is none."""
        return self._last_notice

    async def oldest_notice(self) -> int:
        """The number of the oldest event that is kept; 0 if there is none."""
        with self._lock:
            return self._notices[0].event_id if self._notices else 0

    # ── sessions, rules, people ────────────────────────────────────────────────────────────────

    async def open_session(self, session: Session) -> None:
        """Store a new session."""
        with self._lock:
            if session.session_id in self._sessions:
                raise StoreError(f"the session `{session.session_id}` exists already")
            self._sessions[session.session_id] = session

    async def session(self, session_id: str) -> Session | None:
        """The session with that id."""
        return self._sessions.get(session_id)

    async def change_session(
        self, before: Session, after: Session, records: Records, notices: Notices
    ) -> None:
        """Replace what a session says of itself, if it is what it was before."""
        with self._lock:
            name = before.session_id
            self._sessions[name] = change_session(self._sessions.get(name), before, after)
            self._append(records, notices)

    async def stop_session(self, session_id: str, now: Moment, records: Records = ()) -> None:
        """Mark a session as stopped; a stopped one stays as it is."""
        with self._lock:
            self._append(records, ())
            if (old := self._sessions.get(session_id)) is not None and old.stopped_at is None:
                self._sessions[session_id] = replace(old, stopped_at=now)

    async def stopped_sessions(self) -> Sequence[str]:
        """The ids of stopped sessions in which something is still pending or approved."""
        found = self._find(lambda r: r.status in (Status.PENDING, Status.APPROVED))
        sessions = [self._sessions.get(name) for name in {r.call.session_id for r in found}]
        return sorted(s.session_id for s in sessions if s is not None and s.stopped_at is not None)

    async def rules(self) -> tuple[int, Sequence[Rule]]:
        """The rule table with its version."""
        with self._lock:
            return self._rules_version, list(self._rules.values())

    async def rules_version(self) -> int:
        """The version of the rule table alone."""
        return self._rules_version

    async def put_rule(self, rule: Rule, records: Records, notices: Notices) -> None:
        """Add or replace a row of the rule table."""
        with self._lock:
            check_catch_all(self._rules.values(), rule)
            self._rules[rule.id] = rule
            self._rules_version += 1
            self._append(records, notices)

    async def delete_rule(self, rule_id: str, records: Records, notices: Notices) -> bool:
        """Delete a row; a seed deleted so never comes back."""
        with self._lock:
            if self._rules.pop(rule_id, None) is None:
                return False
            if (seed_key := self._seed_keys.pop(rule_id, None)) is not None:
                self._deleted_seeds.add(seed_key)
            self._rules_version += 1
            self._append(records, notices)
            return True

    async def seed_rules(self, seeds: Sequence[Rule]) -> None:
        """Add the seeds that are missing."""
        with self._lock:
            known = self._deleted_seeds.union(self._seed_keys.values())
            missing = missing_seeds(seeds, self._rules.values(), known)
            self._rules.update((seed.id, seed) for seed in missing)
            self._seed_keys.update((seed.id, pattern_key(seed)) for seed in missing)
            self._rules_version += bool(missing)

    async def groups(self) -> Sequence[Group]:
        """The permission groups."""
        return [THE_GROUP]

    async def people(self) -> Mapping[str, Person]:
        """The people, by id."""
        return dict(self._people)

    async def put_credential(self, credential: Credential, records: Records) -> None:
        """Store a new credential."""
        with self._lock:
            for known in self._credentials.values():
                if (
                    known.credential_id == credential.credential_id
                    or known.secret_hash == credential.secret_hash
                ):
                    raise StoreError(f"the credential `{known.credential_id}` exists already")
            self._credentials[credential.credential_id] = credential
            self._append(records, ())

    async def credential(self, secret_hash: str) -> Credential | None:
        """The credential whose secret has that hash."""
        with self._lock:
            found = (c for c in self._credentials.values() if c.secret_hash == secret_hash)
            return next(found, None)

    async def credentials(self) -> Sequence[Credential]:
        """All credentials, newest first."""
        with self._lock:
            found = list(self._credentials.values())
        return sorted(found, key=lambda c: (c.created_at, c.credential_id), reverse=True)

    async def revoke_credential(self, credential_id: str, now: Moment, records: Records) -> bool:
        """Revoke a credential; returns whether it was live."""
        with self._lock:
            old = self._credentials.get(credential_id)
            if old is None or old.revoked_at is not None:
                return False
            self._credentials[credential_id] = replace(old, revoked_at=now)
            self._append(records, ())
            return old.live(now)

    async def revoke_all(self, now: Moment, records: Records) -> int:
        """Revoke every credential; returns how many were live."""
        with self._lock:
            live = [c for c in self._credentials.values() if c.live(now)]
            for old in list(self._credentials.values()):
                if old.revoked_at is None:
                    self._credentials[old.credential_id] = replace(old, revoked_at=now)
            self._append(records, ())
            return len(live)

    async def passphrase_hash(self) -> str | None:
        """The hash of the owner's passphrase; None if none was chosen."""
        return self._passphrase

    async def set_passphrase_hash(self, value: str, records: Records) -> None:
        """Store the hash of a new passphrase."""
        with self._lock:
            self._passphrase = value
            self._append(records, ())

    async def observe_tools(self, tools: Sequence[ObservedTool], now: Moment) -> None:
        """Remember tools the first time they are offered and when they change."""
        with self._lock:
            self._rules_version += self._tools.observe(tools, now)

    async def known_tools(self) -> Sequence[KnownTool]:
        """Every tool that was ever offered, by server and name."""
        with self._lock:
            return self._tools.all()

    async def definitions(self) -> Sequence[Definitions]:
        """The definitions of every server's tool."""
        with self._lock:
            return self._tools.definitions()

    # ── audit ──────────────────────────────────────────────────────────────────────────────────

    async def audit_page(self, page: Page) -> Sequence[Entry]:
        """Audit entries, newest first; `since` is included, `until` is not."""
        with self._lock:
            newest_first = reversed(self._audit)
            return [e for record, e in newest_first if on_page(record, e, page)][: page.limit]

    async def audit_chain(self, after: int, limit: int) -> Sequence[Entry]:
        """Audit entries in order, after a number."""
        with self._lock:
            return [entry for _, entry in self._audit[after : after + limit]]

    # ── inside the lock ────────────────────────────────────────────────────────────────────────

    def _find(self, wanted: Callable[[ApprovalRequest], bool]) -> list[ApprovalRequest]:
        with self._lock:
            found = [request for request in self._requests.values() if wanted(request)]
        return sorted(found, key=lambda r: (r.created_at, r.request_id))

    def _check_new(self, new: NewCall) -> None:
        if new.call.call_id in self._calls:
            raise StoreError(f"the call `{new.call.call_id}` exists already")

    def _add(self, new: NewCall) -> None:
        call = new.call
        stored = StoredCall(call.call_id, new.digest, new.effect, new.reason)
        self._calls[call.call_id] = (stored, call)
        if new.request is not None:
            self._requests[call.call_id] = new.request
        self._append(new.records, new.notices)

    def _append(self, records: Iterable[AuditRecord], notices: Iterable[Notice]) -> None:
        for record in records:
            previous = self._audit[-1][1].hash if self._audit else GENESIS
            self._audit.append((record, link(len(self._audit) + 1, body_of(record), previous)))
        for notice in notices:
            self._last_notice += 1
            self._notices.append(replace(notice, event_id=self._last_notice))
        if len(self._notices) > KEEP_NOTICES + 1000:
            del self._notices[:-KEEP_NOTICES]
