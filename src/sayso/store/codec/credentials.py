"""Credentials as rows, and back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sayso.people.token import Credential, CredentialKind
from sayso.store.codec.document import Row, reader, written

_names = reader(tuple[str, ...])


def credential_row(credential: Credential) -> dict[str, Any]:
    """The row of a credential."""
    return {
        "credential_id": credential.credential_id,
        "kind": credential.kind.value,
        "person_id": credential.person_id,
        "secret_hash": credential.secret_hash,
        "created_at": credential.created_at,
        "expires_at": credential.expires_at,
        "revoked_at": credential.revoked_at,
        "agent_id": credential.agent_id,
        "name": credential.name,
        "run_contexts": written(credential.run_contexts),
    }


def read_credential(row: Row) -> Credential:
    """A credential from its columns, in the order of the type."""
    credential_id, kind, *rest, run_contexts = row
    credential = Credential(credential_id, CredentialKind(kind), *rest)
    return replace(credential, run_contexts=_names(run_contexts))
