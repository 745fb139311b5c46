"""What the session's user, workspace and run context imply, as values (gate.md, sections 2 and 3).

The broker reads them anew for each call (GATE-5) and resolves what needs the file system; here nothing
is looked up. What they lift counts only where the session's user alone could approve it.
"""

from __future__ import annotations

from dataclasses import dataclass

from sayso.core.mode import Mode
from sayso.core.run_context import RunContext

_DEFAULT = RunContext()


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What is implied for one call.

    `mode` is the one in force (MODE-2), `run_context` the session's. `readable` and `writable` are
    resolved absolute paths, each a file or a folder with all below (RC-2): both from the run context,
    `writable` being readable too. `read_only_defaults` is the workspace's setting (POL-35);
    `auto_approve_commands` are text rules from the user's settings, of which those of the kind `shell` count.
    `sandboxed` says that this very call runs inside sayso's own sandbox, which is what `bypass` lifts
    (MODE-3). `marked_read_only` says that the call's tool is of an MCP server that is trusted and marks it
    as one that only reads: it passes in plan mode. `hooks` and `reviewer` say whether there is one to ask
    (step 8), and `may_allow` whether their allow counts: it does not while the settings that name them are
    broken (POL-63). `mode` and `run_context` have to be there whenever policy allows or asks, for plan mode
    holds back an allow too; all else counts only where policy asks.
    """

    mode: Mode = Mode.DEFAULT
    run_context: RunContext = _DEFAULT
    readable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    read_only_defaults: bool = False
    auto_approve_commands: tuple[str, ...] = ()
    sandboxed: bool = False
    marked_read_only: bool = False
    hooks: bool = False
    reviewer: bool = False
    may_allow: bool = True
