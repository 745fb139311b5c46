"""The whole schema: `tables.py` and the tables that stand in modules of their own beside it."""

from __future__ import annotations

from sayso.store import freeze_tables, question_tables, run_context_tables
from sayso.store.tables import METADATA

BESIDE = (
    freeze_tables.FREEZES,
    run_context_tables.RUN_CONTEXTS,
    question_tables.QUESTIONS,
    question_tables.TASK_LISTS,
)
"""The tables beside `tables.py`: to name them here is what makes them part of the schema."""

__all__ = ["BESIDE", "METADATA"]
