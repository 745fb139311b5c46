"""A grant that nobody clicked: what the context of a call implies (gate.md, section 1, step 6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from sayso.core.reason import Reason
from sayso.policy.outcome import TargetOutcome
from sayso.requests.standing_grant import Bypass, KeyGrant


@dataclass(frozen=True, slots=True)
class ImpliedGrant:
    """What a mode, a run context or a setting lifts; `giver` is the session's user, for whom it acts.

    `what` says in words what implies it. It has no end of its own: it is as long as that is so.
    """

    reason: Reason
    giver: str
    what: str

    def to_json(self) -> dict[str, Any]:
        """The grant as plain data."""
        return {"reason": self.reason.value, "by": self.giver, "label": self.what}


AnyGrant: TypeAlias = KeyGrant | Bypass | ImpliedGrant
"""Whatever lifts an ask of more than one call: all have a scope, a giver, an end and a reason."""

Lifts: TypeAlias = Callable[[TargetOutcome], AnyGrant | None]
"""Tells by which grant one target of a call is lifted, None where by none."""
