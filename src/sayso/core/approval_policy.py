"""Who may approve, how many, how long it waits: the approval policy of an ask (requests.md, 2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from typing import Any, Literal

from sayso.core.asking import (
    ContextWanted,
    Escalation,
    Unreachable,
    both_contexts,
    both_escalations,
    both_unreachable,
    channel_name,
    read_context,
    read_escalation,
    read_reminders,
    seconds,
)
from sayso.core.deciders import ALL, Deciders, Quorum, all_of, parse_quorum
from sayso.core.deciders import Approver as Approver
from sayso.errors import RuleRefused


class Severity(IntEnum):
    """How much is at stake; a greater value is graver."""

    LOW = 0
    MEDIUM = 1
    HIGH = 2

    @property
    def word(self) -> str:
        """The severity as people write it."""
        return self.name.lower()


class OnTimeout(StrEnum):
    """What happens when the time is over; `deny` is read as `reject`."""

    REJECT = "reject"
    ALLOW = "allow"


REMEMBER = ("once", "session", "always")

OTHERS_SECONDS = 600.0
"""How long an ask waits where an operator, an admin, a role or a list decides and no time is named."""

_CONTEXT = ContextWanted()


@dataclass(frozen=True, slots=True)
class ApprovalPolicy:
    """How an ask is put to people; `timeout` is in seconds, `none` waits for ever, None was not said.

    `approver`, `role`, `approvers` and `quorum` are those of Deciders; `also` is what other rules say,
    whose asks match the same call: who decides has to be named by each of them (POL-24).
    `reminders` are seconds after the request was made. `channels` holds the highest severity that a
    channel may approve; one that is not named may approve any. `break_glass` is within how many
    seconds a second person has to review a call that was run without its votes; None forbids it.
    """

    severity: Severity = Severity.MEDIUM
    timeout: float | Literal["none"] | None = None
    on_timeout: OnTimeout = OnTimeout.REJECT
    acknowledge_high_risk: bool = False
    approver: Approver = Approver.ANY
    role: str | None = None
    approvers: tuple[str, ...] | None = None
    quorum: Quorum | None = None
    action: str = ""
    message: str = ""
    remember: tuple[str, ...] = REMEMBER
    allow_edit: bool = False
    self_approval: bool = False
    unreachable: Unreachable = Unreachable.WAIT
    reminders: tuple[float, ...] = ()
    escalate: Escalation | None = None
    context: ContextWanted = _CONTEXT
    channels: tuple[tuple[str, Severity], ...] = ()
    break_glass: float | None = None
    also: tuple[Deciders, ...] = ()

    @property
    def deciders(self) -> tuple[Deciders, ...]:
        """Each rule's word on who decides; all of them count."""
        own = Deciders(self.approver, self.role, self.approvers, self.quorum)
        return (own.settled(), *self.also)

    @property
    def wait_seconds(self) -> float | None:
        """How long an ask waits; None is for ever."""
        if self.timeout is None:
            return OTHERS_SECONDS if any(one.are_others for one in self.deciders) else None
        return None if isinstance(self.timeout, str) else self.timeout

    def may_approve_through(self, channel: str) -> bool:
        """Whether an approval may come through this channel, for the severity of this ask (CH-16)."""
        return all(name != channel or self.severity <= cap for name, cap in self.channels)

    def to_json(self) -> dict[str, Any]:
        """The policy as plain data, fields in the order of the specification.

        `also` is there only where several rules speak; no rule can write it.
        """
        others = {"also": [one.to_json() for one in self.also]} if self.also else {}
        return {
            "severity": self.severity.word,
            "timeout": self.timeout,
            "on_timeout": self.on_timeout.value,
            "acknowledge_high_risk": self.acknowledge_high_risk,
            "approver": self.approver.value,
            "role": self.role,
            "approvers": None if self.approvers is None else list(self.approvers),
            "quorum": self.quorum,
            "action": self.action,
            "message": self.message,
            "remember": list(self.remember),
            "allow_edit": self.allow_edit,
            "self_approval": self.self_approval,
            "unreachable": self.unreachable.value,
            "reminders": list(self.reminders),
            "escalate": None if self.escalate is None else self.escalate.to_json(),
            "context": self.context.to_json(),
            "channels": {name: cap.word for name, cap in self.channels},
            "break_glass": self.break_glass,
            **others,
        }


def may_end_in_allow(policy: ApprovalPolicy) -> bool:
    """Whether the end of the time may approve at all: `on_timeout: allow`, for what is not too grave.

    It has to be a time that the policy sets: where it sets none, only a quorum out of reach ends the
    waiting, and that always refuses (REQ-12).
    """
    timed = policy.wait_seconds is not None
    return policy.on_timeout is OnTimeout.ALLOW and timed and not _is_too_grave(policy)


def _is_too_grave(policy: ApprovalPolicy) -> bool:
    return policy.severity is Severity.HIGH and not policy.acknowledge_high_risk


_KNOWN = frozenset(ApprovalPolicy().to_json())


def parse_approval_policy(data: dict[str, Any], *, must_ask: bool = False) -> ApprovalPolicy:
    """Read an approval policy from a rule or a file.

    Raises RuleRefused for unknown fields, wrong values, and `on_timeout: allow` together with
    must_ask, or with severity `high` unless `acknowledge_high_risk` is true.
    """
    unknown = sorted(set(data) - _KNOWN)
    if unknown:
        raise RuleRefused(
            f"`{unknown[0]}` is not a field of an approval policy",
            f"known fields: {', '.join(sorted(_KNOWN))}",
        )
    default = ApprovalPolicy()
    try:
        policy = ApprovalPolicy(
            severity=Severity[str(data.get("severity", "medium")).upper()],
            timeout=_timeout(data.get("timeout")),
            on_timeout=OnTimeout(
                {"deny": "reject"}.get(
                    data.get("on_timeout", "reject"), data.get("on_timeout", "reject")
                )
            ),
            acknowledge_high_risk=_boolean(data, "acknowledge_high_risk"),
            approver=Approver(data.get("approver", "any")),
            role=_optional_text(data, "role"),
            approvers=_texts(data, "approvers"),
            quorum=_quorum(data.get("quorum")),
            action=_optional_text(data, "action") or "",
            message=_optional_text(data, "message") or "",
            remember=_remember(data.get("remember", list(default.remember))),
            allow_edit=_boolean(data, "allow_edit"),
            self_approval=_boolean(data, "self_approval"),
            unreachable=Unreachable(data.get("unreachable", "wait")),
            reminders=read_reminders(data.get("reminders")),
            escalate=read_escalation(data.get("escalate")),
            context=read_context(data.get("context")),
            channels=_caps(data.get("channels")),
            break_glass=_optional_seconds(data, "break_glass"),
        )
    except (KeyError, ValueError, TypeError) as error:
        raise RuleRefused(
            f"the approval policy has a wrong value: {error}",
            "see docs/spec/requests.md, section 2",
        ) from error
    if policy.quorum == ALL and policy.role is None and policy.approvers is None:
        raise RuleRefused(
            "quorum `all` needs a role or a list of approvers", "name them, or give a number"
        )
    if policy.on_timeout is OnTimeout.ALLOW and must_ask:
        raise RuleRefused("`on_timeout: allow` cannot stand with must_ask", "use `reject`")
    if policy.on_timeout is OnTimeout.ALLOW and _is_too_grave(policy):
        raise RuleRefused(
            "`on_timeout: allow` with severity `high` needs `acknowledge_high_risk: true`",
            "use `reject`, or acknowledge the risk",
        )
    return policy


def merge(policies: Iterable[ApprovalPolicy]) -> ApprovalPolicy:
    """Merge the policies of all asks that match one call; the result is as strict as each (POL-24)."""
    merged: ApprovalPolicy | None = None
    for policy in policies:
        merged = policy if merged is None else _merge_two(merged, policy)
    return merged if merged is not None else ApprovalPolicy()


def _merge_two(a: ApprovalPolicy, b: ApprovalPolicy) -> ApprovalPolicy:
    timeouts = [t for t in (a.wait_seconds, b.wait_seconds) if t is not None]
    severity = max(a.severity, b.severity)
    acknowledged = a.acknowledge_high_risk and b.acknowledge_high_risk
    time_allows = a.on_timeout is b.on_timeout is OnTimeout.ALLOW and (
        severity is not Severity.HIGH or acknowledged
    )
    first, *also = all_of((*a.deciders, *b.deciders))
    return replace(
        a,
        severity=severity,
        timeout=min(timeouts) if timeouts else a.timeout or b.timeout,
        on_timeout=OnTimeout.ALLOW if time_allows else OnTimeout.REJECT,
        acknowledge_high_risk=acknowledged,
        approver=first.approver,
        role=first.role,
        approvers=first.approvers,
        quorum=first.quorum,
        also=tuple(also),
        action=a.action or b.action,
        message=a.message or b.message,
        remember=tuple(word for word in a.remember if word in b.remember),
        allow_edit=a.allow_edit and b.allow_edit,
        self_approval=a.self_approval and b.self_approval,
        unreachable=both_unreachable(a.unreachable, b.unreachable),
        reminders=tuple(sorted({*a.reminders, *b.reminders})),
        escalate=both_escalations(a.escalate, b.escalate),
        context=both_contexts(a.context, b.context),
        channels=_lower_caps(a.channels, b.channels),
        break_glass=None
        if a.break_glass is None or b.break_glass is None
        else min(a.break_glass, b.break_glass),
    )


def _lower_caps(
    a: tuple[tuple[str, Severity], ...], b: tuple[tuple[str, Severity], ...]
) -> tuple[tuple[str, Severity], ...]:
    lowest = dict(a)
    for name, cap in b:
        lowest[name] = min(cap, lowest.get(name, cap))
    return tuple(sorted(lowest.items()))


def _timeout(value: object) -> float | Literal["none"] | None:
    return value if value is None or value == "none" else seconds("timeout", value)


def _optional_seconds(data: dict[str, Any], key: str) -> float | None:
    value = data.get(key)
    return None if value is None else seconds(key, value)


def _caps(value: object) -> tuple[tuple[str, Severity], ...]:
    if value is None:
        return ()
    if not isinstance(value, dict):
        raise TypeError("channels is not a table of channels and severities")
    return tuple(
        sorted((channel_name(name), Severity[str(cap).upper()]) for name, cap in value.items())
    )


def _quorum(value: object) -> Quorum | None:
    return None if value is None else parse_quorum(value)


def _boolean(data: dict[str, Any], key: str) -> bool:
    value = data.get(key, False)
    if not isinstance(value, bool):
        raise TypeError(f"{key} `{value}` is not true or false")
    return value


def _optional_text(data: dict[str, Any], key: str) -> str | None:
    value = data.get(key)
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{key} `{value}` is not text")
    return value


def _texts(data: dict[str, Any], key: str) -> tuple[str, ...] | None:
    value = data.get(key)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise TypeError(f"{key} is not a list of texts")
    return tuple(value)


def _remember(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or any(word not in REMEMBER for word in value):
        raise ValueError(f"remember `{value}` may hold {', '.join(REMEMBER)}")
    return tuple(word for word in REMEMBER if word in value)
