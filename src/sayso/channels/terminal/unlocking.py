"""Unlocking with the owner's passphrase, once per process: deciding needs a person's credential (REQ-62)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from sayso.errors import SaysoError

TRIES = 3


class Keyring(Protocol):
    """What checks and keeps the owner's passphrase."""

    async def chosen(self) -> bool:
        """Whether a passphrase has been chosen on this installation."""

    async def choose(self, passphrase: str) -> None:
        """Keep the first passphrase; raises a SaysoError if it will not do."""

    async def unlock(self, passphrase: str) -> bool:
        """Whether the passphrase fits; raises RateLimited after too many attempts."""


AskHidden = Callable[[str], Awaitable[str | None]]
"""Asks for a line that is not shown; None if the person goes back."""
Say = Callable[[str], Awaitable[None]]


class Lock:
    """Open for the rest of the process once the passphrase was right."""

    def __init__(self, keyring: Keyring) -> None:
        self._keyring = keyring
        self._open = False

    async def opened(self, ask: AskHidden, say: Say) -> bool:
        """Whether it is open, after asking where it is not yet; a wrong passphrase decides nothing."""
        if not self._open:
            try:
                self._open = await (
                    self._ask(ask, say) if await self._keyring.chosen() else self._choose(ask, say)
                )
            except SaysoError as error:
                await say(str(error))
        return self._open

    async def _ask(self, ask: AskHidden, say: Say) -> bool:
        for _ in range(TRIES):
            passphrase = await ask("Passphrase (Esc to go back): ")
            if passphrase is None:
                return False
            if await self._keyring.unlock(passphrase):
                return True
            await say("That is not the passphrase.")
        return False

    async def _choose(self, ask: AskHidden, say: Say) -> bool:
        await say("Deciding needs a passphrase, so that no agent can approve for itself.")
        passphrase = await ask("Choose one (Esc to go back): ")
        if passphrase is None:
            return False
        if await ask("The same again: ") != passphrase:
            await say("The two are not the same; nothing was chosen.")
            return False
        await self._keyring.choose(passphrase)
        return True
