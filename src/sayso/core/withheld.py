"""Why a call is here in its redacted form only, and that nobody may act on it as if it were whole (AUD-1a)."""

from __future__ import annotations

from enum import StrEnum

from sayso.errors import ArgumentsWithheld


class Withheld(StrEnum):
    """Why the full arguments of a call are not here."""

    DELETED = "deleted"
    SEALED = "sealed"
    OVER = "over"

    @property
    def words(self) -> str:
        """It in words, as people and programs are told."""
        if self is Withheld.DELETED:
            return "the full arguments of this call are deleted; what is left of it is redacted"
        if self is Withheld.OVER:
            return "this is over, so its secrets are not shown any more"
        return "the full arguments of this call are encrypted, and no key that is here opens them"

    @property
    def hint(self) -> str:
        """What to do next."""
        if self is not Withheld.SEALED:
            return "reject it, or let the agent make the call anew"
        return "start sayso with the key in SAYSO_CALLS_KEY, or reject the call"


def must_be_whole(withheld: Withheld | None) -> None:
    """Raise ArgumentsWithheld unless the call is here as it was made."""
    if withheld is not None:
        raise ArgumentsWithheld(withheld.words, withheld.hint)
