"""What the SQL stores do with batches of calls."""

from __future__ import annotations

from sayso.requests.batch import Batch
from sayso.store.codec.batches import read_batch
from sayso.store.sql.access import Access
from sayso.store.units import batches as units


class Batches(Access):
    """The part of a SQL store that keeps batches of calls."""

    async def add_batch(self, batch: Batch) -> Batch:
        """Keep a new batch, or return the one that has its id."""
        found: Batch = await self._write(lambda tx: units.add_batch(tx, batch))
        return found

    async def batch(self, batch_id: str) -> Batch | None:
        """The batch with that id."""
        return await self._one(self._q.batch, {"batch_id": batch_id}, read_batch)

    async def change_batch(self, batch: Batch) -> None:
        """Replace a batch, if it is one version on."""
        await self._write(lambda tx: units.change_batch(tx, batch))
