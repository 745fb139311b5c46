"""What the SQL stores do with credentials and the passphrase."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.broker.ports import Records
from sayso.core.moment import Moment
from sayso.people.person import OWNER
from sayso.people.token import Credential
from sayso.store.codec.credentials import credential_row, read_credential
from sayso.store.codec.logs import log_rows
from sayso.store.sql.access import Access
from sayso.store.units import credentials as units
from sayso.store.units import people
from sayso.store.units.logs import write


class Credentials(Access):
    """The part of a SQL store that keeps credentials and the passphrase."""

    async def put_credential(self, credential: Credential, records: Records) -> None:
        """Store a new credential."""
        row, log = credential_row(credential), log_rows(records)
        await self._write(lambda tx: write(tx, self._q.add_credential, row, log))

    async def credential(self, secret_hash: str) -> Credential | None:
        """The credential whose secret has that hash."""
        values = {"secret_hash": secret_hash}
        return await self._one(self._q.credential, values, read_credential)

    async def credentials(self) -> Sequence[Credential]:
        """All credentials, newest first."""
        return await self._many(self._q.credentials, {}, read_credential)

    async def revoke_credential(self, credential_id: str, now: Moment, records: Records) -> bool:
        """Revoke a credential; returns whether it was live."""
        log = log_rows(records)
        return bool(
            await self._write(lambda tx: units.revoke_credential(tx, credential_id, now, log))
        )

    async def revoke_all(self, now: Moment, records: Records) -> int:
        """Revoke every credential and every code; returns how many credentials were live."""
        log = log_rows(records)
        return int(await self._write(lambda tx: units.revoke_all(tx, now, log)))

    async def passphrase_hash(self, person_id: str = OWNER) -> str | None:
        """The hash of a person's passphrase; None if none was chosen."""
        values = {"person_id": person_id}
        return await self._one(self._q.passphrase, values, lambda row: str(row[0]))

    async def set_passphrase_hash(
        self, value: str, records: Records, person_id: str = OWNER
    ) -> None:
        """Store the hash of a new passphrase."""
        log = log_rows(records)
        await self._write(lambda tx: people.set_passphrase(tx, person_id, value, log))

    async def put_enrolment(
        self, secret_hash: str, person_id: str, until: Moment, records: Records
    ) -> None:
        """Store the hash of a code with which a person chooses a passphrase."""
        row = {"secret_hash": secret_hash, "person_id": person_id, "until": until}
        log = log_rows(records)
        await self._write(lambda tx: people.put_enrolment(tx, row, log))

    async def enrolment(self, secret_hash: str, now: Moment) -> str | None:
        """Whose code that is; None if nobody's, or no longer."""
        found = await self._one(self._q.enrolment, {"secret_hash": secret_hash}, tuple)
        return None if found is None or found[1] <= now else str(found[0])

    async def enrol(
        self, secret_hash: str, person_id: str, value: str, now: Moment, records: Records
    ) -> bool:
        """Use a code up and store the hash of the passphrase chosen with it."""
        log = log_rows(records)
        return bool(
            await self._write(lambda tx: people.enrol(tx, secret_hash, person_id, value, now, log))
        )
