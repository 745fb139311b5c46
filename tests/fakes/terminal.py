"""A real pseudo-terminal with somebody in front of it, and a keyring in memory."""

from __future__ import annotations

import asyncio
import os
import pty
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from sayso.errors import PassphraseWrong

ANSI = re.compile(r"\x1b\[[0-9;]*m")


class Person:
    """Sits at the terminal: presses keys, and sees what is written."""

    def __init__(self, master: int, path: str) -> None:
        self.path = path
        self._master = master
        self._seen = bytearray()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def raw(self) -> str:
        """Everything that was written, as it came."""
        return bytes(self._seen).decode("utf-8", "replace").replace("\r\n", "\n")

    @property
    def screen(self) -> str:
        """Everything that was written, without colours."""
        return ANSI.sub("", self.raw)

    def press(self, keys: str | bytes) -> None:
        """Press keys, all at once."""
        os.write(self._master, keys.encode() if isinstance(keys, str) else keys)

    async def sees(self, text: str, times: int = 1, seconds: float = 5.0) -> None:
        """Wait until the text stands on the screen so many times; fail after a while."""
        for _ in range(int(seconds / 0.01)):
            if self.screen.count(text) >= times:
                return
            await asyncio.sleep(0.01)
        raise AssertionError(f"`{text}` is not on the screen {times} times:\n{self.screen}")

    async def asked(self, times: int = 1) -> None:
        """Wait until a card is there, its choices too, and its keys count."""
        await self.sees("? explain", times)
        await asyncio.sleep(0.08)

    async def settle(self) -> None:
        """Give the program time to do something wrong."""
        await asyncio.sleep(0.15)

    def leave(self) -> None:
        """Stop looking; the other side is closed, so the reader comes to its end."""
        self._reader.join(5)

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._master, 65536)
            except OSError:
                return
            if not data:
                return
            self._seen += data


@contextmanager
def a_terminal() -> Iterator[Person]:
    """A pseudo-terminal for one test."""
    master, slave = pty.openpty()
    person = Person(master, os.ttyname(slave))
    try:
        yield person
    finally:
        os.close(slave)
        person.leave()
        os.close(master)


class FakeKeyring:
    """Keeps a passphrase in memory, and counts the attempts."""

    def __init__(self, passphrase: str | None = "open sesame") -> None:
        self.passphrase = passphrase
        self.attempts = 0

    async def chosen(self) -> bool:
        """Whether one has been chosen."""
        return self.passphrase is not None

    async def choose(self, passphrase: str) -> None:
        """Keep the first one; it has to have eight characters."""
        if len(passphrase) < 8:
            raise PassphraseWrong("a passphrase has at least 8 characters")
        self.passphrase = passphrase

    async def unlock(self, passphrase: str) -> bool:
        """Whether it fits."""
        self.attempts += 1
        return passphrase == self.passphrase
