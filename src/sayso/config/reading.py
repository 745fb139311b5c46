"""Reading one settings file strictly: what is unknown or of a wrong type is an error with its place."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from sayso.config.positions import Path as KeyPath
from sayso.config.positions import Position, Positions, find_positions
from sayso.core.toml_text import read_toml
from sayso.errors import SettingsInvalid

MAX_BYTES = 1024 * 1024


class Document:
    """A parsed settings file that knows where everything in it stands."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.text = text
        self.data = self._parse()
        self._positions: Positions | None = None

    @property
    def root(self) -> Table:
        """The whole file as a table."""
        return Table(self, self.data, ())

    def place(self, position: Position) -> str:
        """`file:line:column`."""
        return f"{self.path}:{position[0]}:{position[1]}"

    @property
    def positions(self) -> Positions:
        """Where everything stands; found when it is first asked for."""
        if self._positions is None:
            try:
                self._positions = find_positions(self.text)
            except RecursionError:  # it goes deeper than the parser does
                self._positions = Positions(self.text)
        return self._positions

    def refuse(self, position: Position, message: str, hint: str | None = None) -> NoReturn:
        """Raise SettingsInvalid for what stands there."""
        raise SettingsInvalid(f"{self.place(position)}: {message}", hint)

    def _parse(self) -> dict[str, Any]:
        return read_toml(self.text, str(self.path))


class Table:
    """One table of a file: each method reads one key and refuses a value of another type."""

    def __init__(self, document: Document, data: Mapping[str, Any], path: KeyPath) -> None:
        self.document = document
        self.path = path
        self.data = data

    def __contains__(self, key: str) -> bool:
        return key in self.data

    def leaving_out(self, *keys: str) -> Table:
        """The table as if these keys did not stand in it."""
        left = {key: value for key, value in self.data.items() if key not in keys}
        return Table(self.document, left, self.path)

    def replacing(self, key: str, other: Table) -> Table:
        """The table with another table in the place of one of its own, where it has that."""
        if key not in self.data:
            return self
        return Table(self.document, {**self.data, key: other.data}, self.path)

    def only(self, *known: str) -> None:
        """Refuse keys other than these, with the one that may have been meant."""
        for key in self.data:
            if key not in known:
                self.refuse_key(key, f"`{key}` is not a setting{self._here()}", meant(key, known))

    def text(self, key: str) -> str | None:
        """A text, or None if the key is not there."""
        value = self.data.get(key)
        if value is not None and not isinstance(value, str):
            self._wrong(key, value, "a text in quotes")
        return value

    def boolean(self, key: str) -> bool:
        """True or false; false if the key is not there."""
        value = self.data.get(key, False)
        if not isinstance(value, bool):
            self._wrong(key, value, "true or false")
        return value

    def whole_number(self, key: str, default: int, least: int, most: int) -> int:
        """A whole number within limits."""
        value = self.data.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            self._wrong(key, value, f"a whole number from {least} to {most}")
        return value

    def seconds(self, key: str) -> float | None:
        """A number of seconds above 0, or None if the key is not there."""
        value = self.data.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e9:
            self._wrong(key, value, "a number of seconds above 0")
        return float(value)

    def days(self, key: str, default: float | None) -> float | None:
        """A number of days in seconds, None for "always"; the default if the key is not there."""
        value = self.data.get(key)
        if value is None:
            return default
        if value == "always":
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e5:
            self._wrong(key, value, 'a number of days above 0 or "always"')
        return value * 86_400.0

    def choice(self, key: str, default: str, known: tuple[str, ...]) -> str:
        """One of a few words."""
        value = self.data.get(key, default)
        if not isinstance(value, str) or value not in known:
            self._wrong(key, value, " or ".join(f'"{word}"' for word in known))
        return value

    def texts(self, key: str) -> tuple[tuple[KeyPath, str], ...]:
        """The texts of a list, each with its way; empty if the key is not there."""
        values = self.data.get(key, [])
        if not isinstance(values, list):
            self._wrong(key, values, "a list of texts")
        for number, value in enumerate(values):
            if not isinstance(value, str):
                place = self.document.positions.of_value((*self.path, key, number))
                self.document.refuse(place, f"`{key}` holds {_sort(value)}, not only texts")
        return tuple(((*self.path, key, number), value) for number, value in enumerate(values))

    def table(self, key: str) -> Table:
        """A table; an empty one if the key is not there."""
        value = self.data.get(key, {})
        if not isinstance(value, dict):
            self._wrong(key, value, "a table")
        return Table(self.document, value, (*self.path, key))

    def tables(self, key: str) -> Iterator[Table]:
        """The tables of an array of tables."""
        values = self.data.get(key, [])
        if not isinstance(values, list) or not all(isinstance(item, dict) for item in values):
            self._wrong(key, values, f"tables: write [[{key}]] above each")
        for number, value in enumerate(values):
            yield Table(self.document, value, (*self.path, key, number))

    def named_tables(self) -> Iterator[tuple[str, Table]]:
        """All keys of the table, each of which has to be a table."""
        for key in self.data:
            yield key, self.table(key)

    def raw(self, key: str) -> Any:
        """The value as it is, for a reader of its own."""
        return self.data.get(key)

    def refuse_key(self, key: str, message: str, hint: str | None = None) -> NoReturn:
        """Raise SettingsInvalid for a key."""
        self.document.refuse(self.document.positions.of_key((*self.path, key)), message, hint)

    def refuse_value(self, key: str, message: str, hint: str | None = None) -> NoReturn:
        """Raise SettingsInvalid for a value."""
        self.document.refuse(self.document.positions.of_value((*self.path, key)), message, hint)

    @property
    def place(self) -> str:
        """`file:line:column` of the table."""
        return self.document.place(self.document.positions.of_key(self.path))

    def _here(self) -> str:
        names = ".".join(str(part) for part in self.path if isinstance(part, str))
        return f" in [{names}]" if names else ""

    def _wrong(self, key: str, value: object, wanted: str) -> NoReturn:
        self.refuse_value(key, f"`{key}` is {_sort(value)}", f"write {wanted}")


def read_document(path: Path) -> Document | None:
    """The settings file at that path, parsed; None if there is none.

    Raises SettingsInvalid if it cannot be read, is larger than 1 MiB, or is not UTF-8 or TOML.
    """
    data = read_file(path, "give yourself the right to read it, or move it away")
    return None if data is None else parse_document(path, data)


def parse_document(path: Path, data: bytes) -> Document:
    """The settings file with that content; raises SettingsInvalid, see read_document."""
    return Document(path, decoded(path, data))


def read_file(path: Path, hint: str) -> bytes | None:
    """A little more of a file than it may hold at most, None if there is none.

    A pipe or a device would be waited for, so it is opened without waiting and read as far as it goes.
    Raises SettingsInvalid, with the hint, for one that cannot be read.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        with os.fdopen(os.open(path, flags), "rb") as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise unreadable(path, error, hint) from error


def unreadable(path: Path, error: OSError | ValueError, hint: str) -> SettingsInvalid:
    """What is said of a file that cannot be read."""
    why = (error.strerror if isinstance(error, OSError) else None) or error
    return SettingsInvalid(f"{path}:1:1: the file cannot be read: {why}", hint)


def decoded(path: Path, data: bytes) -> str:
    """The text of a file; raises SettingsInvalid for more than 1 MiB, and for what is not UTF-8."""
    if len(data) > MAX_BYTES:
        raise SettingsInvalid(f"{path}:1:1: the file is larger than {MAX_BYTES} bytes")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        line, column = before.count("\n") + 1, len(before.rsplit("\n", 1)[-1]) + 1
        raise SettingsInvalid(
            f"{path}:{line}:{column}: the file is not UTF-8", "save it as UTF-8"
        ) from error


def meant(key: str, known: tuple[str, ...]) -> str:
    """The hint for an unknown key."""
    close = difflib.get_close_matches(key, known, n=1)
    if close:
        return f"did you mean `{close[0]}`?"
    return f"known here: {', '.join(known)}"


def _sort(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            return f'the text "{value}"' if len(value) <= 40 else "a text"
        case int() if value.bit_length() > 100:
            return "a number that is too long"  # Python writes out none of thousands of digits
        case int() | float():
            return f"the number {value}"
        case list():
            return "a list"
        case dict():
            return "a table"
        case _:
            return "a date or time"
