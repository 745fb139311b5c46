"""Why a call is here in its redacted form only, and that nobody may act on it as if it were whole (AUD-1a)."""

from __future__ import annotations

from enum import StrEnum

from sayso.errors import ArgumentsWithheld


class Withheld(StrEnum):
    """Why the full arguments of a call are not here."""

    DELETED = "deleted"

    @property
    def words(self) -> str:
        """It in words, as people and programs are told."""
        return "the full arguments of this call are deleted; what is left of it is redacted"


def must_be_whole(withheld: Withheld | None) -> None:
    """Raise ArgumentsWithheld unless the call is here as it was made."""
    if withheld is not None:
        raise ArgumentsWithheld(withheld.words, "reject it, or let the agent make the call anew")
