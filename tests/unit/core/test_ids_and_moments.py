from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.ids import RANDOM_BYTES, make_id
from sayso.core.moment import Moment, from_rfc3339, plus, seconds_between, to_rfc3339

moments = st.integers(0, 4_000_000_000_000_000).map(Moment)


@given(first=moments, second=moments, some=st.binary(min_size=16, max_size=16))
def test_ids_sort_by_time_to_the_millisecond(first: Moment, second: Moment, some: bytes) -> None:
    if first // 1000 < second // 1000:
        assert make_id(first, b"\xff" * 16) < make_id(second, some)


@given(now=moments, some=st.binary(min_size=16, max_size=16))
def test_an_id_holds_all_of_its_random_bits(now: Moment, some: bytes) -> None:
    made = make_id(now, some)
    assert len(made) == 36
    assert made == made.lower()
    assert made.isalnum()
    other = bytes([some[0] ^ 1]) + some[1:]
    assert make_id(now, other) != made
    assert make_id(now, some[:-1] + bytes([some[-1] ^ 1])) != made


@pytest.mark.parametrize("length", [0, 15, 17])
def test_an_id_needs_sixteen_random_bytes(length: int) -> None:
    with pytest.raises(ValueError, match=f"{RANDOM_BYTES} random bytes"):
        make_id(Moment(0), bytes(length))


@given(moment=moments)
def test_a_moment_comes_back_from_its_text(moment: Moment) -> None:
    assert from_rfc3339(to_rfc3339(moment)) == moment


def test_a_moment_is_written_in_utc_with_microseconds() -> None:
    assert to_rfc3339(Moment(0)) == "1970-01-01T00:00:00.000000Z"
    written = datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)
    assert from_rfc3339("2026-01-02T05:04:05.000006+02:00") == written.timestamp() * 1_000_000


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        from_rfc3339("2026-01-02T03:04:05")


def test_seconds_are_added_and_taken() -> None:
    later = plus(Moment(1_000_000), 1.5)
    assert later == 2_500_000
    assert seconds_between(Moment(1_000_000), later) == 1.5
    assert plus(later, -1.5) == 1_000_000
