"""Grants, vetoes and bypasses as rows, and back."""

from __future__ import annotations

import hashlib
from typing import Any

from sayso.requests.key import Key
from sayso.requests.standing_grant import Bypass, KeyGrant
from sayso.store.codec.document import Row, reader, written

NO_SESSION = ""
"""Stands in the column of the session where a grant is for all of its user's."""

_grant = reader(KeyGrant)
_bypass = reader(Bypass)


def grant_row(grant: KeyGrant) -> dict[str, Any]:
    """The row of a grant or veto."""
    return {
        "grant_id": grant.grant_id,
        "user_id": grant.user_id,
        "session_id": NO_SESSION if grant.session_id is None else grant.session_id,
        "key_hash": key_hash(grant.key),
        "given_at": grant.given_at,
        "document": written(grant),
    }


def bypass_row(bypass: Bypass) -> dict[str, Any]:
    """The row of a bypass."""
    return {
        "bypass_id": bypass.bypass_id,
        "user_id": bypass.user_id,
        "session_id": bypass.session_id,
        "given_at": bypass.given_at,
        "document": written(bypass),
    }


def key_hash(key: Key) -> str:
    """What tells keys apart in an index: their text may be long, and holds what no column can."""
    return hashlib.sha256(key.text.encode("utf-8", "surrogatepass")).hexdigest()


def read_grant(row: Row) -> KeyGrant:
    """A grant or veto from its document."""
    return _grant(row[0])


def read_bypass(row: Row) -> Bypass:
    """A bypass from its document."""
    return _bypass(row[0])
