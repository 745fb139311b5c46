"""What other shells than bash read in another way than the grammar that a line was read with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from sayso.policy.shell import syntax as s

_SAME_IN_ZSH: Final = frozenset(
    {
        "`[[`",
        "`((`",
        "`<(`",
        "`>(`",
        "`$'…'`",
        "`&>`",
        "`&>>`",
        "`<<<`",
        "`|&`",
        "`time`",
        "`for ((`",
        "`function`",
    }
)


def concerns_of_other_shells(script: s.Script, dialect: str) -> Iterator[str]:
    """Why a script may mean something else where the shell is `posix` or `zsh`."""
    if dialect == "bash":
        return
    for sign in script.bashisms:
        if dialect == "posix" or sign not in _SAME_IN_ZSH:
            yield f"{sign} means different things to different shells"
    if dialect == "zsh":
        yield from _zsh(script.body)


def _zsh(body: s.Statements) -> Iterator[str]:
    """Words of plain commands that zsh expands and bash does not; wherever they stand."""
    todo: list[object] = list(body)
    while todo:
        node = todo.pop()
        if isinstance(node, tuple):
            todo += node
        elif isinstance(node, s.Word):
            text = node.text
            if text[:1] == "=" and len(text) > 1:
                yield f"zsh expands `{text}`"
            elif text in {"}", "!"}:
                yield f"zsh reads `{text}` in a way of its own"
            todo += node.pieces
        elif isinstance(node, s.Bare):
            if "$" in node.text or "(" in node.text:
                yield f"zsh expands `{node.text}`"
        elif isinstance(node, Struct):
            todo += [getattr(node, name) for name in node.__struct_fields__]
