"""The parts that a word consists of while its value is computed."""

from __future__ import annotations

from typing import Final, TypeAlias

BARE: Final = 0
"""Characters outside quotes."""

QUOTED: Final = 1
"""Characters that mean themselves."""

ONE: Final = 2
"""Something not known that stays within its word."""

SPLITS: Final = 3
"""Something not known that may become several words, or none; its text is `@` where quotes do not help."""

Part: TypeAlias = tuple[int, str]
