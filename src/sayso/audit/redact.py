"""Hiding secrets by key and by shape before a record is stored (AUD-1); the digest is of the real call."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sayso.core.secret_names import SECRET_NAME

# Repetitions that may fail late have an upper bound: an agent chooses the text, and must not be
# able to choose how long this takes.
_SECRET_SHAPE = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|\beyJ[\w-]{8,500}+\.[\w-]{8,}\.[\w-]{4,}"
    r"|\b(?:sk|pk|rk)[-_](?:live|test|proj|ant|or)?[-_]?[A-Za-z0-9_-]{16,}"
    r"|\b(?:ghp|gho|ghu|ghs|ghr|glpat|xox[abprs]|npm|pypi|hf|sayso_[a-z]+)[-_][A-Za-z0-9_-]{16,}"
    r"|\bgithub_pat_[A-Za-z0-9_]{20,}"
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"
    r"|\bAIza[A-Za-z0-9_-]{30,}"
    r"|(?<=://)[^\s/:@]*:[^\s/]+(?=@)"
    r"|(?i:(?<=bearer )[A-Za-z0-9._~+/=-]{16,})"
    r"|(?i:(?<=basic )[A-Za-z0-9+/=]{12,})",
    re.DOTALL,
)

_ASSIGNED = re.compile(
    r"(?P<name>(?:pass(?:word|wd|phrase|code)|secret|token|api[-_]?key|access[-_]?key|"
    r"private[-_]?key|pwd)[\w-]{0,40}[\"']?\s{0,4}[=:]\s{0,4}[\"']?)(?P<value>[^\s\"'&;,|]{4,})",
    re.IGNORECASE,
)
"""A secret that a text gives its name to: `PASSWORD=…`, `"api_key": "…"`, `?token=…`."""

MARKED_FROM = 20
"""From so many characters on a secret keeps a mark by which it is known again; a short one could be
guessed from it."""


SHORTEST = 4
"""From so many characters on a secret is looked for in other texts."""

MOST = 200
"""So many secrets of one call are looked for."""


def redact(value: Any, key: str = "") -> Any:
    """The value with secrets replaced by `[secret, N characters, a1b2…]`; other values unchanged.

    A value is a secret by its key (`password`, `api_key` …), with everything inside it, or a part of
    a text by its shape (private keys, tokens of known providers, a password in a URL, `TOKEN=…`).
    """
    if key and SECRET_NAME.search(key):
        return _mask_all(value)
    if isinstance(value, Mapping):
        return {redact_text(str(name)): redact(item, str(name)) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [redact(item) for item in value]
    return redact_text(value) if isinstance(value, str) else value


def redact_text(text: str) -> str:
    """A text with what looks like a secret replaced."""
    text = _SECRET_SHAPE.sub(lambda match: _mask(match.group()), text)
    return _ASSIGNED.sub(_mask_assigned, text)


def secrets_by_key(value: Any) -> Iterator[str]:
    """The texts that `redact` hides for their key, which other texts about the same call may repeat.

    Texts of less than 4 characters are left out: they stand in half of all words.
    """
    return (text for text, named in _texts(value) if named and len(text) >= SHORTEST)


def hidden_in(value: Any) -> Iterator[str]:
    """Each text of a value that `redact` hides, as it is."""
    for text, named in _texts(value):
        if named:
            yield text
        else:
            yield from (match.group() for match in _SECRET_SHAPE.finditer(text))
            yield from (match["value"] for match in _ASSIGNED.finditer(text))


def _texts(value: Any, named: bool = False) -> Iterator[tuple[str, bool]]:
    """Each text of a value, names of members too, and whether a key above it says that it is secret."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield str(name), False
            yield from _texts(item, named or bool(SECRET_NAME.search(str(name))))
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item, named)
    elif isinstance(value, str) or (named and value is not None and not isinstance(value, bool)):
        yield str(value), named


def redact_with(text: str, secrets: Iterable[str]) -> str:
    """A text with these secrets replaced, the longest first, and what looks like one.

    With more than MOST of them it is hidden whole: an agent must not choose how long this takes.
    """
    found = sorted(set(secrets), key=len, reverse=True)
    if len(found) > MOST:
        return _mask(text)
    for secret in found:
        text = text.replace(secret, _mask(secret))
    return redact_text(text)


def _mask_all(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {redact_text(str(name)): _mask_all(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_mask_all(item) for item in value]
    if value is None or isinstance(value, bool) or value == "":
        return value
    return _mask(str(value))


def _mask_assigned(match: re.Match[str]) -> str:
    value = match["value"]
    return match.group() if value.startswith("[secret") else match["name"] + _mask(value)


def _mask(secret: str) -> str:
    if len(secret) < MARKED_FROM:
        return f"[secret, {len(secret)} characters]"
    mark = hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()[:4]
    return f"[secret, {len(secret)} characters, {mark}…]"
