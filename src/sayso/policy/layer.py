"""The compiled index of one source of rules: the permission lists, or one group of the rule table."""

from __future__ import annotations

from collections.abc import Iterator

from sayso.core.effect import Effect
from sayso.core.target import Target, TargetKind
from sayso.policy.command_index import CommandIndex
from sayso.policy.compiled import CompiledRule
from sayso.policy.host_index import HostIndex
from sayso.policy.name_index import NameIndex
from sayso.policy.path_index import PathIndex
from sayso.policy.patterns.tool import ToolPattern, split_written, written
from sayso.policy.rule import Origin
from sayso.policy.spelling import skeleton


class Patterned:
    """The rules with a target pattern that share one tool pattern."""

    __slots__ = (
        "commands",
        "concerns",
        "for_people",
        "host_concerns",
        "hosts",
        "named",
        "pairs",
        "paths",
        "paths_size",
        "rules",
        "tool",
    )

    def __init__(self, tool: ToolPattern) -> None:
        self.tool = tool
        self.rules: list[CompiledRule] = []
        self.paths = PathIndex()
        self.paths_size = 0
        self.hosts = HostIndex()
        self.pairs: list[CompiledRule] = []
        self.commands = CommandIndex()
        self.named: list[CompiledRule] = []
        self.concerns: list[CompiledRule] = []
        self.host_concerns: list[CompiledRule] = []
        self.for_people: list[CompiledRule] = []

    def add(self, rule: CompiledRule) -> None:
        """Add a rule under each sort of target that its pattern can be read for."""
        self.rules.append(rule)
        if rule.paths is not None:
            self.paths.add(rule)
            self.paths_size += 1
        if rule.host is not None:
            self.hosts.add(rule)
        if rule.pair is not None:
            self.pairs.append(rule)
        if rule.command is not None:
            self.commands.add(rule)
        if rule.named is not None:
            self.named.append(rule)
        if rule.for_people:
            self.for_people.append(rule)
        concerned = rule.paths is not None or rule.command is not None
        if concerned and not rule.strict and rule.rule.origin is not Origin.BUILT_IN:
            self.concerns.append(rule)
        if rule.host is not None and not rule.strict and rule.rule.origin is not Origin.BUILT_IN:
            self.host_concerns.append(rule)


class Layer:
    """An index over the rules of one source."""

    __slots__ = ("_by_tool", "_looks", "_names", "_patterned")

    def __init__(self) -> None:
        self._names: NameIndex[CompiledRule] = NameIndex()
        self._looks: NameIndex[CompiledRule] = NameIndex()
        self._by_tool: dict[str, Patterned] = {}
        self._patterned: NameIndex[Patterned] = NameIndex()

    def add(self, rule: CompiledRule) -> None:
        """Add one rule; an allow that cannot be read is left out."""
        if rule.problem is not None and rule.strict:
            return
        if not rule.targeted:
            self._names.add(rule.tool.glob, rule)
            if not rule.strict:
                self._looks.add(rule.tool.folded, rule)
            return
        group = self._by_tool.get(rule.tool.text)
        if group is None:
            group = self._by_tool[rule.tool.text] = Patterned(rule.tool)
            self._patterned.add(rule.tool.glob, group)
        group.add(rule)

    def patterned(self, identity: Target) -> list[Patterned]:
        """The rules with a target pattern whose tool pattern fits."""
        return self._patterned.find(written(identity.server, identity.tool or ""))

    def for_name(self, identity: Target, groups: list[Patterned]) -> list[CompiledRule]:
        """The rules without a target pattern, and those for a pair, that match a tool."""
        server, tool = identity.server, identity.tool or ""
        found = [
            rule
            for rule in self._names.find(written(server, tool))
            if not rule.strict or rule.tool.covers(server, tool, wide=not rule.is_list)
        ]
        for group in groups:
            found += [rule for rule in group.pairs if pair_matches(rule, identity)]
        return found

    def looking_alike(self, identity: Target, groups: list[Patterned]) -> Iterator[CompiledRule]:
        """The denies and asks for a name or pair that looks like this one and is another."""
        server, tool = identity.server, identity.tool or ""
        for rule in self._looks.find(skeleton(written(server, tool))):
            if not rule.tool.hits(server, tool):
                yield rule
        if server is not None:
            seen = skeleton(server), skeleton(tool)
            for group in groups:
                for rule in group.pairs:
                    if (
                        not rule.strict
                        and rule.pair is not None
                        and not rule.pair.matches(server, tool)
                        and rule.pair.looks_like(*seen)
                    ):
                        yield rule


def pair_matches(rule: CompiledRule, identity: Target) -> bool:
    """Whether a rule for an MCP pair matches: an allow exactly, others however it can be read."""
    if rule.pair is None:
        return False
    tool = identity.tool or ""
    if identity.kind is TargetKind.MCP and identity.server is not None:
        if rule.strict and rule.is_list and not rule.pair.literal_server:
            return False
        return rule.pair.matches(identity.server, tool)
    if rule.strict or rule.effect is Effect.ALLOW:
        return False
    return any(rule.pair.matches(*pair) for pair in split_written(tool))
