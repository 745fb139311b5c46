"""Hiding secrets by key and by shape before a record is stored (AUD-1); the digest is of the real call."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

_SECRET_KEY = re.compile(
    r"pass(word|wd|phrase)|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|authorization|"
    r"credential|cookie|session[-_]?key|\bpin\b|otp|cvv|bearer",
    re.IGNORECASE,
)

_SECRET_SHAPE = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{4,}"
    r"|\b(?:sk|pk|rk)[-_](?:live|test|proj|ant|or)?[-_]?[A-Za-z0-9_-]{16,}"
    r"|\b(?:ghp|gho|ghu|ghs|ghr|glpat|xox[abprs]|npm|pypi|hf|sayso_[a-z]+)[-_][A-Za-z0-9_-]{16,}"
    r"|\bgithub_pat_[A-Za-z0-9_]{20,}"
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"
    r"|\bAIza[A-Za-z0-9_-]{30,}"
    r"|(?<=://)[^\s/:@]+:[^\s/@]+(?=@)"
    r"|(?i:(?<=bearer )[A-Za-z0-9._~+/=-]{16,})",
    re.DOTALL,
)


def redact(value: Any, key: str = "") -> Any:
    """The value with secrets replaced by `[secret, N characters, a1b2…]`; other values unchanged.

    A value is a secret by its key (`password`, `api_key` …) or a part of a text by its shape
    (private keys, tokens of known providers, a password in a URL).
    """
    if isinstance(value, Mapping):
        return {name: redact(item, str(name)) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [redact(item, key) for item in value]
    if isinstance(value, str):
        if value and key and _SECRET_KEY.search(key):
            return _mask(value)
        return _SECRET_SHAPE.sub(lambda match: _mask(match.group()), value)
    if isinstance(value, int) and not isinstance(value, bool) and _SECRET_KEY.search(key):
        return _mask(str(value))
    return value


def redact_text(text: str) -> str:
    """A text with what looks like a secret replaced."""
    return _SECRET_SHAPE.sub(lambda match: _mask(match.group()), text)


def _mask(secret: str) -> str:
    mark = hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()[:4]
    return f"[secret, {len(secret)} characters, {mark}…]"
