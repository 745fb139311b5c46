"""One statement, compiled to plain SQL text and the order of its parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import chain
from operator import itemgetter
from typing import Any

from sqlalchemy import ColumnElement, Table, Text, bindparam, insert, literal_column
from sqlalchemy.engine import Dialect
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import ClauseElement

ROWS_AT_ONCE = (64, 8, 1)
"""How many rows one statement inserts, largest first."""


class Statement:
    """One compiled statement: its text, and how named values become its parameters."""

    __slots__ = ("bind", "sql")

    def __init__(self, clause: ClauseElement, dialect: Dialect, columns: list[str] | None) -> None:
        compiled = clause.compile(dialect=dialect, column_keys=columns)
        assert isinstance(compiled, SQLCompiler)
        self.sql = str(compiled)
        names = list(compiled.positiontup or ())
        constants = {n: compiled.params[n] for n in names if not compiled.binds[n].required}
        self.bind = _binder(names, constants)


class ManyRows:
    """An insert of any number of rows, in few statements: a row more costs no way to the driver.

    Rows are tuples of the table's columns in their order, without those left out.
    """

    __slots__ = ("_sizes",)

    def __init__(self, table: Table, dialect: Dialect, without: tuple[str, ...] = ()) -> None:
        columns = [column for column in table.columns if column.name not in without]
        self._sizes: list[tuple[int, str]] = []
        for size in ROWS_AT_ONCE:
            rows = [
                {c.name: bindparam(f"{c.name}_{n}", type_=c.type) for c in columns}
                for n in range(size)
            ]
            compiled = insert(table).values(rows).compile(dialect=dialect)
            assert isinstance(compiled, SQLCompiler)
            expected = [f"{column.name}_{n}" for n in range(size) for column in columns]
            if compiled.positiontup is not None and compiled.positiontup != expected:
                raise ValueError(f"the columns of {table.name} come in another order")
            self._sizes.append((size, str(compiled)))

    def statements(self, rows: Sequence[tuple[Any, ...]]) -> Iterator[tuple[str, tuple[Any, ...]]]:
        """The statements that insert the rows in order, each with its parameters."""
        done = 0
        for size, sql in self._sizes:
            while len(rows) - done >= size:
                yield sql, tuple(chain.from_iterable(rows[done : done + size]))
                done += size


def _binder(
    names: list[str], constants: dict[str, Any]
) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    if constants or not names:
        return lambda values: tuple(
            constants[name] if name in constants else values[name] for name in names
        )
    if len(names) == 1:
        only = names[0]
        return lambda values: (values[only],)
    return itemgetter(*names)


def word(value: StrEnum) -> ColumnElement[str]:
    """A constant word, written into the text so that the planner sees it."""
    return literal_column(f"'{value.value}'", Text)


def words(values: Iterable[StrEnum]) -> list[ColumnElement[str]]:
    """Constant words, in the order of the alphabet."""
    return [word(value) for value in sorted(values)]
