"""Audit records of calls: texts are redacted here, once for all (AUD-1, AUD-2)."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.audit.record import AuditRecord, RecordKind
from sayso.audit.redact import redact, redact_text
from sayso.core.call import ToolCall
from sayso.core.moment import Moment
from sayso.gate.verdict import Verdict


def call_record(
    kind: RecordKind,
    call: ToolCall,
    digest: str,
    now: Moment,
    *,
    effect: str = "",
    reason: str = "",
    rule: str = "",
    targets: tuple[str, ...] = (),
    by: str | None = None,
    channel: str | None = None,
    comment: str | None = None,
    waited: float | None = None,
    outcome: str | None = None,
    note: str | None = None,
    with_arguments: bool = False,
) -> AuditRecord:
    """The audit record of something that happened to a call, with its texts redacted."""
    return AuditRecord(
        kind,
        now,
        call_id=call.call_id,
        session_id=call.session_id,
        agent_id=call.agent_id,
        user_id=call.user_id,
        source=call.source,
        tool=call.written_name,
        targets=tuple(redact_text(target) for target in targets),
        arguments=redact(call.arguments) if with_arguments else None,
        digest=digest,
        effect=effect,
        reason=reason,
        rule=rule,
        by=by,
        channel=channel,
        comment=None if comment is None else redact_text(comment),
        waited=waited,
        outcome=None if outcome is None else redact_text(outcome),
        note=note,
    )


def verdict_record(
    call: ToolCall, verdict: Verdict, now: Moment, notes: Sequence[str] = ()
) -> AuditRecord:
    """The audit record of a verdict, with the redacted arguments of the call.

    `notes` tell which hooks and which model were asked, how that went, and the tokens it took (REV-3).
    """
    policy, opinion = verdict.policy, verdict.opinion
    return call_record(
        RecordKind.VERDICT,
        call,
        verdict.digest,
        now,
        effect=verdict.effect.word,
        reason=verdict.reason.value,
        rule=verdict.rule_text,
        targets=() if policy is None else tuple(t.target.text for t in policy.targets),
        comment=None if opinion is None else opinion.said,
        note="; ".join(notes) or None,
        with_arguments=True,
    )
