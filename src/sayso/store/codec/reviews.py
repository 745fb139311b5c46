"""Votes as rows."""

from __future__ import annotations

from typing import Any

from sayso.people.token import CredentialKind
from sayso.requests.approval import Review


def review_row(
    request_id: str, number: int, review: Review, kind: CredentialKind
) -> dict[str, Any]:
    """The row of a vote; `kind` is that of the stored credential."""
    return {
        "request_id": request_id,
        "number": number,
        "person_id": review.person_id,
        "credential_id": review.credential_id,
        "kind": kind.value,
        "channel": review.channel,
        "vote": review.vote.value,
        "at": review.at,
    }
