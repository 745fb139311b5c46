"""Reason codes: one enumeration for audit, API, UI and traces (gate.md, section 5)."""

from __future__ import annotations

from enum import StrEnum

from sayso.core.plain_members import plain_members


@plain_members
class Reason(StrEnum):
    """Why a call is allowed, refused or waits."""

    # allowed
    RULE_ALLOW = "rule-allow"
    MODE_BYPASS = "mode-bypass"
    READ_ONLY = "read-only"
    AUTO_POLICY = "auto-policy"
    SESSION_GRANT = "session-grant"
    SAVED_GRANT = "saved-grant"
    MODE_ACCEPT_EDITS = "mode-accept-edits"
    SESSION_BYPASS = "session-bypass"
    RUN_CONTEXT = "run-context"
    AUTO_SEVERITY = "auto-severity"
    UNATTENDED_PERMITTED = "unattended-permitted"
    HOOK_ALLOW = "hook-allow"
    AUTO_ALLOW = "auto-allow"
    APPROVED = "approved"
    PRE_APPROVED = "pre-approved"
    EXPIRED_ALLOW = "expired-allow"
    BREAK_GLASS = "break-glass"
    # refused
    RULE_DENY = "rule-deny"
    PROTECTED = "protected"
    BLOCKED_PATH = "blocked-path"
    FROZEN = "frozen"
    FLOOD = "flood"
    SAVED_DENY = "saved-deny"
    STICKY_DENY = "sticky-deny"
    MODE_PLAN = "mode-plan"
    MODE_DONT_ASK = "mode-dont-ask"
    NO_APPROVER = "no-approver"
    NOBODY_REACHABLE = "nobody-reachable"
    UNATTENDED_REFUSED = "unattended-refused"
    HOOK_DENY = "hook-deny"
    AUTO_DENY = "auto-deny"
    REJECTED = "rejected"
    EXPIRED = "expired"
    QUORUM_UNREACHABLE = "quorum-unreachable"
    DENY_ON_RESOLVE = "deny-on-resolve"
    LAPSED = "lapsed"
    CANCELLED = "cancelled"
    CALLER_GONE = "caller-gone"
    ERROR = "error"
    # waiting
    RULE_ASK = "rule-ask"
    NO_RULE = "no-rule"
    MUST_ASK = "must-ask"
    DOUBTFUL = "doubtful"
    BUDGET_SPENT = "budget-spent"
    RULES_UNAVAILABLE = "rules-unavailable"
    AUTO_ERROR = "auto-error"
    NEEDS_FRESH_APPROVAL = "needs-fresh-approval"
