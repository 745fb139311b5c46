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
        self,
        before: RunContext | None,
        after: RunContext,
        records: Records,
        notices: Notices,
    ) -> bool:
        """Put one in the place of another, None where there is none yet; False if that is not what is there."""

    async def delete_run_context(
        self, run_context_id: str, records: Records, notices: Notices
    ) -> bool:
        """Delete one; returns whether it was there. `default` is itself again as it was at first."""
