"""TOML read within limits, with the place of a fault.

Parsers take time that grows with the square of a dotted key's parts: 50,000 of them, which fit a file of
100 kB, take minutes. So how deep keys go is found before a parser is given the text.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any

from sayso.errors import SettingsInvalid

MAX_LENGTH = 1024 * 1024
MAX_PARTS = 100

_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")

# A text that is not closed is taken up to the end of its line, so that each character is looked at once.
_TOKEN = re.compile(
    r"""(?P<part>[\w-]++|"(?:[^"\\\n]++|\\.)*+"?|'[^'\n]*+'?)|(?P<dot>\.)|[ \t]++|(?P<other>.)""",
    re.DOTALL,
)


def read_toml(text: str, name: str) -> dict[str, Any]:
    """Read a TOML text; raises SettingsInvalid, whose message begins with `name:line:column`."""
    if len(text) > MAX_LENGTH:
        raise SettingsInvalid(f"{name}:1:1: the file is longer than {MAX_LENGTH} characters")
    deep = deep_key(text)
    if deep is not None:
        line, column = text.count("\n", 0, deep) + 1, deep - text.rfind("\n", 0, deep)
        raise SettingsInvalid(f"{name}:{line}:{column}: the key has more than {MAX_PARTS} parts")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        said = str(error)
        found = _PLACE.search(said)
        what = said if found is None else said[: found.start()]
        if found is not None and found[1]:
            line, column = int(found[1]), int(found[2])
        else:
            line, column = text.count("\n") + 1, len(text.rsplit("\n", 1)[-1]) + 1
        raise SettingsInvalid(
            f"{name}:{line}:{column}: {what[:1].lower()}{what[1:]}",
            "the file is TOML: see https://toml.io",
        ) from error
    except RecursionError as error:
        raise SettingsInvalid(f"{name}:1:1: the file is nested too deeply") from error
    except ValueError as error:  # Python reads no whole number of more than 4300 digits
        raise SettingsInvalid(f"{name}:1:1: a number is too long") from error


def deep_key(text: str) -> int | None:
    """Where in the text a key with more than 100 parts begins; None if none does."""
    if text.count(".") < MAX_PARTS:
        return None
    begin, parts, joined = 0, 0, False
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup
        if kind == "part":
            if not joined:
                begin, parts = found.start(), 0
            parts, joined = parts + 1, False
            if parts > MAX_PARTS:
                return begin
        elif kind == "dot":
            joined = parts > 0
        elif kind == "other":
            parts, joined = 0, False
    return None
