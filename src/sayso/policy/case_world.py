"""What a case says beside its input: rules, and facts of a made-up machine (tests/cases/README.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sayso.core.effect import Effect
from sayso.core.operation import Operation
from sayso.errors import CasesInvalid, RuleSyntaxError
from sayso.policy.made_up_facts import LineParser, MadeUpFacts
from sayso.policy.rule import Origin, Rule
from sayso.policy.text_rule import parse_text_rule

WORKSPACE = "/srv/proj"
WINDOWS_WORKSPACE = "C:/proj"
FILE_OPERATIONS = (Operation.READ, Operation.WRITE, Operation.DELETE)
_DIALECTS = ("bash", "posix", "zsh")


@dataclass(slots=True)
class World:
    """What a case says, beside its rules: of the machine, and of the call."""

    facts: MadeUpFacts
    rules: list[Rule] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    workspace: str | None = None
    operation: Operation = Operation.READ
    links: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)
    path_arguments: list[str] = field(default_factory=list)
    definition_changed: bool = False


def read_world(text: str, parser: LineParser, place: str) -> World:
    """The rules and facts of a case; a rule that is refused at load is reported and ignored.

    `parser` reads command lines, `place` is for messages. Raises CasesInvalid for a fact that is not
    known.
    """
    world = World(MadeUpFacts(parser=parser))
    for item in [] if text == "(none)" else text.split("; "):
        word, _, rest = item.partition(" ")
        if word == "given":
            _given(world, rest, place)
        elif word in ("allow", "ask", "deny"):
            try:
                world.rules.append(parse_text_rule(word, rest, Origin.GLOBAL))
            except RuleSyntaxError as error:
                world.refused.append(f"{item}: {error.message}")
        else:
            raise CasesInvalid(
                f"{place}: `{item}` is neither a rule nor a fact",
                "begin it with allow, ask, deny or given; separate rules by `; `",
            )
    if world.workspace is None:
        world.workspace = WINDOWS_WORKSPACE if world.facts.windows else WORKSPACE
    if world.facts.files is not None:
        at = world.workspace
        world.facts.files = tuple(
            f if f.startswith("/") else f"{at}/{f}" for f in world.facts.files
        )
    world.facts.links = world.links
    world.facts.dns = world.names
    return world


def _given(world: World, text: str, place: str) -> None:
    """Take one fact of a case into its world."""
    key, opened, value = text.partition("(")
    read = _FACTS.get(key)
    if read is None or (opened and not value.endswith(")")):
        raise CasesInvalid(
            f"{place}: `given {text}` is no fact that is known",
            f"the facts are {', '.join(_FACTS)}; a value stands in parentheses",
        )
    try:
        read(world, value.removesuffix(")"))
    except (ValueError, RuleSyntaxError) as error:
        raise CasesInvalid(
            f"{place}: `given {text}` cannot be read: {error}", "see docs/reference/cases.md"
        ) from error


def _pair(value: str) -> tuple[str, str]:
    source, arrow, target = value.partition(" -> ")
    if not arrow:
        raise ValueError("it has no ` -> `")
    return source, target


def _set_workspace(world: World, value: str) -> None:
    world.workspace = value


def _set_link(world: World, value: str) -> None:
    source, target = _pair(value)
    world.links[source] = target


def _set_name(world: World, value: str) -> None:
    source, target = _pair(value)
    world.names[source] = target


def _set_redirect(world: World, value: str) -> None:
    source, target = _pair(value)
    world.redirects[source] = target


def _set_case(world: World, value: str) -> None:
    if value not in ("case-insensitive", "case-sensitive"):
        raise ValueError("write case-insensitive or case-sensitive")
    world.facts.ignore_case = value == "case-insensitive"


def _set_system(world: World, value: str) -> None:
    if value not in ("windows", "linux", "macos"):
        raise ValueError("write windows, linux or macos")
    world.facts.windows = value == "windows"


def _set_dialect(world: World, value: str) -> None:
    if value not in _DIALECTS:
        raise ValueError(f"write {', '.join(_DIALECTS)}")
    world.facts.dialect = value


def _set_operation(world: World, value: str) -> None:
    operation = Operation(value)
    if operation not in FILE_OPERATIONS:
        raise ValueError(f"write {', '.join(FILE_OPERATIONS)}")
    world.operation = operation


def _set_files(world: World, value: str) -> None:
    names = [name.strip() for name in value.split(",") if name.strip()]
    world.facts.files = (*(world.facts.files or ()), *names)


def _add_path_argument(world: World, value: str) -> None:
    world.path_arguments.append(value)


def _add_built_in_allow(world: World, value: str) -> None:
    world.rules.append(parse_text_rule(Effect.ALLOW, value, Origin.BUILT_IN))


def _set_changed(world: World, value: str) -> None:
    del value
    world.definition_changed = True


def _changes_nothing(world: World, value: str) -> None:
    """A fact that must not change the verdict: a hint of a server, a folder added to the workspace."""
    del world, value


_FACTS: Mapping[str, Callable[[World, str], None]] = {
    "cwd": _set_workspace,
    "symlink": _set_link,
    "dns": _set_name,
    "redirect": _set_redirect,
    "fs": _set_case,
    "os": _set_system,
    "shell": _set_dialect,
    "op": _set_operation,
    "files": _set_files,
    "dir": _changes_nothing,
    "annotation": _changes_nothing,
    "literal-brackets": _changes_nothing,
    "path-argument": _add_path_argument,
    "builtin-allow": _add_built_in_allow,
    "tool-definition-changed": _set_changed,
}
