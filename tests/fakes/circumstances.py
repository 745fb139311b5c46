"""A broker whose rules come from where they really do: settings that a test says, and run contexts in the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sayso.broker.rule_source import CachedRules, FixedLists, ListRules
from sayso.core.call import ToolCall
from sayso.core.in_force import InForce
from sayso.people.person import Person
from sayso.policy.facts import Facts
from sayso.policy.rule import Rule
from tests.fakes.facts import FakeFacts
from tests.fakes.world import Scene, make_scene


@dataclass
class FakeSandbox:
    """A sandbox that works, and holds the calls of the tools that a test names."""

    active: bool = True
    inside: frozenset[str] = field(default_factory=frozenset)

    def holds(self, call: ToolCall) -> bool:
        return call.tool in self.inside


class Settings:
    """What the settings say, changed at will."""

    def __init__(self, *rules: Rule) -> None:
        self.lists = FixedLists(ListRules(0, rules))
        self._said = 0

    def say(self, **in_force: Any) -> None:
        self._said += 1
        said = InForce(**{"read_only_defaults": False, **in_force})
        self.lists.lists = ListRules(self._said, self.lists.lists.rules, in_force=said)


def scene_with_settings(
    *rules: Rule,
    facts: Facts | None = None,
    sandbox: FakeSandbox | None = None,
    people: Sequence[Person] = (),
) -> tuple[Scene, Settings]:
    """A scene whose rules are these, and its settings."""
    known = FakeFacts() if facts is None else facts
    scene, settings = make_scene(facts=known, people=people), Settings(*rules)
    settings.say()
    source = CachedRules(scene.store, settings.lists, (), known)
    object.__setattr__(scene.world, "rules", source)
    if sandbox is not None:
        object.__setattr__(scene.world, "sandbox", sandbox)
    return scene, settings
