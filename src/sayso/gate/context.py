"""What else counts for a verdict beside rules, grants and facts: the session's state and who there is to ask."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sayso.core.freeze import Freeze
from sayso.core.session import DEFAULT_GROUP
from sayso.gate.circumstances import Circumstances
from sayso.gate.opinion import Opinion
from sayso.people.directory import Directory
from sayso.requests.grant import StickyRejection
from sayso.requests.standing_grant import Remembered


@dataclass(frozen=True, slots=True)
class Context:
    """What else counts, read anew for each call (GATE-5).

    `frozen` is the brake that refuses the call (GATE-8), `flooded` that too much of the session waits
    already (GATE-9), and `opinion` what a hook or the reviewer said of this call.
    """

    group: str = DEFAULT_GROUP
    stopped: bool = False
    can_ask: bool = True
    nobody_reachable: bool = False
    sticky: StickyRejection | None = None
    people: Directory = field(default_factory=Directory)
    remembered: Remembered = field(default_factory=Remembered)
    spent: Mapping[str, float] = field(default_factory=dict)
    frozen: Freeze | None = None
    flooded: bool = False
    circumstances: Circumstances = field(default_factory=Circumstances)
    opinion: Opinion | None = None
