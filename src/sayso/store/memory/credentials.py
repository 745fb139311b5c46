"""How the in-memory store keeps credentials and the passphrase."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.broker.ports import Records
from sayso.core.moment import Moment
from sayso.errors import StoreError
from sayso.people.token import Credential
from sayso.store.memory.state import State


class Credentials(State):
    """The part of the in-memory store that keeps credentials and the passphrase."""

    def __init__(self) -> None:
        super().__init__()
        self._credentials: dict[str, Credential] = {}
        self._passphrase: str | None = None

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
