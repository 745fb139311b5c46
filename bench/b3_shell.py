"""B-3: deciding command lines, cold and cached, beside shfmt alone and a check without a shell."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bench.b1_engines import KnownFiles
from bench.b3_work import ALLOW, ASK, DENY, LINES, make_lines
from bench.harness import (
    Goal,
    Options,
    Report,
    Series,
    Table,
    interleave,
    microseconds,
    percentile,
)
from sayso.core.call import ToolCall
from sayso.core.effect import Effect
from sayso.core.moment import Moment
from sayso.gate.context import Context
from sayso.gate.decide import decide
from sayso.policy.protection import protected_rules
from sayso.policy.rule import Origin, Rule
from sayso.policy.ruleset import RuleSet, compile_ruleset
from sayso.policy.shell import analysis, options, reaching
from sayso.policy.shell.tokenizer import read_plain
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.policy.text_rule import parse_text_rule
from sayso.system import shell_parser

ROUNDS = 15
WORKSPACE = "/srv/project"
NOW, CONTEXT = Moment(0), Context()
STRICT, REST, SHFMT = "strict path, cold", "the rest, cold", "shfmt alone"
READ = "of which reading the line"
CACHED, WITHOUT = "every line, cached", "a check without a shell"


class Bash(KnownFiles):
    """A machine without links, with the real parser and nothing that it remembers."""

    def syntax_tree(self, line: str) -> Mapping[str, Any] | str:
        """What shfmt says of the line, each time anew."""
        shell_parser._syntax_tree.cache_clear()
        return shell_parser.syntax_tree(line, "bash")


FACTS = Bash()


def forget_lines() -> None:
    """Forget what is kept by a line or by its words; what is kept by rules and names of programs stays."""
    analysis.forget()
    reaching.reaches.cache_clear()
    options.read.cache_clear()


def rules() -> RuleSet:
    """An ordinary policy: what a project allows, asks and denies, and the built-in protection."""
    texts = ((Effect.ALLOW, ALLOW), (Effect.ASK, ASK), (Effect.DENY, DENY))
    written: list[Rule] = [
        parse_text_rule(effect, text, Origin.GLOBAL) for effect, many in texts for text in many
    ]
    built_in = protected_rules(["/srv/sayso"], ports=[8484])
    return compile_ruleset([*built_in, *written], (), SHIPPED, facts=FACTS)


def call_of(number: int, tool: str, **arguments: str) -> ToolCall:
    """A call of the project's agent."""
    return ToolCall(f"c{number}", tool, arguments, "s", "a", "u", workspace=WORKSPACE)


class Course:
    """The lines by the path they take, the calls, and how long each contender needs for one."""

    def __init__(self, options: Options) -> None:
        lines = make_lines(options.random("lines"))
        self.ruleset = rules()
        calls = [call_of(number, "execute_cmd", command=line) for number, line in enumerate(lines)]
        self.strict = [c for c in calls if read_plain(c.arguments["command"]) is not None]
        self.rest = [c for c in calls if read_plain(c.arguments["command"]) is None]
        self.calls = calls
        self.reads = [call_of(n, "read_file", path=f"src/file{n}.py") for n in range(LINES)]
        verdicts = [self._decide(call) for call in calls]
        self.effects = {effect.word: verdicts.count(effect) for effect in Effect}

    def contenders(self) -> dict[str, Callable[[int], float]]:
        """What each contender does in one round: the median over its calls of the time of one."""
        return {
            STRICT: lambda _: self._each(self.strict, cold=True),
            READ: lambda _: self._read(),
            REST: lambda _: self._each(self.rest, cold=True),
            SHFMT: lambda _: self._shfmt(),
            CACHED: lambda _: self._each(self.calls, cold=False),
            WITHOUT: lambda _: self._each(self.reads, cold=False),
        }

    def _decide(self, call: ToolCall) -> Effect:
        return decide(call, self.ruleset, (), CONTEXT, FACTS, NOW).effect

    def _each(self, calls: Sequence[ToolCall], *, cold: bool) -> float:
        return statistics.median(self.times(calls, cold=cold))

    def times(self, calls: Sequence[ToolCall], *, cold: bool) -> list[float]:
        """The time of each call, cold or after all of them were decided once."""
        clock, times = time.perf_counter, []
        if not cold:
            for call in calls:
                self._decide(call)
        for call in calls:
            if cold:
                forget_lines()
            start = clock()
            decide(call, self.ruleset, (), CONTEXT, FACTS, NOW)
            times.append(clock() - start)
        return times

    def _read(self) -> float:
        clock, times = time.perf_counter, []
        for call in self.strict:
            line = call.arguments["command"]
            forget_lines()
            start = clock()
            analysis.analyse(line, FACTS)
            times.append(clock() - start)
        return statistics.median(times)

    def _shfmt(self) -> float:
        clock, times = time.perf_counter, []
        for call in self.rest:
            line = call.arguments["command"]
            start = clock()
            FACTS.syntax_tree(line)
            times.append(clock() - start)
        return statistics.median(times)


def run(options: Options) -> Report:
    """Measure and report."""
    course = Course(options)
    contenders = course.contenders()
    for one_round in contenders.values():  # warm: the interpreter specialises what it runs often
        one_round(0)
    found = interleave(contenders, 3 if options.quick else ROUNDS, options.random("order"))
    share = len(course.strict) / LINES
    each = course.times(course.strict, cold=True)
    return Report(
        id="B-3",
        title="command lines",
        work=f"""`decide` of {LINES} command lines as coding agents write them, with the call's digest,
        against {len(ALLOW + ASK + DENY)} rules and the built-in protection; the median over the lines,
        and of that the median over rounds. *Cold* is a line that was never seen.""",
        tables=(_table(found, course),),
        goals=(
            Goal("share of the lines on the strict path", share, 0.75, at_least=True, unit=""),
            Goal.between(
                "a line on the strict path, cold, beside a check without a shell",
                found[STRICT],
                found[WITHOUT],
                7,
            ),
            Goal.between(
                "a line on the strict path, cold, faster than shfmt alone",
                found[SHFMT],
                found[STRICT],
                12,
                at_least=True,
            ),
            Goal.between("the rest beside shfmt alone", found[REST], found[SHFMT], 1.2),
            Goal.between(
                "cached beside a check without a shell", found[CACHED], found[WITHOUT], 3.5
            ),
        ),
        notes=(
            f"""Verdicts: {", ".join(f"{many} {word}" for word, many in course.effects.items())}. Of the
            strict lines, cold, 90 % take at most {microseconds(percentile(each, 0.9))} µs.""",
            """shfmt is started for each line; what it costs is mostly starting a process. A line that
            was seen before is not read again.""",
        ),
        numbers={
            "strict_share": share,
            "us_per_line": {name: round(series.median * 1e6, 2) for name, series in found.items()},
            "verdicts": course.effects,
        },
    )


def _table(found: Mapping[str, Series], course: Course) -> Table:
    strict = len(course.strict)
    many = {STRICT: strict, READ: strict, REST: len(course.rest), SHFMT: len(course.rest)}
    rows = tuple(
        (
            name,
            str(many.get(name, LINES)),
            microseconds(series.median),
            microseconds(series.calmest),
        )
        for name, series in found.items()
    )
    return Table("µs a call", ("", "calls", "median", "calmest round"), rows)
