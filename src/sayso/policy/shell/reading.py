"""Reads a command line: by the strict tokenizer where it is plain, else by the real grammar (POL-30)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sayso.policy.facts import Facts
from sayso.policy.shell import syntax as s
from sayso.policy.shell.tokenizer import read_plain
from sayso.policy.shell.tree import read_tree
from sayso.policy.spelling import hidden_character

MAX_LINE: Final = 64 * 1024
"""Bytes of a line that is read at all (POL-40)."""

_MOST_PARTS: Final = 2000
_BREAK = re.compile(r"[;&|\n(){}`]+")


def read_script(text: str, facts: Facts) -> s.Script | str:
    """The script of a line, or in words why it cannot be read."""
    plain = read_plain(text)
    if plain is not None:
        return plain
    tree = facts.syntax_tree(text)
    if isinstance(tree, str):
        return tree
    try:
        return read_tree(tree, text)
    except (KeyError, TypeError, IndexError, AttributeError, RecursionError):
        return "its syntax tree is not of the form that is known"


def concern_about(text: str) -> str | None:
    """Why a line is not to be trusted whatever it says: its length, or characters that are not seen."""
    if len(text) * 4 > MAX_LINE and len(text.encode("utf-8", "surrogatepass")) > MAX_LINE:
        return f"the line is longer than {MAX_LINE} bytes"
    hidden = hidden_character(text, line=True)
    return None if hidden is None else f"it holds a character that cannot be seen ({hidden})"


def sure_parts(text: str) -> Iterator[s.Script]:
    """Plain commands in a line that cannot be read as a whole: denies are tried on them."""
    for part in _BREAK.split(text[:MAX_LINE])[:_MOST_PARTS]:
        script = read_plain(part.strip())
        if script is not None and script.body:
            yield script
