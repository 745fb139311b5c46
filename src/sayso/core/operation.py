"""What is done to a path."""

from __future__ import annotations

from enum import StrEnum

from sayso.core.plain_members import plain_members


@plain_members
class Operation(StrEnum):
    """What is done to a path; `any` where it is not known."""

    READ = "read"
    WRITE = "write"
    DELETE = "delete"
    ANY = "any"
