"""What the broker needs for letting go of the full arguments of calls (AUD-1a)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from sayso.core.moment import Moment


@dataclass(frozen=True, slots=True)
class Which:
    """Which calls: exactly one of the three is set. `before` is when they were submitted at the latest."""

    call_id: str | None = None
    session_id: str | None = None
    before: Moment | None = None

    def __post_init__(self) -> None:
        """Refuse anything but exactly one; ValueError means misuse."""
        if [self.call_id, self.session_id, self.before].count(None) != 2:
            raise ValueError("exactly one of call, session and time says which calls are meant")


class KeptCallStore(Protocol):
    """The full arguments of calls; see Store."""

    async def forget(self, which: Which, limit: int) -> int:
        """Delete the full arguments of up to so many of these calls, the oldest first; returns of how many.

        What is not over (pending, approved, running, unknown, a broken glass to be reviewed) keeps
        them. The redacted form and the digest stay.
        """

    async def kept(self, which: Which) -> int:
        """How many of these calls have their full arguments."""
