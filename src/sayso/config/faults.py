"""Every fault of a settings file that can be told by itself, for who mends it (POL-70)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path

from sayso.config.descriptors import descriptor_faults
from sayso.config.reading import parse_document
from sayso.config.rule_tables import rule_faults
from sayso.config.settings import Scope, parse_settings
from sayso.errors import SettingsInvalid

MAX_FAULTS = 100
"""So many are told of one file at most."""

_PLACE = re.compile(r":(\d+):(\d+): ")


def faults_of(path: Path, data: bytes, scope: Scope = Scope.USER) -> tuple[str, ...]:
    """The faults in the content of a file, in the order in which they stand there, each with its hint.

    The one at which reading the file ends, and those of other rules and tools; of a file that is not
    even TOML there is one to tell. A file that can be read has none.
    """
    try:
        parse_settings(path, data, scope)
    except SettingsInvalid as error:
        found = {str(error): error, **{str(fault): fault for fault in _further(path, data, scope)}}
        return tuple(sorted(found, key=_position))
    return ()


def _further(path: Path, data: bytes, scope: Scope) -> Iterator[SettingsInvalid]:
    try:
        root = parse_document(path, data).root
    except SettingsInvalid:
        return
    yield from islice(chain(rule_faults(root, scope.value), descriptor_faults(root)), MAX_FAULTS)


def _position(fault: str) -> tuple[int, int]:
    found = _PLACE.search(fault)
    return (int(found[1]), int(found[2])) if found else (0, 0)
