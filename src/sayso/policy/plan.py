"""What is known of a tool before its arguments are looked at: the memo of the compiled index (POL-80)."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.core.call import ToolCall
from sayso.core.operation import Operation
from sayso.core.target import Target, TargetKind
from sayso.policy.compiled import EVERY_PATH, CompiledRule
from sayso.policy.descriptors import Descriptors, PathArgument, ToolKind
from sayso.policy.layer import Layer, Patterned
from sayso.policy.outcome import PolicyOutcome
from sayso.policy.targets import identity_of
from sayso.policy.weighing import combine, weigh

_KIND_OPERATIONS = {
    ToolKind.READ_FILE: Operation.READ,
    ToolKind.WRITE_FILE: Operation.WRITE,
    ToolKind.DELETE_FILE: Operation.DELETE,
}


class Plan:
    """The candidates for one tool, in one permission group, for one owner where rules differ by it.

    `lists` and `table` match the tool whatever its arguments are; `list_groups` and `table_groups`
    hold what depends on them. `simple` tells that the tool's name is its only target, `only_path`
    names the argument that is, and `fixed` is the outcome where no condition looks at the call either.
    """

    __slots__ = (
        "concern", "descriptor", "doubts", "fixed", "for_people", "group", "host_concern", "identity",
        "list_commands", "list_groups", "list_paths", "lists", "only_path", "path_concern", "simple", "table",
        "table_commands", "table_groups", "table_paths", "warnings",
    )  # fmt: skip

    def __init__(
        self,
        call: ToolCall | None,
        server: str | None,
        tool: str,
        group: str,
        lists: Layer,
        table: Sequence[Layer],
        descriptors: Descriptors,
        warnings: tuple[str, ...],
    ) -> None:
        self.group = group
        self.warnings = warnings
        self.identity = identity_of(server, tool)
        self.descriptor = descriptors.find(self.identity.tool or "", self.identity.server)
        self.list_groups = lists.patterned(self.identity)
        by_layer = [layer.patterned(self.identity) for layer in table]
        self.table_groups = [group for groups in by_layer for group in groups]
        self.lists = _scoped(lists.for_name(self.identity, self.list_groups), call)
        self.table: list[CompiledRule] = []
        for layer, groups in zip(table, by_layer, strict=True):
            self.table += _scoped(layer.for_name(self.identity, groups), call)
        self._add_classes(call)
        self.table.sort(key=self.place)
        layers = [(lists, self.list_groups), *zip(table, by_layer, strict=True)]
        self.doubts = self._look_alikes(call, layers)
        every = [group for groups in (self.list_groups, self.table_groups) for group in groups]
        concerns = [r for group in every for r in group.concerns if _for(r, call)]
        self.concern = min(concerns, key=lambda r: r.rule.id) if concerns else None
        of_paths = [rule for rule in concerns if rule.paths is not None]
        self.path_concern = min(of_paths, key=lambda r: r.rule.id) if of_paths else None
        of_hosts = [r for group in every for r in group.host_concerns if _for(r, call)]
        self.host_concern = min(of_hosts, key=lambda r: r.rule.id) if of_hosts else None
        self.list_commands = [group.commands for group in self.list_groups if group.commands.size]
        self.table_commands = [group.commands for group in self.table_groups if group.commands.size]
        self.for_people = [rule for group in self.list_groups for rule in group.for_people]
        self.list_paths = [group.paths for group in self.list_groups if group.paths_size]
        self.table_paths = [group.paths for group in self.table_groups if group.paths_size]
        bare = self.descriptor is None or self.descriptor.bare
        self.simple = bare and self.identity.kind is not TargetKind.MCP
        self.only_path = self._only_path()
        self.fixed: PolicyOutcome | None = None
        if call is not None and self._is_fixed():
            self.fixed = combine(
                [weigh(self.identity, call, self.lists, self.table, self.doubts)], warnings
            )

    def place(self, rule: CompiledRule) -> tuple[bool, int, str]:
        """Where a row of the rule table stands: the session's group first, then by priority and id."""
        return (rule.rule.group_id != self.group, *rule.order)

    def ordered(self, rows: list[CompiledRule]) -> list[CompiledRule]:
        """Rows of the table in the order in which the first match decides."""
        return sorted(rows, key=self.place) if len(rows) > 1 else rows

    def _only_path(self) -> PathArgument | None:
        found = self.descriptor
        if found is None or self.identity.kind is TargetKind.MCP or len(found.paths) != 1:
            return None
        if found.command or found.urls or found.skill or found.agent:
            return None
        only = found.paths[0]
        return None if only.many or only.base else only

    def _is_fixed(self) -> bool:
        return self.simple and not any(rule.guarded for rule in (*self.lists, *self.table))

    def _look_alikes(
        self, call: ToolCall | None, layers: list[tuple[Layer, list[Patterned]]]
    ) -> tuple[str, ...]:
        if any(_spells_out(rule) for rule in (*self.lists, *self.table)):
            return ()  # a name that some rule spells out is known, and is no look-alike
        alike = [
            rule
            for layer, groups in layers
            for rule in layer.looking_alike(self.identity, groups)
            if _for(rule, call)
        ]
        return tuple(sorted(look_alike(self.identity, rule) for rule in alike))

    def _add_classes(self, call: ToolCall | None) -> None:
        """A file tool without a path argument is matched by the class tokens by its kind (POL-11)."""
        if self.descriptor is None or self.descriptor.paths:
            return
        operation = _KIND_OPERATIONS.get(self.descriptor.kind)
        if operation is None or self.identity.kind is not TargetKind.NAME:
            return
        for groups, found in ((self.list_groups, self.lists), (self.table_groups, self.table)):
            found += [
                rule
                for group in groups
                for rule in group.paths.everything
                if rule.rule.tool_pattern.startswith("@")
                and rule.paths == (EVERY_PATH,)
                and rule.for_operation(operation)
                and _for(rule, call)
            ]


def look_alike(target: Target, rule: CompiledRule) -> str:
    """The doubt about a target that only looks like what a rule denies or asks about."""
    return f"`{target.text}` looks like what rule `{rule.rule.id}` is about, and is another"


def may_be(target: Target, rule: CompiledRule) -> str:
    """The doubt about a command of which not all is known."""
    return f"not all of `{target.text}` is known, and rule `{rule.rule.id}` could be about it"


def _spells_out(rule: CompiledRule) -> bool:
    if rule.pair is not None:
        return len(rule.pair.server) == 1 == len(rule.pair.tool)
    return rule.tool.literal and not rule.targeted


def _scoped(rules: list[CompiledRule], call: ToolCall | None) -> list[CompiledRule]:
    return [rule for rule in rules if _for(rule, call)]


def _for(rule: CompiledRule, call: ToolCall | None) -> bool:
    """Whether a rule is for the owner of the call; without a call it is for any."""
    return call is None or not rule.scoped or rule.in_scope(call)
