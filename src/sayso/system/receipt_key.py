"""The secret key that receipts are signed with: a file of sayso's own, or a variable for replicas."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from sayso.errors import SettingsInvalid

KEY_VARIABLE = "SAYSO_RECEIPT_KEY"
"""The environment variable with the secret key in hex: replicas share one."""

KEY_NAME = "receipt.key"
KEY_BYTES = 32


class ReceiptKey:
    """The key, read or made when it is first needed."""

    def __init__(self, folder: Path) -> None:
        """`folder` is the private directory of the data."""
        self._path = folder / KEY_NAME
        self._secret: bytes | None = None

    def secret(self) -> bytes:
        """The secret key of 32 bytes; raises SettingsInvalid for one that is none."""
        if self._secret is None:
            given = os.environ.get(KEY_VARIABLE)
            self._secret = _checked(given, KEY_VARIABLE) if given else self._from_file()
        return self._secret

    def _from_file(self) -> bytes:
        try:
            made = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return _checked(self._path.read_text(encoding="ascii"), str(self._path))
        secret = secrets.token_bytes(KEY_BYTES)
        with os.fdopen(made, "w", encoding="ascii") as file:
            file.write(secret.hex())
            file.flush()
            os.fsync(file.fileno())
        return secret


def _checked(text: str, place: str) -> bytes:
    try:
        secret = bytes.fromhex(text.strip())
    except ValueError:
        secret = b""
    if len(secret) != KEY_BYTES:
        raise SettingsInvalid(
            f"`{place}` holds no key for receipts", f"it is {KEY_BYTES} random bytes in hex"
        )
    return secret
