"""Writing a file of sayso's own settings: one writer at a time, whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from sayso.config.reading import read_file
from sayso.errors import SettingsInvalid

YOURS_TO_READ = "give yourself the right to read it"


@contextlib.contextmanager
def alone(directory: Path) -> Iterator[None]:
    """Keep other edits by sayso out of the directory."""
    import fcntl

    descriptor = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace_file(path: Path, before: bytes | None, after: bytes, *, shown: Path) -> None:
    """Put a new file into the place of the old one, with its rights, whole and for good.

    Raises SettingsInvalid, which names the file as `shown`, if it is no longer what it was before.
    """
    mode = 0o600 if before is None else stat.S_IMODE(path.stat().st_mode)

    def still_as_before() -> None:
        if read_file(path, YOURS_TO_READ) != before:
            raise SettingsInvalid(
                f"{shown}:1:1: the file was changed in the meantime; nothing was written",
                "try again",
            )

    write_whole(path, after, mode=mode, at_last=still_as_before)


def write_whole(
    path: Path, content: bytes, *, mode: int = 0o600, at_last: Callable[[], None] | None = None
) -> None:
    """Write a file whole or not at all, with these rights; what `at_last` raises leaves the old one."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            os.fchmod(file.fileno(), mode)
            file.flush()
            os.fsync(file.fileno())
        if at_last is not None:
            at_last()
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
