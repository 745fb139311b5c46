"""The calls of one turn: who continues it once all are settled, and their approval as one ordered set.

The right to continue a turn is taken by a conditional write, for a time: if whoever took it dies, it
can be taken again, and never by two at once (REQ-33). A set is the list of the calls in their order; its
digest binds an approval to all of them (REQ-36).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sayso.core.call import canonical
from sayso.core.moment import Moment
from sayso.errors import ClaimLost

TURN_SECONDS = 60.0
"""How long the right to continue a turn lasts unless it is taken anew."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The calls of one turn, in their order; `token` is whoever continues the turn, until a moment."""

    batch_id: str
    session_id: str
    call_ids: tuple[str, ...]
    created_at: Moment
    version: int = 1
    token: str | None = None
    until: Moment | None = None
    ended_at: Moment | None = None

    def free(self, now: Moment) -> bool:
        """Whether the turn may be continued by somebody: nobody has ended it, and nobody is at it."""
        return self.ended_at is None and (self.until is None or now >= self.until)


def batch_id_of(session_id: str, name: str) -> str:
    """The id of a batch, by the name its host gave it in its session: a host that tries again means this one."""
    return hashlib.sha256(canonical([session_id, name])).hexdigest()[:36]


def set_digest(digests: Sequence[str]) -> str:
    """The digest of calls as one ordered set."""
    return hashlib.sha256(canonical(["set", *digests])).hexdigest()


def taken(batch: Batch, token: str, until: Moment) -> Batch:
    """The batch with the right to continue its turn taken, one version on."""
    return replace(batch, version=batch.version + 1, token=token, until=until)


def ended(batch: Batch, token: str, now: Moment) -> Batch:
    """The batch with its turn continued, one version on; raises ClaimLost for another's token."""
    if batch.token != token or batch.ended_at is not None:
        raise ClaimLost(
            "the right to continue this turn is not, or no longer, yours",
            "somebody else has continued it, or will",
        )
    return replace(batch, version=batch.version + 1, ended_at=now)
