"""Answers with secrets: sealed for the one program that asked, so that no store ever holds them.

X25519 with a fresh key for each answer, HKDF-SHA256 and ChaCha20-Poly1305. Whoever asks makes a key pair
and keeps the private half in memory; what is stored cannot be opened with anything that is stored.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from sayso.errors import AnswerInvalid, QuestionInvalid

_INFO = b"sayso-answer-v1"
_KEY = 32
_NONCE = bytes(12)
"""Each key seals one answer, so its nonce may be constant."""


def public_key(secret: bytes) -> str:
    """The public half of a key of 32 random bytes, as a question carries it."""
    raw = X25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()
    return base64.b64encode(raw).decode("ascii")


def check_key(key: str) -> None:
    """Raise QuestionInvalid unless it is the public half of a key."""
    _public(key)


def seal(answer: Mapping[str, Any], key: str, fresh: bytes) -> str:
    """The answer, sealed to a public key; `fresh` are 32 random bytes that are used for nothing else."""
    mine = X25519PrivateKey.from_private_bytes(fresh)
    raw = mine.public_key().public_bytes_raw()
    try:
        shared = mine.exchange(_public(key))
    except ValueError as error:  # a key of small order: nothing sealed to it would be secret
        raise QuestionInvalid("the answer key is none of X25519") from error
    box = _cipher(shared, raw, key).encrypt(_NONCE, json.dumps(dict(answer)).encode(), _INFO)
    return base64.b64encode(raw + box).decode("ascii")


def unseal(sealed: str, secret: bytes) -> dict[str, Any]:
    """The answer, opened by whoever asked; raises AnswerInvalid where it was sealed to another key."""
    mine = X25519PrivateKey.from_private_bytes(secret)
    try:
        data = base64.b64decode(sealed, validate=True)
        raw, box = data[:_KEY], data[_KEY:]
        shared = mine.exchange(X25519PublicKey.from_public_bytes(raw))
        plain = _cipher(shared, raw, public_key(secret)).decrypt(_NONCE, box, _INFO)
    except (InvalidTag, ValueError, binascii.Error) as error:
        raise AnswerInvalid("the sealed answer cannot be opened here", "ask again") from error
    found: dict[str, Any] = json.loads(plain)
    return found


def _cipher(shared: bytes, raw: bytes, key: str) -> ChaCha20Poly1305:
    salt = raw + base64.b64decode(key)
    return ChaCha20Poly1305(HKDF(SHA256(), _KEY, salt, _INFO).derive(shared))


def _public(key: str) -> X25519PublicKey:
    try:
        return X25519PublicKey.from_public_bytes(base64.b64decode(key, validate=True))
    except (ValueError, binascii.Error) as error:
        raise QuestionInvalid(
            "the answer key is none of X25519", "send 32 bytes in base64"
        ) from error
