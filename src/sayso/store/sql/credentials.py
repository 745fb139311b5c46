"""What the SQL stores do with credentials and the passphrase."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.broker.ports import Records
from sayso.core.moment import Moment
from sayso.people.token import Credential
from sayso.store.codec.credentials import credential_row, read_credential
from sayso.store.codec.logs import log_rows
from sayso.store.sql.access import Access
from sayso.store.units import credentials as units
from sayso.store.units.credentials import PASSPHRASE
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
        """Revoke every credential; returns how many were live."""
        log = log_rows(records)
        return int(await self._write(lambda tx: units.revoke_all(tx, now, log)))

    async def passphrase_hash(self) -> str | None:
        """The hash of the owner's passphrase; None if none was chosen."""
        return await self._one(self._q.setting, {"name": PASSPHRASE}, lambda row: str(row[0]))

    async def set_passphrase_hash(self, value: str, records: Records) -> None:
        """Store the hash of a new passphrase."""
        row, log = {"name": PASSPHRASE, "value": value}, log_rows(records)
        await self._write(lambda tx: write(tx, self._q.put_setting, row, log))
