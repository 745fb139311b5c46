"""Who acts: authenticating credentials, logging in with the passphrase, making and revoking tokens (REQ-62)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

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
    RateLimited,
)
from sayso.people.eligibility import may_configure
from sayso.people.person import OWNER, Person
from sayso.people.token import Credential, CredentialKind, hash_token, write_token

LOGIN_SECONDS = 12 * 3600.0
"""How long a login lasts."""

TRIES = 5
TRIES_SECONDS = 60.0
"""So many wrong passphrases in so many seconds over one channel, and no more are tried there for a while.

Counted a channel, so that whoever can only reach the page cannot lock the terminal too.
"""

MIN_PASSPHRASE = 8
WRONG = "passphrase-wrong"

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
        people = await self._store.people()
        if (
            credential is None
            or not credential.live(self._clock.now())
            or credential.person_id not in people
        ):
            raise NotAuthenticated(
                "the credential is unknown, expired or revoked", "log in again or make a new token"
            )
        return Actor(people[credential.person_id], credential, channel)

    async def login(
        self, passphrase: str, channel: str, lifetime: float = LOGIN_SECONDS
    ) -> tuple[str, Actor]:
        """Log the owner in: a session's token for `lifetime` seconds, and the actor.

        Raises PassphraseMissing, PassphraseWrong, and RateLimited after too many wrong tries.
        """
        await self.check(passphrase, channel)
        token, credential = await self._make(
            CredentialKind.SESSION, OWNER, name=channel, lifetime=lifetime
        )
        people = await self._store.people()
        actor = Actor(people[OWNER], credential, channel)
        await self._store.put_credential(credential, [self._record(actor, "login")])
        return token, actor

    async def check(self, passphrase: str, channel: str) -> None:
        """Check the owner's passphrase; wrong tries are counted over all processes and audited."""
        stored = await self._store.passphrase_hash()
        if stored is None:
            raise PassphraseMissing(
                "no passphrase has been chosen yet",
                "choose one on a terminal: sayso passphrase set",
            )
        async with self._trying:
            await self._slow_down(channel)
            if await asyncio.to_thread(_fits, stored, passphrase):
                return
            await self._store.record(
                [AuditRecord(RecordKind.ACCESS, self._clock.now(), reason=WRONG, channel=channel)]
            )
        raise PassphraseWrong(
            "the passphrase does not fit", "try again, or: sayso passphrase reset"
        )

    async def has_passphrase(self) -> bool:
        """Whether a passphrase was chosen."""
        return await self._store.passphrase_hash() is not None

    async def choose_passphrase(self, new: str, old: str | None, channel: str) -> None:
        """Choose the passphrase: the first one freely, another one only with the old one."""
        if await self._store.passphrase_hash() is not None:
            if old is None:
                raise NotAuthenticated(
                    "a passphrase has been chosen already", "give the old one to change it"
                )
            await self.check(old, channel)
        await self._set_passphrase(new, channel, "passphrase chosen")

    async def reset_passphrase(self, new: str, channel: str) -> int:
        """Choose a new passphrase without the old one; ends all logins and tokens and says how many.

        Only for an operator of the machine, with the server stopped; the caller makes sure of it.
        """
        _check_passphrase(new)
        now = self._clock.now()
        record = AuditRecord(
            RecordKind.CONFIGURATION, now, channel=channel, note="every login and token was revoked"
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
    ) -> tuple[str, Credential]:
        """Make a token, shown once; `lifetime` is in seconds, None does not expire.

        Raises NotEligible unless the actor may configure, CallInvalid for a kind that is not made so.
        """
        self.must_configure(actor)
        if kind is CredentialKind.SESSION:
            raise CallInvalid("a login is not made as a token", "choose agent, approver or admin")
        if (kind is CredentialKind.AGENT) != (agent_id is not None):
            raise CallInvalid(
                "exactly the tokens of kind agent name an agent",
                "add or leave out the agent's name",
            )
        token, credential = await self._make(
            kind, actor.person.person_id, agent_id=agent_id, name=name, lifetime=lifetime
        )
        note = f"token made: {kind.value} {name or agent_id or ''}".strip()
        await self._store.put_credential(credential, [self._record(actor, note)])
        return token, credential

    async def embedded_agent(self, agent_id: str) -> Actor:
        """The credential of an agent whose program embeds the gate; it makes calls and never decides.

        Its secret is thrown away: only the object that is returned can open sessions with it.
        """
        _, credential = await self._make(
            CredentialKind.AGENT, OWNER, agent_id=agent_id, name="embedded", lifetime=None
        )
        people = await self._store.people()
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

    async def _set_passphrase(self, new: str, channel: str, note: str) -> None:
        _check_passphrase(new)
        value = await asyncio.to_thread(_HASHER.hash, new)
        record = AuditRecord(
            RecordKind.CONFIGURATION, self._clock.now(), by=OWNER, channel=channel, note=note
        )
        await self._store.set_passphrase_hash(value, [record])

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
            RecordKind.CONFIGURATION if note != "login" else RecordKind.ACCESS,
            self._clock.now(),
            by=actor.person.name,
            channel=actor.channel,
            note=note,
        )


def _fits(stored: str, passphrase: str) -> bool:
    try:
        return _HASHER.verify(stored, passphrase)
    except (VerificationError, InvalidHashError, UnicodeError):
        return False


def _check_passphrase(new: str) -> None:
    if len(new) < MIN_PASSPHRASE:
        raise CallInvalid(
            f"the passphrase is shorter than {MIN_PASSPHRASE} characters", "choose a longer one"
        )
    try:
        new.encode("utf-8")
    except UnicodeError as error:
        raise CallInvalid("the passphrase is not valid Unicode", "choose another one") from error
