"""An index of rules for commands: by the program they name, then by the word after it (POL-80)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from sayso.core.call import ToolCall
from sayso.core.shell_command import Role, ShellCommand, ShellWord
from sayso.policy.compiled import CompiledRule
from sayso.policy.facts import Facts
from sayso.policy.patterns.command import CommandPattern
from sayso.policy.patterns.command_allow import allows
from sayso.policy.patterns.command_deny import Fit, begins_with_an_operand, first_operands, fit
from sayso.policy.shell.program_name import base_name
from sayso.policy.shell.reaching import is_known_program
from sayso.policy.shell.words import is_known, literal
from sayso.policy.spelling import skeleton


class CommandMatches(Struct):
    """The rules that match a command, those that may, and those for a program that it looks like."""

    rules: list[CompiledRule] = []
    maybe: list[CompiledRule] = []
    looks: list[CompiledRule] = []


class _Branch:
    """The rules for one program, by the word after it where that is one and the same operand."""

    __slots__ = ("by_word", "rest")

    def __init__(self) -> None:
        self.by_word: dict[str, list[CompiledRule]] = {}
        self.rest: list[CompiledRule] = []

    def add(self, pattern: CommandPattern, rule: CompiledRule) -> None:
        if begins_with_an_operand(pattern):
            self.by_word.setdefault(pattern.words[1], []).append(rule)
        else:
            self.rest.append(rule)

    def allowing(self, words: tuple[ShellWord, ...]) -> list[CompiledRule]:
        if self.by_word and len(words) > 1 and words[1].value is not None:
            further = self.by_word.get(words[1].value)
            if further is not None:
                return self.rest + further
        return self.rest

    def denying(self, words: tuple[ShellWord, ...]) -> Iterator[CompiledRule]:
        yield from self.rest
        if not self.by_word:
            return
        values = first_operands(words)
        for value in self.by_word if values is None else values:
            yield from self.by_word.get(value, ())


_MOST_TRIED = 64
"""Places among the words of an unknown program at which a rule is tried; one beyond may be what it is about."""


class CommandIndex:
    """Finds the rules for commands that can be about one, at the cost of those."""

    __slots__ = ("_allowing", "_denying", "_wide_allowing", "_wide_denying", "everything", "size")

    def __init__(self) -> None:
        self.size = 0
        self.everything: list[CompiledRule] = []
        self._allowing: dict[str, _Branch] = {}
        self._denying: dict[str, _Branch] = {}
        self._wide_allowing: list[CompiledRule] = []
        self._wide_denying: list[CompiledRule] = []

    def add(self, rule: CompiledRule) -> None:
        """Add a rule that has a pattern for commands."""
        pattern = rule.command
        assert pattern is not None
        self.size += 1
        if pattern.everything:
            self.everything.append(rule)
        elif pattern.program is None:
            (self._wide_allowing if rule.strict else self._wide_denying).append(rule)
        else:
            branches = self._allowing if rule.strict else self._denying
            name = pattern.program if rule.strict else skeleton(pattern.program)
            branches.setdefault(name, _Branch()).add(pattern, rule)

    def match(
        self, command: ShellCommand, line: str, call: ToolCall, facts: Facts, found: CommandMatches
    ) -> None:
        """Add the rules that match one command of a line; a deny or ask may match the whole line."""
        words = command.words
        name = base_name(words[0].value or "") if words and is_known(words[0]) else ""
        if self.everything:
            found.rules += [rule for rule in self.everything if rule.for_call(call)]
        branch = self._allowing.get(name)
        allowing = self._wide_allowing
        if branch is not None:
            allowing = allowing + branch.allowing(words)
        for rule in allowing:
            if rule.scoped and not rule.in_scope(call):
                continue
            if rule.command is not None and allows(rule.command, command):
                found.rules.append(rule)
        branch = self._denying.get(skeleton(name)) if name else None
        denying = self._wide_denying
        if branch is not None:
            denying = [*denying, *branch.denying(words)]
        if denying:
            self._deny(denying, command, line, call, facts, found)
        # What a transparent wrapper runs has been found, and is judged by itself.
        plain = command.role is Role.PLAIN and len(words) > 1
        if plain and name and self._denying and not is_known_program(name.lower()):
            found.maybe += [rule for rule in self._later(command, facts) if rule.for_call(call)]

    def _deny(
        self,
        rules: Iterable[CompiledRule],
        command: ShellCommand,
        line: str,
        call: ToolCall,
        facts: Facts,
        found: CommandMatches,
    ) -> None:
        ignores_case = _ignores_case(facts)
        for rule in rules:
            pattern = rule.command
            if pattern is None or not rule.for_call(call):
                continue
            how = fit(pattern, command, ignores_case=ignores_case)
            if pattern.expression is not None and pattern.expression.search(line):
                how = Fit.YES
            if how is Fit.YES:
                found.rules.append(rule)
            elif how is not Fit.NO:
                (found.maybe if how is Fit.MAYBE else found.looks).append(rule)

    def _later(self, command: ShellCommand, facts: Facts) -> Iterator[CompiledRule]:
        """The rules for a command that a program which is not known may make of its words."""
        words = command.words
        tried, untried = 0, set[str]()
        for place in range(1, len(words)):
            word = words[place]
            if not is_known(word) or not word.value:
                continue
            pieces = word.value.split()
            name = base_name(pieces[0]) if pieces else ""
            branch = self._denying.get(skeleton(name)) if name else None
            if branch is None:
                continue
            tried += 1
            if tried > _MOST_TRIED:
                if name not in untried:
                    untried.add(name)
                    yield from branch.rest
                    for rules in branch.by_word.values():
                        yield from rules
                continue
            rest = words[place:]
            if len(pieces) > 1:
                rest = (*map(literal, pieces), *rest[1:])
            inner = ShellCommand(command.text, rest)
            for rule in branch.denying(rest):
                pattern = rule.command
                if pattern is None:
                    continue
                how = fit(pattern, inner, ignores_case=_ignores_case(facts))
                if how in (Fit.YES, Fit.MAYBE):
                    yield rule


def _ignores_case(facts: Facts) -> bool:
    return facts.windows or bool(facts.ignores_case("/usr/bin"))


def needs_no_allow(command: ShellCommand | None) -> bool:
    """Whether an allow need not cover the command: a transparent wrapper, or one that runs nothing."""
    return command is not None and (command.role is Role.TRANSPARENT or not command.words)
