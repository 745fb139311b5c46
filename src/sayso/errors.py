"""Every exception of sayso, in one tree; outcomes are values, so these mean misuse or a broken world.

    SaysoError
    ├ CallError
    │ ├ CallInvalid           the call itself cannot be accepted (arguments, names, size)
    │ ├ ExternalIdReused      the same external id came with other arguments
    │ ├ CallDenied            policy refused the call (raised by the front door only)
    │ ├ CallRejected          a person refused the call, or it expired or was cancelled
    │ └ CallAlreadyRan        it ran for an identical call whose caller had left
    ├ PolicyError
    │ ├ RuleSyntaxError       a rule's text cannot be read; carries file:line:column
    │ ├ RuleRefused           a well-formed rule that sayso will not keep (second catch-all, lying example)
    │ ├ RuleNotFound          no rule has that id
    │ ├ CasesInvalid          a table of cases cannot be read; carries file:line
    │ ├ GroupNotFound         no permission group has that id
    │ ├ RunContextNotFound    no run context has that id
    │ └ RunContextRefused     a run context cannot be as it was to be
    ├ RequestError
    │ ├ RequestNotFound       no request has that id
    │ ├ RequestClosed         it was resolved or it expired; carries the resolution
    │ ├ NotNow                it cannot be approved until something else is mended
    │ ├ DigestMismatch        the digest is not the one of this call
    │ ├ ArgumentsWithheld     the call is here in its redacted form only
    │ ├ NotRemembered         an answer cannot be remembered in the way that was asked for
    │ ├ KeyInvalid            a text is not the key of a grant
    │ ├ EditRefused           the arguments of this call may not be changed so
    │ ├ QuestionInvalid       what an agent asks cannot be asked so
    │ ├ AnswerInvalid         an answer does not fit what was asked
    │ ├ GrantNotFound         nothing that is remembered has that id
    │ ├ ApprovalsInvalid      a file of grants cannot be read
    │ ├ NotFrozen             nothing is frozen that could be thawed
    │ ├ ReceiptRefused        a receipt does not prove that this call may run
    │ └ ClaimLost             the claim is not, or no longer, this runner's
    ├ AccessError
    │ ├ NotAuthenticated      no valid credential was presented
    │ ├ NotEligible           this credential or person may not do that
    │ ├ PassphraseWrong       the passphrase does not fit
    │ ├ PassphraseMissing     no passphrase has been chosen yet
    │ └ RateLimited           too many attempts; carries the seconds to wait
    ├ PeopleError
    │ ├ PersonNotFound        no person has that name or identity
    │ ├ RoleNotFound          no role has that name
    │ └ PeopleRefused         a person, a role or a stand-in that cannot be
    ├ SettingsInvalid         a settings file cannot be used; carries file:line:column
    ├ StoreError
    │ ├ StoreUnavailable      the database is busy or cannot be reached
    │ ├ StoreCorrupt          the database is damaged
    │ ├ SchemaTooNew          the database was written by a newer sayso
    │ └ LostRace              a conditional write found another version
    │   ├ TooManyWait         too many requests of the session wait already
    │   └ BudgetSpent         what is left of a rule's budget is less than the call takes
    ├ ChannelError
    │ └ Undeliverable         a channel could not reach anybody
    ├ AdviceFailed            a hook or the reviewer gave no answer that counts
    └ AdapterError
      ├ ServerUnreachable     no sayso server answers at that address
      └ UpstreamFailed        the gated MCP server could not be started or has gone

Messages are lower case, without a full stop, with user input in backticks; `hint` names the next action.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MAX_TOLD = 2000
"""So many characters are told of what is wrong with a settings file."""


class SaysoError(Exception):
    """Base of every exception of sayso; `message` says what is wrong and `hint` what to do next."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\nhint: {self.hint}"


class CallError(SaysoError):
    """A call cannot be accepted or was refused."""


class CallInvalid(CallError):
    """The call itself cannot be accepted: arguments, names or size."""


class ExternalIdReused(CallError):
    """The same external id came again with other arguments."""


class CallDenied(CallError):
    """Policy refused the call; `reason` is the reason code and `request_id` the call's id."""

    def __init__(
        self, message: str, hint: str | None = None, *, reason: str, request_id: str
    ) -> None:
        super().__init__(message, hint)
        self.reason = reason
        self.request_id = request_id


class CallRejected(CallError):
    """A person refused the call, or it expired or was cancelled; `by` is who, if a person."""

    def __init__(
        self,
        message: str,
        hint: str | None = None,
        *,
        reason: str,
        request_id: str,
        by: str | None = None,
    ) -> None:
        super().__init__(message, hint)
        self.reason = reason
        self.request_id = request_id
        self.by = by


class CallAlreadyRan(CallError):
    """The call ran for an identical one whose caller had left; `status` and `summary` are what came of it."""

    def __init__(
        self, message: str, hint: str | None = None, *, status: str, summary: str, request_id: str
    ) -> None:
        super().__init__(message, hint)
        self.status = status
        self.summary = summary
        self.request_id = request_id


class PolicyError(SaysoError):
    """A rule or a permission group cannot be used."""


class RuleSyntaxError(PolicyError):
    """A rule's text cannot be read; `place` is `file:line:column` where known, `column` is 1-based."""

    def __init__(
        self,
        message: str,
        hint: str | None = None,
        *,
        column: int = 1,
        place: str | None = None,
    ) -> None:
        super().__init__(message if place is None else f"{place}: {message}", hint)
        self.column = column
        self.place = place


class RuleRefused(PolicyError):
    """The rule is well formed but sayso will not keep it."""


class RuleNotFound(PolicyError):
    """No rule has that id."""


class GroupNotFound(PolicyError):
    """No permission group has that id."""


class RunContextNotFound(PolicyError):
    """No run context has that id."""


class RunContextRefused(PolicyError):
    """A run context cannot be made, changed or deleted as it was to be."""


class CasesInvalid(PolicyError):
    """A table of cases cannot be read; the message starts with `file:line`."""


class RequestError(SaysoError):
    """A request cannot be acted on."""


class RequestNotFound(RequestError):
    """No request has that id."""


class RequestClosed(RequestError):
    """The request was resolved or has expired; `resolution` is how, as plain data, or None."""

    def __init__(
        self,
        message: str,
        hint: str | None = None,
        *,
        status: str,
        resolution: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message, hint)
        self.status = status
        self.resolution = resolution


class NotNow(RequestError):
    """The request cannot be approved until something else is mended."""


class DigestMismatch(RequestError):
    """The digest presented is not the digest of this call."""


class ArgumentsWithheld(RequestError):
    """The call is here in its redacted form only, so nothing can be approved or run of it."""


class NotRemembered(RequestError):
    """An answer cannot be remembered in the way that was asked for; nothing was decided."""


class KeyInvalid(RequestError):
    """A text is not the key of a grant."""


class EditRefused(RequestError):
    """The arguments of this call may not be changed so."""


class QuestionInvalid(RequestError):
    """What an agent asks of a person cannot be asked so; nobody was asked."""


class AnswerInvalid(RequestError):
    """An answer does not fit what was asked; the question still waits. It never tells a value.

    `fields` says of each field of a form what is wrong with it, where that is known.
    """

    def __init__(
        self, message: str, hint: str | None = None, *, fields: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message, hint)
        self.fields = dict(fields or {})


class GrantNotFound(RequestError):
    """Nothing that is remembered has that id, or it is not this person's."""


class ApprovalsInvalid(RequestError):
    """A file of grants cannot be read."""


class NotFrozen(RequestError):
    """Nothing is frozen that could be thawed."""


class ReceiptRefused(RequestError):
    """A receipt does not prove that this call may run here, now, for the first time."""


class ClaimLost(RequestError):
    """The claim is not, or no longer, this runner's."""


class AccessError(SaysoError):
    """A credential is missing or does not give the right."""


class NotAuthenticated(AccessError):
    """No valid credential was presented."""


class NotEligible(AccessError):
    """This credential or person may not do that."""


class PassphraseWrong(AccessError):
    """The passphrase does not fit."""


class PassphraseMissing(AccessError):
    """No passphrase has been chosen yet, so nobody can decide."""


class RateLimited(AccessError):
    """Too many attempts; `retry_after` is the time to wait, in seconds."""

    def __init__(self, message: str, hint: str | None = None, *, retry_after: float) -> None:
        super().__init__(message, hint)
        self.retry_after = retry_after


class PeopleError(SaysoError):
    """What is said of people and roles cannot be kept."""


class PersonNotFound(PeopleError):
    """No person has that name or identity."""


class RoleNotFound(PeopleError):
    """No role has that name."""


class PeopleRefused(PeopleError):
    """A person, a role or a stand-in that cannot be: a name that is taken, a circle, too few admins."""


class SettingsInvalid(SaysoError):
    """A settings file cannot be used; the message starts with `file:line:column`.

    What it tells may be somebody else's file, whose words make no lines of ours and end somewhere.
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(_in_one_line(message), None if hint is None else _in_one_line(hint))


def _in_one_line(text: str) -> str:
    shown = text if len(text) <= MAX_TOLD else f"{text[:MAX_TOLD]}…"
    return "↵".join(shown.splitlines())


class StoreError(SaysoError):
    """The store cannot do its work."""


class StoreUnavailable(StoreError):
    """The database is busy or cannot be reached."""


class StoreCorrupt(StoreError):
    """The database is damaged."""


class SchemaTooNew(StoreError):
    """The database was written by a newer sayso."""


class LostRace(StoreError):
    """A conditional write found another version than the one it was computed from."""


class TooManyWait(LostRace):
    """So many requests of the session wait that another one is not put before people (GATE-9)."""


class BudgetSpent(LostRace):
    """What is left of a rule's budget is less than the call takes; it is decided again."""


class AdviceFailed(SaysoError):
    """A permission hook or the reviewer gave no answer that counts; a person is asked then."""


class ChannelError(SaysoError):
    """A channel cannot do its work."""


class Undeliverable(ChannelError):
    """A channel could not reach anybody."""


class AdapterError(SaysoError):
    """An adapter's other side cannot be used."""


class ServerUnreachable(AdapterError):
    """No sayso server answers at that address."""


class UpstreamFailed(AdapterError):
    """The gated MCP server could not be started or has gone."""
