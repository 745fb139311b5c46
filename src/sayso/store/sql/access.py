"""What the parts of a SQL store need of the database below them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from sayso.store.queries import Queries
from sayso.store.sealing import NO_KEYS, CallKeys
from sayso.store.statement import Statement
from sayso.store.transaction import Transaction

T = TypeVar("T")

FEW = 200
"""Up to how many rows are few."""


class Access(ABC):
    """Running units and statements: all that differs from one database to another.

    Each raises a StoreError if it cannot be done, and has changed nothing then.
    """

    _q: Queries
    _keys: CallKeys = NO_KEYS

    @abstractmethod
    async def _write(self, unit: Callable[[Transaction], T]) -> T:
        """Do a unit of work in a transaction; its result, once that is durable."""

    async def _append(self, unit: Callable[[Transaction], T]) -> T:
        """Do a unit that only adds rows, and no events: it need not wait for other replicas' writes."""
        return await self._write(unit)

    @abstractmethod
    async def _one(
        self, statement: Statement, values: Mapping[str, Any], read: Callable[[Any], T]
    ) -> T | None:
        """Read the first row, which an index leads to; None if there is none."""

    @abstractmethod
    async def _few(
        self, statement: Statement, values: Mapping[str, Any], read: Callable[[Any], T]
    ) -> list[T]:
        """Read rows of which there are few."""

    @abstractmethod
    async def _many(
        self, statement: Statement, values: Mapping[str, Any], read: Callable[[Any], T]
    ) -> list[T]:
        """Read rows of which there may be many."""

    @abstractmethod
    async def _snapshot(self, *wanted: tuple[Statement, Mapping[str, Any]]) -> list[list[Any]]:
        """Read the rows of several statements as they stood at one moment."""


def number(row: Any) -> int:
    """The number in a row of one."""
    return int(row[0])
