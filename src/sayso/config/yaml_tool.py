"""A `tool.yaml`: one tool in YAML, read into the same plain data as `[tools.<name>]` in TOML (POL-61).

Only what every reader of YAML takes alike is taken: no tags, no anchors and no aliases, one document,
each key once, `true` and `false` and decimal numbers, and every other plain word is a text. Where
YAML 1.1 and 1.2 differ (`yes`, `010`, `1:30`, dates) the file is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import yaml

from sayso.config.positions import Path as KeyPath
from sayso.config.positions import Positions
from sayso.config.reading import Document, decoded
from sayso.errors import SettingsInvalid

MAX_YAML_BYTES = 16 * 1024
MAX_VALUES = 500
MAX_DEPTH = 20
"""So much one tool needs by far; a stranger's file must not keep anybody waiting."""

_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]{0,17})\.[0-9]{1,18}")
_QUOTES = "put it in quotes if it is a text"


class ToolDocument(Document):
    """A parsed `tool.yaml`, as a settings file that holds the table of that one tool.

    An empty file says nothing. Raises SettingsInvalid, whose message begins with `file:line:column`.
    """

    def _parse(self) -> dict[str, Any]:
        reader = _Reader(self)
        try:
            found = reader.read()
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            at = (1, 1) if mark is None else (mark.line + 1, mark.column + 1)
            self.refuse(
                at, error.problem or "it is not YAML", "the file is YAML: see https://yaml.org"
            )
        except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
            why = getattr(error, "reason", None) or "it is not YAML"
            self.refuse((1, 1), str(why), "the file is YAML: see https://yaml.org")
        if found is None:
            self._places = reader.positions
            return {}
        name = found.get("name")
        if not isinstance(name, str) or not name.strip():
            at = reader.positions.of_value(("name",))
            self.refuse(at, "the tool has no `name`", "write which tool it is: name: send_email")
        places = Positions(self.text)
        for kind in ("keys", "values"):
            for path, at in getattr(reader.positions, kind).items():
                getattr(places, kind)["tools", name, *path] = at
        at_name = reader.positions.values["name",]
        for path in (("tools", name), ("tools",)):
            places.keys[path] = places.values[path] = at_name
        self._places = places
        return {"tools": {name: {key: value for key, value in found.items() if key != "name"}}}

    @property
    def positions(self) -> Positions:
        """Where everything stands, under the names it has in the table."""
        return self._places


def parse_tool_document(path: Path, data: bytes) -> ToolDocument:
    """The `tool.yaml` with that content; raises SettingsInvalid, also for one larger than 16 KiB."""
    if len(data) > MAX_YAML_BYTES:
        raise SettingsInvalid(f"{path}:1:1: the file is larger than {MAX_YAML_BYTES} bytes")
    return ToolDocument(path, decoded(path, data))


class _Reader:
    """Goes through the events of a text, so that no value is made before it is known to be plain."""

    def __init__(self, document: Document) -> None:
        self.positions = Positions(document.text)
        self._document = document

    def read(self) -> dict[str, Any] | None:
        """The one mapping of the file, or None if it holds nothing."""
        events = yaml.parse(self._document.text, Loader=yaml.SafeLoader)
        found: list[Any] = []
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                if found:
                    self._refuse(event, "the file holds more than one document", "one tool a file")
                if event.tags or event.version:
                    self._refuse(event, "the file has a directive", "leave out the lines with %")
            elif isinstance(event, yaml.MappingStartEvent):
                found.append(self._value(event, events, ()))
            elif isinstance(event, yaml.NodeEvent) and not self._nothing(event):
                self._refuse(
                    event, "the file is no mapping", "begin with the tool's name: name: send_email"
                )
        return found[0] if found else None

    def _nothing(self, event: yaml.NodeEvent) -> bool:
        return isinstance(event, yaml.ScalarEvent) and event.value == "" and event.style is None

    def _value(self, event: yaml.Event, events: Iterator[yaml.Event], path: KeyPath) -> Any:
        self._check_plain(event)
        if len(self.positions.values) >= MAX_VALUES:
            self._refuse(event, f"the file holds more than {MAX_VALUES} values")
        if len(path) > MAX_DEPTH:
            self._refuse(event, "the file is nested too deeply")
        self.positions.values[path] = _mark(event).index
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(events, path)
        if isinstance(event, yaml.SequenceStartEvent):
            items: list[Any] = []
            while not isinstance(inner := next(events), yaml.SequenceEndEvent):
                items.append(self._value(inner, events, (*path, len(items))))
            return items
        assert isinstance(event, yaml.ScalarEvent), "nothing else is a value"
        return self._scalar(event)

    def _check_plain(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            self._refuse(event, "anchors and aliases are not read", "write the value out")
        if getattr(event, "tag", None) is not None:
            self._refuse(event, "tags are not read", "leave out the word that begins with !")

    def _mapping(self, events: Iterator[yaml.Event], path: KeyPath) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            self._check_plain(event)
            if not isinstance(event, yaml.ScalarEvent):
                self._refuse(event, "a key is no text", "write a plain word before the colon")
            key = self._scalar(event)
            if not isinstance(key, str):
                self._refuse(event, f"the key `{event.value[:40]}` is no text", "put it in quotes")
            if key in found:
                self._refuse(event, f"`{key[:40]}` stands there twice", "leave one of them out")
            self.positions.keys[*path, key] = _mark(event).index
            found[key] = self._value(next(events), events, (*path, key))
        return found

    def _scalar(self, event: yaml.ScalarEvent) -> Any:
        text = event.value
        if not event.implicit[0]:
            if any("\ud800" <= char <= "\udfff" for char in text):
                self._refuse(event, "the text holds half a character", "write the whole character")
            return text
        if text in ("true", "false"):
            return text == "true"
        if _INTEGER.fullmatch(text):
            return int(text)
        if _DECIMAL.fullmatch(text):
            return float(text)
        if text == "":
            self._refuse(
                event, "there is no value", 'write one, or leave the key out; "" is an empty text'
            )
        if text.lower() in _WORDS or _LIKE_NUMBER.fullmatch(text):
            self._refuse(event, f"`{text[:40]}` is not the same to every reader of YAML", _QUOTES)
        return text

    def _refuse(self, event: yaml.Event, message: str, hint: str | None = None) -> NoReturn:
        mark = _mark(event)
        self._document.refuse((mark.line + 1, mark.column + 1), message, hint)


def _mark(event: yaml.Event) -> yaml.Mark:
    assert isinstance(event.start_mark, yaml.Mark), "an event of a text has a place"
    return event.start_mark


_WORDS = ("y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", "<<", "=")
_LIKE_NUMBER = re.compile(
    r"[-+]?\.?[0-9][0-9_]*([^\w\s].*|[_:.eExXoObBtT].*)?|[-+]?[.](inf|nan).*", re.I | re.S
)
"""What some reader of YAML takes for a number, a date or a time."""
