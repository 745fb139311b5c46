"""Columns for people: aligned, and cut at the edge of a terminal only."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows under a head, in columns as wide as they have to be; the last column is not padded."""
    lines = [tuple(name.upper() for name in head), *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head) - 1)]
    return "\n".join(
        fit("  ".join([*(w.ljust(n) for w, n in zip(line, widths, strict=False)), line[-1]]))
        for line in lines
    )


def fit(line: str) -> str:
    """The line as it is, or on a terminal what fits into one row of it, marked where it was cut."""
    line = line.rstrip()
    if not sys.stdout.isatty():
        return line
    try:
        columns = os.get_terminal_size(sys.stdout.fileno()).columns or 80
    except OSError:
        columns = 80
    return line if len(line) <= columns else f"{line[: columns - 1]}…"
