"""How the in-memory store keeps credentials and the passphrase."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.broker.ports import Records
from sayso.core.moment import Moment
from sayso.errors import StoreError
from sayso.people.person import OWNER
from sayso.people.token import Credential, CredentialKind
from sayso.store.memory.state import State


class Credentials(State):
    """The part of the in-memory store that keeps credentials and the passphrase."""

    def __init__(self) -> None:
        super().__init__()
        self._credentials: dict[str, Credential] = {}
        self._passphrases: dict[str, str] = {}
        self._enrolments: dict[str, tuple[str, Moment]] = {}

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
        """Revoke every credential and every code; returns how many credentials were live."""
        with self._lock:
            live = [c for c in self._credentials.values() if c.live(now)]
            for old in list(self._credentials.values()):
                if old.revoked_at is None:
                    self._credentials[old.credential_id] = replace(old, revoked_at=now)
            self._enrolments = {}
            self._append(records, ())
            return len(live)

    async def passphrase_hash(self, person_id: str = OWNER) -> str | None:
        """The hash of a person's passphrase; None if none was chosen."""
        return self._passphrases.get(person_id)

    async def set_passphrase_hash(
        self, value: str, records: Records, person_id: str = OWNER
    ) -> None:
        """Store the hash of a new passphrase."""
        with self._lock:
            self._drop_codes(person_id)
            self._passphrases[person_id] = value
            self._append(records, ())

    async def put_enrolment(
        self, secret_hash: str, person_id: str, until: Moment, records: Records
    ) -> None:
        """Store the hash of a code with which a person chooses a passphrase."""
        with self._lock:
            self._drop_codes(person_id)
            self._enrolments[secret_hash] = (person_id, until)
            self._append(records, ())

    async def enrolment(self, secret_hash: str, now: Moment) -> str | None:
        """Whose code that is; None if nobody's, or no longer."""
        person_id, until = self._enrolments.get(secret_hash, (None, now))
        return person_id if now < until else None

    async def enrol(
        self, secret_hash: str, person_id: str, value: str, now: Moment, records: Records
    ) -> bool:
        """Use a code up and store the hash of the passphrase chosen with it."""
        with self._lock:
            found = self._enrolments.get(secret_hash)
            if found is None or found[1] <= now:
                return False
            self._drop_codes(person_id)
            self._end(person_id, now, (CredentialKind.SESSION,))
            self._passphrases[person_id] = value
            self._append(records, ())
            return True

    # ── inside the lock ────────────────────────────────────────────────────────────────────────

    def _forget(self, person_id: str, now: Moment) -> None:
        """End every credential of somebody, the passphrase and the codes to choose one."""
        self._end(person_id, now, tuple(CredentialKind))
        self._passphrases.pop(person_id, None)
        self._drop_codes(person_id)

    def _end(self, person_id: str, now: Moment, kinds: tuple[CredentialKind, ...]) -> None:
        for old in list(self._credentials.values()):
            if old.person_id == person_id and old.kind in kinds and old.revoked_at is None:
                self._credentials[old.credential_id] = replace(old, revoked_at=now)

    def _drop_codes(self, person_id: str) -> None:
        kept = {code: held for code, held in self._enrolments.items() if held[0] != person_id}
        self._enrolments = kept
