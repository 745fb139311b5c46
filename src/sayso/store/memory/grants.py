"""How the in-memory store keeps what people had remembered."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.broker.ports import Given, Notices, Records
from sayso.core.moment import Moment
from sayso.requests.key import Key
from sayso.requests.standing_grant import Bypass, KeyGrant
from sayso.store.guard import check_no_veto, check_reviewer, check_session_goes_on, sessions_of
from sayso.store.memory.credentials import Credentials
from sayso.store.memory.sessions import Sessions


class Grants(Sessions, Credentials):
    """The part of the in-memory store that keeps grants, vetoes and bypasses."""

    def __init__(self) -> None:
        super().__init__()
        self._grants: dict[tuple[str, str | None, Key], KeyGrant] = {}
        self._bypasses: dict[str, Bypass] = {}

    async def remember(self, given: Given) -> None:
        """Write what is remembered, whole or not at all."""
        with self._lock:
            check_reviewer(self._credentials.get(given.giver.credential_id), given.at)
            for session_id in sessions_of(given):
                check_session_goes_on(session_id, self._sessions.get(session_id))
            for grant in given.grants:
                check_no_veto(grant, self._grants.values())
            for grant in given.grants:
                self._grants[grant.user_id, grant.session_id, grant.key] = grant
            if given.bypass is not None:
                self._bypasses[given.bypass.bypass_id] = given.bypass
            self._append(given.records, given.notices)

    async def remembered(
        self, user_id: str, session_id: str
    ) -> tuple[Sequence[KeyGrant], Sequence[Bypass]]:
        """What may concern the calls of that user's session."""
        with self._lock:
            grants = [
                grant
                for grant in self._grants.values()
                if grant.user_id == user_id and grant.session_id in (None, session_id)
            ]
            bypasses = [b for b in self._bypasses.values() if b.session_id == session_id]
        return grants, _newest(bypasses)

    async def grants(self, user_id: str | None = None) -> Sequence[KeyGrant]:
        """The grants and vetoes for a user, or for all, newest first."""
        with self._lock:
            found = [g for g in self._grants.values() if user_id in (None, g.user_id)]
        return sorted(found, key=lambda g: (g.given_at, g.grant_id), reverse=True)

    async def bypasses(self, user_id: str | None = None) -> Sequence[Bypass]:
        """The bypasses in a user's sessions, or in all, newest first."""
        with self._lock:
            return _newest([b for b in self._bypasses.values() if user_id in (None, b.user_id)])

    async def forget_grants(
        self, grant_ids: Sequence[str], records: Records, notices: Notices
    ) -> int:
        """Take grants and vetoes back."""
        with self._lock:
            gone = [key for key, grant in self._grants.items() if grant.grant_id in grant_ids]
            for key in gone:
                del self._grants[key]
            if gone:
                self._append(records, notices)
            return len(gone)

    async def forget_bypasses(
        self, bypass_ids: Sequence[str], records: Records, notices: Notices
    ) -> int:
        """Take bypasses back."""
        with self._lock:
            gone = [name for name in bypass_ids if self._bypasses.pop(name, None) is not None]
            if gone:
                self._append(records, notices)
            return len(gone)

    async def stop_session(self, session_id: str, now: Moment, records: Records = ()) -> None:
        """Mark a session as stopped, and end what was remembered for it alone."""
        with self._lock:
            await super().stop_session(session_id, now, records)
            self._grants = {k: g for k, g in self._grants.items() if g.session_id != session_id}
            self._bypasses = {k: b for k, b in self._bypasses.items() if b.session_id != session_id}


def _newest(bypasses: list[Bypass]) -> list[Bypass]:
    return sorted(bypasses, key=lambda b: (b.given_at, b.bypass_id), reverse=True)
