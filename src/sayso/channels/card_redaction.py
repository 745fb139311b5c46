"""What a card shows of secrets: all while people have to know what runs, and nothing once it is over (AUD-1a, P4)."""

from __future__ import annotations

from typing import Any

from sayso.audit.redacted_call import redacted_request
from sayso.core.withheld import Withheld
from sayso.requests.approval import ApprovalRequest
from sayso.requests.lifecycle import FINAL


def as_shown(request: ApprovalRequest) -> ApprovalRequest:
    """The request as a card shows it: in its redacted form once nobody has to decide about it any more.

    One that holds no secret, or is not whole anyway, is shown as it is.
    """
    to_review = request.glass is not None and request.glass.review is None
    if request.withheld is not None or request.status not in FINAL or to_review:
        return request
    redacted = redacted_request(request, Withheld.OVER)
    return request if _texts(redacted) == _texts(request) else redacted


def _texts(request: ApprovalRequest) -> tuple[Any, ...]:
    calls = [request.call, *([] if request.edited is None else [request.edited.original])]
    said = [(call.arguments, call.detail, call.diff) for call in calls]
    return said, request.action, request.why, request.preconditions, request.changed
