"""The hash chain of the audit log (AUD-3): each entry holds the hash of the one before."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

import orjson

from sayso.audit.record import AuditRecord

GENESIS = "0" * 64
"""The `previous` of the first entry."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A stored record: its place in the chain, its exact text, and the two hashes."""

    seq: int
    body: str
    previous: str
    hash: str


@dataclass(frozen=True, slots=True)
class Verification:
    """What checking a chain found: how many entries are good, and the first fault, if any."""

    checked: int
    head: str
    fault_seq: int | None = None
    fault: str | None = None

    @property
    def ok(self) -> bool:
        """Whether no fault was found."""
        return self.fault is None


def body_of(record: AuditRecord) -> str:
    """The exact text of a record that is stored and hashed."""
    return orjson.dumps(record.to_json(), option=orjson.OPT_SORT_KEYS).decode()


def link(seq: int, body: str, previous: str) -> Entry:
    """Chain a record's text to the entry before it."""
    return Entry(seq, body, previous, _hash(seq, body, previous))


def verify(entries: Iterable[Entry], *, checkpoint: tuple[int, str] | None = None) -> Verification:
    """Check a whole chain in order; stops at the first entry changed, removed, inserted or reordered.

    A chain cut off at its end is intact in itself: only a checkpoint kept elsewhere (an entry's
    number and hash) shows that entries after it, or it, are gone.
    """
    previous, checked = GENESIS, 0
    seen_checkpoint = checkpoint in (None, (0, GENESIS))  # that of an empty log holds for every log
    for expected, entry in enumerate(entries, start=1):
        if entry.seq != expected:
            return Verification(checked, previous, expected, f"entry {expected} is missing")
        if entry.previous != previous:
            return Verification(
                checked, previous, entry.seq, f"entry {entry.seq} does not follow the one before it"
            )
        if entry.hash != _hash(entry.seq, entry.body, entry.previous):
            return Verification(checked, previous, entry.seq, f"entry {entry.seq} was changed")
        if checkpoint is not None and entry.seq == checkpoint[0]:
            if entry.hash != checkpoint[1]:
                return Verification(
                    checked,
                    previous,
                    entry.seq,
                    f"entry {entry.seq} is not the one of the checkpoint",
                )
            seen_checkpoint = True
        previous, checked = entry.hash, checked + 1
    if not seen_checkpoint and checkpoint is not None:
        return Verification(
            checked,
            previous,
            checkpoint[0],
            f"the log ends before the checkpoint at entry {checkpoint[0]}",
        )
    return Verification(checked, previous)


def _hash(seq: int, body: str, previous: str) -> str:
    return hashlib.sha256(f"{seq}\n{previous}\n{body}".encode()).hexdigest()
