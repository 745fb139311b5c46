"""Walks the tree of a line and finds every simple command that it can run (POL-30)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from sayso.core.shell_command import Role, ShellWord
from sayso.policy.facts import Facts
from sayso.policy.shell import syntax as s
from sayso.policy.shell.dialects import concerns_of_other_shells
from sayso.policy.shell.findings import leaves_input
from sayso.policy.shell.loops import LoopFinder
from sayso.policy.shell.places import ANYWHERE, Outcome, Places, only, still, union
from sayso.policy.shell.reading import read_script, sure_parts
from sayso.policy.shell.script_input import script_from, text_written
from sayso.policy.shell.session_input import hands_on_files
from sayso.policy.shell.shell_builtins import DECLARING, NAME
from sayso.policy.shell.tokenizer import read_plain
from sayso.policy.shell.word_values import (
    Surroundings,
    quoted_value,
    value_of_assignment,
    values,
)

_MAX_TEXTS: Final = 256
_MAX_READ: Final = 262_144
"""Characters of all the texts of a line together, where each may hold the next."""
_MAX_UNREAD: Final = 3
_MAX_PARTED: Final = 1024
"""How many texts are looked at, be it without reading their grammar."""


class Finder(LoopFinder):
    """Finds the commands of one line."""

    def __init__(
        self,
        facts: Facts,
        around: Surroundings,
        workspace: str | None = None,
        *,
        plain: bool = True,
    ) -> None:
        """`workspace` is where `PWD` begins, if it is asked for; `plain` tells that loops hold what their words say."""
        super().__init__(around, plain=plain)
        self._workspace = workspace
        self._facts = facts
        self._texts = 0
        self._read = 0
        self.unread = 0
        """How many texts could not be read; where time is the reason, more would cost more of it."""

    def run_text(
        self, text: str, dialect: str | None, places: Places, read: s.Script | None = None
    ) -> Outcome:
        """Find the commands of a text; where the shell is after it. `read` is a text that was read before."""
        around = self.around
        if dialect is not None:
            self.around = self.in_dialect(dialect)
        self._texts += 1
        self._read += len(text)
        script: s.Script | str = "it holds too many command lines within commands"
        if self._read > _MAX_READ:
            script = "the command lines within commands are too long together"
        elif self._texts <= _MAX_TEXTS and self.unread < _MAX_UNREAD:
            script = read or read_script(text, self._facts)
        if isinstance(script, str):
            self.unread += 1
            self.limit(script)
            outcome = still(places)
            looks = self._read <= _MAX_READ and self._texts <= _MAX_PARTED
            for part in sure_parts(text) if looks else ():
                outcome = self._statements(part.body, places)
        else:
            if self._facts.dialect == "posix" != self.around.dialect and read_plain(text) is None:
                self.doubt("it is for another shell than the one whose grammar is read")
            for why in concerns_of_other_shells(script, self.around.dialect):
                self.doubt(why)
            outcome = self._statements(script.body, places)
        self.around = around
        return outcome

    def finish(self) -> None:
        """Compare what only the whole line tells."""
        self.unsettled = self.unsettled or self.evaluation.computes
        for why in self.evaluation.concerns():
            self.doubt(why)
        for name in sorted(self.functions & self.programs):
            self.doubt(f"`{name}` is a function of the line, and no program")

    def _statements(self, body: s.Statements, places: Places) -> Outcome:
        outcome = still(places)
        for statement in body:
            # What is never reached is looked at all the same, as if it could run anywhere.
            outcome = self._statement(statement, outcome.either or ANYWHERE)
        return outcome

    def _statement(self, statement: s.Statement, places: Places) -> Outcome:
        if not statement.background:
            return self._foreground(statement, places)
        self.piped = False  # a shell gives what runs beside it an empty input
        self._apart(lambda: self._foreground(statement, places))
        return still(places)

    def _foreground(self, statement: s.Statement, places: Places) -> Outcome:
        if self._workspace is not None:
            self._here(places, self._workspace)
        for redirect in statement.redirects:
            self._word(redirect.target, places)
            if redirect.body is not None:
                self._word(redirect.body, places)
            if redirect.descriptor.startswith("{"):
                self.set_variable(redirect.descriptor[1:-1], None, number=True)
        command = statement.command
        if isinstance(command, s.Simple):
            piped = self.piped
            self.piped = piped and leaves_input(statement.redirects)
            outcome = self._simple(statement, command, places)
            self.piped = piped
        elif isinstance(command, s.Declare):
            outcome = self._declare(statement, command, places)
        else:
            if statement.redirects:
                self.piped = False
                files = self.redirections(statement.redirects)
                if files:
                    self.emit(statement.text, (), places, redirections=files)
            self.feed = None
            outcome = still(places)
            if command is not None:
                read = _COMMANDS.get(type(command))
                if read is None:
                    self.doubt("an unknown construct")
                elif self.depth >= s.MAX_DEPTH:
                    self.doubt(f"it is nested deeper than {s.MAX_DEPTH} levels")
                else:
                    self.depth += 1
                    outcome = read(self, statement, command, places)
                    self.depth -= 1
        if statement.negated:
            return Outcome(outcome.failed, outcome.succeeded)
        return outcome

    def _here(self, places: Places, workspace: str) -> None:
        """`PWD` is where the shell is now."""
        known = tuple(pair for pair in self.around.known if pair[0] != "PWD")
        folder = only(places, workspace)
        if folder is not None:
            known = (*known, ("PWD", folder))
        self.around = replace(self.around, known=known)

    def _simple(self, statement: s.Statement, command: s.Simple, places: Places) -> Outcome:
        for assign in command.assigns:
            self._assigned(assign, places)
        for word in command.words:
            if word.literal is None:
                self._word(word, places)
        words = self.words(command.words)
        assignments = tuple(self.assignment(assign) for assign in command.assigns)
        redirects = statement.redirects
        files = self.redirections(redirects) if redirects else ()
        if words:
            feed = self.feed
            if redirects:
                self.feed = script_from(redirects, feed, self.around)
            outcome = self.call(statement.text, words, places, assignments, files)
            self.feed = feed
            return outcome
        if command.words:
            self.doubt("the line may run a command that is not known")
        for assignment in assignments:
            value = assignment.value.value if assignment.value is not None else None
            self.set_variable(assignment.name, value)
        self.emit(statement.text, (), places, assignments=assignments, redirections=files)
        self.run_by_variables("", assignments, statement.text, places)
        return still(places)

    def _declare(self, statement: s.Statement, command: s.Declare, places: Places) -> Outcome:
        """`export`, `declare` and the like, whose operands are words or assignments."""
        words = [ShellWord(command.variant, command.variant, command.variant)]
        for operand in command.operands:
            if isinstance(operand, s.Word):
                self._word(operand, places)
                words += values(operand, self.around)
                continue
            self._assigned(operand, places)
            words.append(self._declared(operand))
        if command.variant not in DECLARING:
            self.doubt(f"an unknown construct ({command.variant})")
        files = self.redirections(statement.redirects)
        return self.call(statement.text, tuple(words), places, (), files)

    def _declared(self, assign: s.Assign) -> ShellWord:
        name = assign.name
        if assign.naked:
            return ShellWord(assign.text, name, name)
        start = f"{name}+=" if assign.append else f"{name}="
        if assign.items is not None or assign.sums or assign.append:
            return ShellWord(assign.text, None, start)
        if assign.value is None:
            return ShellWord(assign.text, start, start)
        value = value_of_assignment(assign.value, self.around)
        whole = None if value.value is None else start + value.value
        return ShellWord(assign.text, whole, start + value.start)

    def _chain(self, statement: s.Statement, chain: s.Chain, places: Places) -> Outcome:
        outcome = self._statement(chain.parts[0], places)
        for sign, part in zip(chain.signs, chain.parts[1:], strict=True):
            if sign == "&&":
                after = self._statement(part, outcome.succeeded or ANYWHERE)
                outcome = Outcome(after.succeeded, union(outcome.failed, after.failed))
            else:
                after = self._statement(part, outcome.failed or ANYWHERE)
                outcome = Outcome(union(outcome.succeeded, after.succeeded), after.failed)
        return outcome

    def _pipeline(self, statement: s.Statement, pipe: s.Pipeline, places: Places) -> Outcome:
        outcome = still(places)
        last = len(pipe.parts) - 1
        for position, part in enumerate(pipe.parts):
            if position and isinstance(part.command, s.Timed):
                part = self._timed_by_program(part, part.command)
            before = pipe.parts[position - 1] if position else None
            self.feed = None if before is None else text_written(before, self.around)
            self.fed = before is not None and not hands_on_files(before)
            self.piped = before is not None
            if position == last and self.around.dialect == "zsh":
                # In zsh the last part runs in the shell itself.
                outcome = still(union(places, self._statement(part, places).either))
            else:
                self._apart(lambda part=part: self._statement(part, places))  # type: ignore[misc]
        self.feed, self.fed, self.piped = None, False, False
        return outcome

    def _timed_by_program(self, part: s.Statement, timed: s.Timed) -> s.Statement:
        """`a | time b`: in the middle of a pipeline `time` is no keyword, but a program that runs `b`."""
        body = timed.body
        if body is None or not isinstance(body.command, s.Simple) or body.command.assigns:
            self.doubt("`time` in the middle of a pipeline")
            return part
        own = (s.Word("time", "time"), *([s.Word("-p", "-p")] if timed.posix else []))
        command = s.Simple((*own, *body.command.words))
        return s.Statement(part.text, command, (*part.redirects, *body.redirects))

    def _group(self, statement: s.Statement, group: s.Group, places: Places) -> Outcome:
        if not group.subshell:
            return self._statements(group.body, places)
        self._apart(lambda: self._statements(group.body, places))
        return still(places)

    def _if(self, statement: s.Statement, choice: s.If, places: Places) -> Outcome:
        condition = self._statements(choice.condition, places)
        then = self._statements(choice.then, condition.succeeded or ANYWHERE)
        otherwise = self._statements(choice.otherwise, condition.failed or ANYWHERE)
        if not choice.otherwise:
            otherwise = Outcome(condition.failed, ())
        return Outcome(
            union(then.succeeded, otherwise.succeeded), union(then.failed, otherwise.failed)
        )

    def _while(self, statement: s.Statement, loop: s.While, places: Places) -> Outcome:
        def run(start: Places) -> Outcome:
            condition = self._statements(loop.condition, start)
            body = self._statements(loop.body, condition.either or ANYWHERE)
            # The loop is left after its condition, which may have moved the shell.
            return still(union(condition.either, body.either))

        return self._loop(run, places)

    def _for(self, statement: s.Statement, loop: s.For, places: Places) -> Outcome:
        for word in loop.words or ():
            self._word(word, places)
        found = self.words(loop.words or ())
        if not NAME.fullmatch(loop.name):
            self.doubt("the variable of a loop is not known")
        for value in found:
            self.set_variable(loop.name, value.value if value.pattern is None else None)
        if loop.words is None:
            self.set_variable(loop.name, None)
        elif self._plain and statement.text.startswith("for"):
            outcome = self._one_by_one(loop, found, places)
            if outcome is not None:
                return outcome
        return self._loop(lambda start: self._statements(loop.body, start), places)

    def _count(self, statement: s.Statement, loop: s.Count, places: Places) -> Outcome:
        for expression in loop.sums:
            self._sum(expression, places)
        return self._loop(lambda start: self._statements(loop.body, start), places)

    def _case(self, statement: s.Statement, case: s.Case, places: Places) -> Outcome:
        self._word(case.word, places)
        ends = places
        start = places
        for patterns, body in case.arms:
            for pattern in patterns:
                self._word(pattern, places)
            # An arm may be fallen into from the one before it.
            start = union(places, self._statements(body, start).either)
            ends = union(ends, start)
        return still(ends)

    def _check(self, statement: s.Statement, check: s.Check, places: Places) -> Outcome:
        for word in check.words:
            self._word(word, places)
        for sign, operands in check.comparisons:
            if sign in {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"}:
                for operand in operands:
                    self.evaluation.operand(operand)
            elif sign in {"-v", "-R"}:
                literal = operands[0].literal
                if literal is None or "[" in literal:
                    self.doubt(f"`[[ {sign}` computes a subscript")
        words = tuple(
            ShellWord(word.text, value := quoted_value(word, self.around), value or "")
            for word in check.words
        )
        self.emit(statement.text, words, places, role=Role.TRANSPARENT)
        return still(places)

    def _compute(self, statement: s.Statement, compute: s.Compute, places: Places) -> Outcome:
        for expression in compute.sums:
            self._sum(expression, places)
        if compute.let:
            for name in sum((expression.assigned for expression in compute.sums), ()):
                self.set_variable(name, None, number=True)
        return still(places)

    def _function(self, statement: s.Statement, function: s.Function, places: Places) -> Outcome:
        self.functions.add(function.name)
        self.piped = False
        self._statement(function.body, ANYWHERE)
        return still(places)

    def _coprocess(self, statement: s.Statement, run: s.Coprocess, places: Places) -> Outcome:
        self.unsettled = True  # it sets variables of its name
        if run.name is not None:
            self._word(run.name, places)
        self._apart(lambda: self._statement(run.body, places))
        return still(places)

    def _timed(self, statement: s.Statement, timed: s.Timed, places: Places) -> Outcome:
        words = [ShellWord("time", "time", "time")]
        if timed.posix:
            words.append(ShellWord("-p", "-p", "-p"))
        self.emit(statement.text, tuple(words), places, role=Role.TRANSPARENT)
        if timed.body is None:
            return still(places)
        wrappers = self.wrappers
        self.wrappers = (*wrappers, "time")
        outcome = self._statement(timed.body, places)
        self.wrappers = wrappers
        return outcome

    def _strange(self, statement: s.Statement, strange: s.Strange, places: Places) -> Outcome:
        self.doubt(strange.kind)
        return still(places)


_COMMANDS: Final[Mapping[type, Callable[[Finder, s.Statement, Any, Places], Outcome]]] = {
    s.Chain: Finder._chain,
    s.Pipeline: Finder._pipeline,
    s.Group: Finder._group,
    s.If: Finder._if,
    s.While: Finder._while,
    s.For: Finder._for,
    s.Count: Finder._count,
    s.Case: Finder._case,
    s.Check: Finder._check,
    s.Compute: Finder._compute,
    s.Function: Finder._function,
    s.Coprocess: Finder._coprocess,
    s.Timed: Finder._timed,
    s.Strange: Finder._strange,
}
