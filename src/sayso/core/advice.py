"""Whom the user has named to be asked before a person: permission hooks, and the reviewer (gate.md, step 8)."""

from __future__ import annotations

from dataclasses import dataclass

HOOK_SECONDS = 10.0
"""How long a hook may take where its table names no time."""

HOOKS_SECONDS = 60.0
"""How long the hooks of one call may take, all together; none may be given more."""

REVIEW_SECONDS = 120.0
"""How long the reviewer may take (REV-2)."""

SUMMARY_SECONDS = 20.0
"""How long a summary of the dialogue may take; without one the last turns are shown (REV-4)."""

ADVICE_SECONDS = HOOKS_SECONDS + REVIEW_SECONDS + SUMMARY_SECONDS
"""How much longer a call may take to be answered because somebody else is asked first."""


@dataclass(frozen=True, slots=True)
class Hook:
    """One permission hook: a command with its arguments, or a Python function as `package.module:name`.

    `tools` are patterns for names of tools, of which one has to match. `timeout` is in seconds. `folder`
    is where a command runs and its relative path starts: that of the settings file which names the hook,
    never a workspace, where an agent could put files in its way.
    """

    name: str
    command: tuple[str, ...] = ()
    entry_point: str = ""
    tools: tuple[str, ...] = ("*",)
    timeout: float = HOOK_SECONDS
    folder: str = "/"


@dataclass(frozen=True, slots=True)
class Advice:
    """What the user's settings say of it for one workspace; a project's files have no word in it (POL-60).

    `model` is the reviewer's, as `provider:name`, None where none is named; `environment` are the user's
    notes for it. `may_allow` is false while one of the files is broken: an allow is not taken then, as
    the allows of its rules are not (POL-63).
    """

    hooks: tuple[Hook, ...] = ()
    model: str | None = None
    environment: str = ""
    may_allow: bool = True
