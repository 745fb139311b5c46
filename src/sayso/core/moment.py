"""A moment is a number of microseconds since 1970 in UTC; it is always an argument, never read here."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NewType

from sayso.errors import CallInvalid

Moment = NewType("Moment", int)
"""Microseconds since 1970-01-01T00:00:00Z."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def plus(moment: Moment, seconds: float) -> Moment:
    """The moment so many seconds later (earlier, if negative)."""
    return Moment(moment + round(seconds * 1_000_000))


def seconds_between(earlier: Moment, later: Moment) -> float:
    """The seconds from one moment to another; negative if they are the other way round."""
    return (later - earlier) / 1_000_000


def to_rfc3339(moment: Moment) -> str:
    """The moment as RFC 3339 in UTC with microseconds, as the API writes it."""
    return (
        (_EPOCH + timedelta(microseconds=moment))
        .isoformat(timespec="microseconds")
        .replace("+00:00", "Z")
    )


def from_rfc3339(text: str) -> Moment:
    """Read RFC 3339; a time without a zone is refused with ValueError."""
    value = datetime.fromisoformat(text)
    if value.tzinfo is None:
        raise ValueError(f"`{text}` has no time zone")
    delta = value - _EPOCH
    return Moment((delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds)


def read_moment(text: str) -> Moment:
    """Read what people write: RFC 3339, or a day alone, which means its beginning in UTC.

    Raises CallInvalid, which says how to write it.
    """
    is_day = len(text) == len("2030-01-02") and text.isascii()
    try:
        return from_rfc3339(f"{text}T00:00:00+00:00" if is_day else text)
    except ValueError as error:
        raise CallInvalid(
            f"`{text[:64]}` is not a time", "write it as 2030-01-02 or 2030-01-02T03:04:05Z"
        ) from error
