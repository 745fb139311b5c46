"""Batches as rows, and back."""

from __future__ import annotations

from typing import Any

from sayso.requests.batch import Batch
from sayso.store.codec.document import Row, reader, written

_batch = reader(Batch)


def batch_row(batch: Batch) -> dict[str, Any]:
    """The row of a batch."""
    return {
        "batch_id": batch.batch_id,
        "session_id": batch.session_id,
        "created_at": batch.created_at,
        "version": batch.version,
        "ended": int(batch.ended_at is not None),
        "document": written(batch),
    }


def read_batch(row: Row) -> Batch:
    """A batch from its document."""
    return _batch(row[0])
