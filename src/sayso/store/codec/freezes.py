"""Freezes as rows, and back."""

from __future__ import annotations

from typing import Any

from sayso.core.freeze import Freeze
from sayso.store.codec.document import Row, reader, written

EVERY_AGENT = ""
"""Stands in the column of the agent where every agent is frozen; no agent is called so."""

_freeze = reader(Freeze)


def freeze_row(freeze: Freeze) -> dict[str, Any]:
    """The row of a freeze."""
    return {
        "agent_id": agent_column(freeze.agent_id),
        "person_id": freeze.person_id,
        "at": freeze.at,
        "document": written(freeze),
    }


def read_freeze(row: Row) -> Freeze:
    """A freeze from its document."""
    return _freeze(row[0])


def agent_column(agent_id: str | None) -> str:
    """What stands in the column of the agent."""
    return EVERY_AGENT if agent_id is None else agent_id
