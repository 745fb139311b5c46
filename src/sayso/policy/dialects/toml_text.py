"""TOML of other gates, read within limits."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from sayso.core.toml_keys import MAX_PARTS, deep_key
from sayso.errors import SettingsInvalid

MAX_LENGTH = 1024 * 1024

_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def read_toml(text: str, name: str) -> dict[str, Any]:
    """Read a TOML text; raises SettingsInvalid, whose message begins with `name:line:column`."""
    if len(text) > MAX_LENGTH:
        raise SettingsInvalid(f"{name}:1:1: the file is longer than {MAX_LENGTH} characters")
    if deep_key(text) is not None:
        raise SettingsInvalid(f"{name}:1:1: a key has more than {MAX_PARTS} parts")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        said = str(error)
        found = _PLACE.search(said)
        line, column = (found[1], found[2]) if found is not None and found[1] else (1, 1)
        what = said[: found.start()] if found is not None else said
        raise SettingsInvalid(
            f"{name}:{line}:{column}: {what[:1].lower()}{what[1:]}",
            "the file is TOML: see https://toml.io",
        ) from error
    except RecursionError as error:
        raise SettingsInvalid(f"{name}:1:1: the file is nested too deeply") from error
