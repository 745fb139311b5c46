"""The table of run contexts; one schema with tables.py."""

from __future__ import annotations

from sqlalchemy import Column, Table, Text

from sayso.store.tables import METADATA

RUN_CONTEXTS = Table(
    "run_contexts",
    METADATA,
    Column("run_context_id", Text, primary_key=True),
    Column("document", Text, nullable=False),
)
"""The run contexts that people made, and `default` where they changed it.

A change of it gives the rule table another version, because both are read together.
"""
