"""Dialects in which the order of rules decides: by priority, or the last one that matches.

In a permission list no rule is an exception of another: any deny decides, else any ask, else any allow.
Taken over one by one such rules are never looser, only sometimes stricter: an allow that overrides an ask
or a deny does nothing then, which a note tells. An ask that overrides no allow is left out, because what
nothing allows is asked about anyway, and written out it would undo the allows that override it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from sayso.core.effect import Effect
from sayso.policy.dialects.translated import Source, Translator


@dataclass(frozen=True, slots=True)
class Entry:
    """One rule of an ordered dialect, in our words.

    `texts` are its text rules, none for an allow that is left out. `family` names what sort of call it
    is about, None for every sort. `glob` is its pattern as written, for telling whether two could meet.
    `lost` says what is not carried over exactly, if anything; `wide` replaces what cannot be held.
    """

    effect: Effect
    source: Source
    texts: tuple[str, ...]
    family: str | None
    glob: str = "*"
    lost: str = ""
    wide: str = "tool(*)"
    fields: dict[str, Any] = field(default_factory=dict)


def emit(entries: Iterable[Entry], out: Translator, *, alone: bool = True) -> None:
    """Give the rules of entries to `out`, from the one that all others override to the one that wins.

    `alone` tells that there are no entries elsewhere that an ask could override.
    """
    below: list[Entry] = []
    kept: list[Entry] = []
    for entry in entries:
        if entry.effect is Effect.ALLOW:
            _allow(entry, kept, out)
        elif entry.effect is Effect.DENY or not alone or _overrides_an_allow(entry, below):
            _hit(entry, out)
            kept.append(entry)
        below.append(entry)


def _allow(entry: Entry, kept: list[Entry], out: Translator) -> None:
    if not entry.texts:
        out.leave_out(entry.source, entry.lost)
        return
    if entry.lost:
        out.note(entry.source, entry.lost, "covers less")
    for text in entry.texts:
        out.allow(entry.source, text, **entry.fields)
    for other in kept:
        if _same_family(entry, other) and _may_meet(entry.glob, other.glob):
            lost = f"it cannot override `{other.source.original}`"
            out.note(entry.source, lost, f"where both match, {other.effect.word}: stricter")


def _hit(entry: Entry, out: Translator) -> None:
    if entry.lost:
        out.stricter(
            entry.effect, entry.source, entry.texts, entry.lost, wide=entry.wide, **entry.fields
        )
    else:
        out.hit(entry.effect, entry.source, entry.texts, entry.wide, **entry.fields)


def _overrides_an_allow(entry: Entry, below: list[Entry]) -> bool:
    return any(
        other.effect is Effect.ALLOW and other.texts and _same_family(entry, other)
        for other in below
    )


def _same_family(one: Entry, other: Entry) -> bool:
    return one.family is None or other.family is None or one.family == other.family


def _may_meet(one: str, other: str) -> bool:
    """Whether two globs could match one text, as far as their beginnings tell."""
    first, second = (glob.partition("*")[0].rstrip() for glob in (one, other))
    return first.startswith(second) or second.startswith(first)
