"""The keys with which the full arguments of calls are encrypted: a variable, never a file beside the data (AUD-1a)."""

from __future__ import annotations

import os

from sayso.errors import SettingsInvalid

KEYS_VARIABLE = "SAYSO_CALLS_KEY"
"""The environment variable with the keys in hex, the newest first, with commas between."""

KEY_BYTES = 32


def calls_keys() -> tuple[bytes, ...]:
    """The keys of the environment, the newest first; raises SettingsInvalid for what is none.

    A variable that is set and empty is refused too: whoever sets it means to encrypt.
    """
    given = os.environ.get(KEYS_VARIABLE)
    return () if given is None else tuple(_key(text) for text in given.split(","))


def _key(text: str) -> bytes:
    try:
        key = bytes.fromhex(text.strip())
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise SettingsInvalid(
            f"`{KEYS_VARIABLE}` holds something that is no key",
            f"a key is {KEY_BYTES} random bytes in hex, as `openssl rand -hex {KEY_BYTES}` prints; "
            "several have commas between, the newest first",
        )
    return key
