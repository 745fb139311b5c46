"""Tables of cases: a call, rules, facts and the right verdict, run through policy alone (POL-75).

The format is that of tests/cases/README.md, which docs/reference/cases.md repeats.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sayso.core.call import ToolCall, parse_arguments
from sayso.core.effect import Effect
from sayso.core.observed_tool import Definitions
from sayso.core.operation import Operation
from sayso.errors import CallInvalid, CasesInvalid
from sayso.policy.case_world import World, read_world
from sayso.policy.descriptors import Descriptors, PathArgument, ToolDescriptor
from sayso.policy.made_up_facts import LineParser
from sayso.policy.outcome import PolicyOutcome
from sayso.policy.protection import protected_rules
from sayso.policy.ruleset import compile_ruleset, judge
from sayso.policy.shipped_descriptors import SHIPPED

COLUMNS = ("id", "surface", "rules", "input", "expected", "why", "source")
SURFACES = ("shell", "path", "url", "mcp", "name")

_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.?))", re.DOTALL)
_PLAIN = {"\\": "\\", "n": "\n", "t": "\t", "r": "\r"}
_NEW = "a definition that nobody has approved"
_FILE_TOOLS = {
    Operation.READ: "read_file",
    Operation.WRITE: "write_file",
    Operation.DELETE: "delete_file",
}


@dataclass(frozen=True, slots=True)
class Case:
    """One row of a table; `line` is where it stands in the file, `accepted` the verdicts that are right."""

    id: str
    line: int
    surface: str
    rules: str
    input: str
    expected: Effect
    why: str
    source: str

    @property
    def accepted(self) -> frozenset[Effect]:
        """The verdicts that are right, by the tags in `why`."""
        right = {self.expected}
        if "(stricter ok)" in self.why:
            right.add(Effect.DENY)
        if "(ask tolerable)" in self.why:
            right.add(Effect.ASK)
        return frozenset(right)


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What policy says of a case: the strictest of its calls, and the rules it would not read."""

    case: Case
    outcome: PolicyOutcome
    refused: tuple[str, ...] = ()

    @property
    def effect(self) -> Effect:
        """The verdict."""
        return self.outcome.effect

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is one of those that are right."""
        return self.effect in self.case.accepted


def read_cases(text: str, file: str) -> tuple[Case, ...]:
    """Read a table; `file` is its name for messages. Raises CasesInvalid with `file:line`."""
    lines = text.split("\n")
    if lines[0].removesuffix("\r") != "\t".join(COLUMNS):
        raise CasesInvalid(
            f"{file}:1: the first line does not name the columns",
            f"write {', '.join(COLUMNS)}, separated by tabs",
        )
    cases = []
    seen: dict[str, int] = {}
    for number, line in enumerate(lines[1:], start=2):
        if not line:
            continue
        case = _case(line, number, f"{file}:{number}")
        if case.id in seen:
            raise CasesInvalid(
                f"{file}:{number}: the id `{case.id}` stands in line {seen[case.id]} too",
                "give each case an id of its own",
            )
        seen[case.id] = number
        cases.append(case)
    return tuple(cases)


def _case(line: str, number: int, place: str) -> Case:
    cells = line.split("\t")
    if len(cells) != len(COLUMNS):
        raise CasesInvalid(
            f"{place}: the row has {len(cells)} columns and not {len(COLUMNS)}",
            r"write a tab inside a value as `\t`",
        )
    name, surface, rules, shown, expected, why, source = cells
    if surface not in SURFACES:
        raise CasesInvalid(
            f"{place}: `{surface}` is not a surface", f"the surfaces are {', '.join(SURFACES)}"
        )
    if expected not in ("allow", "ask", "deny"):
        raise CasesInvalid(
            f"{place}: `{expected}` is not a verdict", "write allow, ask or deny as expected"
        )
    rules, shown = unescape(rules, place), unescape(shown, place)
    return Case(name, number, surface, rules, shown, Effect.parse(expected), why, source)


def unescape(text: str, place: str) -> str:
    r"""Decode `\\`, `\n`, `\t`, `\r`, `\uXXXX` and `\UXXXXXXXX` in one pass."""

    def decoded(found: re.Match[str]) -> str:
        code = found[1] or found[2]
        if code is not None and int(code, 16) <= 0x10FFFF:
            return chr(int(code, 16))
        if code is None and found[3] in _PLAIN:
            return _PLAIN[found[3]]
        raise CasesInvalid(
            f"{place}: `{found[0]}` is no escape",
            r"write a backslash as `\\`; others: \n \t \r \uXXXX",
        )

    return _ESCAPE.sub(decoded, text)


def run_case(case: Case, parser: LineParser, place: str = "") -> CaseResult:
    """Judge a case by its own rules and the built-in ones, in its made-up world.

    `parser` reads command lines. `place` is for messages, `file:line`. Raises CasesInvalid for a fact
    that is not known, and for an MCP input whose arguments are no JSON object.
    """
    world = read_world(case.rules, parser, place or case.id)
    outcomes = []
    for call in calls_of(case, world, place or case.id):
        descriptors = _descriptors(case, world, call)
        rules = [*world.rules, *protected_rules()]
        ruleset = compile_ruleset(
            rules, [], descriptors, facts=world.facts, definitions=_definitions(world, call)
        )
        outcomes.append(judge(call, ruleset, world.facts))
    strictest = max(outcomes, key=lambda outcome: outcome.effect)
    return CaseResult(case, strictest, tuple(world.refused))


def calls_of(case: Case, world: World, place: str = "") -> list[ToolCall]:
    """The calls that a case makes: one, or one for each hop of a redirect."""
    match case.surface:
        case "path":
            return [_call(world, _FILE_TOOLS[world.operation], {"path": case.input})]
        case "url":
            urls = [case.input]
            while urls[-1] in world.redirects and len(urls) <= len(world.redirects):
                urls.append(world.redirects[urls[-1]])
            return [_call(world, "web_fetch", {"url": url}) for url in urls]
        case "shell":
            return [_call(world, "execute_cmd", {"command": case.input})]
        case "mcp":
            server, _, rest = case.input.partition(" :: ")
            tool, _, arguments = rest.partition(" ")
            return [_call(world, tool, _arguments(arguments, place), server)]
        case _:
            return [_call(world, case.input, {})]


def _call(
    world: World, tool: str, arguments: Mapping[str, Any], server: str | None = None
) -> ToolCall:
    return ToolCall(
        "c1",
        tool,
        arguments,
        "s1",
        "a1",
        "u1",
        workspace=world.workspace,
        server=server,
        definition=_NEW if world.definition_changed else None,
    )


def _arguments(text: str, place: str) -> Mapping[str, Any]:
    try:
        return parse_arguments(text or "{}")
    except CallInvalid as error:
        raise CasesInvalid(
            f"{place}: the arguments `{text[:64]}` are no JSON object",
            'write them behind the tool: server :: tool {"path": "a"}',
        ) from error


def _descriptors(case: Case, world: World, call: ToolCall) -> Descriptors:
    if world.path_arguments:
        paths = tuple(PathArgument(name, Operation.READ) for name in world.path_arguments)
        return SHIPPED.adding([ToolDescriptor(call.tool, server=call.server, paths=paths)])
    # A row about a name says nothing of arguments, so the tool is taken as one without any.
    return Descriptors() if case.surface == "name" else SHIPPED


def _definitions(world: World, call: ToolCall) -> tuple[Definitions, ...]:
    """What is known of the tool: where its definition changed, another one was approved (POL-46)."""
    if call.server is None or not world.definition_changed:
        return ()
    return (Definitions(call.server, call.tool, _NEW, frozenset({"approved"})),)


def differing(results: Sequence[CaseResult]) -> tuple[CaseResult, ...]:
    """The results whose verdict is not one of those that are right."""
    return tuple(result for result in results if not result.as_expected)
