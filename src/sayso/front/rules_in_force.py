"""The rules as they are now, for whoever looks at them: a workspace's, or those of one file alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sayso.config.faults import faults_of
from sayso.config.reading import read_file
from sayso.config.settings import Scope, load_settings
from sayso.config.workspace import PROJECT_FILES
from sayso.core.address import DEFAULT_PORT
from sayso.errors import SettingsInvalid
from sayso.front.assembly import open_broker, settings_rules
from sayso.policy.facts import Facts
from sayso.policy.protection import protected_rules
from sayso.policy.rule import Rule
from sayso.policy.ruleset import RuleSet, compile_ruleset
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.system.places import find_places


@dataclass(frozen=True, slots=True)
class InForce:
    """The rules, and what is wrong, or only to be known, of the files they come from."""

    rules: RuleSet
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


async def rules_in_force(workspace: str, flags: Sequence[Rule] = ()) -> InForce:
    """What counts for calls of a workspace now: built-in rules, settings, flags and the rule table.

    Raises StoreCorrupt, SchemaTooNew, StoreUnavailable.
    """
    lists = settings_rules(flags=flags)
    port = lists.settings.port or DEFAULT_PORT
    async with open_broker(settings=lists, ports=[port]) as broker:
        rules = await broker.world.rules.current(workspace)
        problems = lists.faults()
    why = rules.unavailable
    if why is not None and why not in problems:
        problems = (why, *problems)
    return InForce(rules, problems, lists.current(workspace).warnings)


def rules_of_file(path: Path, facts: Facts, extra: Sequence[Rule] = ()) -> RuleSet:
    """The built-in rules and those of one settings file, without a rule table.

    A file with the name of a project's is read as one that is trusted. Raises SettingsInvalid, also for
    a file that is not there.
    """
    if not path.exists():
        raise SettingsInvalid(f"{path}:1:1: the file is not there", "name a settings file")
    settings = load_settings(path, _scope(path))
    places = find_places()
    own = [str(place.absolute()) for place in (places.config, places.data, path)]
    return compile_ruleset(
        (
            *protected_rules(own, ports=[settings.port or DEFAULT_PORT]),
            *extra,
            *settings.rules,
        ),
        (),
        SHIPPED.adding(settings.descriptors),
        facts=facts,
    )


def faults_of_file(path: Path) -> tuple[str, ...]:
    """Everything wrong in a settings file itself, where `rules_of_file` raises the first."""
    try:
        data = read_file(path, "give yourself the right to read it")
    except SettingsInvalid:
        return ()
    return () if data is None else faults_of(path, data, _scope(path))


def _scope(path: Path) -> Scope:
    project = any(str(path.absolute()).endswith(f"/{name}") for name in PROJECT_FILES)
    return Scope.PROJECT if project else Scope.USER
