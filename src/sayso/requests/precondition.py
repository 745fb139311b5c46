"""What an approval was given for besides the call itself, and what of it has changed since (REQ-34).

Frozen when the request is made and read again at the claim: where each path of the call really
leads, what stands in the files it changes, and what its tool says it does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from sayso.core.operation import Operation
from sayso.core.target import Target, TargetKind

MAX_FILES = 200
"""The contents of so many files of one call are compared; a call that changes more names folders."""

UNKNOWN = "unknown"
"""The state of a file that may not be looked at."""


class PreconditionKind(StrEnum):
    """What sort of thing has to be as it was."""

    LEADS_TO = "leads-to"
    CONTENT = "content"
    DEFINITION = "definition"


class ChangeKind(StrEnum):
    """What sort of thing has changed since the approval."""

    LEADS_TO = "leads-to"
    CONTENT = "content"
    DEFINITION = "definition"
    TARGETS = "targets"
    APPROVER = "approver"
    POLICY = "policy"
    SET = "set"


class Files(Protocol):
    """What files hold, on the machine the call would run on."""

    def fingerprint(self, path: str) -> str:
        """A text that differs where what the file holds differs; `absent` where there is none.

        Blocks while it reads. Never raises: what may not be looked at is `unknown`.
        """


class NoFiles:
    """A machine whose files are not looked at."""

    def fingerprint(self, path: str) -> str:
        """Unknown."""
        del path
        return UNKNOWN


NO_FILES = NoFiles()


@dataclass(frozen=True, slots=True)
class Precondition:
    """One thing that has to be as it was; `value` None is what was not known."""

    kind: PreconditionKind
    subject: str
    value: str | None

    def to_json(self) -> dict[str, Any]:
        """The precondition as plain data."""
        return {"kind": self.kind.value, "subject": self.subject, "value": self.value}


@dataclass(frozen=True, slots=True)
class Changed:
    """One thing that is no longer what was approved; None is what was not there or not known."""

    kind: ChangeKind
    subject: str
    before: str | None = None
    now: str | None = None

    @property
    def words(self) -> str:
        """The change as people read it."""
        match self.kind:
            case ChangeKind.LEADS_TO:
                before, now = self.before or "an unknown place", self.now or "an unknown place"
                return f"{self.subject} led to {before} and leads to {now} now"
            case ChangeKind.CONTENT:
                return f"what {self.subject} holds has changed"
            case ChangeKind.DEFINITION:
                return f"what {self.subject} says it does has changed"
            case ChangeKind.TARGETS:
                return f"it {'now touches' if self.now else 'no longer touches'} {self.subject}"
            case ChangeKind.APPROVER | ChangeKind.POLICY | ChangeKind.SET:
                return self.subject

    def to_json(self) -> dict[str, Any]:
        """The change as plain data, with its words."""
        return {
            "kind": self.kind.value,
            "subject": self.subject,
            "before": self.before,
            "now": self.now,
        }


_CHANGING = frozenset({Operation.WRITE, Operation.DELETE, Operation.ANY})


def places_of(targets: Iterable[Target]) -> list[Precondition]:
    """Where the paths of a call lead, each once."""
    found = {
        target.path: target.resolved
        for target in targets
        if target.kind is TargetKind.PATH and target.path is not None
    }
    return [Precondition(PreconditionKind.LEADS_TO, path, leads) for path, leads in found.items()]


def files_of(targets: Iterable[Target]) -> list[str]:
    """The files whose contents the call changes, as the call names them.

    A command line is approved as it is written, whatever its files hold by then; where they lead is
    compared all the same.
    """
    found = {
        target.resolved: None
        for target in targets
        if target.kind is TargetKind.PATH
        and target.resolved is not None
        and target.operation in _CHANGING
        and target.command is None
    }
    return list(found)[:MAX_FILES]


def compare(before: Sequence[Precondition], now: Sequence[Precondition]) -> list[Changed]:
    """What differs between what was frozen and what is found now, in a stable order."""
    old = {(one.kind, one.subject): one.value for one in before}
    new = {(one.kind, one.subject): one.value for one in now}
    changed = []
    for (kind, subject), value in old.items():
        if (kind, subject) in new:
            found = new[kind, subject]
            if found != value:
                changed.append(Changed(ChangeKind(kind.value), subject, value, found))
        elif kind is PreconditionKind.LEADS_TO:
            changed.append(Changed(ChangeKind.TARGETS, subject, value or subject, None))
        elif kind is PreconditionKind.DEFINITION:
            changed.append(Changed(ChangeKind.DEFINITION, subject, value, None))
    for (kind, subject), value in new.items():
        if (kind, subject) not in old and kind is PreconditionKind.LEADS_TO:
            changed.append(Changed(ChangeKind.TARGETS, subject, None, value or subject))
    return changed
