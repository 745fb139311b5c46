"""What the broker needs of credentials and the passphrase."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sayso.broker.ports.audit import Records
from sayso.core.moment import Moment
from sayso.people.person import OWNER
from sayso.people.token import Credential


class CredentialStore(Protocol):
    """Credentials; see Store."""

    async def put_credential(self, credential: Credential, records: Records) -> None:
        """Store a new credential."""

    async def credential(self, secret_hash: str) -> Credential | None:
        """The credential whose secret has that hash."""

    async def credentials(self) -> Sequence[Credential]:
        """All credentials, newest first."""

    async def revoke_credential(self, credential_id: str, now: Moment, records: Records) -> bool:
        """Revoke a credential; returns whether it was live."""

    async def revoke_all(self, now: Moment, records: Records) -> int:
        """Revoke every credential, and every code to choose a passphrase.

        Returns how many credentials were live.
        """

    async def passphrase_hash(self, person_id: str = OWNER) -> str | None:
        """The Argon2 hash of a person's passphrase; None if none was chosen."""

    async def set_passphrase_hash(
        self, value: str, records: Records, person_id: str = OWNER
    ) -> None:
        """Store the hash of a new passphrase; that person's codes to choose one open nothing any more."""

    async def put_enrolment(
        self, secret_hash: str, person_id: str, until: Moment, records: Records
    ) -> None:
        """Store the hash of a code with which a person chooses a passphrase, in place of earlier ones."""

    async def enrolment(self, secret_hash: str, now: Moment) -> str | None:
        """Whose code that is; None if nobody's, or no longer."""

    async def enrol(
        self, secret_hash: str, person_id: str, value: str, now: Moment, records: Records
    ) -> bool:
        """Use a code up and store the hash of the passphrase chosen with it; False if it is used or over.

        The person's logins of before end.
        """
