"""The table of cases in policy.tsv, run through policy alone; see README.md beside it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from sayso.core.call import ToolCall
from sayso.core.effect import Effect
from sayso.core.operation import Operation
from sayso.errors import RuleSyntaxError
from sayso.policy.descriptors import Descriptors, PathArgument, ToolDescriptor
from sayso.policy.protection import protected_rules
from sayso.policy.rule import Origin, Rule
from sayso.policy.ruleset import compile_ruleset, judge
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.policy.text_rule import parse_text_rule
from tests.fakes.facts import FakeFacts

TABLE = Path(__file__).with_name("policy.tsv")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
_PLAIN = {"\\": "\\", "n": "\n", "t": "\t", "r": "\r"}
_TOOLS = {"read": "read_file", "write": "write_file", "delete": "delete_file"}


@dataclass(frozen=True)
class Case:
    id: str
    surface: str
    rules: str
    input: str
    expected: str
    why: str

    @property
    def accepted(self) -> set[str]:
        """The verdicts that are right, by the tags in `why`."""
        extra = set()
        if "(stricter ok)" in self.why:
            extra.add("deny")
        if "(ask tolerable)" in self.why:
            extra.add("ask")
        return {self.expected} | extra


@dataclass
class World:
    """What a case says of the machine, beside its rules."""

    facts: FakeFacts = field(default_factory=FakeFacts)
    cwd: str = "/srv/proj"
    operation: str = "read"
    redirects: dict[str, str] = field(default_factory=dict)
    path_arguments: list[str] = field(default_factory=list)


def unescape(text: str) -> str:
    return _ESCAPE.sub(lambda m: chr(int(m[1] or m[2], 16)) if m[1] or m[2] else _PLAIN[m[3]], text)


def load() -> list[Case]:
    lines = TABLE.read_text(encoding="utf-8").split("\n")[1:]
    rows = [line.split("\t") for line in lines if line]
    return [Case(r[0], r[1], unescape(r[2]), unescape(r[3]), r[4], r[5]) for r in rows]


CASES = load()


def read_rules(case: Case) -> tuple[list[Rule], World, list[str]]:
    """The rules of a case, its world, and the rules that were refused at load."""
    rules: list[Rule] = []
    refused: list[str] = []
    world = World()
    links: dict[str, str] = {}
    names: dict[str, str] = {}
    for item in [] if case.rules == "(none)" else case.rules.split("; "):
        word, _, rest = item.partition(" ")
        if word == "given":
            _given(world, rest, links, names)
            continue
        try:
            rules.append(parse_text_rule(word, rest, Origin.GLOBAL))
        except RuleSyntaxError as error:
            refused.append(f"{item}: {error.message}")
    world.facts.links = links
    world.facts.dns = names
    return rules, world, refused


def _given(world: World, text: str, links: dict[str, str], names: dict[str, str]) -> None:
    key, _, value = text.removesuffix(")").partition("(")
    source, _, target = value.partition(" -> ")
    if key == "cwd":
        world.cwd = value
    elif key == "symlink":
        links[source] = target
    elif key == "dns":
        names[source] = target
    elif key == "redirect":
        world.redirects[source] = target
    elif key == "fs":
        world.facts.ignore_case = value == "case-insensitive"
    elif key == "os":
        world.facts.windows = value == "windows"
    elif key == "op":
        world.operation = value
    elif key == "path-argument":
        world.path_arguments.append(value)


def calls_of(case: Case, world: World) -> list[tuple[str, str | None, dict[str, Any]]]:
    """The calls that a case makes: tool, server and arguments."""
    if case.surface == "path":
        return [(_TOOLS[world.operation], None, {"path": case.input})]
    if case.surface == "url":
        urls = [case.input]
        while urls[-1] in world.redirects:
            urls.append(world.redirects[urls[-1]])
        return [("web_fetch", None, {"url": url}) for url in urls]
    if case.surface == "shell":
        return [("execute_cmd", None, {"command": case.input})]
    if case.surface == "name":
        return [(case.input, None, {})]
    server, _, rest = case.input.partition(" :: ")
    tool, space, arguments = rest.partition(" ")
    return [(tool, server, json.loads(arguments) if space and arguments else {})]


def verdict(case: Case) -> tuple[str, list[str]]:
    """The strictest effect over the calls of a case, and the rules refused at load."""
    rules, world, refused = read_rules(case)
    workspace = "C:/proj" if world.facts.windows else world.cwd
    effects = []
    for tool, server, arguments in calls_of(case, world):
        # A row about a name says nothing of arguments, so the tool is taken as one without any.
        descriptors = Descriptors() if case.surface == "name" else SHIPPED
        if world.path_arguments:
            paths = tuple(PathArgument(name, Operation.READ) for name in world.path_arguments)
            descriptors = SHIPPED.adding([ToolDescriptor(tool, server=server, paths=paths)])
        ruleset = compile_ruleset([*rules, *protected_rules()], [], descriptors, facts=world.facts)
        call = ToolCall("c1", tool, arguments, "s1", "a1", "u1", workspace=workspace, server=server)
        effects.append(judge(call, ruleset, world.facts).effect)
    return max(effects).word, refused


@pytest.mark.parametrize("case", [c for c in CASES if c.surface != "shell"], ids=lambda c: c.id)
@pytest.mark.spec("POL-12", "POL-13", "POL-20", "POL-22")
def test_the_case_gets_its_verdict(case: Case) -> None:
    effect, refused = verdict(case)
    assert effect in case.accepted, f"{case.why}; rules refused at load: {refused or 'none'}"


@pytest.mark.parametrize("case", [c for c in CASES if c.surface == "shell"], ids=lambda c: c.id)
def test_a_command_line_is_never_allowed_against_its_case(case: Case) -> None:
    effect, _ = verdict(case)
    assert effect != Effect.ALLOW.word or "allow" in case.accepted, case.why


def test_the_table_is_whole() -> None:
    assert len(CASES) == 438
    assert len({case.id for case in CASES}) == 438
