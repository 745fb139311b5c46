"""Insisting on a receipt: what the side that executes calls before it runs anything (REQ-38)."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from sayso.core.moment import Moment, plus
from sayso.core.receipt import Receipt, read_receipt, what_runs
from sayso.errors import ReceiptRefused
from sayso.system.clock import SystemClock

BUSY_SECONDS = 10.0

KEPT_SECONDS = 86400.0
"""How long a used receipt is remembered after its end.

Whoever waits for the file has read the clock before, and a clock can be set back: what is over for one
verification may still be good for another, so it is not forgotten with its end. After a day it is, and from
then on every receipt that ends no later is refused, for it may be the forgotten one.
"""


class Nonces(Protocol):
    """Where it is kept which receipts were used, so that each is used once."""

    def spend(self, nonce: str, until: Moment, now: Moment) -> bool:
        """Note a nonce as used; False if it was used before, or may have been. Has to be durable.

        `until` is the receipt's end, which is no reason to forget it: `now` may be an older moment than
        the one another verification has given (see KEPT_SECONDS).
        """


class FileNonces:
    """Used receipts in a file of SQLite, which several processes of one machine may share."""

    def __init__(self, path: str | Path) -> None:
        """Open the file, which is made if it is not there."""
        self._database = sqlite3.connect(
            path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        self._lock = threading.Lock()
        self._database.execute("PRAGMA synchronous=FULL")
        self._database.execute(
            "CREATE TABLE IF NOT EXISTS spent (nonce TEXT PRIMARY KEY, until INTEGER NOT NULL)"
        )
        self._database.execute("CREATE TABLE IF NOT EXISTS forgotten (until INTEGER NOT NULL)")

    def spend(self, nonce: str, until: Moment, now: Moment) -> bool:
        """See Nonces; of those that have been over for KEPT_SECONDS only the last end is kept."""
        over = (plus(now, -KEPT_SECONDS),)
        with self._lock, self._database as database:
            database.execute("BEGIN IMMEDIATE")
            database.execute(
                "INSERT INTO forgotten SELECT until FROM spent WHERE until < ?"
                " ORDER BY until DESC LIMIT 1",
                over,
            )
            if database.execute("DELETE FROM spent WHERE until < ?", over).rowcount:
                database.execute(
                    "DELETE FROM forgotten WHERE until < (SELECT max(until) FROM forgotten)"
                )
            if database.execute("SELECT 1 FROM forgotten WHERE until >= ?", (until,)).fetchone():
                return False
            done = database.execute("INSERT OR IGNORE INTO spent VALUES (?, ?)", (nonce, until))
            return done.rowcount == 1

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()


class ReceiptVerifier:
    """Checks receipts with nothing but a public key; make one where calls are executed."""

    def __init__(self, public_key: bytes | str, audience: str, nonces: Nonces) -> None:
        """`public_key` is that of `sayso receipts key`, in bytes or hex; `audience` this side's own name."""
        self._key = bytes.fromhex(public_key) if isinstance(public_key, str) else public_key
        self._audience = audience
        self._nonces = nonces
        self._now = SystemClock().now

    def verify(
        self, receipt: str, tool: str, arguments: Mapping[str, Any], *, server: str | None = None
    ) -> Receipt:
        """Accept the receipt for exactly this call, once; else raise ReceiptRefused, and run nothing."""
        if not receipt:
            raise ReceiptRefused("there is no receipt", "claim the call with this audience")
        found = read_receipt(receipt, self._key)
        now = self._now()
        if found.audience != self._audience:
            raise ReceiptRefused("the receipt is for somebody else", "claim it with this audience")
        if found.what != what_runs(tool, arguments, server):
            raise ReceiptRefused("the receipt is for another call", "run exactly what was approved")
        if now >= found.expires_at:
            raise ReceiptRefused("the receipt has expired", "have the call approved again")
        if not self._nonces.spend(found.nonce, found.expires_at, now):
            raise ReceiptRefused("the receipt was used already", "a receipt is good for one run")
        return found
