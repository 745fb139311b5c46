"""Members of an enumeration as plain attributes of its class, where Python does not make them that by itself."""

from __future__ import annotations

from enum import Enum
from typing import TypeVar

Class = TypeVar("Class", bound=type[Enum])


def plain_members(enumeration: Class) -> Class:
    """Let the members of an enumeration be found without running Python code; a class decorator.

    Up to Python 3.11 each `Effect.ASK` calls a function, some 60 of them a decision; from 3.12 on members are
    attributes anyway, and this changes nothing.
    """
    for name, member in enumeration.__members__.items():
        type.__setattr__(enumeration, name, member)
    return enumeration
