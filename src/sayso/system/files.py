"""What files hold, told by a digest of their content (REQ-34)."""

from __future__ import annotations

import hashlib
import os
import stat

from sayso.requests.precondition import UNKNOWN

ABSENT = "absent"
MAX_HASHED = 64 * 1024 * 1024
"""A file of more bytes is told by its size, its times and its place on the disk."""

_PART = 1024 * 1024


class LocalFiles:
    """The files of the machine this process runs on."""

    def fingerprint(self, path: str) -> str:
        """A text that differs where what the file holds differs; `absent` where there is none.

        Reads at most 64 MiB, only of regular files, and follows no link: a path whose links have been
        followed leads to none. What may not be looked at is `unknown`.
        """
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        try:
            found = os.lstat(path)
            if stat.S_ISDIR(found.st_mode):
                return "folder"
            if not stat.S_ISREG(found.st_mode):
                return f"special:{stat.S_IFMT(found.st_mode):o}"
            if found.st_size > MAX_HASHED:
                return _by_place(found)
            opened = os.open(path, flags | getattr(os, "O_BINARY", 0))
            with os.fdopen(opened, "rb") as file:
                return _by_content(file.fileno())
        except (FileNotFoundError, NotADirectoryError):
            return ABSENT
        except (OSError, ValueError):
            return UNKNOWN


def _by_content(descriptor: int) -> str:
    digest, left = hashlib.sha256(), MAX_HASHED
    while left > 0 and (part := os.read(descriptor, min(_PART, left))):
        digest.update(part)
        left -= len(part)
    if left <= 0:  # it grew while it was read
        return _by_place(os.fstat(descriptor))
    return f"sha256:{digest.hexdigest()}"


def _by_place(found: os.stat_result) -> str:
    return f"place:{found.st_size}:{found.st_mtime_ns}:{found.st_dev}:{found.st_ino}"
