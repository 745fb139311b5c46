"""What can be remembered with an answer, as a card offers it: only what would lift, or refuse, just this (REQ-55)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sayso.channels.display import Shown, show, shown_json
from sayso.core.reason import Reason
from sayso.requests.approval import ApprovalRequest
from sayso.requests.standing_grant import BypassScope, Extent, Remember

LASTING = (Remember.SESSION.value, Remember.ALWAYS.value)


@dataclass(frozen=True, slots=True)
class CardBypass:
    """A scope that an approve can lift for a time, and what it covers."""

    scope: str
    label: Shown

    def to_json(self) -> dict[str, Any]:
        """The part as the API carries it."""
        return {"scope": self.scope, "label": shown_json(self.label)}


@dataclass(frozen=True, slots=True)
class CardOffer:
    """What a click can have remembered.

    `covers` is all that a grant or veto would cover, one line each. `approve` and `reject` are for how
    long such an answer may be kept (`session`, `always`); `bypass` are the scopes, the one that is taken
    unless told otherwise first.
    """

    covers: tuple[Shown, ...] = ()
    approve: tuple[str, ...] = ()
    reject: tuple[str, ...] = ()
    bypass: tuple[CardBypass, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The part as the API carries it."""
        return {
            "covers": [shown_json(label) for label in self.covers],
            "approve": list(self.approve),
            "reject": list(self.reject),
            "bypass": [bypass.to_json() for bypass in self.bypass],
        }


NOTHING = CardOffer()
"""It can only be decided once."""


def offer_of(
    request: ApprovalRequest, *, may_approve: bool, may_reject: bool, need: int
) -> CardOffer:
    """What somebody who may decide so can have remembered; `need` is how many have to approve."""
    if not request.waits or not request.call.attended:
        return NOTHING
    kept = (
        tuple(word for word in LASTING if word in request.policy.remember) if request.keys else ()
    )
    lifts = (
        may_approve
        and need == 1
        and not request.why.must_ask
        and request.why.reason is not Reason.RULES_UNAVAILABLE
    )
    approve, reject = (kept if lifts else ()), (kept if may_reject else ())
    return CardOffer(
        tuple(show(key.label) for key in request.keys) if approve or reject else (),
        approve,
        reject,
        _bypasses(request) if lifts and request.may_be_bypassed else (),
    )


def _bypasses(request: ApprovalRequest) -> tuple[CardBypass, ...]:
    scopes = [BypassScope(Extent.ALL)]
    if request.call.server is not None:
        scopes.insert(0, BypassScope(Extent.MCP_SERVER, request.call.server))
    elif request.tool_category is not None:
        scopes.insert(0, BypassScope(Extent.CATEGORY, request.tool_category))
    return tuple(CardBypass(scope.extent.value, show(scope.label)) for scope in scopes)
