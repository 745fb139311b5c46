"""How a request ended, in one line that stays where its card was (CH-2), and spans of time in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo

from sayso.channels.display import safe
from sayso.core.moment import Moment
from sayso.core.reason import Reason
from sayso.gate.explain import BY_A_RULE
from sayso.requests.approval import ApprovalRequest, Outcome, Status, Vote

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def result_line(request: ApprovalRequest, zone: tzinfo | None = None) -> str | None:
    """The line for a request that no longer waits: who decided what and what came of it.

    With `zone`, the reader's, it tells the time of day. None while people may still decide.
    """
    resolution = request.resolution
    comment = _comment(None if resolution is None else resolution.comment)
    approved = _approved(request, zone)
    match request.status:
        case Status.PENDING:
            return None
        case Status.APPROVED:
            return approved
        case Status.RUNNING:
            return f"{approved}, running now"
        case Status.REJECTED:
            by = resolution.by if resolution is not None and resolution.by else "a person"
            at = "" if resolution is None else _at(resolution.at, zone)
            return f"Rejected by {safe(by)}{at}{comment}"
        case Status.EXPIRED:
            if resolution is not None and resolution.reason is Reason.QUORUM_UNREACHABLE:
                return f"Refused: the quorum could not be reached{comment}"
            return "Expired: nobody decided in time"
        case Status.CANCELLED:
            return "Cancelled: the session was stopped"
        case Status.SUPERSEDED:
            return f"{approved}, but it no longer counts and is asked again{comment}"
        case Status.REFUSED:
            if resolution is not None and resolution.reason not in BY_A_RULE:
                return f"Refused when it was decided again{comment}"
            return f"Refused: a rule that denies it appeared after it was asked{comment}"
        case Status.LAPSED:
            return f"{approved}, but nobody ran it in time"
        case Status.UNKNOWN:
            return "It was started; whether it ran to its end is unknown"
        case Status.UNREPORTED:
            return f"{approved}, handed over to run; what came of it is not reported"
        case Status.DONE:
            return f"{approved}, {_ran('ran', 'in', request.outcome)}"
        case Status.FAILED:
            return f"{approved}, {_ran('failed', 'after', request.outcome)}"


def seconds_words(seconds: float) -> str:
    """A span of time: `0.3 s`, `42 s`, `2 min`, `3 h`, `2 days`."""
    if seconds < 10:
        return f"{max(seconds, 0.0):.1f} s"
    if seconds < 60:
        return f"{int(seconds)} s"
    if seconds < 3600:
        return f"{int(seconds // 60)} min"
    if seconds < 48 * 3600:
        return f"{int(seconds // 3600)} h"
    return f"{int(seconds // 86400)} days"


def countdown_words(seconds: float) -> str:
    """The time that is left: `7:42`, or in words from an hour on."""
    left = max(0, int(seconds))
    return f"{left // 60}:{left % 60:02}" if left < 3600 else seconds_words(left)


def clock_words(moment: Moment, zone: tzinfo) -> str:
    """The time of day of a moment, for a reader in that zone: `14:02`."""
    return (_EPOCH + timedelta(microseconds=moment)).astimezone(zone).strftime("%H:%M")


def _approved(request: ApprovalRequest, zone: tzinfo | None) -> str:
    said = request.resolution
    if said is not None and said.reason is Reason.EXPIRED_ALLOW:
        at = "" if request.approved_at is None else _at(request.approved_at, zone)
        return f"Approved by nobody: the time was over and the policy allows then{at}"
    names = list(dict.fromkeys(r.person_name for r in request.reviews if r.vote is Vote.APPROVE))
    if not names and request.resolution is not None and request.resolution.by:
        names = [request.resolution.by]
    by = f" by {safe(' and '.join(names))}" if names else ""
    at = "" if request.approved_at is None else _at(request.approved_at, zone)
    if said is not None and said.reason is Reason.BREAK_GLASS:
        return f"Run without its votes{at}: {safe(said.by or 'somebody')} broke the glass"
    return f"Approved{by}{at}"


def _ran(verb: str, word: str, outcome: Outcome | None) -> str:
    if outcome is None:
        return verb
    took = "" if outcome.seconds is None else f" {word} {seconds_words(outcome.seconds)}"
    said = "" if outcome.said_by is None else f" (as {safe(outcome.said_by)} said)"
    return f"{verb}{took}{said}"


def _at(moment: Moment, zone: tzinfo | None) -> str:
    return "" if zone is None else f" at {clock_words(moment, zone)}"


def _comment(comment: str | None) -> str:
    return f": {safe(comment)}" if comment else ""
