"""What the broker needs to know of the sandbox in which calls may run (MODE-3)."""

from __future__ import annotations

from typing import Protocol

from sayso.core.call import ToolCall


class Sandbox(Protocol):
    """The system's sandbox, as this process has it."""

    @property
    def active(self) -> bool:
        """Whether there is one here that works: without it no session is in the mode `bypass`."""

    def holds(self, call: ToolCall) -> bool:
        """Whether this very call would run inside it: never one of a gateway, a hook or another program."""


class NoSandbox:
    """Where there is none."""

    active = False

    def holds(self, call: ToolCall) -> bool:
        """See Sandbox."""
        del call
        return False


NO_SANDBOX = NoSandbox()
