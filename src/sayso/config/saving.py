"""Keeping a session's rule in a settings file; from then on it counts as the file's only (POL-64)."""

from __future__ import annotations

import asyncio
from pathlib import Path

from sayso.broker.access import Actor
from sayso.broker.broker import Broker
from sayso.config.edit import Edit, add_rule
from sayso.core.effect import Effect
from sayso.errors import RuleNotFound
from sayso.policy.rule import Origin
from sayso.policy.text_rule import parse_text_rule


async def save_session_rule(
    broker: Broker,
    actor: Actor,
    session_id: str,
    effect: Effect,
    text: str,
    path: Path,
    *,
    head: str = "",
) -> Edit:
    """Write a rule of a session into the user's settings file, or into the one for a workspace.

    `head` is what a new file begins with. Raises NotEligible, RuleNotFound if the session has no such
    rule, and what `add_rule` raises; the rule then stays the session's.
    """
    written = parse_text_rule(effect, text, Origin.SESSION).text
    rules = await broker.session_rules.all(actor, session_id)
    if not any((rule.effect, rule.text) == (effect.word, written) for rule in rules):
        raise RuleNotFound(
            f"the session has no rule `{effect.word} {written}`", "list the session's rules"
        )
    edit = await asyncio.to_thread(add_rule, path, effect, written, head=head)
    await broker.note_change(actor, f"rule saved in {path}: {effect.word} {written}")
    await broker.session_rules.remove(actor, session_id, effect, written)
    return edit
