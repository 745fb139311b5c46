"""The rule tester: how one rule matches a sample, and whether it applies to it (POL-74)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sayso.core.effect import Effect
from sayso.core.shell_command import Role
from sayso.core.target import Target, TargetKind
from sayso.policy.descriptors import Descriptors
from sayso.policy.facts import Facts
from sayso.policy.outcome import TargetOutcome
from sayso.policy.patterns.command import compile_command
from sayso.policy.rule import Origin, Rule
from sayso.policy.ruleset import compile_ruleset, judge
from sayso.policy.samples import WORKSPACE, SampleKind, call_of_sample, kind_of_sample
from sayso.policy.text_rule import check_rule


class How(StrEnum):
    """In which way a rule matches."""

    EXACT = "exact"
    PREFIX = "prefix"
    GLOB = "glob"
    REGEX = "regex"
    PATH = "path"
    HOST = "host"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the sample that the rule could be about; `note` says what else there is to know."""

    kind: str
    text: str
    matches: bool
    note: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The part as plain data."""
        return {"kind": self.kind, "text": self.text, "matches": self.matches, "note": self.note}


@dataclass(frozen=True, slots=True)
class RuleTest:
    """What a rule says of a sample.

    `applies` tells whether it does what it says: an allow has to match every part, a deny or ask any.
    `how` is the way it matches by, None where nothing matched. `alone` is the verdict with this rule
    and no other. `redirections` are the files a command line writes to by redirection.
    """

    applies: bool
    how: How | None
    alone: Effect
    parts: tuple[Part, ...]
    redirections: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The test as the API carries it."""
        return {
            "applies": self.applies,
            "how": None if self.how is None else self.how.value,
            "alone": self.alone.word,
            "parts": [part.to_json() for part in self.parts],
            "redirections": list(self.redirections),
            "notes": list(self.notes),
        }


_KINDS = {
    SampleKind.COMMAND: frozenset({TargetKind.COMMAND}),
    SampleKind.PATH: frozenset({TargetKind.PATH}),
    SampleKind.URL: frozenset({TargetKind.HOST}),
    SampleKind.MCP: frozenset({TargetKind.MCP}),
    SampleKind.SKILL: frozenset({TargetKind.SKILL}),
    SampleKind.AGENT: frozenset({TargetKind.AGENT}),
}
_REDIRECTED = "it writes to `{}` by redirection, which needs an allow of its own"


def try_rule(
    rule: Rule,
    sample: str,
    descriptors: Descriptors,
    facts: Facts,
    *,
    kind: SampleKind | None = None,
    workspace: str = WORKSPACE,
) -> RuleTest:
    """Try one rule on a sample: a command line, a path, a URL, a pair or a name, by what the rule is about.

    With `kind` the sample is something else, such as a command line for a rule about paths. Raises
    RuleSyntaxError and RuleRefused for a rule that cannot stand, CallInvalid for a sample that is no
    such thing.
    """
    check_rule(rule)
    call, descriptors = call_of_sample(rule, sample, descriptors, kind=kind, workspace=workspace)
    in_table = rule.origin is Origin.DATABASE
    ruleset = compile_ruleset(
        () if in_table else (rule,), (rule,) if in_table else (), descriptors, facts=facts
    )
    outcome = judge(call, ruleset, facts)
    about = _KINDS.get(kind_of_sample(rule, descriptors))
    concerned = [one for one in outcome.targets if _is_part(one.target, about)]
    parts = tuple(_part(one) for one in concerned)
    written = tuple(one.target.text for one in outcome.targets if one.target.redirected)
    if rule.effect is Effect.ALLOW:
        applies = bool(parts) and all(one.effect is Effect.ALLOW for one in concerned)
    else:
        applies = any(part.matches for part in parts)
    matched = [one for one in concerned if _matches(one)]
    notes = dict.fromkeys(note for one in outcome.targets for note in one.notes)
    if rule.effect is Effect.ALLOW and about != _KINDS[SampleKind.PATH]:
        notes |= dict.fromkeys(_REDIRECTED.format(path) for path in written)
    notes |= dict.fromkeys((*outcome.warnings, *ruleset.warnings))
    return RuleTest(
        applies,
        how_of(rule, matched[0].target) if matched else None,
        outcome.effect,
        parts,
        written,
        tuple(notes),
    )


def how_of(rule: Rule, target: Target) -> How:
    """The way in which a rule matches a target."""
    if target.kind is TargetKind.PATH:
        return How.PATH
    if target.kind is TargetKind.HOST:
        return How.HOST
    if target.kind is not TargetKind.COMMAND or rule.pattern is None:
        return How.NAME
    pattern = compile_command(rule.pattern)
    if pattern.expression is not None:
        return How.REGEX
    if any(len(glob) > 1 for glob in pattern.globs):
        return How.GLOB
    return How.PREFIX if pattern.open_end else How.EXACT


def _is_part(target: Target, about: frozenset[TargetKind] | None) -> bool:
    if target.command is not None and target.command.role is Role.TRANSPARENT:
        return False
    return target.own if about is None else target.kind in about


def _part(one: TargetOutcome) -> Part:
    return Part(one.target.kind.value, one.target.text, _matches(one), one.target.doubt)


def _matches(one: TargetOutcome) -> bool:
    return bool(one.lists or one.table)
