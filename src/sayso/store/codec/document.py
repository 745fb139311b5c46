"""Documents: JSON, written from the core's types and read straight back into them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

import msgspec

from sayso.errors import StoreCorrupt, StoreError

T = TypeVar("T")
Row: TypeAlias = Sequence[Any]

_ENCODER = msgspec.json.Encoder()


def written(value: object) -> str:
    """The document of a value; raises StoreError where it has none."""
    try:
        return _ENCODER.encode(value).decode()
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise StoreError(f"a value cannot be stored: {error}") from error


def reader(kind: type[T]) -> Callable[[str], T]:
    """What reads documents of that type; it raises StoreCorrupt where one does not fit.

    Fields added to a type later need a default.
    """
    decode = msgspec.json.Decoder(kind).decode

    def read(text: str) -> T:
        try:
            return decode(text)
        except msgspec.MsgspecError as error:
            raise StoreCorrupt(
                f"a stored {kind.__name__.lstrip('_')} cannot be read: {error}",
                "keep a copy of the database file, then restore a backup",
            ) from error

    return read
