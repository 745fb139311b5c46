"""Real processes with somebody in front of them: through pipes as scripts have it, or at a terminal."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import signal
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

SAYSO = str(Path(sys.executable).with_name("sayso"))
PATIENCE = 90.0
"""How many seconds anything here may take on a busy machine."""

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Running:
    """A process whose output is read all the time."""

    def __init__(self, process: subprocess.Popen[bytes], reading: int, writing: int) -> None:
        self.process = process
        self._writing = writing
        self._seen = bytearray()
        self._reader = threading.Thread(target=self._read, args=(reading,), daemon=True)
        self._reader.start()

    @property
    def screen(self) -> str:
        """Everything that was written so far, without colours."""
        return _ANSI.sub("", bytes(self._seen).decode("utf-8", "replace")).replace("\r\n", "\n")

    def sees(self, pattern: str) -> re.Match[str]:
        """Wait until something is written, and return it."""
        until = time.monotonic() + PATIENCE
        while (found := re.search(pattern, self.screen)) is None:
            ended = self.process.poll() is not None and not self._reader.is_alive()
            if ended or time.monotonic() > until:
                raise AssertionError(f"`{pattern}` was not written:\n{self.screen}")
            time.sleep(0.02)
        return found

    def types(self, text: str) -> None:
        """Type something."""
        os.write(self._writing, text.encode())

    def hidden(self, question: str, text: str) -> None:
        """Type something at a question that does not show it."""
        self.sees(question)
        until = time.monotonic() + PATIENCE
        while termios.tcgetattr(self._writing)[3] & termios.ECHO and time.monotonic() < until:
            time.sleep(0.01)
        self.types(f"{text}\n")

    def interrupt(self) -> int:
        """Press Ctrl+C, and wait for the end."""
        self.process.send_signal(signal.SIGINT)
        return self.ends()

    def ends(self) -> int:
        """Wait for the end; its exit status."""
        code = self.process.wait(PATIENCE)
        self._reader.join(5)
        return code

    def _read(self, reading: int) -> None:
        while True:
            try:
                data = os.read(reading, 65536)
            except OSError:  # the terminal's other side was closed
                return
            if not data:
                return
            self._seen += data


@contextlib.contextmanager
def at_a_terminal(command: Sequence[str], env: Mapping[str, str]) -> Iterator[Running]:
    """A process that has a terminal of its own, with somebody in front of it."""
    master, slave = pty.openpty()

    process = subprocess.Popen(
        [sys.executable, "-c", _AT_TERMINAL, *command],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**env, "TERM": "xterm", "COLUMNS": "100"},
        start_new_session=True,
    )
    os.close(slave)
    with _ending(process):
        yield Running(process, master, master)
    with contextlib.suppress(OSError):
        os.close(master)


# In a process of its own: nothing may run between a fork and its exec in one that has threads.
_AT_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


@contextlib.contextmanager
def started(command: Sequence[str], env: Mapping[str, str]) -> Iterator[Running]:
    """A process without a terminal, whose output goes on being read."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=dict(env),
    )
    assert process.stdout is not None
    with process.stdout, _ending(process):
        yield Running(process, process.stdout.fileno(), -1)


@contextlib.contextmanager
def _ending(process: subprocess.Popen[bytes]) -> Iterator[None]:
    try:
        yield
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
