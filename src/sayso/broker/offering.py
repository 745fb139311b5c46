"""What an answer to a call could be remembered by: the keys that stand on its card (REQ-50, REQ-55)."""

from __future__ import annotations

from typing import NamedTuple

from sayso.audit.redact import redact_text
from sayso.broker.world import World
from sayso.core.call import ToolCall
from sayso.core.session import Session
from sayso.gate.parts import category_of, may_be_remembered, offered_keys, parts_of
from sayso.gate.verdict import Verdict
from sayso.requests.key import Key


class Offered(NamedTuple):
    """The keys of a call, and the category of its tool, for which a bypass can be given.

    `once_only`: its tool can only be approved once, so there is neither.
    """

    keys: tuple[Key, ...] = ()
    tool_category: str | None = None
    once_only: bool = False


async def offered(world: World, session: Session, call: ToolCall, verdict: Verdict) -> Offered:
    """The keys that would be remembered with an answer to a call that asks; none where none can be.

    Text that holds a secret is never remembered.
    """
    if verdict.policy is None or not call.attended:
        return Offered()
    rules = await world.rules.current(session.workspace, session.rules)
    keys = offered_keys(parts_of(call, verdict.policy, rules.descriptors, world.facts))
    if any(redact_text(key.text) != key.text for key in keys):
        keys = ()
    known = rules.descriptors
    return Offered(keys, category_of(call, known), not may_be_remembered(call, known))
