"""Finds what the words of a line run while their values are computed: substitutions, and arithmetic."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Final

from sayso.policy.shell import syntax as s
from sayso.policy.shell.command_finder import CommandFinder
from sayso.policy.shell.places import Outcome, Places

_TRANSFORMATIONS: Final = frozenset({"Q", "E", "A", "a", "U", "u", "L", "K", "k"})


class WordFinder(CommandFinder):
    """Looks into words; the statements in them are walked by the class that knows statements."""

    @abstractmethod
    def _statements(self, body: s.Statements, places: Places) -> Outcome:
        """Walk statements, each in the places the one before it leaves."""

    def _apart(self, run: Callable[[], Outcome]) -> None:
        """Run something in a process of its own, which changes nothing of this one."""
        names, exporting = dict(self.names), self.exporting
        run()
        self.names, self.exporting = names, exporting

    def _assigned(self, assign: s.Assign, places: Places) -> None:
        if assign.value is not None:
            self._word(assign.value, places)
        for item in assign.items or ():
            self._word(item, places)
        for expression in assign.sums:
            self._sum(expression, places)

    def _word(self, word: s.Word, places: Places) -> None:
        """Find what a word runs while its value is computed."""
        if word.literal is None:
            self._pieces(word.pieces, places)

    def _pieces(self, pieces: tuple[s.Piece, ...], places: Places) -> None:
        for piece in pieces:
            if isinstance(piece, s.Bare | s.Quoted):
                continue
            if isinstance(piece, s.Double):
                self._pieces(piece.pieces, places)
            elif isinstance(piece, s.Substitution):
                self._substitution(piece, places)
            elif isinstance(piece, s.Arithmetic):
                self._sum(piece.sum, places)
            elif isinstance(piece, s.Parameter):
                self._parameter(piece, places)
            elif piece.why is not None:
                self.doubt(piece.why)

    def _substitution(self, piece: s.Substitution, places: Places) -> None:
        if self.depth >= s.MAX_DEPTH:
            self.doubt(f"it is nested deeper than {s.MAX_DEPTH} levels")
            return
        feed, piped, self.feed, self.piped = self.feed, self.piped, None, False
        self.depth += 1
        self._apart(lambda: self._statements(piece.body, places))
        self.depth -= 1
        self.feed, self.piped = feed, piped

    def _parameter(self, piece: s.Parameter, places: Places) -> None:
        for word in piece.words:
            self._word(word, places)
        for expression in piece.sums:
            self._sum(expression, places)
        form = piece.form
        if form == "!":
            self.doubt(f"`${{!{piece.name}}}` stands for a variable that is not known")
        elif form == "@P" or (form[:1] == "@" and form[1:] not in _TRANSFORMATIONS):
            self.doubt(f"`${{{piece.name}{form}}}` runs what the variable holds")
        elif form in {"=", ":="}:
            self.set_variable(piece.name, piece.words[0].literal if piece.words else "")

    def _sum(self, expression: s.Sum, places: Places) -> None:
        for operand in expression.operands:
            self._word(operand, places)
        self.evaluation.sum(expression)
        for name in expression.assigned:
            self.set_variable(name, None, number=True)
