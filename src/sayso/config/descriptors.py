"""The user's own tool descriptors: `[tools.<name>]`, which say what a tool's arguments hold (POL-2)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from sayso.config.reading import Table
from sayso.core.operation import Operation
from sayso.errors import SettingsInvalid
from sayso.policy.descriptors import PathArgument, ToolDescriptor, ToolKind

TOOL_KEYS = ("kind", "category", "server", "paths", "command", "urls", "remember", "approval")
POLICY_KEYS = ("server", "approval")
"""What a table may hold that says nothing of the tool itself: it then stays what it was."""

PATH_KEYS = ("name", "operation", "many", "default", "optional", "walks")


def read_descriptors(table: Table) -> tuple[ToolDescriptor, ...]:
    """The descriptors of a `[tools]` table; raises SettingsInvalid for what cannot be read."""
    found = [(_descriptor(name, tool), tool) for name, tool in table.named_tables()]
    return tuple(descriptor for descriptor, tool in found if set(tool.data) - set(POLICY_KEYS))


def descriptor_faults(root: Table) -> Iterator[SettingsInvalid]:
    """What is wrong with each descriptor that cannot be read."""
    for table in _each(root):
        try:
            read_descriptors(table)
        except SettingsInvalid as error:
            yield error


def readable_descriptors(root: Table) -> tuple[ToolDescriptor, ...]:
    """The descriptors that can be read, each by itself, in a file that is invalid elsewhere."""
    found: list[ToolDescriptor] = []
    for table in _each(root):
        with suppress(SettingsInvalid):
            found += read_descriptors(table)
    return tuple(found)


def _each(root: Table) -> Iterator[Table]:
    """The `[tools]` table with one tool at a time."""
    tools = root.data.get("tools")
    for name, tool in tools.items() if isinstance(tools, dict) else ():
        yield Table(root.document, {name: tool}, ("tools",))


def _descriptor(name: str, table: Table) -> ToolDescriptor:
    table.only(*TOOL_KEYS)
    kind = ToolKind(table.choice("kind", "other", tuple(kind.value for kind in ToolKind)))
    if kind is ToolKind.RUN_COMMAND and not table.text("command"):
        # No rule for commands would ever see one.
        table.document.refuse(
            table.document.positions.of_value((*table.path, "kind")),
            "which argument holds the command is not said",
            'write its name: command = "command"',
        )
    return ToolDescriptor(
        tool=name,
        kind=kind,
        category=table.text("category"),
        server=table.text("server"),
        paths=tuple(_path(item) for item in table.tables("paths")),
        command=table.text("command"),
        urls=tuple(text for _, text in table.texts("urls")),
        remember="remember" not in table or table.boolean("remember"),
    )


def _path(table: Table) -> PathArgument:
    table.only(*PATH_KEYS)
    name = table.text("name")
    if not name:
        table.document.refuse(
            table.document.positions.of_value(table.path),
            "a path argument has no `name`",
            'write { name = "path", operation = "write" }',
        )
    operation = table.choice("operation", "any", tuple(word.value for word in Operation))
    return PathArgument(
        name=name,
        operation=Operation(operation),
        many=table.boolean("many"),
        default=table.text("default"),
        optional=table.boolean("optional"),
        walks=table.boolean("walks"),
    )
