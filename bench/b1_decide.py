"""B-1: one policy check against 10 to 10,000 rules, beside a floor, a linear scan and two engines."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from bench.b1_engines import (
    ENGINES,
    FACTS,
    Engine,
    compile_table,
    linear,
    read_outcome,
    tool_calls,
)
from bench.b1_work import CALLS, Says, WorkCall, WorkRule, make_calls, make_rules
from bench.harness import (
    Goal,
    Options,
    Report,
    Series,
    Table,
    interleave,
    microseconds,
    percentile,
    ratio,
)
from sayso.policy.ruleset import judge

SIZES = (10, 100, 1_000, 10_000)
ROUNDS = 10
FLOOR, OURS, COLD = "floor: dict and tries", "sayso judge", "sayso judge, tools never seen before"
DECIDE, LINEAR = "sayso decide, with digest", "linear scan"
CEDAR, CASBIN = "cedarpy PolicySet", "pycasbin Enforcer"
SLOW = (LINEAR, CEDAR, CASBIN)
"""These take a share of the calls in each round, all of them over all rounds."""

Key = tuple[str, int]

_NOTES = (
    """sayso keeps what it knows of a tool's name once it has seen it; *tools never seen before* is the
    first pass of a rule set that was compiled a moment ago.""",
    """The peers are given parsed policies and ready-made requests; only what the rules look at is
    passed to them, and every path as the rules write it.""",
    """Cedar and casbin know no `ask`: it is a forbid or deny of its own, told apart by the policy that
    decided. Each of the slow contenders answers all 1,000 calls once, a share of them in each round.""",
    """Facts of the file system are constant here (no links); with real ones, each path costs a few
    calls to the system more. `decide` adds the digest of the call and is what the broker calls.""",
)


class Course:
    """All contenders at all sizes, the right verdicts, and what was answered wrongly."""

    def __init__(self, options: Options, rounds: int) -> None:
        self.rounds = rounds
        self.load: dict[Key, float] = {}
        self.engines: dict[Key, Engine[Any, Any]] = {}
        self.work: dict[int, tuple[list[WorkRule], list[WorkCall]]] = {}
        self.right: dict[int, list[Says]] = {}
        self.wrong: dict[Key, int] = {}
        self.checked: dict[Key, int] = {}
        for size in SIZES:
            rules = make_rules(size, options.random(f"rules {size}"))
            calls = make_calls(rules, options.random(f"calls {size}"))
            self.work[size] = rules, calls
            reference = linear(rules, calls)
            self.right[size] = [reference.ask(call) for call in reference.asked]
            for name, build in ENGINES.items():
                start = time.perf_counter()
                self.engines[name, size] = build(rules, calls)
                self.load[name, size] = time.perf_counter() - start

    def contenders(self) -> dict[str, Callable[[int], float]]:
        """Every contender at every size, each as what it does in one round."""
        found: dict[str, Callable[[int], float]] = {}
        for size in SIZES:
            for name in ENGINES:
                key = name, size
                found[_label(key)] = self._slice(key) if name in SLOW else self._whole(key)
            found[_label((COLD, size))] = self._cold(size)
        return found

    def each_call(self, key: Key) -> list[float]:
        """The time of each call on its own, the timer included."""
        engine = self.engines[key]
        ask, clock = engine.ask, time.perf_counter
        times: list[float] = []
        for asked in engine.asked:
            start = clock()
            ask(asked)
            times.append(clock() - start)
        return times

    def _whole(self, key: Key) -> Callable[[int], float]:
        def one_round(number: int) -> float:
            del number
            return self._ask(key, self.engines[key], 0, CALLS)

        return one_round

    def _slice(self, key: Key) -> Callable[[int], float]:
        many = CALLS // self.rounds

        def one_round(number: int) -> float:
            return self._ask(key, self.engines[key], number * many, (number + 1) * many)

        return one_round

    def _cold(self, size: int) -> Callable[[int], float]:
        rules, calls = self.work[size]
        asked = tool_calls(calls)

        def one_round(number: int) -> float:
            del number
            ruleset = compile_table(rules)
            engine = Engine(asked, lambda call: judge(call, ruleset, FACTS), read_outcome)
            return self._ask((COLD, size), engine, 0, CALLS)

        return one_round

    def _ask(self, key: Key, engine: Engine[Any, Any], first: int, last: int) -> float:
        asked, ask = engine.asked[first:last], engine.ask
        start = time.perf_counter()
        answers = [ask(one) for one in asked]
        took = time.perf_counter() - start
        right = self.right[key[1]][first:last]
        wrong = sum(
            engine.read(answer) is not says for answer, says in zip(answers, right, strict=True)
        )
        self.wrong[key] = self.wrong.get(key, 0) + wrong
        self.checked[key] = self.checked.get(key, 0) + len(asked)
        return took / len(asked)


def run(options: Options) -> Report:
    """Measure and report."""
    rounds = 2 if options.quick else ROUNDS
    course = Course(options, rounds)
    for key, engine in course.engines.items():  # warm: caches, and the interpreter's own
        if key[0] not in SLOW:
            for asked in engine.asked:
                engine.ask(asked)
    measured = interleave(course.contenders(), rounds, options.random("order"))
    names = [FLOOR, OURS, COLD, *(name for name in ENGINES if name not in (FLOOR, OURS))]
    found = {(name, size): measured[_label((name, size))] for name in names for size in SIZES}
    largest, smallest = SIZES[-1], SIZES[0]
    ours = found[OURS, largest]
    goals = (
        Goal.between(f"{largest:,} rules beside {smallest}", ours, found[OURS, smallest], 1.5),
        *(
            Goal.between(
                f"beside the floor, {size:,} rules", found[OURS, size], found[FLOOR, size], 8
            )
            for size in SIZES
        ),
        *(
            Goal.between(
                f"faster than {peer}, {largest:,} rules",
                found[peer, largest],
                ours,
                1000,
                at_least=True,
            )
            for peer in (CEDAR, CASBIN)
        ),
    )
    single = {key: course.each_call(key) for key in ((FLOOR, largest), (OURS, largest))}
    return Report(
        id="B-1",
        title="a policy check",
        work="""Rules: 60 % exact names, 20 % prefixes of names, 15 % subtrees of paths on four file
        tools, 5 % conditions on exact names (`input.amount > N`); 20 % deny, 30 % ask, 50 % allow.
        Calls: 1,000 in the same proportions, 70 % match; half of their paths are absolute, half
        relative to the working directory. Each cell is µs a call (median over rounds of the mean over
        the calls) and, in brackets, the ratio to `sayso judge` with as many rules.""",
        tables=(_times(names, found), _more(names, course)),
        goals=goals,
        notes=(
            f"Every verdict is compared with the linear scan: {_verdicts(course)}.",
            f"""One call at {largest:,} rules, p50 and p99: floor {_two(single[FLOOR, largest])} µs,
            sayso {_two(single[OURS, largest])} µs (timer included). A mean is dearer than a median,
            because paths are brought into normal form and names are not.""",
            *_NOTES,
        ),
        numbers={
            "us_per_call": {
                name: {str(size): _rounded(found[name, size]) for size in SIZES} for name in names
            },
            "spread": {
                name: {str(size): round(found[name, size].spread, 2) for size in SIZES}
                for name in names
            },
            "load_seconds": {
                name: {str(size): round(course.load[name, size], 4) for size in SIZES}
                for name in names
                if name != COLD
            },
            "wrong": {_label(key): count for key, count in course.wrong.items() if count},
        },
    )


def _label(key: Key) -> str:
    return f"{key[0]} @ {key[1]}"


def _rounded(series: Series) -> float:
    return round(series.median * 1e6, 3)


def _two(times: list[float]) -> str:
    return f"{microseconds(percentile(times, 0.5))} / {microseconds(percentile(times, 0.99))}"


def _times(names: list[str], found: dict[Key, Series]) -> Table:
    rows = []
    for name in names:
        cells = []
        for size in SIZES:
            value = found[name, size].median
            cells.append(f"{microseconds(value)} ({ratio(value, found[OURS, size].median)})")
        rows.append((name, *cells))
    return Table("µs a call", ("", *(f"{size:,} rules" for size in SIZES)), tuple(rows))


def _more(names: list[str], course: Course) -> Table:
    largest = SIZES[-1]
    rows = []
    for name in names:
        loading = "" if name == COLD else f"{course.load[name, largest]:.2f}"
        wrong = sum(course.wrong.get((name, size), 0) for size in SIZES)
        checked = sum(course.checked.get((name, size), 0) for size in SIZES)
        rows.append((name, loading, f"{wrong:,} of {checked:,}"))
    return Table(
        "Loading, and verdicts that differ from the linear scan",
        ("", f"seconds to load {largest:,} rules", "wrong verdicts"),
        tuple(rows),
    )


def _verdicts(course: Course) -> str:
    wrong = {_label(key): count for key, count in course.wrong.items() if count}
    if not wrong:
        return "none differs"
    return ", ".join(f"{name} differs in {count:,}" for name, count in wrong.items())
