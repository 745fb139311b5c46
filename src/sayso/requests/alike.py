"""Which waiting requests are alike, so that a flood of them takes one line of a list (GATE-9)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable, Sequence

from sayso.requests.approval import ApprovalRequest, Status

FEW = 5
"""So many alike are listed one by one; more fold. The page's `folding.js` has the same number."""


def alike_key(request: ApprovalRequest) -> Hashable | None:
    """What alike requests have in common, None of one that stands for itself (it waits for no decision).

    Tool, server, agent, user, session, deciding rule and severity; arguments may differ. The severity is
    among them so that no severe request is folded away under one that is not.
    """
    if request.status is not Status.PENDING:
        return None
    call, why = request.call, request.why
    rule = json.dumps(why.rule, sort_keys=True)
    severity = request.policy.severity
    return (call.tool, call.server, call.agent_id, call.user_id, call.session_id, rule, severity)


def folded(requests: Sequence[ApprovalRequest]) -> list[tuple[ApprovalRequest, int]]:
    """The requests in their order, where more than a few are alike only the first, with how many more there are."""
    many = Counter(alike_key(request) for request in requests)
    seen: set[Hashable] = set()
    rows: list[tuple[ApprovalRequest, int]] = []
    for request in requests:
        key = alike_key(request)
        if key is None or many[key] <= FEW:
            rows.append((request, 0))
        elif key not in seen:
            seen.add(key)
            rows.append((request, many[key] - 1))
    return rows
