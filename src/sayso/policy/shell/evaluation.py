"""Arithmetic that a shell computes, which may run commands: a subscript in it, or in the value of a
variable that it names, is expanded once more (POL-31).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from sayso.policy.shell import syntax as s

_NAMES = re.compile(r"(?<![\w#])[A-Za-z_]\w*", re.ASCII)
_HARMFUL: Final = frozenset("[$`\\")
_NUMERIC: Final = frozenset("#?$!")


@dataclass(slots=True)
class Evaluation:
    """What a line computes, and what it gives its variables, to be compared once all of it is known."""

    assigned: dict[str, set[str] | None] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)
    by_value: set[str] = field(default_factory=set)
    doubts: dict[str, None] = field(default_factory=dict)

    def assign(self, name: str, value: str | None, *, number: bool = False) -> None:
        """A variable gets a value; None = not known. Names in the value are computed with it."""
        before = self.assigned.get(name, set())
        if number:
            self.assigned[name] = before
        elif value is None or before is None or not _HARMFUL.isdisjoint(value):
            self.assigned[name] = None
        else:
            self.assigned[name] = before | set(_NAMES.findall(value))

    def text(self, text: str) -> None:
        """A text is computed."""
        if _HARMFUL.isdisjoint(text):
            self.named.update(_NAMES.findall(text))
        else:
            self.doubts[f"the arithmetic in `{text[:80]}` may run commands"] = None

    def sum(self, expression: s.Sum) -> None:
        """An expression is computed; what its substitutions run is found elsewhere."""
        for operand in expression.operands:
            if operand.literal is not None:
                self.text(operand.literal)
            else:
                self._pieces(operand.pieces, operand.text)
        for name in expression.assigned:
            self.assign(name, None, number=True)

    def operand(self, word: s.Word) -> None:
        """One word is computed."""
        self.sum(s.Sum((word,)))

    def _pieces(self, pieces: tuple[s.Piece, ...], text: str) -> None:
        whole = "".join(p.text for p in pieces if isinstance(p, s.Bare | s.Quoted))
        if whole:
            self.text(whole)
        for piece in pieces:
            if isinstance(piece, s.Double):
                self._pieces(piece.pieces, text)
            elif isinstance(piece, s.Arithmetic):
                self.sum(piece.sum)
            elif isinstance(piece, s.Parameter):
                if piece.form == "#" or (not piece.form and piece.name in _NUMERIC):
                    continue
                if piece.form or not _NAMES.fullmatch(piece.name):
                    self._unknown(text)
                else:
                    self.by_value.add(piece.name)
            elif not isinstance(piece, s.Bare | s.Quoted):
                self._unknown(text)

    def _unknown(self, text: str) -> None:
        self.doubts[f"arithmetic with `{text[:80]}`, which is not known, may run commands"] = None

    @property
    def computes(self) -> bool:
        """Whether anything but plain numbers is computed, and so may give a variable a value."""
        return bool(self.named or self.by_value or self.doubts)

    def concerns(self) -> list[str]:
        """Why what is computed may run commands that cannot be seen; none if it surely does not."""
        found = list(self.doubts)
        todo = [*sorted(self.named), *sorted(self.by_value)]
        seen: set[str] = set()
        for name in sorted(self.by_value):
            if name not in self.assigned:
                found.append(f"arithmetic with `${name}`, which is not known, may run commands")
        while todo:
            name = todo.pop()
            if name in seen:
                continue
            seen.add(name)
            inside = self.assigned.get(name, set())
            if inside is None:
                found.append(f"arithmetic with `{name}`, which is not known, may run commands")
            else:
                todo += inside
        return found
