"""The statements about grants, vetoes and bypasses."""

from __future__ import annotations

from sqlalchemy import Text, bindparam, delete, literal_column, or_, select

from sayso.store import tables as t
from sayso.store.codec.grants import NO_SESSION
from sayso.store.queries.compiler import Compiler


class Grants(Compiler):
    """The statements about grants, vetoes and bypasses."""

    def _grants(self) -> None:
        g, b = t.GRANTS.c, t.BYPASSES.c
        columns = [column.name for column in t.GRANTS.columns]
        put = self._upsert(t.GRANTS).values({name: bindparam(name) for name in columns})
        kept = ("grant_id", "given_at", "document")
        self.put_grant = self._compile(
            put.on_conflict_do_update(
                index_elements=[g.user_id, g.session_id, g.key_hash],
                set_={name: put.excluded[name] for name in kept},
            )
        )
        user = bindparam("user_id", type_=Text)
        session = bindparam("session_id", type_=Text)
        newest = (g.given_at.desc(), g.grant_id.desc())
        read = select(g.document)
        concern = (g.user_id == user, or_(g.session_id == NO_SESSION, g.session_id == session))
        self.remembered_grants = self._compile(read.where(*concern))
        # one way to the database: it is asked of every call that asks
        self.remembered = self._compile(
            select(literal_column("0"), g.document)
            .where(*concern)
            .union_all(select(literal_column("1"), b.document).where(b.session_id == session))
        )
        self.grants = self._compile(read.order_by(*newest))
        self.grants_of = self._compile(read.where(g.user_id == user).order_by(*newest))
        self.forget_grant = self._compile(delete(t.GRANTS).where(g.grant_id == bindparam("the_id")))
        self.forget_session_grants = self._compile(
            delete(t.GRANTS).where(g.session_id == bindparam("the_id"))
        )
        self.add_bypass = self._insert(t.BYPASSES)
        newest = (b.given_at.desc(), b.bypass_id.desc())
        read = select(b.document)
        self.bypasses = self._compile(read.order_by(*newest))
        self.bypasses_of = self._compile(read.where(b.user_id == user).order_by(*newest))
        self.forget_bypass = self._compile(
            delete(t.BYPASSES).where(b.bypass_id == bindparam("the_id"))
        )
        self.forget_session_bypasses = self._compile(
            delete(t.BYPASSES).where(b.session_id == bindparam("the_id"))
        )
