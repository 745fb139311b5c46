"""Host patterns of other gates as patterns of `web(…)`.

Ours has words of its own (`private`, ports, schemes), so only plain names and addresses pass.
"""

from __future__ import annotations

import re

EVERY_HOST = "*"

_NAME = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?"
_EXACT = re.compile(rf"{_NAME}(?:\.{_NAME})+|localhost")
_FAMILY = re.compile(rf"\*\.{_NAME}(?:\.{_NAME})*|{_NAME}(?:\.{_NAME})*\.\*")


def allowed_host(text: str) -> str | None:
    """The pattern for exactly that host or family of hosts (`*.name`, `name.*`); None if there is none."""
    known = text == EVERY_HOST or _EXACT.fullmatch(text) or _FAMILY.fullmatch(text)
    return text if known else None


def hit_host(text: str) -> str | None:
    """The same for a deny or ask, without a root dot; None for one that every host has to stand for."""
    return allowed_host(text.removesuffix("."))
