"""What counts for a verdict beside rules and is read with them: the settings' mode, run contexts, the kill switch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sayso.core.freeze import Freeze
from sayso.core.mode import TIGHTENING, Mode
from sayso.core.run_context import RunContext


@dataclass(frozen=True, slots=True)
class InForce:
    """What the settings of one workspace say beside rules, and the run contexts as they are stored.

    `mode` is the workspace's, else the user's, else `bypass` where they approve all by themselves; None
    where nothing says so (MODE-2). `auto_approve_commands` are text rules of the user's own files.
    `trusted_servers` are the MCP servers whose hints are believed (POL-46).
    `run_contexts` are by their id, None where they could not be read; `freezes` are the brakes that are on.
    """

    mode: Mode | None = None
    read_only_defaults: bool = True
    auto_approve_commands: tuple[str, ...] = ()
    plan_review: bool | None = None
    trusted_servers: frozenset[str] = frozenset()
    run_contexts: Mapping[str, RunContext] | None = None
    freezes: tuple[Freeze, ...] = ()

    def run_context(self, run_context_id: str) -> RunContext | None:
        """The run context with that id; None if there is none, and an empty one where none could be read."""
        if self.run_contexts is None:
            return RunContext(run_context_id)
        return self.run_contexts.get(run_context_id)


NOTHING_IN_FORCE = InForce()
"""What holds where no settings say anything."""


def mode_in_force(
    switched: Mode | None, agents: Mode | None, of_run_context: Mode | None, settings: Mode | None
) -> Mode:
    """The mode that counts, in the order of MODE-2: people's switch, the run context's, the settings'.

    `agents` is the one that the agent's side chose when it opened the session. It counts where people's
    word is not stricter already: neither of two tightening modes is the weaker one.
    """
    if switched is not None:
        return switched
    mode = of_run_context or settings or Mode.DEFAULT
    return mode if agents is None or mode in TIGHTENING else agents
