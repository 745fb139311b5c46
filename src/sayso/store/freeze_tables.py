"""The table of the kill switch (GATE-8); see tables.py for what all tables have in common."""

from __future__ import annotations

from sqlalchemy import Column, Table, Text

from sayso.store.tables import BIG, METADATA

FREEZES = Table(
    "freezes",
    METADATA,
    Column("agent_id", Text, primary_key=True),
    Column("person_id", Text, primary_key=True),
    Column("at", BIG, nullable=False),
    Column("document", Text, nullable=False),
)
"""The brakes that are on, each a person's own; `agent_id` is empty for those that hold every agent."""
