"""What policy says of a made-up call, which nobody made and nothing runs (POL-71)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sayso.core.call import ToolCall
from sayso.core.moment import Moment
from sayso.gate.context import Context
from sayso.gate.decide import decide
from sayso.gate.verdict import Verdict
from sayso.policy.facts import Facts
from sayso.policy.ruleset import RuleSet

MADE_UP = "explained"
"""The id of such a call, and of its session."""


@dataclass(frozen=True, slots=True)
class MadeUpCall:
    """A call that could be made: by whom, from where, and in which permission group."""

    tool: str
    arguments: Mapping[str, Any]
    server: str | None = None
    workspace: str | None = None
    agent_id: str = ""
    user_id: str = ""
    source: str = "api"
    group: str = "default"


def decide_made_up(made_up: MadeUpCall, rules: RuleSet, facts: Facts, now: Moment) -> Verdict:
    """The verdict of policy alone: no mode, no grant, and nothing is asked or recorded.

    Raises CallInvalid for what no call can be.
    """
    call = ToolCall(
        MADE_UP,
        made_up.tool,
        made_up.arguments,
        session_id=MADE_UP,
        agent_id=made_up.agent_id,
        user_id=made_up.user_id,
        source=made_up.source,
        workspace=made_up.workspace,
        server=made_up.server,
    )
    return decide(call, rules, (), Context(group=made_up.group), facts, now)
