"""How the in-memory store keeps batches of calls."""

from __future__ import annotations

from sayso.errors import LostRace
from sayso.requests.batch import Batch
from sayso.store.memory.state import State


class Batches(State):
    """The part of the in-memory store that keeps batches of calls."""

    def __init__(self) -> None:
        super().__init__()
        self._batches: dict[str, Batch] = {}

    async def add_batch(self, batch: Batch) -> Batch:
        """Keep a new batch, or return the one that has its id."""
        with self._lock:
            return self._batches.setdefault(batch.batch_id, batch)

    async def batch(self, batch_id: str) -> Batch | None:
        """The batch with that id."""
        return self._batches.get(batch_id)

    async def change_batch(self, batch: Batch) -> None:
        """Replace a batch, if it is one version on."""
        with self._lock:
            old = self._batches.get(batch.batch_id)
            if old is None or old.version != batch.version - 1:
                raise LostRace("the batch has changed meanwhile", "look again and decide on that")
            self._batches[batch.batch_id] = batch
