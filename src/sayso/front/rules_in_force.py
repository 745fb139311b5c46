"""The rules as they are now, for whoever looks at them: an installation's, or those of one file alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sayso.config.settings import load_settings
from sayso.core.address import DEFAULT_PORT
from sayso.errors import SettingsInvalid
from sayso.front.assembly import open_broker, settings_rules
from sayso.policy.facts import Facts
from sayso.policy.protection import protected_rules
from sayso.policy.rule import Origin, Rule
from sayso.policy.ruleset import RuleSet, compile_ruleset
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.system.places import find_places


async def rules_in_force(facts: Facts, extra: Sequence[Rule] = ()) -> RuleSet:
    """What counts in this installation now: built-in rules, settings and rule table, and `extra` lists.

    Raises StoreCorrupt, SchemaTooNew, StoreUnavailable.
    """
    lists = settings_rules()
    port = lists.settings.port or DEFAULT_PORT
    async with open_broker(settings=lists, ports=[port]) as broker:
        found = await broker.world.rules.current()
    return with_rules(found, extra, facts) if extra else found


def rules_of_file(path: Path, facts: Facts, extra: Sequence[Rule] = ()) -> RuleSet:
    """The built-in rules and those of one settings file, without a rule table.

    Raises SettingsInvalid, also for a file that is not there.
    """
    if not path.exists():
        raise SettingsInvalid(f"{path}:1:1: the file is not there", "name a settings file")
    settings = load_settings(path)
    places = find_places()
    own = [str(place.absolute()) for place in (places.config, places.data, path)]
    port = settings.port or DEFAULT_PORT
    return compile_ruleset(
        (*protected_rules(own, ports=[port]), *settings.rules, *extra),
        (),
        SHIPPED.adding(settings.descriptors),
        facts=facts,
    )


def with_rules(ruleset: RuleSet, extra: Sequence[Rule], facts: Facts) -> RuleSet:
    """The same rules with others added to the permission lists."""
    return compile_ruleset(
        (*(rule for rule in ruleset.rules if rule.origin is not Origin.DATABASE), *extra),
        (rule for rule in ruleset.rules if rule.origin is Origin.DATABASE),
        ruleset.descriptors,
        facts=facts,
        unavailable=ruleset.unavailable,
        groups=ruleset.groups,
    )
