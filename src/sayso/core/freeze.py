"""The kill switch as a value: one person's brake on every agent, or on one (GATE-8)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sayso.core.call import ToolCall
from sayso.core.moment import Moment


@dataclass(frozen=True, slots=True)
class Freeze:
    """A brake that a person has put on; each person's is their own.

    `agent_id` is whom it holds, None every agent; `by` is the person's name, for people and agents to read.
    """

    person_id: str
    by: str
    channel: str
    at: Moment
    agent_id: str | None = None
    reason: str | None = None

    def holds(self, call: ToolCall) -> bool:
        """Whether it refuses the call: of its agent, or of a sub-agent of that."""
        return self.agent_id is None or self.agent_id in (call.agent_id, *call.agent_chain)


def freeze_on(call: ToolCall, freezes: Iterable[Freeze]) -> Freeze | None:
    """The first of the brakes that refuses the call, None if none does."""
    return next((freeze for freeze in freezes if freeze.holds(call)), None)
