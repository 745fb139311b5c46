from __future__ import annotations

import pytest

from sayso.errors import PeopleRefused
from sayso.people.stand_in import StandIn, check_stand_in
from tests.fakes.values import at

pytestmark = pytest.mark.spec("REQ-66")


def link(absent: str, substitute: str, since: float = 0, until: float = 60) -> StandIn:
    return StandIn(absent, substitute, at(since), at(until))


def test_a_stand_in_holds_from_its_beginning_until_before_its_end() -> None:
    one = link("anna", "nils", 10, 20)
    assert [one.holds(at(s)) for s in (9.9, 10, 19.9, 20)] == [False, True, True, False]


def test_three_in_a_row_are_allowed_and_four_are_not() -> None:
    others = [link("a", "b"), link("b", "c")]
    check_stand_in(link("c", "d"), others)
    with pytest.raises(PeopleRefused, match="more than 3 people"):
        check_stand_in(link("d", "e"), [*others, link("c", "d")])
    with pytest.raises(PeopleRefused, match="more than 3 people"):
        check_stand_in(link("x", "a"), [*others, link("c", "d")])


def test_nobody_stands_in_for_themselves_not_even_over_others() -> None:
    for others in ([], [link("b", "c"), link("c", "a")]):
        with pytest.raises(PeopleRefused, match="a circle"):
            check_stand_in(link("a", "b" if others else "a"), others)


def test_what_does_not_hold_at_the_same_time_is_no_circle_and_no_chain() -> None:
    check_stand_in(link("a", "b", 0, 60), [link("b", "a", 60, 120)])
    early, late = link("b", "c", 0, 30), link("c", "d", 30, 60)
    check_stand_in(link("a", "b"), [early, late, link("d", "e", 30, 60)])


def test_a_time_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(PeopleRefused, match="ends before it begins"):
        check_stand_in(link("a", "b", 60, 60), [])
