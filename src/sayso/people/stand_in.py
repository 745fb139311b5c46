"""Standing in for somebody who is away, for a time (REQ-66)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sayso.core.moment import Moment
from sayso.errors import PeopleRefused

LONGEST_CHAIN = 3
"""So many people may stand in one for the other."""


@dataclass(frozen=True, slots=True)
class StandIn:
    """`substitute` stands in for `absent` from `since` on, and no longer from `until` on."""

    absent: str
    substitute: str
    since: Moment
    until: Moment

    def holds(self, now: Moment) -> bool:
        """Whether it is that time."""
        return self.since <= now < self.until


def check_stand_in(new: StandIn, others: Iterable[StandIn]) -> None:
    """Raise PeopleRefused for a stand-in that cannot be: of oneself, in a circle, in too long a chain.

    Only what holds at one and the same time makes a circle or a chain.
    """
    if new.since >= new.until:
        raise PeopleRefused("the time to stand in ends before it begins", "give a later end")
    links = [*others, new]
    if _circle(new, links):
        raise PeopleRefused(
            f"`{new.substitute}` cannot stand in for `{new.absent}`: it would be a circle",
            "name somebody who is there",
        )
    if max(_length(link, links) for link in links) > LONGEST_CHAIN:
        raise PeopleRefused(
            f"more than {LONGEST_CHAIN} people would stand in one for the other",
            "name somebody who is there",
        )


def _next(link: StandIn, links: Iterable[StandIn]) -> list[StandIn]:
    """Who stands in for the substitute at the same time, the time cut to what they share."""
    return [
        StandIn(other.absent, other.substitute, since, until)
        for other in links
        if other.absent == link.substitute
        and (since := max(link.since, other.since)) < (until := min(link.until, other.until))
    ]


def _circle(new: StandIn, links: list[StandIn]) -> bool:
    """Whether one comes back to the absent one from the new link on; older links make no circle."""
    front, seen = [new], set[StandIn]()
    while front:
        link = front.pop()
        if link.substitute == new.absent:
            return True
        if link not in seen:
            seen.add(link)
            front.extend(_next(link, links))
    return False


def _length(link: StandIn, links: list[StandIn], most: int = LONGEST_CHAIN + 1) -> int:
    """How many links follow one another from this one on, itself included; no further than `most`."""
    if most <= 1:
        return 1
    return 1 + max((_length(after, links, most - 1) for after in _next(link, links)), default=0)
