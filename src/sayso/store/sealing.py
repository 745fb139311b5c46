"""Sealing the full arguments of calls: AES-256-GCM, each text bound to the call it belongs to (AUD-1a).

A sealed text says with which key it was sealed, never the key. The first key seals and all of them open, so
that a key is replaced by putting a new one before it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
from collections.abc import Sequence

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_BYTES = 32
_NONCE_BYTES = 12
_FORMAT = "1"


class CallKeys:
    """The keys of a process; with none it seals nothing and opens nothing."""

    def __init__(self, keys: Sequence[bytes] = ()) -> None:
        """Take the keys, each of KEY_BYTES random bytes."""
        self._ciphers = {_name(key): AESGCM(key) for key in keys}
        self._first = _name(keys[0]) if keys else None

    @property
    def seals(self) -> bool:
        """Whether there is a key to seal with."""
        return self._first is not None

    def seal(self, text: str, *belongs_to: str) -> str:
        """The text sealed with the first key, to be opened for the same call only; ValueError means no key."""
        if self._first is None:
            raise ValueError("there is no key to seal with")
        nonce = os.urandom(_NONCE_BYTES)
        sealed = self._ciphers[self._first].encrypt(nonce, text.encode(), _bound(belongs_to))
        return f"{_FORMAT}.{self._first}.{base64.b64encode(nonce + sealed).decode()}"

    def open(self, sealed: str, *belongs_to: str) -> str | None:
        """The text that was sealed; None if no key here opens it for this call, whatever the reason."""
        form, _, rest = sealed.partition(".")
        name, _, data = rest.partition(".")
        cipher = self._ciphers.get(name)
        if form != _FORMAT or cipher is None:
            return None
        try:
            raw = base64.b64decode(data, validate=True)
            opened = cipher.decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], _bound(belongs_to))
        except (InvalidTag, binascii.Error, ValueError):
            return None
        return opened.decode()


NO_KEYS = CallKeys()
"""What a process without keys has."""


def _name(key: bytes) -> str:
    """How a sealed text names its key: nothing about the key follows from it."""
    return hashlib.sha256(b"sayso calls key\0" + key).hexdigest()[:8]


def _bound(belongs_to: Sequence[str]) -> bytes:
    return "\0".join(("sayso call", *belongs_to)).encode()
