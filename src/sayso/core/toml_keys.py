"""How deep the keys of a TOML text go, found before a parser is given it.

Parsers take time that grows with the square of a dotted key's parts: 50,000 of them, which fit a file of
100 kB, take minutes.
"""

from __future__ import annotations

import re

MAX_PARTS = 100

# A text that is not closed is taken up to the end of its line, so that each character is looked at once.
_TOKEN = re.compile(
    r"""(?P<part>[\w-]++|"(?:[^"\\\n]++|\\.)*+"?|'[^'\n]*+'?)|(?P<dot>\.)|[ \t]++|(?P<other>.)""",
    re.DOTALL,
)


def deep_key(text: str) -> int | None:
    """Where in the text a key with more than 100 parts begins; None if none does."""
    if text.count(".") < MAX_PARTS:
        return None
    begin, parts, joined = 0, 0, False
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup
        if kind == "part":
            if not joined:
                begin, parts = found.start(), 0
            parts, joined = parts + 1, False
            if parts > MAX_PARTS:
                return begin
        elif kind == "dot":
            joined = parts > 0
        elif kind == "other":
            parts, joined = 0, False
    return None
