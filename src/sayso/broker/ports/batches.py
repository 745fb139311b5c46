"""What the broker needs of the batches of calls."""

from __future__ import annotations

from typing import Protocol

from sayso.requests.batch import Batch


class BatchStore(Protocol):
    """Batches; see Store."""

    async def add_batch(self, batch: Batch) -> Batch:
        """Keep a new batch; if there is one of that id, write nothing and return that one."""

    async def batch(self, batch_id: str) -> Batch | None:
        """The batch with that id."""

    async def change_batch(self, batch: Batch) -> None:
        """Replace a batch; raises LostRace unless it is one version on from the stored one."""
