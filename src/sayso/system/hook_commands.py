"""Permission hooks that are commands: one process each, with a bare environment and an end (docs/guides/auto.md)."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from typing import IO

from sayso.core.advice import Hook
from sayso.errors import AdviceFailed
from sayso.gate.answer import MAX_ANSWER

PASSED_ON = frozenset(
    {
        "HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "SYSTEMROOT", "TMPDIR", "TZ", "USER",
        "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
    }
)  # fmt: skip
"""The variables that a hook sees, beside `LC_*`: nothing of sayso's and no other program's keys.

A list of what is let through, since nobody can list the names of all secrets.
"""

MAX_SAID = 300
"""So many characters of what a hook that failed wrote to standard error stand in the log."""


def bare_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """What of this process's environment a hook gets."""
    return {
        name: value
        for name, value in environment.items()
        if name.upper() in PASSED_ON or name.startswith("LC_")
    }


def startable(hook: Hook) -> bool:
    """Whether the program of a hook is there, where it would be looked for."""
    program, paths = hook.command[0], bare_environment(os.environ).get("PATH")
    if os.path.dirname(program):
        program = os.path.join(hook.folder, program)
    return shutil.which(program, path=paths) is not None


class HookCommand:
    """One run of a command; `stop` may be called from another thread."""

    def __init__(self, hook: Hook) -> None:
        self._hook = hook
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False

    def run(self, question: bytes) -> str:
        """Start the command, hand it the question, and return what it wrote to standard output.

        Raises AdviceFailed where it cannot be started, does not end in time, or ends with another code
        than 0. Whatever it has started ends with it, as long as it stays in its group of processes.
        """
        with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complaint:
            process = self._start(said, complaint)
            try:
                process.communicate(question, timeout=self._hook.timeout)
            except subprocess.TimeoutExpired:
                raise AdviceFailed(f"it did not answer within {self._hook.timeout:g} s") from None
            finally:
                self.stop()  # right after its end, so that its number is nobody else's yet
                process.wait()
                with self._lock:
                    self._process = None
            if process.returncode != 0:
                words = _beginning(complaint, MAX_SAID).decode("utf-8", "replace").split()
                told = f": {' '.join(words)}" if words else ""
                raise AdviceFailed(f"it ended with the code {process.returncode}{told}")
            answer = _beginning(said, MAX_ANSWER + 1)
        try:
            return answer.decode("utf-8")
        except UnicodeError as error:
            raise AdviceFailed("its answer is not UTF-8") from error

    def stop(self) -> None:
        """End the command and what it started, now; one that has not begun does not begin."""
        with self._lock:
            self._stopped = True
            process = self._process
        if process is None:
            return
        with contextlib.suppress(OSError):
            if sys.platform == "win32":
                process.kill()
            else:
                os.killpg(process.pid, signal.SIGKILL)

    def _start(self, said: IO[bytes], complaint: IO[bytes]) -> subprocess.Popen[bytes]:
        hook = self._hook
        with self._lock:
            if self._stopped:
                raise AdviceFailed("nobody waits for it any more")
            try:
                self._process = subprocess.Popen(
                    hook.command,
                    stdin=subprocess.PIPE,
                    stdout=said,
                    stderr=complaint,
                    cwd=hook.folder,
                    env=bare_environment(os.environ),
                    start_new_session=True,
                )
            except (OSError, ValueError) as error:
                raise AdviceFailed(f"it cannot be started: {error}") from error
            return self._process


def _beginning(file: IO[bytes], most: int) -> bytes:
    file.seek(0)
    return file.read(most)
