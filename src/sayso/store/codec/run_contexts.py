"""Run contexts as rows, and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sayso.core.run_context import DEFAULT_RUN_CONTEXT, RunContext
from sayso.store.codec.document import Row, reader, written

_run_context = reader(RunContext)


def run_context_row(run_context: RunContext) -> dict[str, Any]:
    """The row of a run context."""
    return {"run_context_id": run_context.run_context_id, "document": written(run_context)}


def read_run_context(row: Row) -> RunContext:
    """A run context from its document."""
    return _run_context(row[0])


def at_first_or(found: RunContext | None, run_context_id: str) -> RunContext | None:
    """What is stored, or `default` as it is at first; None where there is none with that id."""
    return found or (RunContext() if run_context_id == DEFAULT_RUN_CONTEXT else None)


def with_default(found: Iterable[RunContext]) -> list[RunContext]:
    """The run contexts by id, `default` as it is at first where nobody has changed it."""
    known = {DEFAULT_RUN_CONTEXT: RunContext()} | {one.run_context_id: one for one in found}
    return [known[name] for name in sorted(known)]
