"""The controlling terminal: opened by itself, never the program's standard input or output."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import select
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from sayso.errors import ChannelError

if sys.platform != "win32":
    import termios

T = TypeVar("T")

CONTROLLING = "/dev/tty"
CHUNK = 4096
_LOCAL_FLAGS, _CONTROL_CHARACTERS = 3, 6


class TerminalGone(ChannelError):
    """The terminal was closed, or another job has it."""


def usable(path: str = CONTROLLING) -> bool:
    """Whether there is a terminal, and this program has it (a job in the background has not)."""
    try:
        fd = _open(path)
    except (OSError, TerminalGone):
        return False
    try:
        return _in_foreground(fd)
    finally:
        os.close(fd)


class Terminal:
    """An open terminal; reading and writing wait in a thread that a cancellation ends."""

    def __init__(self, path: str = CONTROLLING) -> None:
        """Open the terminal; raises TerminalGone if there is none that can be used now."""
        try:
            self._fd = _open(path)
        except OSError as error:
            raise TerminalGone("there is no terminal to ask on") from error
        if not _in_foreground(self._fd):
            os.close(self._fd)
            raise TerminalGone("another job has the terminal", "bring this program to the front")
        self._wake_read, self._wake_write = os.pipe()

    @property
    def width(self) -> int:
        """How many columns the terminal has; 80 if it does not say."""
        with contextlib.suppress(OSError):
            return os.get_terminal_size(self._fd).columns or 80
        return 80

    def close(self) -> None:
        """Close the terminal."""
        for fd in (self._fd, self._wake_read, self._wake_write):
            with contextlib.suppress(OSError):
                os.close(fd)

    @contextlib.contextmanager
    def keys_only(self) -> Iterator[None]:
        """Give keys one by one without showing them; afterwards, and at exit, all is as it was."""
        before = termios.tcgetattr(self._fd)
        quiet = termios.tcgetattr(self._fd)
        shown = termios.ICANON | termios.ECHO | termios.ECHONL | termios.IEXTEN
        flags, controls = _LOCAL_FLAGS, _CONTROL_CHARACTERS
        quiet[flags] &= ~shown
        quiet[controls][termios.VMIN], quiet[controls][termios.VTIME] = 1, 0
        # A stop key would leave the terminal in this state; an interrupt works as ever.
        quiet[controls][termios.VSUSP] = b"\x00"

        def restore() -> None:
            with contextlib.suppress(OSError, termios.error):
                termios.tcsetattr(self._fd, termios.TCSANOW, before)

        atexit.register(restore)
        try:
            termios.tcsetattr(self._fd, termios.TCSANOW, quiet)
            yield
        finally:
            restore()
            atexit.unregister(restore)

    def discard(self) -> None:
        """Throw away what was typed and not read yet."""
        with contextlib.suppress(OSError, termios.error):
            termios.tcflush(self._fd, termios.TCIFLUSH)

    async def read(self, seconds: float | None = None) -> bytes | None:
        """The bytes that come next, or None if none come in time; raises TerminalGone at its end."""
        return await self._waiting(lambda: self._read(seconds))

    async def write(self, text: str) -> None:
        """Write text; raises TerminalGone if the terminal is gone."""
        data = text.encode("utf-8", "replace")
        await self._waiting(lambda: self._write(data))

    def _read(self, seconds: float | None) -> bytes | None:
        ready, _, _ = select.select([self._fd, self._wake_read], [], [], seconds)
        if self._fd not in ready:
            return None
        try:
            data = os.read(self._fd, CHUNK)
        except BlockingIOError:
            return None
        except OSError as error:
            raise TerminalGone("the terminal is gone") from error
        if not data:
            raise TerminalGone("the terminal is gone")
        return data

    def _write(self, data: bytes) -> None:
        while data:
            ready, _, _ = select.select([self._wake_read], [self._fd], [])
            if ready:
                return
            try:
                data = data[os.write(self._fd, data) :]
            except BlockingIOError:
                time.sleep(0.01)
            except OSError as error:
                raise TerminalGone("the terminal is gone") from error

    async def _waiting(self, work: Callable[[], T]) -> T:
        """Do blocking work in a thread; a cancellation wakes the thread and waits for its end."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def settle(result: T | None, error: BaseException | None) -> None:
            if future.done():
                return
            if error is not None:
                future.set_exception(error)
            else:
                future.set_result(result)  # type: ignore[arg-type]

        def run() -> None:
            result, error = None, None
            try:
                result = work()
            except BaseException as raised:
                error = raised
            with contextlib.suppress(RuntimeError):  # the loop has been closed meanwhile
                loop.call_soon_threadsafe(settle, result, error)

        thread = threading.Thread(target=run, name="sayso-terminal", daemon=True)
        thread.start()
        try:
            return await future
        except asyncio.CancelledError:
            os.write(self._wake_write, b"x")
            thread.join()
            os.read(self._wake_read, CHUNK)
            raise


def _open(path: str) -> int:
    if sys.platform == "win32":
        raise TerminalGone("the terminal approver needs a POSIX terminal", "use the web inbox")
    fd = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not os.isatty(fd):
        os.close(fd)
        raise TerminalGone(f"`{path}` is not a terminal")
    return fd


def _in_foreground(fd: int) -> bool:
    try:
        return os.tcgetpgrp(fd) == os.getpgrp()
    except OSError:  # not the controlling terminal, so no job control on it
        return True
