"""Settings whose feature is still to come: read strictly, and said to do nothing yet (POL-60)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sayso.config.reading import Table


def later_keys(root: Table) -> Iterator[str]:
    """Check the settings that this version does nothing with, and name each of them with its place.

    Raises SettingsInvalid for a value that the feature will not be able to use.
    """
    yield from _named(root.table("ui"), {"context_template": Table.text})
    yield from _named(root, {"channels": Table.table, "operator_notify": _tables})
    for _, server in root.table("mcp").named_tables():
        yield from _named(server, {"group": Table.text})


PERMISSION_KEYS = ("hooks",)
"""Keys of `[permissions]` that only the user's own files may set."""


def _tables(table: Table, key: str) -> list[Table]:
    return list(table.tables(key))


def _named(table: Table, readers: dict[str, Callable[[Table, str], object]]) -> Iterator[str]:
    for key, read in readers.items():
        if key in table:
            read(table, key)
            place = table.document.place(table.document.positions.of_key((*table.path, key)))
            yield f"{place}: `{key}` does nothing in this version"
