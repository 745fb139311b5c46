"""The statements about credentials and single values."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, Text, bindparam, func, literal_column, null, or_, select, update

from sayso.store import tables as t
from sayso.store.queries.compiler import Compiler

_CREDENTIAL = (
    t.CREDENTIALS.c.credential_id,
    t.CREDENTIALS.c.kind,
    t.CREDENTIALS.c.person_id,
    t.CREDENTIALS.c.secret_hash,
    t.CREDENTIALS.c.created_at,
    t.CREDENTIALS.c.expires_at,
    t.CREDENTIALS.c.revoked_at,
    t.CREDENTIALS.c.agent_id,
    t.CREDENTIALS.c.name,
    t.CREDENTIALS.c.run_contexts,
)


class Credentials(Compiler):
    """The statements about credentials and single values."""

    def _credentials(self) -> None:
        c = t.CREDENTIALS.c
        read: Select[Any] = select(*_CREDENTIAL)
        unrevoked = c.revoked_at.is_(None)
        self.add_credential = self._insert(t.CREDENTIALS)
        self.credential = self._compile(read.where(c.secret_hash == bindparam("secret_hash")))
        self.credential_by_id = self._compile(
            read.where(c.credential_id == bindparam("credential_id"))
        )
        self.credentials = self._compile(
            read.order_by(c.created_at.desc(), self._text(c.credential_id).desc())
        )
        self.live_credentials = self._compile(
            select(func.count())
            .select_from(t.CREDENTIALS)
            .where(unrevoked, or_(c.expires_at.is_(null()), c.expires_at > bindparam("now")))
        )
        self.revoke_credential = self._compile(
            update(t.CREDENTIALS)
            .where(c.credential_id == bindparam("the_id"), unrevoked)
            .values(revoked_at=bindparam("now"))
        )
        self.revoke_all = self._compile(
            update(t.CREDENTIALS).where(unrevoked).values(revoked_at=bindparam("now"))
        )
        of_person = c.person_id == bindparam("the_person")
        self.revoke_of_person = self._compile(
            update(t.CREDENTIALS).where(of_person, unrevoked).values(revoked_at=bindparam("now"))
        )
        self.revoke_logins = self._compile(
            update(t.CREDENTIALS)
            .where(of_person, unrevoked, c.kind == literal_column("'session'", Text))
            .values(revoked_at=bindparam("now"))
        )
