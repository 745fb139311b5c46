"""`sayso policy list`: the rules in force, where each comes from and where it stands."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from sayso.channels.display import count_words, safe_line
from sayso.cli.acting import AsJson
from sayso.cli.commands.policy.flags import SettingsFile
from sayso.cli.commands.policy.looking import look
from sayso.cli.saying import say
from sayso.cli.table import table
from sayso.front.rules_in_force import InForce, rules_of_file
from sayso.policy.rule import Origin, Rule
from sayso.system.facts import LocalFacts

_ORIGINS = {origin: place for place, origin in enumerate(Origin)}


def list_(
    *,
    every: Annotated[
        bool,
        Parameter(
            name="--all", negative="", show_default=False, help="Also the built-in protection."
        ),
    ] = False,
    file: SettingsFile = None,
    as_json: AsJson = False,
) -> int:
    """List the rules in force, by where they come from.

    Among permission lists the order means nothing; rows of the rule table stand
    in the order in which they are tried.
    """
    if file is not None:
        found = InForce(rules_of_file(file, LocalFacts()))
    else:
        found = look(str(Path.cwd()))
    rules = found.rules
    shown = [rule for rule in rules.rules if every or rule.origin is not Origin.BUILT_IN]
    shown.sort(key=_order)
    if as_json:
        print(json.dumps([rule.to_json() for rule in shown], indent=2))
    else:
        print(_text(shown, len(rules.rules) - len(shown)))
        for problem in (*found.problems, *rules.problems):
            say("warning", problem)
    return 0


def _order(rule: Rule) -> tuple[int, str, int, str]:
    return (_ORIGINS[rule.origin], rule.group_id, rule.priority, rule.id)


def _text(rules: Iterable[Rule], hidden: int) -> str:
    head = ("origin", "effect", "rule", "place")
    rows = [tuple(map(safe_line, _columns(rule))) for rule in rules]
    lines = [table(head, rows) if rows else "No rule is set, and silence is ask."]
    if hidden:
        lines.append(f"and the built-in protection, {count_words(hidden, 'rule')}: --all")
    return "\n".join(lines)


def _columns(rule: Rule) -> tuple[str, ...]:
    conditions = [
        f"{word} {text}"
        for word, text in (
            ("for agent", rule.agent_id),
            ("from", rule.source),
            ("for user", rule.user_id),
            ("when", rule.when),
            ("unless", rule.unless),
        )
        if text
    ]
    place = _from_home(rule.place or "")
    if rule.origin is Origin.DATABASE:
        seeded = ", a default" if rule.seeded else ""
        place = f"group {rule.group_id}, priority {rule.priority}{seeded}"
    return rule.origin.value, rule.effect.word, " ".join([rule.text, *conditions]), place


def _from_home(place: str) -> str:
    """A place as people write it, so that its line is not what a narrow terminal cuts off."""
    home = str(Path.home())
    return f"~{place[len(home) :]}" if home != "/" and place.startswith(f"{home}/") else place
