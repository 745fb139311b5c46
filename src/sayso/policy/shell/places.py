"""The directories in which a command of a line may run: `cd` is followed through the line (POL-40)."""

from __future__ import annotations

from typing import Final, TypeAlias

from msgspec import Struct

from sayso.policy.paths import collapse

Chain: TypeAlias = tuple[str | None, ...]
Places: TypeAlias = tuple[Chain, ...]

START: Final[Places] = ((),)
"""The directory of the call alone."""

ANYWHERE: Final[Places] = ((None,),)
"""A directory that is not known."""

_MOST: Final = 8
_LONGEST: Final = 32


class Outcome(Struct, frozen=True):
    """Where the shell may be after a command succeeded, and after it failed; empty = it never gets there."""

    succeeded: Places
    failed: Places

    @property
    def either(self) -> Places:
        """Where it may be in either case."""
        return union(self.succeeded, self.failed)


def still(places: Places) -> Outcome:
    """The outcome of a command that moves nowhere."""
    return Outcome(places, places)


def union(one: Places, other: Places) -> Places:
    """Both sets of directories; too many of them are as good as not known."""
    if one == other:
        return one
    found = tuple(dict.fromkeys((*one, *other)))
    return found if len(found) <= _MOST else ANYWHERE


def moved(places: Places, operand: str | None) -> Places:
    """The directories after a `cd` to `operand` (None = not known)."""
    if operand == "":
        return places
    return tuple(dict.fromkeys(_moved(chain, operand) for chain in places))


def only(places: Places, workspace: str) -> str | None:
    """The one directory that it is, as the shell counts it; None where it is not known or may be another."""
    if len(places) != 1:
        return None
    path = workspace
    for step in places[0]:
        if step is None or step.startswith("~"):
            return None
        path = step if step.startswith("/") else f"{path}/{step}"
    return collapse(path)


def _moved(chain: Chain, operand: str | None) -> Chain:
    if operand is None or len(chain) >= _LONGEST:
        return (None,)
    if operand.startswith("/"):
        return (operand,)
    return (*chain, operand)
