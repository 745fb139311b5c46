"""What a write does inside its transaction, for batches of calls."""

from __future__ import annotations

from sayso.errors import LostRace
from sayso.requests.batch import Batch
from sayso.store.codec.batches import batch_row, read_batch
from sayso.store.transaction import Transaction


def add_batch(tx: Transaction, batch: Batch) -> Batch:
    """Keep a new batch, or return the one that has its id."""
    if tx.write(tx.queries.add_batch, batch_row(batch)) == 1:
        return batch
    return read_batch(tx.row(tx.queries.batch, {"batch_id": batch.batch_id}))


def change_batch(tx: Transaction, batch: Batch) -> None:
    """Replace a batch, if it is one version on."""
    row = batch_row(batch)
    values = {name: row[name] for name in ("version", "ended", "document")}
    values.update(the_id=batch.batch_id, expected_version=batch.version - 1)
    if tx.write(tx.queries.change_batch, values) != 1:
        raise LostRace("the batch has changed meanwhile", "look again and decide on that")
