"""What the context of a call implies: by mode, setting, run context and severity (gate.md, section 1, step 6).

All of it acts for the session's user, so that none counts where the ask is not theirs alone to decide;
`lifting.py` looks at that. Only `bypass` inside the sandbox lifts what is doubtful (POL-31).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sayso.core.mode import Mode
from sayso.core.operation import Operation
from sayso.core.reason import Reason
from sayso.core.target import Target, TargetKind
from sayso.gate.asked_call import AskedCall
from sayso.gate.implied import ImpliedGrant, Lifts
from sayso.gate.paths_inside import (
    CHANGES,
    is_no_project,
    is_of_a_file,
    lies_below,
    lies_in,
    may_hold_something,
)
from sayso.gate.permitted import permitted_targets
from sayso.gate.read_only import ReadLine
from sayso.policy.outcome import TargetOutcome
from sayso.policy.rule import Origin
from sayso.policy.walks import protected_below


def bypassing(ask: AskedCall) -> Lifts | None:
    """Mode `bypass`, for a call that runs inside sayso's own sandbox (MODE-3)."""
    there = ask.circumstances
    if there.mode is not Mode.BYPASS or not there.sandboxed:
        return None
    return _always(_grant(ask, Reason.MODE_BYPASS, "the mode bypass, inside the sandbox"))


def read_only(ask: AskedCall) -> Lifts | None:
    """The read-only defaults: a command line that only reads what may be read (POL-35)."""
    if not ask.circumstances.read_only_defaults:
        return None
    line = ReadLine(
        ask.call, ask.policy, ask.rules, ask.facts, ask.circumstances, ask.context.group
    )
    if not line.only_reads():
        return None
    grant = _grant(ask, Reason.READ_ONLY, "the read-only defaults")
    return lambda outcome: grant if outcome.target.kind is TargetKind.COMMAND else None


def auto_policy(ask: AskedCall) -> Lifts | None:
    """The commands that the user's settings name in `auto_approve_commands`."""
    texts = ask.circumstances.auto_approve_commands
    what = "`auto_approve_commands` in the settings"
    return _permitted(ask, texts, _grant(ask, Reason.AUTO_POLICY, what), kinds=("shell",))


def permissions(ask: AskedCall) -> Lifts | None:
    """What an unattended run is permitted by its run context."""
    context = ask.circumstances.run_context
    what = f"the permissions of the run context {context.name}"
    texts = context.permissions or ()
    return _permitted(ask, texts, _grant(ask, Reason.UNATTENDED_PERMITTED, what))


def accepted_edits(ask: AskedCall) -> Lifts | None:
    """Mode `accept-edits`: files that are written or deleted below the workspace, a project's folder.

    The workspace is what the agent's side says: its home or a folder of the system is none.
    """
    workspace = ask.call.workspace
    if ask.circumstances.mode is not Mode.ACCEPT_EDITS or workspace is None:
        return None
    if is_no_project(workspace, ask.facts):
        return None
    grant = _grant(ask, Reason.MODE_ACCEPT_EDITS, "the mode accept-edits")

    def lifts(outcome: TargetOutcome) -> ImpliedGrant | None:
        target = outcome.target
        fits = lies_below(target, workspace, ask.facts) and _changes_it_alone(ask, target)
        return grant if fits and is_of_a_file(ask, target) else None

    return _where_not_doubtful(lifts)


def paths_of_the_context(ask: AskedCall) -> Lifts | None:
    """Files in the paths that the run context makes readable or writable; what a person's own row asks stays."""
    there = ask.circumstances
    if not (there.readable or there.writable):
        return None
    readable = (*there.readable, *there.writable)
    grant = _grant(ask, Reason.RUN_CONTEXT, f"the run context {there.run_context.name}")

    def lifts(outcome: TargetOutcome) -> ImpliedGrant | None:
        target = outcome.target
        if any(rule.origin is Origin.DATABASE and not rule.seeded for rule in outcome.asks):
            return None
        if target.operation is Operation.READ:
            fits = lies_in(target, readable) and not (target.walks and _is_guarded(ask, target))
        else:
            fits = lies_in(target, there.writable) and _changes_it_alone(ask, target)
        return grant if fits and is_of_a_file(ask, target) else None

    return _where_not_doubtful(lifts)


def low_severity(ask: AskedCall) -> Lifts | None:
    """Whatever is no graver than the run context lifts by itself."""
    context = ask.circumstances.run_context
    highest = context.auto_approve_severity
    if highest is None or ask.policy.approval.severity > highest:
        return None
    what = f"the run context {context.name}, up to the severity {highest.word}"
    return _where_not_doubtful(_always(_grant(ask, Reason.AUTO_SEVERITY, what)))


def _changes_it_alone(ask: AskedCall, target: Target) -> bool:
    """Whether a path is written or deleted, and nothing with it: in a folder something may be protected."""
    if target.operation is Operation.DELETE:
        return not may_hold_something(target, ask.facts)
    return target.operation in CHANGES


def _is_guarded(ask: AskedCall, target: Target) -> bool:
    """Whether something that is protected may lie below a folder; people's own rules make it doubtful."""
    plan = ask.rules.plan(ask.call, ask.context.group)
    return protected_below(target, ask.call, ask.rules, ask.facts, plan)


def _grant(ask: AskedCall, reason: Reason, what: str) -> ImpliedGrant:
    return ImpliedGrant(reason, ask.call.user_id, what)


def _always(grant: ImpliedGrant) -> Lifts:
    return lambda outcome: grant


def _permitted(
    ask: AskedCall, texts: Sequence[str], grant: ImpliedGrant, kinds: Iterable[str] | None = None
) -> Lifts | None:
    if not texts:
        return None
    covered = permitted_targets(ask, texts, kinds)
    return _where_not_doubtful(lambda outcome: grant if id(outcome) in covered else None)


def _where_not_doubtful(lifts: Lifts) -> Lifts:
    return lambda outcome: None if outcome.doubtful else lifts(outcome)
