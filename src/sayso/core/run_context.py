"""A run context: the profile a session runs under, made by people (gate.md, section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sayso.core.approval_policy import Severity
from sayso.core.mode import Mode
from sayso.core.session import DEFAULT_GROUP

DEFAULT_RUN_CONTEXT = "default"
"""The run context that always exists, and that counts unless a session names another."""


UNATTENDED_SECONDS = 86_400.0
"""How long requests of an unattended run wait where neither its policy nor its run context says (RC-4)."""


class Unattended(StrEnum):
    """What becomes of a call that an unattended run is not permitted: refused, or it waits for people."""

    REFUSE = "refuse"
    ASK_INBOX = "ask_inbox"


@dataclass(frozen=True, slots=True)
class RunContext:
    """What holds for the sessions that name it; every field is RC-1's.

    `allow_fs_reads` and `allow_fs_writes` are as people wrote them: absolute, or relative to the working
    directory (RC-2). `permissions` are text rules by which alone an unattended run is decided, None where
    there are none. `unattended` None is `refuse` where there are permissions and `ask_inbox` where not.
    `timeout` is in seconds: how long requests of its unattended runs wait where no policy says so.
    `auto_approve_severity` is the highest severity that it lifts, None for nothing.
    """

    run_context_id: str = DEFAULT_RUN_CONTEXT
    name: str = "Default"
    security_group: str = DEFAULT_GROUP
    system_prompt: str = ""
    working_directory: str | None = None
    allow_fs_reads: tuple[str, ...] = ()
    allow_fs_writes: tuple[str, ...] = ()
    mode: Mode | None = None
    auto_approve_severity: Severity | None = None
    permissions: tuple[str, ...] | None = None
    unattended: Unattended | None = None
    timeout: float | None = None

    @property
    def when_unattended(self) -> Unattended:
        """What becomes of what an unattended run is not permitted (gate.md, section 1, step 4)."""
        if self.unattended is not None:
            return self.unattended
        return Unattended.ASK_INBOX if self.permissions is None else Unattended.REFUSE

    @property
    def wait_unattended(self) -> float:
        """How long requests of an unattended run wait whose policy sets no time, in seconds (RC-4)."""
        return UNATTENDED_SECONDS if self.timeout is None else self.timeout

    def to_json(self) -> dict[str, Any]:
        """The run context as plain data, in the order of the specification."""
        severity = self.auto_approve_severity
        return {
            "id": self.run_context_id,
            "name": self.name,
            "security_group": self.security_group,
            "system_prompt": self.system_prompt,
            "working_directory": self.working_directory,
            "allow_fs_reads": list(self.allow_fs_reads),
            "allow_fs_writes": list(self.allow_fs_writes),
            "mode": None if self.mode is None else self.mode.value,
            "auto_approve_severity": None if severity is None else severity.word,
            "permissions": None if self.permissions is None else list(self.permissions),
            "unattended": None if self.unattended is None else self.unattended.value,
            "timeout": self.timeout,
        }
