"""The audit log for other programs: JSON lines and CSV (AUD-4)."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping
from typing import Any, TextIO

from sayso.audit.chain import Entry

COLUMNS = (
    "seq",
    "at",
    "kind",
    "call_id",
    "session_id",
    "agent_id",
    "user_id",
    "source",
    "tool",
    "targets",
    "arguments",
    "digest",
    "effect",
    "reason",
    "rule",
    "by",
    "channel",
    "comment",
    "waited",
    "outcome",
    "note",
    "hash",
)
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""What a spreadsheet takes for the beginning of a formula, so that a call could run one there."""

Write = Callable[[Entry, Mapping[str, Any]], None]


def json_lines(out: TextIO) -> Write:
    """Writes one entry a line, in full, as it is stored."""

    def write(entry: Entry, record: Mapping[str, Any]) -> None:
        out.write(json.dumps({"seq": entry.seq, "hash": entry.hash, **record}) + "\n")

    return write


def csv_lines(out: TextIO) -> Write:
    """Writes the names of the columns now, and then one entry a row; no text becomes a formula."""
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(COLUMNS)

    def write(entry: Entry, record: Mapping[str, Any]) -> None:
        whole = {"seq": entry.seq, "hash": entry.hash, **record}
        rows.writerow([_cell(whole.get(name)) for name in COLUMNS])

    return write


def _cell(value: Any) -> object:
    if value is None or isinstance(value, int | float):
        return value
    text = value if isinstance(value, str) else json.dumps(value)
    return f"'{text}" if text.startswith(FORMULA) else text
