"""The rules in force for a command of `sayso policy`, with what is to be known of their files."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from sayso.cli.saying import quiet_logs, say
from sayso.front.rules_in_force import InForce, rules_in_force
from sayso.policy.rule import Rule


def look(workspace: str, flags: Sequence[Rule] = ()) -> InForce:
    """What counts for calls of a workspace now; warnings of its files go to standard error.

    What is wrong with a file is the command's to say: `problems`, and what a verdict warns of.
    """
    quiet_logs()
    found = asyncio.run(rules_in_force(workspace, flags))
    for warning in found.warnings:
        say("warning", warning)
    return found
