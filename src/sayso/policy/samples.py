"""A sample of what a rule is about, as people write it, made into the call it stands for."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from sayso.core.call import ToolCall, parse_arguments
from sayso.core.operation import Operation
from sayso.errors import CallInvalid
from sayso.policy.descriptors import Descriptors, PathArgument, ToolDescriptor
from sayso.policy.patterns.glob import glob_matches
from sayso.policy.patterns.mcp import split_pair
from sayso.policy.patterns.tool import CLASS_OPERATIONS, compile_tool_pattern
from sayso.policy.rule import Rule
from sayso.policy.text_rule import PATH_KINDS

WORKSPACE = "/srv/project"
"""The working directory of a sample, unless it is told another."""


class SampleKind(StrEnum):
    """What a sample is: a command line, a path, a URL, an MCP pair, or the name of something."""

    COMMAND = "command"
    PATH = "path"
    URL = "url"
    MCP = "mcp"
    SKILL = "skill"
    AGENT = "agent"
    NAME = "name"


_BY_KIND = {
    **dict.fromkeys(PATH_KINDS, SampleKind.PATH),
    "shell": SampleKind.COMMAND,
    "web": SampleKind.URL,
    "mcp": SampleKind.MCP,
    "skill": SampleKind.SKILL,
    "agent": SampleKind.AGENT,
}
_OPERATIONS = {
    "write": Operation.WRITE,
    "delete": Operation.DELETE,
    "@fs_write": Operation.WRITE,
}


def kind_of_sample(rule: Rule, descriptors: Descriptors) -> SampleKind:
    """What the samples of a rule are, by what the rule is about."""
    if rule.kind in _BY_KIND:
        return _BY_KIND[rule.kind]
    if rule.path_pattern is not None or rule.tool_pattern in CLASS_OPERATIONS:
        return SampleKind.PATH
    if rule.pattern is None:
        return SampleKind.NAME
    tool = _described(rule, descriptors, SampleKind.URL)
    if tool is not None and tool.command is None:
        return SampleKind.URL
    return SampleKind.MCP if _written_as_pair(rule) else SampleKind.COMMAND


def call_of_sample(
    rule: Rule,
    sample: str,
    descriptors: Descriptors,
    *,
    kind: SampleKind | None = None,
    workspace: str = WORKSPACE,
) -> tuple[ToolCall, Descriptors]:
    """The call that a sample stands for, by whom the rule is for, and the descriptors to judge it by.

    An MCP tool and a name may be followed by a blank and arguments as a JSON object. Raises CallInvalid
    for a sample that is no such thing.
    """
    kind = kind or kind_of_sample(rule, descriptors)
    server: str | None = None
    arguments: Mapping[str, Any]
    match kind:
        case SampleKind.MCP:
            name, arguments = _with_arguments(sample)
            pair = split_pair(name)
            if pair is None:
                raise CallInvalid(f"`{sample[:64]}` names no tool of a server", "write server:tool")
            server, tool = pair
        case SampleKind.NAME:
            tool, arguments = _with_arguments(sample)
        case _:
            described = _described(rule, descriptors, kind) or _plain(kind, rule)
            if descriptors.find(described.tool) is not described:
                descriptors = descriptors.adding([described])
            tool = described.tool
            arguments = {_argument(described, kind): sample}
    call = ToolCall(
        "sample",
        tool,
        arguments,
        session_id="sample",
        agent_id=rule.agent_id or "agent",
        user_id=rule.user_id or "user",
        source=rule.source or "api",
        workspace=workspace,
        server=server,
    )
    return call, descriptors


def _described(rule: Rule, descriptors: Descriptors, kind: SampleKind) -> ToolDescriptor | None:
    """A tool that the rule's tool pattern hits and that has an argument of the kind."""
    if rule.kind is not None or rule.tool_pattern in CLASS_OPERATIONS:
        return None
    pattern = compile_tool_pattern(rule.tool_pattern)
    if pattern.everything:
        return None
    for found in descriptors:
        if (
            found.server is None
            and glob_matches(pattern.glob, found.tool)
            and _argument(found, kind)
        ):
            return found
    return None


def _argument(tool: ToolDescriptor, kind: SampleKind) -> str:
    """The name of the argument that holds what the sample is; empty if the tool has none."""
    match kind:
        case SampleKind.COMMAND:
            return tool.command or ""
        case SampleKind.PATH:
            single = [path.name for path in tool.paths if not path.many and path.base is None]
            return single[0] if single else ""
        case SampleKind.URL:
            return tool.urls[0] if tool.urls else ""
        case SampleKind.SKILL:
            return tool.skill or ""
        case _:
            return tool.agent or ""


def _plain(kind: SampleKind, rule: Rule) -> ToolDescriptor:
    """A tool that does nothing but what the sample is about."""
    pattern = rule.tool_pattern
    named = rule.kind is None and not pattern.startswith("@") and "*" not in pattern
    tool = pattern if named else f"sample_{kind.value}"
    match kind:
        case SampleKind.COMMAND:
            return ToolDescriptor(tool, command="command")
        case SampleKind.PATH:
            operation = _OPERATIONS.get(
                pattern if pattern in CLASS_OPERATIONS else rule.kind or "", Operation.READ
            )
            return ToolDescriptor(tool, paths=(PathArgument("path", operation),))
        case SampleKind.URL:
            return ToolDescriptor(tool, urls=("url",))
        case SampleKind.SKILL:
            return ToolDescriptor(tool, skill="name")
        case _:
            return ToolDescriptor(tool, agent="name")


def _written_as_pair(rule: Rule) -> bool:
    if rule.tool_pattern.startswith("mcp__"):
        return True
    pattern = rule.pattern or ""
    return rule.tool_pattern == "*" and " :: " in pattern


def _with_arguments(sample: str) -> tuple[str, Mapping[str, Any]]:
    """A name, and the arguments behind it."""
    name, opened, rest = sample.partition(" {")
    if not opened:
        return sample, {}
    return name.rstrip(" "), parse_arguments("{" + rest)
