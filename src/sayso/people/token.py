"""Credentials: their kinds are disjoint, and an agent's can never decide (REQ-62, REQ-64)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum

from sayso.core.moment import Moment


class CredentialKind(StrEnum):
    """What a credential is for. `session` is a person's login at the page, a terminal or a command."""

    AGENT = "agent"
    APPROVER = "approver"
    ADMIN = "admin"
    SESSION = "session"


SESSION = CredentialKind.SESSION

DECIDING = frozenset({CredentialKind.APPROVER, CredentialKind.ADMIN, CredentialKind.SESSION})
"""The kinds that may record a review; the store's conditional write checks them again."""

CONFIGURING = frozenset({CredentialKind.ADMIN, CredentialKind.SESSION})
"""The kinds that may change rules and tokens, if their person is an admin."""

PREFIX = "sayso_"


@dataclass(frozen=True, slots=True)
class Credential:
    """A stored credential; only the hash of its secret is kept.

    `person_id` is whom it belongs to (for an agent's: the user its sessions are opened for) and
    `agent_id` the agent it names, for the kind `agent` only. `run_contexts` are the ids of those that the
    sessions it opens may name, beside `default`.
    """

    credential_id: str
    kind: CredentialKind
    person_id: str
    secret_hash: str
    created_at: Moment
    expires_at: Moment | None = None
    revoked_at: Moment | None = None
    agent_id: str | None = None
    name: str = ""
    run_contexts: tuple[str, ...] = ()

    def live(self, now: Moment) -> bool:
        """Whether it counts at this moment: neither revoked nor expired."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


def write_token(kind: CredentialKind, secret: bytes) -> str:
    """The token as it is shown once: prefix, kind, secret in hex; the kind in it is only for people."""
    return f"{PREFIX}{kind.value}_{secret.hex()}"


def hash_token(token: str) -> str:
    """The hash under which a token is stored: SHA-256, enough for 256 random bits."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
