"""The machine's randomness behind the broker's Ids port."""

from __future__ import annotations

import secrets

from sayso.core.ids import RANDOM_BYTES, make_id
from sayso.core.moment import Moment


class SystemIds:
    """Ids and secrets from the operating system's generator."""

    __slots__ = ()

    def new_id(self, now: Moment) -> str:
        """A new durable id; ids sort by the moment they were minted at."""
        return make_id(now, secrets.token_bytes(RANDOM_BYTES))

    def secret(self) -> bytes:
        """32 random bytes."""
        return secrets.token_bytes(32)
