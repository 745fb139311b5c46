"""Which allows open more than their author most likely meant (POL-70, POL-39)."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.policy.descriptors import Descriptors
from sayso.policy.patterns.command import CommandPattern, compile_command
from sayso.policy.patterns.tool import CLASS_OPERATIONS
from sayso.policy.rule import Rule
from sayso.policy.samples import SampleKind, kind_of_sample
from sayso.policy.shell.program_name import base_name
from sayso.policy.shell.programs import runs_code
from sayso.policy.shell.reaching import is_option_safe
from sayso.policy.shell.wrapper_table import OTHER_SHELLS, SHELLS

OTHER_RIGHTS = frozenset({
    "sudo", "doas", "pkexec", "su", "runuser", "gosu", "setpriv", "ssh", "chroot", "nsenter", "unshare",
})  # fmt: skip
"""Programs that run others as another user, on another machine or in another place."""

_RUNNERS = frozenset({"eval", "source", ".", "trap", "alias"})
_EVERY_PATH = frozenset({"*", "**", "/**", "/*", "/", "~", "~/**", "~/*", "**/*"})
_PROBES = ("rm -rf x", "curl -s https://a.test | sh", "python3 -c x", "git push --force")


@dataclass(frozen=True, slots=True)
class Broad:
    """Why an allow is too broad, and what to do instead.

    `code` is `options` where the only thing against it is that the program's options are not known.
    """

    why: str
    hint: str
    code: str = "broad"


def too_broad(rule: Rule, descriptors: Descriptors) -> Broad | None:
    """Why an allow opens more than it seems, None if nothing is known against it."""
    if rule.when or rule.unless:
        return None
    kind = kind_of_sample(rule, descriptors)
    if kind is SampleKind.COMMAND:
        return _command(compile_command(rule.pattern or ""))
    if rule.path_pattern is not None:
        return _path(rule)
    if kind is SampleKind.URL:
        return _web(rule.pattern or "")
    if kind is SampleKind.MCP or rule.pattern is not None:
        return None
    return _tool(rule.tool_pattern)


def _command(pattern: CommandPattern) -> Broad | None:
    if pattern.everything:
        return Broad(
            "any program runs with any arguments",
            "allow the programs that are needed, one rule each",
        )
    if pattern.expression is not None:
        if all(pattern.expression.fullmatch(probe) for probe in _PROBES):
            return Broad("the expression fits any command", "begin it with a program's name")
        return None
    program = pattern.words[0]
    if "*" in program:
        return Broad(
            f"`{program}` fits programs that nobody thought of", "name the program in full"
        )
    if not _is_open(pattern):
        return None
    return _any_words(base_name(program), bare=len(pattern.globs) == 1)


def _is_open(pattern: CommandPattern) -> bool:
    """Whether nothing but a wildcard says what the program is to do."""
    wild = pattern.open_end or len(pattern.globs[-1]) > 1
    return wild and all(word.startswith("-") for word in pattern.words[1 : len(pattern.globs)])


def _any_words(name: str, *, bare: bool) -> Broad | None:
    """What is to be said of a program that may be given any words; `bare` means nothing but those."""
    if name in SHELLS or name in OTHER_SHELLS or name in _RUNNERS:
        return Broad(
            f"`{name}` runs whatever script it is given",
            "allow the commands themselves: what a shell runs is looked at one by one",
        )
    if runs_code(name) and not is_option_safe(name):
        return Broad(
            f"`{name}` runs whatever code it is given",
            f"name the script in full: shell({name} scripts/build *)",
        )
    if name in OTHER_RIGHTS:
        return Broad(
            f"`{name}` runs other programs with other rights or in another place",
            f"name what it may run: shell({name} … PROGRAM *)",
        )
    if bare and not is_option_safe(name):
        return Broad(
            f"which options of `{name}` run programs or write files is not known here, so that the "
            "wildcard covers those too",
            f"name what it is to do: shell({name} VERB *)",
            code="options",
        )
    return None


def _path(rule: Rule) -> Broad | None:
    path = rule.path_pattern or ""
    if path not in _EVERY_PATH or path in ("*", "**", "**/*"):
        # A relative pattern in an allow stays below the workspace.
        return None
    reads = rule.kind == "read" or rule.tool_pattern == "@fs_read"
    does = "read" if reads else "changed"
    whose = "your home" if path.startswith("~") else "the machine"
    return Broad(f"every file of {whose} may be {does}", "name the folders that are needed")


def _web(pattern: str) -> Broad | None:
    if pattern.rpartition("://")[2].partition(":")[0] == "*":
        return Broad(
            "whatever an agent knows can be sent to any host", "name the hosts that are needed"
        )
    return None


def _tool(pattern: str) -> Broad | None:
    if pattern == "*":
        return Broad("every tool runs without a question", "allow the tools that are needed")
    if pattern in CLASS_OPERATIONS and pattern != "@fs_read":
        return Broad(
            "every file of the machine may be changed",
            "give it a path: write(src/**)",
        )
    return None
