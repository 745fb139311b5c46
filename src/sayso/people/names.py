"""The names of people and roles, and the identities of people on channels: one spelling each (REQ-60).

A name is written into rules, the audit log and cards, and people log in by it. So it is stored in
one spelling, never changes, is never used again, and its letters are of one script: a name with a
letter from another alphabet could be taken for somebody else's.
"""

from __future__ import annotations

import re
import unicodedata

from sayso.errors import PeopleRefused

MAX_NAME = 64
MAX_IDENTITY = 254

_NAME = re.compile(r"[^\W\d_][\w.\-]*")
_NUMBER = re.compile(r"[1-9][0-9]{0,19}")
_LOGIN = re.compile(r"[a-z0-9][a-z0-9._\-]*")
_MAIL = re.compile(r"[a-z0-9.!#$%&'*+/=?^_`{|}~\-]+@[a-z0-9](?:[a-z0-9.\-]*[a-z0-9])?")

WEB = "web"
KINDS = ("tg", "vk", "ym", WEB, "mail")
"""The kinds of identities: Telegram, VK and Yandex Messenger, the web login, a mail address."""


def canonical_name(text: str) -> str:
    """The one spelling of a person's or a role's name: lower case, letters of one script.

    Raises PeopleRefused for what cannot be a name.
    """
    name = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    if len(name) > MAX_NAME or not _NAME.fullmatch(name):
        raise PeopleRefused(
            f"`{text[:MAX_NAME]}` is not a name",
            f"use up to {MAX_NAME} letters, digits, `.`, `_` and `-`, beginning with a letter",
        )
    if len({_script(letter) for letter in name if letter.isalpha()}) > 1:
        raise PeopleRefused(
            f"the letters of `{name}` are of more than one alphabet",
            "use one, so that nobody takes it for another name",
        )
    return name


def canonical_identity(text: str) -> str:
    """The one spelling of an identity: `tg:123`, `vk:1`, `ym:login`, `web:name`, `mail:a@b.c`.

    What has no kind is a name at the page. Raises PeopleRefused for what cannot be an identity.
    """
    kind, colon, rest = text.strip().partition(":")
    if not colon:
        return f"{WEB}:{canonical_name(kind)}"
    kind, rest = kind.lower(), rest.strip()
    if len(rest) <= MAX_IDENTITY:
        if kind == WEB:
            return f"{WEB}:{canonical_name(rest)}"
        if kind in ("tg", "vk") and _NUMBER.fullmatch(rest):
            return f"{kind}:{rest}"
        if kind == "ym" and _LOGIN.fullmatch(rest.lower()):
            return f"ym:{rest.lower()}"
        if kind == "mail" and _MAIL.fullmatch(rest.lower()):
            return f"mail:{rest.lower()}"
    raise PeopleRefused(
        f"`{text[:MAX_IDENTITY]}` is not an identity",
        "write tg:NUMBER, vk:NUMBER, ym:LOGIN, web:NAME or mail:ADDRESS",
    )


def same_identity(written: str, identities: frozenset[str]) -> bool:
    """Whether what a rule names is among these; what cannot be an identity is nobody's."""
    try:
        return canonical_identity(written) in identities
    except PeopleRefused:
        return False


def _script(letter: str) -> str:
    """The alphabet of a letter: the first word of its Unicode name."""
    return unicodedata.name(letter, "unknown").split()[0]
