"""A role: a named set of people, with a quorum of its own (REQ-61)."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.core.deciders import Quorum


@dataclass(frozen=True, slots=True)
class Role:
    """Members by their ids; `quorum` is what a rule has that names the role and no quorum."""

    name: str
    members: tuple[str, ...] = ()
    quorum: Quorum = 1
    enabled: bool = True
