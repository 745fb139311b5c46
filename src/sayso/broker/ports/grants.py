"""What the broker needs of that which people had remembered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sayso.audit.record import AuditRecord
from sayso.broker.ports.audit import Records
from sayso.broker.ports.events import Notices
from sayso.core.moment import Moment
from sayso.people.token import Credential
from sayso.requests.event import Notice
from sayso.requests.standing_grant import Bypass, KeyGrant


@dataclass(frozen=True, slots=True)
class Given:
    """What is remembered with one act, written whole or not at all.

    A grant or veto replaces the one for the same key of the same user, and session if it is for one.
    `giver` is the credential it came with: the same transaction checks it as that of a review.
    """

    giver: Credential
    at: Moment
    grants: tuple[KeyGrant, ...] = ()
    bypass: Bypass | None = None
    records: tuple[AuditRecord, ...] = ()
    notices: tuple[Notice, ...] = ()


class GrantStore(Protocol):
    """Grants, vetoes and bypasses; see Store. The stop of a session ends those of that session."""

    async def remember(self, given: Given) -> None:
        """Write what is remembered.

        Raises NotEligible if the giver's credential may not decide, LostRace if a session that it is
        for has stopped or is not known, and for a grant where a veto stands: it does not replace that.
        """

    async def remembered(
        self, user_id: str, session_id: str
    ) -> tuple[Sequence[KeyGrant], Sequence[Bypass]]:
        """What may concern the calls of that user's session."""

    async def grants(self, user_id: str | None = None) -> Sequence[KeyGrant]:
        """The grants and vetoes for a user, or for all, newest first."""

    async def bypasses(self, user_id: str | None = None) -> Sequence[Bypass]:
        """The bypasses in a user's sessions, or in all, newest first; also those that have ended."""

    async def forget_grants(
        self, grant_ids: Sequence[str], records: Records, notices: Notices
    ) -> int:
        """Take grants and vetoes back; returns how many were there."""

    async def forget_bypasses(
        self, bypass_ids: Sequence[str], records: Records, notices: Notices
    ) -> int:
        """Take bypasses back; returns how many were there."""
