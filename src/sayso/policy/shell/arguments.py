"""The words of one command, told apart: options, their values, and operands (POL-36)."""

from __future__ import annotations

from sayso.core.shell_command import ShellWord
from sayso.policy.shell.programs import Program, Use
from sayso.policy.shell.words import after, beginning

_TOUCHES_MORE = ("walks", "wipes", "writes", "saves")
"""Marks by which a program touches more than without them."""


class Arguments:
    """The words behind a program's name, by what is known of its options.

    `given` are its options, `values` what they are given with the use of each, `operands` all other
    words, `folders` the folders it is told to work in, one below the other. `replaced` tells that an
    option stands in for the fixed operands, `sub` that the first operand is a command of its own.
    """

    __slots__ = (
        "_words", "folders", "given", "operands", "program", "replaced", "sub", "values",
    )  # fmt: skip

    def __init__(self, program: Program, words: list[ShellWord]) -> None:
        self.program = program
        self._words = words
        self.given: set[str] = set()
        self.replaced = self.sub = False
        self.folders: tuple[str | None, ...] = ()
        self.operands: list[ShellWord] = []
        self.values: list[tuple[Use, ShellWord]] = []
        self._split()

    def _split(self) -> None:
        """Tell options, their values and operands apart."""
        words, program = self._words, self.program
        place, ended = 0, False
        ends = False
        if program.marks:
            ends, self.sub = program.does("ends"), program.does("sub")
        if program.fixed[:1] in ((Use.TAR,), (Use.FIND,)):
            self.operands = list(words)
            return
        while place < len(words):
            word = words[place]
            place += 1
            text = beginning(word)
            if ended or text[:1] != "-" or text == "-":
                self.operands.append(word)
                if self.sub:
                    self.operands += words[place:]
                    return
                ended = ended or ends
            elif word.value == "--":
                ended = True
            else:
                place = self._option(word, text, place)

    def _option(self, word: ShellWord, text: str, place: int) -> int:
        """Take an option and, where it has one, its value; the place of the next word."""
        name, equals, _ = text.partition("=")
        long = self._long(name)
        if text.startswith("--") or long in self.program.options:
            self._give(long)
            self._give_shortened(name)
            use = self.program.options.get(long)
            if equals:
                self._value(use or self._default(), after(word, len(name) + 1))
            elif word.value is None:
                self._value(Use.ANY, word)
            elif use is not None and long not in self.program.glued:
                return self._next(use, place)
            return place
        for offset, letter in enumerate(text[1:], 1):
            option = f"-{letter}"
            self._give(option)
            use = self.program.options.get(option)
            if use is None:
                continue
            if offset + 1 < len(text) or word.value is None:
                self._value(use, after(word, offset + 1))
            elif option not in self.program.glued:
                return self._next(use, place)
            return place
        if word.value is None:
            self._value(Use.ANY, word)
        elif "/" in text:
            self._value(Use.ANY, after(word, 2))
        return place

    def _long(self, name: str) -> str:
        """The option that an abbreviation stands for, where only one sort of value can be meant."""
        options = self.program.options
        if name in options or not name.startswith("--"):
            return name
        fitting = [option for option in options if option.startswith(name)]
        return fitting[0] if len({options[option] for option in fitting}) == 1 else name

    def _give(self, option: str) -> None:
        self.given.add(option)
        self.replaced = self.replaced or option in self.program.instead

    def _give_shortened(self, name: str) -> None:
        """Count all that a shortened option may stand for, where it makes the program touch more."""
        if name.startswith("--") and name not in self.program.options:
            for mark in _TOUCHES_MORE:
                bound = self.program.marks.get(mark, ())
                self.given.update(option for option in bound if option.startswith(name))

    def _next(self, use: Use, place: int) -> int:
        if use in (Use.SECOND, Use.BOTH):
            place += 1
            use = Use.READ if use is Use.SECOND else Use.TEXT
        if place < len(self._words):
            self._value(use, self._words[place])
        return place + 1

    def _value(self, use: Use, word: ShellWord) -> None:
        if use is Use.PLACE:
            self.folders += (word.value,)
        self.values.append((use, word))

    def _default(self) -> Use:
        """What the value of an option is taken for that is not known to have one."""
        return Use.NAME if self.program.rest in (Use.TEXT, Use.NAME) else Use.ANY
