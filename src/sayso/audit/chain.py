"""The hash chains of the audit log (AUD-3): each entry holds the hash of the one before.

Where several replicas write at once, each writes a chain of its own, so that none waits for another.
An entry's number says which: those of chain 0 are 1, 2, 3 …, those of chain 1 begin after `CHAIN`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import orjson

from sayso.audit.record import AuditRecord

GENESIS = "0" * 64
"""The `previous` of the first entry of a chain."""

CHAIN = 2**40
"""How many numbers each chain has for itself."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A stored record: its place in the chain, its exact text, and the two hashes."""

    seq: int
    body: str
    previous: str
    hash: str


@dataclass(frozen=True, slots=True)
class Verification:
    """What checking the log found: how many entries are good, and the first fault, if any.

    `heads` are the last good entry of each chain: its number and hash, in order.
    """

    checked: int
    heads: tuple[tuple[int, str], ...]
    fault_seq: int | None = None
    fault: str | None = None

    @property
    def ok(self) -> bool:
        """Whether no fault was found."""
        return self.fault is None

    @property
    def head(self) -> str:
        """The hash of the last good entry."""
        return self.heads[-1][1] if self.heads else GENESIS

    @property
    def checkpoint(self) -> str:
        """All heads as one line, to be kept elsewhere and given to a later verification."""
        return ",".join(f"{seq}:{value}" for seq, value in self.heads or ((0, GENESIS),))


def body_of(record: AuditRecord) -> str:
    """The exact text of a record that is stored and hashed."""
    return orjson.dumps(record.to_json(), option=orjson.OPT_SORT_KEYS).decode()


def link(seq: int, body: str, previous: str) -> Entry:
    """Chain a record's text to the entry before it."""
    return Entry(seq, body, previous, _hash(seq, body, previous))


def verify(entries: Iterable[Entry], *, checkpoint: Sequence[tuple[int, str]] = ()) -> Verification:
    """Check all chains, in the order of their numbers; stops at the first entry changed, removed,
    inserted or reordered.

    A chain cut off at its end is intact in itself: only a checkpoint kept elsewhere (an entry's
    number and hash, one a chain) shows that entries after it, or it, are gone.
    """
    heads: list[tuple[int, str]] = []
    previous, checked, expected = GENESIS, 0, 1
    wanted = {seq: value for seq, value in checkpoint if (seq, value) != (0, GENESIS)}

    def found(seq: int | None = None, fault: str | None = None) -> Verification:
        last = [(expected - 1, previous)] if previous != GENESIS else []
        return Verification(checked, (*heads, *last), seq, fault)

    for entry in entries:
        first = (entry.seq - 1) // CHAIN * CHAIN + 1
        if first > expected:  # another chain begins
            heads += [(expected - 1, previous)] if previous != GENESIS else []
            previous, expected = GENESIS, first
        if entry.seq != expected:
            return found(expected, f"entry {expected} is missing")
        if entry.previous != previous:
            return found(entry.seq, f"entry {entry.seq} does not follow the one before it")
        if entry.hash != _hash(entry.seq, entry.body, entry.previous):
            return found(entry.seq, f"entry {entry.seq} was changed")
        if wanted.pop(entry.seq, entry.hash) != entry.hash:
            return found(entry.seq, f"entry {entry.seq} is not the one of the checkpoint")
        previous, checked, expected = entry.hash, checked + 1, expected + 1
    if wanted:
        lost = min(wanted)
        return found(lost, f"the log ends before the checkpoint at entry {lost}")
    return found()


def _hash(seq: int, body: str, previous: str) -> str:
    return hashlib.sha256(f"{seq}\n{previous}\n{body}".encode()).hexdigest()
