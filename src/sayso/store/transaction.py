"""What units of work write through, whichever database is below."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

from sayso.store.queries import Queries
from sayso.store.statement import Statement


class Transaction(ABC):
    """One write transaction: a unit is done in it whole, or not at all.

    Audit records and events are gathered, and written together before the commit.
    """

    queries: Queries

    @abstractmethod
    def write(self, statement: Statement, values: Mapping[str, Any]) -> int:
        """Run a statement; returns how many rows it changed."""

    @abstractmethod
    def each(self, statement: Statement, several: Iterable[Mapping[str, Any]]) -> None:
        """Run a statement with each of several sets of values."""

    @abstractmethod
    def row(self, statement: Statement, values: Mapping[str, Any]) -> Any:
        """The first row that a statement finds; None if there is none."""

    @abstractmethod
    def rows(self, statement: Statement, values: Mapping[str, Any]) -> list[Any]:
        """Every row that a statement finds."""

    @abstractmethod
    def append(self, records: Iterable[tuple[Any, ...]]) -> None:
        """Append records to the audit log; each is the columns from `at` to `body`."""

    @abstractmethod
    def notify(self, notices: Iterable[tuple[Any, ...]]) -> None:
        """Write events; each is the columns of its row but the number."""
