"""What the broker needs of the run contexts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sayso.broker.ports.audit import Records
from sayso.broker.ports.events import Notices
from sayso.core.run_context import RunContext


class RunContextStore(Protocol):
    """Run contexts; see Store. A change of them changes the version of the rules."""

    async def run_contexts(self) -> Sequence[RunContext]:
        """All of them by id; `default` is always among them."""

    async def put_run_context(
        self, run_context: RunContext, records: Records, notices: Notices, *, new: bool
    ) -> bool:
        """Add one or replace one; False, and nothing is done, where one is (or none is) there already."""

    async def delete_run_context(
        self, run_context_id: str, records: Records, notices: Notices
    ) -> bool:
        """Delete one; returns whether it was there. `default` is itself again as it was at first."""
