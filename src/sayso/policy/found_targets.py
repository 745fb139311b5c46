"""Paths and URLs among the arguments of an MCP tool that no descriptor tells of (POL-3).

What is found here is derived: rules with a pattern match it, and where none does it follows the
call's own effect. So looking too widely costs a question at most where a path rule speaks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sayso.core.operation import Operation
from sayso.core.target import Target, TargetKind
from sayso.policy.spelling import skeleton

MAX_FOUND = 200
"""How many texts are looked at; a call with more has a doubt."""

MAX_PATH = 4096

_PATH_NAME = re.compile(
    r"(?:^|[_.-])(?:path|paths|file|files|filename|filenames|filepath|dir|dirs|directory|"
    r"directories|folder|folders|cwd|src|dst|source|destination|uri)$"
)
_PATH_VALUE = re.compile(
    r"(?:~|\$HOME|\$\{HOME\}|\.{1,2})?/|~$|[A-Za-z]:[\\/]|\\\\|file:", re.IGNORECASE
)
_URL_VALUE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def texts_in(arguments: Mapping[str, Any], known: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Each text among the arguments that no descriptor names, with the name it stands under."""
    for name, value in arguments.items():
        if name not in known:
            yield from _texts(name, value)


def kind_of(name: str, text: str) -> TargetKind | None:
    """Whether a text is a path or a URL, by its look or by the name it stands under."""
    if not text or len(text) > MAX_PATH:
        return None
    if _URL_VALUE.match(text) and not text.lower().startswith("file:"):
        return TargetKind.HOST
    if "\n" not in text and _PATH_VALUE.match(text):
        return TargetKind.PATH
    return TargetKind.PATH if _PATH_NAME.search(skeleton(name)) else None


def too_many() -> Target:
    """The target of a call with more texts than are looked at."""
    doubt = f"it has more than {MAX_FOUND} texts, and not all were looked at for paths"
    return Target(TargetKind.PATH, "(arguments)", False, Operation.ANY, doubt=doubt)


def _texts(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, Mapping):
        for inner, item in value.items():
            yield from _texts(inner, item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(name, item)
