"""How the statements of one dialect are compiled."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Table, insert
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Dialect
from sqlalchemy.sql.expression import ClauseElement

from sayso.store.statement import Statement


class Compiler:
    """What each part of the statements is compiled with."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._upsert: Any = postgresql.insert if self._postgres else sqlite.insert

    @property
    def _postgres(self) -> bool:
        return self._dialect.name == "postgresql"

    def _text(self, column: ColumnElement[str]) -> ColumnElement[str]:
        """A column of text to sort by: byte by byte, whatever the language of the database is."""
        return column.collate("C") if self._postgres else column

    def _compile(self, clause: ClauseElement, columns: list[str] | None = None) -> Statement:
        return Statement(clause, self._dialect, columns)

    def _insert(self, table: Table) -> Statement:
        return self._compile(insert(table), [column.name for column in table.columns])
