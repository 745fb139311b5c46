"""Who acts: authenticating credentials, logging in with the passphrase, making and revoking tokens (REQ-62)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import orjson
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from sayso.audit.record import AuditRecord, RecordKind
from sayso.broker.ports import Clock, Ids, Page, Store
from sayso.core.moment import plus
from sayso.errors import (
    CallInvalid,
    NotAuthenticated,
    NotEligible,
    PassphraseMissing,
    PassphraseWrong,
    PeopleRefused,
    RateLimited,
)
from sayso.people.eligibility import may_configure
from sayso.people.names import canonical_identity, canonical_name
from sayso.people.person import OWNER, Person
from sayso.people.token import Credential, CredentialKind, hash_token, write_token

LOGIN_SECONDS = 12 * 3600.0
"""How long a login lasts."""

TRIES = 5
TRIES_SECONDS = 60.0
"""So many wrong passphrases in so many seconds over one channel, and no more are tried there for a while.

Counted a channel, so that whoever can only reach the page cannot lock the terminal too.
"""

ACT_SECONDS = 120.0
"""How long what somebody does over a channel may take at most."""

ENROLMENT = "sayso_enrol_"
ENROLMENT_SECONDS = 3 * 86_400.0
"""How long a code with which somebody chooses a passphrase counts."""

MIN_PASSPHRASE = 8
WRONG = "passphrase-wrong"

_WRONG_WORDS = "the passphrase does not fit"

_HASHER = PasswordHasher()


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts, proven by a credential, and over which channel."""

    person: Person
    credential: Credential
    channel: str

    @property
    def kind(self) -> CredentialKind:
        """The kind of the credential."""
        return self.credential.kind


class Access:
    """The door: the only way from a secret to an Actor."""

    def __init__(self, store: Store, clock: Clock, ids: Ids) -> None:
        self._store = store
        self._clock = clock
        self._ids = ids
        self._trying = asyncio.Lock()

    async def authenticate(self, token: str, channel: str) -> Actor:
        """The actor a token stands for; raises NotAuthenticated if it is unknown, expired or revoked."""
        credential = await self._store.credential(hash_token(token))
        person = None
        if credential is not None and credential.live(self._clock.now()):
            person = (await self._store.directory()).somebody(credential.person_id)
        if credential is None or person is None:
            raise NotAuthenticated(
                "the credential is unknown, expired or revoked", "log in again or make a new token"
            )
        return Actor(person, credential, channel)

    async def recognise(
        self, identity: str, channel: str, lifetime: float = ACT_SECONDS
    ) -> tuple[str, Actor]:
        """Who acts over a channel that has proven an identity: a short credential that decides.

        The identity is what the channel itself says of a sender, never a field that they fill in
        (REQ-65). Raises NotAuthenticated where it is nobody's.
        """
        try:
            person = (await self._store.directory()).known_as(canonical_identity(identity))
        except PeopleRefused:
            person = None
        if person is None:
            raise NotAuthenticated(
                f"`{identity[:64]}` is nobody's identity", "add it: sayso people change NAME"
            )
        token, credential = await self._make(
            CredentialKind.APPROVER, person.person_id, name=channel, lifetime=lifetime
        )
        actor = Actor(person, credential, channel)
        await self._store.put_credential(credential, [self._record(actor, "recognised")])
        return token, actor

    async def several_people(self) -> bool:
        """Whether there are people besides the owner, so that a login has to say whose it is."""
        people = (await self._store.directory()).people
        return sum(person.counts for person in people.values()) > 1

    async def login(
        self,
        passphrase: str,
        channel: str,
        lifetime: float = LOGIN_SECONDS,
        name: str | None = None,
    ) -> tuple[str, Actor]:
        """Log somebody in, the owner unless named: a session's token for `lifetime` seconds, and the actor.

        Raises PassphraseMissing, PassphraseWrong (also where nobody is called so), and RateLimited
        after too many wrong tries.
        """
        person_id = await self.check(passphrase, channel, name)
        token, credential = await self._make(
            CredentialKind.SESSION, person_id, name=channel, lifetime=lifetime
        )
        person = (await self._store.directory()).somebody(person_id)
        if person is None:  # disabled or removed a moment ago
            raise PassphraseWrong(_WRONG_WORDS, "try again")
        actor = Actor(person, credential, channel)
        await self._store.put_credential(credential, [self._record(actor, "login")])
        return token, actor

    async def check(self, passphrase: str, channel: str, name: str | None = None) -> str:
        """Check somebody's passphrase, the owner's unless named; whose it is.

        Wrong tries are counted over all processes and audited; a name that is nobody's is one.
        """
        if await self._store.passphrase_hash() is None:
            raise PassphraseMissing(
                "no passphrase has been chosen yet",
                "choose one on a terminal: sayso passphrase set",
            )
        person_id, stored = await self._stored(name)
        async with self._trying:
            await self._slow_down(channel)
            fits = await asyncio.to_thread(_fits, stored, passphrase)
            if fits and stored is not None and person_id is not None:
                return person_id
            wrong = AuditRecord(
                RecordKind.ACCESS,
                self._clock.now(),
                user_id=person_id or "",
                reason=WRONG,
                channel=channel,
            )
            await self._store.record([wrong])
        raise PassphraseWrong(_WRONG_WORDS, "try again, or: sayso passphrase reset")

    async def _stored(self, name: str | None) -> tuple[str | None, str | None]:
        """Who is called so, and the hash of their passphrase; None for what there is not."""
        try:
            person_id = OWNER if name is None else canonical_name(name)
        except PeopleRefused:
            return None, None
        person = (await self._store.directory()).somebody(person_id)
        if person is None:
            return None, None
        return person_id, await self._store.passphrase_hash(person_id)

    async def has_passphrase(self) -> bool:
        """Whether the owner has chosen a passphrase: before that nobody logs in."""
        return await self._store.passphrase_hash() is not None

    async def choose_passphrase(
        self, new: str, old: str | None, channel: str, name: str | None = None
    ) -> None:
        """Choose the passphrase: the owner's first one freely, any other only with the old one."""
        person_id = OWNER
        if name is not None or await self._store.passphrase_hash() is not None:
            if old is None:
                raise NotAuthenticated(
                    "a passphrase has been chosen already", "give the old one to change it"
                )
            person_id = await self.check(old, channel, name)
        await self._set_passphrase(new, channel, "passphrase chosen", person_id)

    async def issue_enrolment(self, actor: Actor, person_id: str) -> str:
        """A code with which somebody chooses a passphrase once, within three days; shown this once.

        It opens nothing else, and earlier ones of that person open nothing any more.
        """
        self.must_configure(actor)
        code, now = f"{ENROLMENT}{self._ids.secret().hex()}", self._clock.now()
        record = self._record(actor, f"code to choose a passphrase made: {person_id}")
        until = plus(now, ENROLMENT_SECONDS)
        await self._store.put_enrolment(hash_token(code), person_id, until, [record])
        return code

    async def enrol(self, code: str, new: str, channel: str) -> str:
        """Choose a passphrase with a code; whose it is. Raises NotAuthenticated, CallInvalid."""
        now, secret = self._clock.now(), hash_token(code.strip())
        person_id = await self._store.enrolment(secret, now)
        person = None
        if person_id is not None:
            person = (await self._store.directory()).somebody(person_id)
        if person is not None:
            value = await _hashed(new)
            record = AuditRecord(
                RecordKind.CONFIGURATION,
                now,
                by=person.name,
                channel=channel,
                note="passphrase chosen with a code",
            )
            if await self._store.enrol(secret, person.person_id, value, now, [record]):
                return person.person_id
        raise NotAuthenticated(
            "this code is unknown, used up or too old", "ask an admin for another one"
        )

    async def reset_passphrase(self, new: str, channel: str) -> int:
        """Choose a new passphrase without the old one; ends all logins and tokens and says how many.

        Codes to choose a passphrase end with them.

        Only for an operator of the machine, with the server stopped; the caller makes sure of it.
        """
        _check_passphrase(new)
        now = self._clock.now()
        record = AuditRecord(
            RecordKind.CONFIGURATION,
            now,
            channel=channel,
            note="every login, token and code was revoked",
        )
        ended = await self._store.revoke_all(now, [record])
        await self._set_passphrase(new, channel, "passphrase reset")
        return ended

    async def create_token(
        self,
        actor: Actor,
        kind: CredentialKind,
        *,
        agent_id: str | None = None,
        name: str = "",
        lifetime: float | None = None,
        run_contexts: Sequence[str] = (),
    ) -> tuple[str, Credential]:
        """Make a token, shown once; `lifetime` is in seconds, None does not expire.

        It belongs to the actor. `run_contexts` are those that an agent's sessions may name beside `default`.
        Raises NotEligible unless the actor may configure, or is logged in and wants an approver's,
        CallInvalid for a kind that is not made so.
        """
        # whoever is logged in may make what decides for them, and nothing that configures
        if kind is not CredentialKind.APPROVER or actor.kind is not CredentialKind.SESSION:
            self.must_configure(actor)
        if kind is CredentialKind.SESSION:
            raise CallInvalid("a login is not made as a token", "choose agent, approver or admin")
        if (kind is CredentialKind.AGENT) != (agent_id is not None):
            raise CallInvalid(
                "exactly the tokens of kind agent name an agent",
                "add or leave out the agent's name",
            )
        if run_contexts and agent_id is None:
            raise CallInvalid("only an agent's token names run contexts", "leave them out")
        token, credential = await self._make(
            kind, actor.person.person_id, agent_id=agent_id, name=name, lifetime=lifetime
        )
        credential = replace(credential, run_contexts=tuple(run_contexts))
        may = f" in {', '.join(run_contexts)}" if run_contexts else ""
        note = f"token made: {kind.value} {name or agent_id or ''}".strip() + may
        await self._store.put_credential(credential, [self._record(actor, note)])
        return token, credential

    async def embedded_agent(self, agent_id: str, run_contexts: Sequence[str] = ()) -> Actor:
        """The credential of an agent whose program embeds the gate; it makes calls and never decides.

        `run_contexts` are those that the program names. Its secret is thrown away: only the object that is
        returned can open sessions with it.
        """
        _, credential = await self._make(
            CredentialKind.AGENT, OWNER, agent_id=agent_id, name="embedded", lifetime=None
        )
        credential = replace(credential, run_contexts=tuple(run_contexts))
        people = (await self._store.directory()).people
        actor = Actor(people[OWNER], credential, "embedded")
        await self._store.put_credential(credential, [self._record(actor, "embedded gate opened")])
        return actor

    async def revoke(self, actor: Actor, credential_id: str) -> bool:
        """Revoke a credential; anybody may revoke the one they act with, else the actor must configure."""
        if credential_id != actor.credential.credential_id:
            self.must_configure(actor)
        record = self._record(actor, f"credential revoked: {credential_id}")
        return await self._store.revoke_credential(credential_id, self._clock.now(), [record])

    def must_configure(self, actor: Actor) -> None:
        """Raise NotEligible unless the actor may change rules and tokens."""
        if not may_configure(actor.person, actor.kind):
            raise NotEligible(
                f"a credential of kind {actor.kind.value} may not change the configuration",
                "log in with the passphrase, or use an admin's token",
            )

    async def _slow_down(self, channel: str) -> None:
        now = self._clock.now()
        page = Page(limit=10 * TRIES, reason=WRONG, since=plus(now, -TRIES_SECONDS))
        wrong = [
            entry
            for entry in await self._store.audit_page(page)
            if orjson.loads(entry.body).get("channel") == channel
        ]
        if len(wrong) >= TRIES:
            raise RateLimited(
                "too many wrong passphrases", "wait a minute", retry_after=TRIES_SECONDS
            )

    async def _set_passphrase(
        self, new: str, channel: str, note: str, person_id: str = OWNER
    ) -> None:
        value = await _hashed(new)
        record = AuditRecord(
            RecordKind.CONFIGURATION, self._clock.now(), by=person_id, channel=channel, note=note
        )
        await self._store.set_passphrase_hash(value, [record], person_id)

    async def _make(
        self,
        kind: CredentialKind,
        person_id: str,
        *,
        agent_id: str | None = None,
        name: str = "",
        lifetime: float | None = None,
    ) -> tuple[str, Credential]:
        now = self._clock.now()
        token = write_token(kind, self._ids.secret())
        return token, Credential(
            credential_id=self._ids.new_id(now),
            kind=kind,
            person_id=person_id,
            secret_hash=hash_token(token),
            created_at=now,
            expires_at=None if lifetime is None else plus(now, lifetime),
            agent_id=agent_id,
            name=name,
        )

    def _record(self, actor: Actor, note: str) -> AuditRecord:
        return AuditRecord(
            RecordKind.ACCESS if note in ("login", "recognised") else RecordKind.CONFIGURATION,
            self._clock.now(),
            by=actor.person.name,
            channel=actor.channel,
            note=note,
        )


@cache
def _nobodys() -> str:
    """What is compared where nobody is called so, so that it takes as long."""
    return _HASHER.hash("nobody's")


def _fits(stored: str | None, passphrase: str) -> bool:
    try:
        if stored is None:
            stored, passphrase = _nobodys(), "somebody's"
        return _HASHER.verify(stored, passphrase)
    except (VerificationError, InvalidHashError, UnicodeError):
        return False


async def _hashed(new: str) -> str:
    _check_passphrase(new)
    return await asyncio.to_thread(_HASHER.hash, new)


def _check_passphrase(new: str) -> None:
    if len(new) < MIN_PASSPHRASE:
        raise CallInvalid(
            f"the passphrase is shorter than {MIN_PASSPHRASE} characters", "choose a longer one"
        )
    try:
        new.encode("utf-8")
    except UnicodeError as error:
        raise CallInvalid("the passphrase is not valid Unicode", "choose another one") from error
