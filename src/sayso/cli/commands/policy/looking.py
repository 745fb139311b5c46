"""The rules in force for a command of `sayso policy`, with what is to be known of their files."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from sayso.cli.running import KEPT_BY_THE_SERVER, running_url
from sayso.cli.saying import quiet_logs, say
from sayso.config.workspace import SETTINGS_NAME
from sayso.front.rules_in_force import InForce, rules_in_force
from sayso.policy.rule import Rule
from sayso.system.places import find_places


def look(workspace: str, flags: Sequence[Rule] = ()) -> InForce:
    """What counts for calls of a workspace now; warnings of its files go to standard error.

    What is wrong with a file is the command's to say: `problems`, and what a verdict warns of.
    """
    quiet_logs()
    found = asyncio.run(rules_in_force(workspace, flags))
    for warning in found.warnings:
        say("warning", warning)
    settings = find_places().config / SETTINGS_NAME
    if not settings.exists() and running_url() is not None:
        say("warning", f"`{settings}` is not there; {KEPT_BY_THE_SERVER}")
    return found
