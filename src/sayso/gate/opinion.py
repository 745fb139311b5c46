"""What a permission hook or the reviewer said of a call that would go to a person (gate.md, step 8).

Both are asked outside; their word comes back here as a value and is weighed by `decide` like everything
else. It lifts an ask only where the session's user could give it, and never what must be asked.
"""

from __future__ import annotations

from dataclasses import dataclass

from sayso.core.reason import Reason

FROM_HOOKS = frozenset({Reason.HOOK_ALLOW, Reason.HOOK_DENY})
ALLOWING = frozenset({Reason.HOOK_ALLOW, Reason.AUTO_ALLOW})
FROM_THE_REVIEWER = frozenset({Reason.AUTO_ALLOW, Reason.AUTO_DENY, Reason.AUTO_ERROR})


@dataclass(frozen=True, slots=True)
class Opinion:
    """One word on the call with this digest: `reason` says whose and which, `said` why in its own words."""

    reason: Reason
    digest: str
    said: str = ""
