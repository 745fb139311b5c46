"""Asking on a terminal: one key, pressed after the question was seen, or a line of text."""

from __future__ import annotations

import asyncio
import unicodedata

from rich.cells import cell_len

from sayso.channels.terminal.keys import BACKSPACE, ENTER, ERASE_LINE, ESCAPE, KeyReader
from sayso.channels.terminal.tty import Terminal

QUIET_SECONDS = 0.6
"""How long keys are ignored after something was shown, so that none is meant for what was before."""

ESCAPE_SECONDS = 0.2
MAX_LINE = 2000


class Prompt:
    """One conversation on an open terminal that gives keys only."""

    def __init__(self, terminal: Terminal, quiet_seconds: float = QUIET_SECONDS) -> None:
        self._terminal = terminal
        self._quiet_seconds = quiet_seconds
        self._reader = KeyReader()

    async def show(self, text: str) -> None:
        """Write text, then forget every key that was pressed before it could be read."""
        await self._terminal.write(text)
        self._terminal.discard()
        await asyncio.sleep(self._quiet_seconds)
        self._terminal.discard()
        self._reader = KeyReader()

    async def say(self, text: str) -> None:
        """Write a line."""
        await self._terminal.write(f"{text}\n")

    async def key(self) -> str:
        """The next key that is pressed alone; what comes in a bunch is pasted, and ignored."""
        while True:
            keys = await self._keys()
            if len(keys) == 1:
                return keys[0]
            if keys:
                await self.say(" Pasted text is ignored: press one key.")

    async def line(self, question: str, *, hidden: bool = False) -> str | None:
        """A line of text, shown as it is typed unless `hidden`; None if the person goes back (Esc)."""
        await self._terminal.write(question)
        typed: list[str] = []
        while True:
            for key in await self._keys():
                if key == ENTER:
                    await self._terminal.write("\n")
                    return "".join(typed)
                if key == ESCAPE:
                    await self._terminal.write("\n")
                    return None
                await self._terminal.write(self._typed(typed, key, hidden=hidden))

    def _typed(self, typed: list[str], key: str, *, hidden: bool) -> str:
        """Take a key into the line; returns what to write for it."""
        if key in (BACKSPACE, ERASE_LINE):
            gone = typed[-1:] if key == BACKSPACE else list(typed)
            del typed[len(typed) - len(gone) :]
            return "" if hidden else "\b \b" * cell_len("".join(gone))
        if len(key) != 1 or len(typed) >= MAX_LINE:
            return ""
        typed.append(key)
        visible = not hidden and unicodedata.category(key)[0] not in "CZ"
        return key if visible or (key == " " and not hidden) else ""

    async def _keys(self) -> list[str]:
        """The keys that come together, at least one."""
        while True:
            data = await self._terminal.read(ESCAPE_SECONDS if self._reader.unfinished else None)
            keys = self._reader.pause() if data is None else self._reader.feed(data)
            if keys:
                return keys
