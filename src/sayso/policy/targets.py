"""The targets of a call: what it touches, in the form that rules match (POL-3).

Arguments are hostile: one of the wrong type gives a target with a doubt, never none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from sayso.core.call import ToolCall
from sayso.core.operation import Operation
from sayso.core.target import Target, TargetKind
from sayso.policy.command_targets import command_targets
from sayso.policy.descriptors import Descriptors, PathArgument, ToolDescriptor
from sayso.policy.facts import Facts
from sayso.policy.found_targets import MAX_FOUND, kind_of, texts_in, too_many
from sayso.policy.path_targets import path_target, shown
from sayso.policy.patterns.tool import split_written
from sayso.policy.shell.analysis import analyse
from sayso.policy.spelling import hidden_character, normal, skeleton
from sayso.policy.web_address import read_url

MAX_PATHS = 1000

_GLOB_SIGN = re.compile(r"[*?\[{]|[@+!]\(")
"""What begins something open in a glob; a bracket alone does not, being common in names: `app/(group)/x`."""
_LEAVING = re.compile(r"\.\.|[{,(|][/~]")
_LEAVING_GROUP = re.compile(r"[(|][/~]")
_PIECE_OF_PARENT = re.compile(
    r"(?<=[{,(|)}])\.(?=[/{,(|)}]|[@+!?*]\(|$)|(?:^|(?<=/))\.(?=[{(]|[@+!?*]\()"
)
"""A dot that could become a `..` with another, as alternatives are put in: `.{.,x}/etc`."""


def targets(call: ToolCall, descriptors: Descriptors, facts: Facts) -> tuple[Target, ...]:
    """The targets of a call, its own first, then those derived from its arguments."""
    identity = identity_of(call.server, call.tool)
    descriptor = descriptors.find(identity.tool or "", identity.server)
    return targets_of(call, identity, descriptor, facts)


def identity_of(server: str | None, tool: str) -> Target:
    """The pair or the name that a tool is known by, with a doubt where it is not what it seems."""
    if server is None:
        pairs = split_written(tool)
        if len(pairs) == 1:
            return _pair(*pairs[0])
        if tool.startswith("mcp__"):
            return _name(tool, "it can be read as tools of several servers, or of none")
        return _name(tool, _name_doubt("tool's name", tool))
    return _pair(server, tool)


def _pair(server: str, tool: str) -> Target:
    doubt = _name_doubt("server's name", server) or _name_doubt("tool's name", tool)
    return Target(
        TargetKind.MCP,
        f"{shown(server)}:{shown(tool)}",
        server=normal(server),
        tool=normal(tool),
        doubt=doubt,
    )


def targets_of(
    call: ToolCall, identity: Target, descriptor: ToolDescriptor | None, facts: Facts
) -> tuple[Target, ...]:
    """The targets of a call whose identity and descriptor are known."""
    own = identity.kind is not TargetKind.MCP
    arguments = call.arguments
    if descriptor is None or descriptor.bare:
        return (identity,) if own else (identity, *_undescribed(descriptor, call, facts))
    found: list[Target] = [] if own else _misspelt(descriptor, arguments)
    for argument in descriptor.paths:
        found += _paths(argument, arguments, call.workspace, facts, own=own)
    for name in descriptor.urls:
        found += _urls(arguments, name, own=own, optional=not own)
    if descriptor.command is not None:
        found += _command(descriptor.command, arguments, call.workspace, facts, own=own)
    for kind, named in ((TargetKind.SKILL, descriptor.skill), (TargetKind.AGENT, descriptor.agent)):
        if named is not None and arguments.get(named) is not None:
            found.append(_named(kind, arguments[named], named))
    if own and found:
        return tuple(found)
    return (identity, *found) if own else (identity, *found, *_undescribed(descriptor, call, facts))


def _undescribed(
    descriptor: ToolDescriptor | None, call: ToolCall, facts: Facts
) -> Iterator[Target]:
    """Targets among the arguments of an MCP tool that its descriptor does not name.

    Who described the tool of this very server has said what its arguments are; nothing is guessed.
    """
    if descriptor is not None and descriptor.server != "*":
        return
    known = frozenset[str]()
    if descriptor is not None:
        named = (descriptor.command, descriptor.skill, descriptor.agent)
        paths = (argument.name for argument in descriptor.paths)
        known = frozenset((*paths, *descriptor.urls, *(name for name in named if name)))
    for number, (name, text) in enumerate(texts_in(call.arguments, known)):
        if number == MAX_FOUND:
            yield too_many()
            return
        kind = kind_of(name, text)
        if kind is TargetKind.PATH:
            yield path_target(text, Operation.ANY, call.workspace, facts, own=False)
        elif kind is TargetKind.HOST:
            yield from _urls({name: text}, name, own=False, optional=True)


def _misspelt(descriptor: ToolDescriptor, arguments: Mapping[str, Any]) -> list[Target]:
    """Arguments that a server which reads names without regard to case takes for those with targets."""
    known = {argument.name for argument in descriptor.paths} | set(descriptor.urls)
    return [
        Target(
            TargetKind.NAME,
            shown(name),
            False,
            doubt=f"the argument `{shown(name)}` may be read as `{skeleton(name)}`",
        )
        for name in arguments
        if name not in known and skeleton(name) in known
    ]


def _name(tool: str, doubt: str | None) -> Target:
    return Target(TargetKind.NAME, shown(tool), tool=normal(tool), doubt=doubt)


def _name_doubt(what: str, name: str) -> str | None:
    if not name or name.isspace():
        return f"the {what} is empty"
    hidden = hidden_character(name)
    if hidden is not None:
        return f"the {what} contains the character {hidden}, which is not seen as what it is"
    if name != name.strip():
        return f"the {what} starts or ends with a blank"
    return None


def _paths(
    argument: PathArgument,
    arguments: Mapping[str, Any],
    workspace: str | None,
    facts: Facts,
    *,
    own: bool,
) -> list[Target]:
    value = arguments.get(argument.name)
    if value is None:
        if argument.default is not None:
            value = argument.default
        elif argument.optional:
            return []
        else:
            return [_doubtful_path(argument, f"the argument `{argument.name}` is missing", own=own)]
    values = value if argument.many and isinstance(value, list) else [value]
    if len(values) > MAX_PATHS:
        return [_doubtful_path(argument, f"it names more than {MAX_PATHS} paths", own=own)]
    found = []
    if argument.many and isinstance(value, str):  # some servers read JSON in a text as a list
        doubt = f"the argument `{argument.name}` is not a list of paths but a text"
        found.append(_doubtful_path(argument, doubt, own=own))
    for item in values:
        if not isinstance(item, str):
            doubt = f"the argument `{argument.name}` is not a path but {_type(item)}"
            found.append(_doubtful_path(argument, doubt, own=own))
            continue
        if argument.base is not None:
            if _may_leave(item):
                doubt = f"the pattern in `{argument.name}` may lead out of where it begins"
                found.append(_doubtful_path(argument, doubt, own=own))
            fixed = _below(item, arguments.get(argument.base))
            if fixed is None:
                continue
            item = fixed
        found.append(
            path_target(item, argument.operation, workspace, facts, own=own, walks=argument.walks)
        )
    return found


def _doubtful_path(argument: PathArgument, doubt: str, *, own: bool) -> Target:
    return Target(TargetKind.PATH, f"({argument.name})", own, argument.operation, doubt=doubt)


def _below(pattern: str, base: object) -> str | None:
    """The fixed part of a glob, below its base; None where it adds nothing to the base itself."""
    fixed: list[str] = []
    for name in pattern.replace("\\", "/").split("/"):
        if _GLOB_SIGN.search(name):
            break
        fixed.append(name)
    text = "/".join(fixed)
    if pattern.startswith("/") and not text.startswith("/"):
        text = "/" + text
    if not text:
        return None
    if text.startswith(("/", "~")) or not isinstance(base, str) or not base:
        return text
    return f"{base}/{text}"


def _may_leave(pattern: str) -> bool:
    """Whether what stands behind the fixed part of a glob can lead elsewhere: `*/../..`, `{/a,/b}`."""
    sign = _GLOB_SIGN.search(pattern)
    if sign is None:
        return _LEAVING_GROUP.search(pattern) is not None
    leaves = _LEAVING.search(pattern, sign.start()) or _LEAVING_GROUP.search(pattern)
    return leaves is not None or len(_PIECE_OF_PARENT.findall(pattern)) > 1


def _urls(arguments: Mapping[str, Any], name: str, *, own: bool, optional: bool) -> list[Target]:
    value = arguments.get(name)
    if value is None and optional:
        return []
    if not isinstance(value, str):
        doubt = (
            f"the argument `{name}` is missing"
            if value is None
            else f"the argument `{name}` is not a URL but {_type(value)}"
        )
        return [Target(TargetKind.HOST, f"({name})", own, doubt=doubt)]
    address = read_url(value)
    target = Target(
        TargetKind.HOST,
        shown(value),
        own,
        scheme=address.scheme,
        host=address.host,
        port=address.port,
        doubt=address.doubt,
        alternatives=address.alternatives,
    )
    if address.scheme == "file" or value[:5].lower() == "file:":
        text = value[5:].lstrip("/")
        path = Target(
            TargetKind.PATH, shown(value), False, Operation.READ, "/" + text, doubt=address.doubt
        )
        return [target, path]
    return [target]


def _command(
    name: str, arguments: Mapping[str, Any], workspace: str | None, facts: Facts, *, own: bool
) -> Iterator[Target]:
    value = arguments.get(name)
    if not isinstance(value, str):
        shown = "missing" if value is None else f"not a command line but {_type(value)}"
        yield Target(
            TargetKind.COMMAND, f"({name})", own, doubt=f"the argument `{name}` is {shown}"
        )
        return
    if not value.strip():
        yield Target(TargetKind.COMMAND, value, own, doubt="the command line is empty")
        return
    line = analyse(value, facts, workspace)
    # A line with such a character has a doubt; most have none, and are not looked at twice.
    hidden = hidden_character(value, line=True) if line.doubts else None
    if hidden is not None:
        doubt = f"the command line contains the character {hidden}, which is not seen as what it is"
        yield Target(TargetKind.COMMAND, value, own, doubt=doubt)
    yield from command_targets(line, workspace, facts, own=own)


def _named(kind: TargetKind, value: object, name: str) -> Target:
    if not isinstance(value, str):
        doubt = f"the argument `{name}` is not a name but {_type(value)}"
        return Target(kind, f"({name})", doubt=doubt)
    return Target(
        kind, shown(value), tool=normal(value), doubt=_name_doubt(f"{kind.value}'s name", value)
    )


def with_addresses(target: Target, addresses: tuple[str, ...]) -> Target:
    """The host target with the addresses its name resolves to."""
    return replace(target, addresses=addresses)


def _type(value: object) -> str:
    names = {
        bool: "a boolean",
        int: "a number",
        float: "a number",
        str: "a text",
        type(None): "null",
    }
    if isinstance(value, list):
        return "a list"
    return "an object" if isinstance(value, Mapping) else names.get(type(value), "something else")
