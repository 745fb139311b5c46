"""A call as plain data, for the hook or the reviewer that is asked about it (gate.md, step 8; REV-1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sayso.core.call import ToolCall
from sayso.gate.explain import why_sentence
from sayso.policy.outcome import PolicyOutcome, TargetOutcome

MAX_TARGETS = 200
"""So many targets are listed; the arguments hold them all."""


def picture_of(
    call: ToolCall,
    policy: PolicyOutcome,
    kind: str | None,
    arguments: Mapping[str, Any],
    hide: Callable[[str], str] = str,
) -> dict[str, Any]:
    """What the call would do and why it asks; `hide` takes the secrets out of every text but the arguments.

    `kind` is the sort of tool, None where that is not known.
    """
    targets = [_target(outcome, hide) for outcome in policy.targets[:MAX_TARGETS]]
    found: dict[str, Any] = {
        "tool": call.tool,
        "server": call.server,
        "kind": kind,
        "arguments": dict(arguments),
        "detail": None if call.detail is None else hide(call.detail),
        "targets": targets,
        "more_targets": max(0, len(policy.targets) - MAX_TARGETS),
        "diff": None if call.diff is None else hide(call.diff),
        "reason": policy.reason.value,
        "why": hide(why_sentence(policy)),
        "workspace": None if call.workspace is None else hide(call.workspace),
        "agents": list(call.agent_chain or (call.agent_id,)),
    }
    return {name: value for name, value in found.items() if value not in (None, 0)}


def _target(outcome: TargetOutcome, hide: Callable[[str], str]) -> dict[str, str]:
    target = outcome.target
    said = {
        "kind": target.kind.value,
        "text": hide(target.text),
        "operation": None if target.operation is None else target.operation.value,
        "leads_to": None if target.leads_to is None else hide(target.leads_to),
        "effect": outcome.effect.word,
    }
    return {name: value for name, value in said.items() if value is not None}
