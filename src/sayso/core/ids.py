"""Durable ids: time-ordered, 128 random bits, made from a moment and bytes that are given (REQ-1)."""

from __future__ import annotations

import base64

from sayso.core.moment import Moment

RANDOM_BYTES = 16


def make_id(now: Moment, random_bytes: bytes) -> str:
    """Mint an id: 48 bits of milliseconds, then 128 random bits, as 36 characters that sort by time.

    `random_bytes` must be 16 bytes from a source an attacker cannot guess. An id is a locator,
    never an authority. Raises ValueError if there are not 16 bytes.
    """
    if len(random_bytes) != RANDOM_BYTES:
        raise ValueError(f"an id needs {RANDOM_BYTES} random bytes, not {len(random_bytes)}")
    raw = (now // 1000).to_bytes(6, "big") + random_bytes
    return base64.b32hexencode(raw).decode("ascii").rstrip("=").lower()
