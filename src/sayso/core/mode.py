"""The modes of a session: how much of what policy asks goes to a person (gate.md, section 2)."""

from __future__ import annotations

from enum import StrEnum

from sayso.core.plain_members import plain_members


@plain_members
class Mode(StrEnum):
    """The modes of MODE-1; none of them lifts a deny, or what must be asked."""

    DEFAULT = "default"
    ACCEPT_EDITS = "accept-edits"
    AUTO = "auto"
    PLAN = "plan"
    DONT_ASK = "dont-ask"
    BYPASS = "bypass"


ALSO_READ = {
    "acceptEdits": Mode.ACCEPT_EDITS,
    "dontAsk": Mode.DONT_ASK,
    "bypassPermissions": Mode.BYPASS,
}
"""Names that other programs give to the same modes (MODE-1)."""

TIGHTENING = frozenset({Mode.PLAN, Mode.DONT_ASK})
"""The modes that allow nothing that `default` asks: an agent's side may choose them for itself."""


def parse_mode(word: object) -> Mode:
    """Read a mode by its name or another program's; raises ValueError, which names those there are."""
    known = {mode.value: mode for mode in Mode} | ALSO_READ
    if not isinstance(word, str) or word not in known:
        raise ValueError(f"`{word}` is not a mode; one of {', '.join(Mode)}")
    return known[word]
