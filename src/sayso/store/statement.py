"""One statement, compiled to plain SQL text and the order of its parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from operator import itemgetter
from typing import Any

from sqlalchemy import ColumnElement, Text, literal_column
from sqlalchemy.engine import Dialect
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import ClauseElement


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
