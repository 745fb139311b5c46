"""The statements about the audit log."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    ColumnElement,
    Integer,
    Text,
    bindparam,
    func,
    literal_column,
    null,
    or_,
    select,
    tuple_,
)

from sayso.store import tables as t
from sayso.store.queries.compiler import Compiler
from sayso.store.statement import ManyRows

_ENTRY = (t.AUDIT.c.seq, t.AUDIT.c.body, t.AUDIT.c.previous, t.AUDIT.c.hash)


class Audit(Compiler):
    """The statements about the audit log."""

    def _audit(self) -> None:
        a = t.AUDIT.c
        self.add_entries = ManyRows(t.AUDIT, self._dialect)
        self.audit_head = self._compile(select(a.seq, a.hash).order_by(a.seq.desc()).limit(1))
        self.chain_head = self._compile(
            select(a.seq, a.hash)
            .where(a.seq > bindparam("after"), a.seq <= bindparam("until"))
            .order_by(a.seq.desc())
            .limit(1)
        )
        self.audit_chain = self._compile(
            select(*_ENTRY)
            .where(a.seq > bindparam("after"))
            .order_by(a.seq)
            .limit(bindparam("limit", type_=Integer))
        )

        def unless_none(column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
            value = bindparam(name, type_=column.type)
            return or_(value.is_(null()), column == value)

        place = bindparam("before", type_=a.seq.type)
        # Of several chains the time says which entry is newer, on SQLite too: see restores (ST-7).
        of_it = select(a.at).where(a.seq == place).scalar_subquery()
        known = func.coalesce(of_it, literal_column(str(2**62), a.at.type))
        page = (
            select(*_ENTRY)
            .where(
                tuple_(a.at, a.seq) < tuple_(known, place),
                unless_none(a.tool, "tool"),
                unless_none(a.decided_by, "by"),
                unless_none(a.reason, "reason"),
                unless_none(self._in_body("agent_id"), "agent"),
                unless_none(self._in_body("session_id"), "session"),
                a.at >= bindparam("since"),
                a.at < bindparam("until"),
            )
            .order_by(a.at.desc(), a.seq.desc())
            .limit(bindparam("limit", type_=Integer))
        )
        self.audit_page = self._compile(page)
        self.audit_page_of_call = self._compile(page.where(a.call_id == bindparam("call_id")))

    def _in_body(self, member: str) -> ColumnElement[str]:
        """A member of the record itself: one filter that is seldom used needs no column of its own.

        The record is read as JSON, so that nothing in a call's arguments can imitate it.
        """
        sql = (
            f"(CAST(audit.body AS json) ->> '{member}')"
            if self._postgres
            else f"CASE WHEN json_valid(audit.body) THEN json_extract(audit.body, '$.{member}') END"
        )
        return literal_column(sql, Text())
