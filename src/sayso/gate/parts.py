"""The parts of a call that ask, each with the keys by which an answer to it can be remembered (REQ-50)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sayso.core.call import ToolCall
from sayso.core.effect import Effect
from sayso.core.operation import Operation
from sayso.core.target import Target, TargetKind
from sayso.gate.command_keys import command_key, key_alone, touched_thing
from sayso.policy.descriptors import Descriptors, ToolDescriptor, ToolKind
from sayso.policy.facts import Facts
from sayso.policy.outcome import PolicyOutcome, TargetOutcome
from sayso.policy.paths import collapse
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.policy.spelling import hidden_character, normal
from sayso.policy.targets import identity_of
from sayso.policy.web_address import DEFAULT_PORTS
from sayso.requests.key import MAX_KEY, NUL, Key, KeyKind

GENERATED = "dynamic"
"""The category of tools that were made at run time."""


@dataclass(frozen=True, slots=True)
class Part:
    """Something of a call that asks: a grant for any of the keys covers it, the first is offered.

    Without keys an answer to it cannot be remembered, and so none to the call.
    """

    keys: tuple[Key, ...]


def parts_of(
    call: ToolCall, policy: PolicyOutcome, descriptors: Descriptors, facts: Facts
) -> tuple[Part, ...]:
    """The parts of a call that policy asks about; what follows another part is no part of its own."""
    if policy.effect is not Effect.ASK:
        return ()
    return _Parts(call, policy, descriptors, facts).all()


def keys_by_target(
    call: ToolCall, policy: PolicyOutcome, descriptors: Descriptors, facts: Facts
) -> Callable[[TargetOutcome], tuple[Key, ...]]:
    """The keys by which an answer to one of the call's targets is remembered; none where none can be."""
    if not may_be_remembered(call, descriptors):
        return lambda outcome: ()
    return _Parts(call, policy, descriptors, facts).keys


def offered_keys(parts: tuple[Part, ...]) -> tuple[Key, ...]:
    """The fewest keys that together cover every part, as an offer; none where one has no key."""
    if not all(part.keys for part in parts):
        return ()
    chosen: dict[Key, None] = {part.keys[0]: None for part in parts if len(part.keys) == 1}
    for part in parts:
        if not any(key in chosen for key in part.keys):
            chosen[part.keys[0]] = None
    return tuple(chosen)


def category_of(call: ToolCall, descriptors: Descriptors) -> str | None:
    """The category of the call's tool; tools of MCP servers have none."""
    descriptor = _descriptor(call, descriptors)
    return None if descriptor is None or call.server is not None else descriptor.category


def may_be_remembered(call: ToolCall, descriptors: Descriptors) -> bool:
    """Whether the tool's descriptor lets answers about it be remembered (POL-2)."""
    descriptor = _descriptor(call, descriptors)
    return descriptor is None or descriptor.remember


def _descriptor(call: ToolCall, descriptors: Descriptors) -> ToolDescriptor | None:
    identity = identity_of(call.server, call.tool)
    return descriptors.find(identity.tool or "", identity.server)


class _Parts:
    def __init__(
        self, call: ToolCall, policy: PolicyOutcome, descriptors: Descriptors, facts: Facts
    ) -> None:
        self._call = call
        self._policy = policy
        self._descriptors = descriptors
        self._facts = facts
        self._descriptor = _descriptor(call, descriptors)

    def all(self) -> tuple[Part, ...]:
        if not may_be_remembered(self._call, self._descriptors):
            return (Part(()),)
        found: dict[Part, None] = {}
        for outcome in self._policy.targets:
            if outcome.effect is Effect.ASK and not self._follows(outcome):
                found[Part(self.keys(outcome))] = None
        return tuple(found) or (Part(()),)

    def _follows(self, outcome: TargetOutcome) -> bool:
        """Whether it asks only because the call's own target does, and no rule speaks of it itself."""
        target = outcome.target
        return not (
            target.own
            or target.redirected
            or outcome.doubtful
            or outcome.rule is not None
            or target.command is not None
        )

    def keys(self, outcome: TargetOutcome) -> tuple[Key, ...]:
        """The keys for one of the call's targets."""
        target = outcome.target
        if target.kind is TargetKind.COMMAND or target.command is not None:
            return self._of_command(outcome)
        if outcome.doubtful:
            return ()
        match target.kind:
            case TargetKind.PATH:
                key = self._of_path(target)
            case TargetKind.HOST:
                key = self._of_host(target)
            case TargetKind.MCP:
                pair = target.server or "", target.tool or ""
                key = Key(KeyKind.MCP, pair) if all(pair) else None
            case TargetKind.SKILL | TargetKind.AGENT:
                key = (
                    self._of_tool(f"the {target.kind.value} {target.tool}") if target.tool else None
                )
            case TargetKind.NAME:
                key = self._of_name(target)
        return () if key is None or len(key.text) > MAX_KEY else (key,)

    def _of_command(self, outcome: TargetOutcome) -> tuple[Key, ...]:
        """The command alone, where that is the same and nothing is in doubt, and the line as a whole."""
        call, descriptor = self._call, self._descriptor
        argument = None if descriptor is None else descriptor.command
        line = None if argument is None else call.arguments.get(argument)
        if argument is None or not isinstance(line, str):
            return ()
        tool = "" if self._ships() else call.written_name
        command = outcome.target.command
        alone = None
        if command is not None and not outcome.doubtful:
            alone = key_alone(call, argument, command, tool, self._descriptors, self._facts)
        whole = command_key(
            call, argument, line, tool, [found.target for found in self._policy.targets]
        )
        return tuple(dict.fromkeys(key for key in (alone, whole) if key is not None))

    def _ships(self) -> bool:
        """Whether the tool is known to do what its name says, and nothing else, because sayso ships it."""
        call = self._call
        return call.server is None and self._descriptor == SHIPPED.find(normal(call.tool))

    def _edits_files(self) -> bool:
        """Whether editing or deleting files is what the tool is for, whichever tool it is."""
        found = self._descriptor
        return found is not None and found.kind in (ToolKind.WRITE_FILE, ToolKind.DELETE_FILE)

    def _of_path(self, target: Target) -> Key | None:
        kinds = {Operation.WRITE: KeyKind.WRITE, Operation.DELETE: KeyKind.DELETE}
        kind = None if target.operation is None else kinds.get(target.operation)
        kind = kind if target.own and self._edits_files() else None
        workspace = self._call.workspace
        if kind is not None and workspace is not None and self._is_inside(target):
            return Key(kind, (workspace,))
        thing = touched_thing(target)
        return None if thing is None else self._of_tool(thing)

    def _is_inside(self, target: Target) -> bool:
        """Whether a path lies in the workspace, as it is written and where links take it."""
        workspace = normal(collapse(self._call.workspace or "/"))
        real = self._facts.resolve(workspace)
        if workspace == "/" or real is None or target.path is None or target.resolved is None:
            return False
        return target.path.startswith(f"{workspace}/") and target.resolved.startswith(
            f"{normal(real)}/"
        )

    def _of_host(self, target: Target) -> Key | None:
        if target.host is None or target.scheme is None:
            return None
        if not (target.own and self._ships()):  # another tool may send there what it likes
            thing = touched_thing(target)
            return None if thing is None else self._of_tool(thing)
        if target.scheme in ("http", "https") and target.port == DEFAULT_PORTS[target.scheme]:
            return Key(KeyKind.WEB, (target.host,))
        return Key(KeyKind.WEB, (f"{target.scheme}://{target.host}:{target.port or ''}",))

    def _of_tool(self, applied: str) -> Key | None:
        name = self._call.written_name
        if hidden_character(name) or hidden_character(applied) or NUL in name + applied:
            return None
        return Key(KeyKind.TOOL, (normal(name), applied))

    def _of_name(self, target: Target) -> Key | None:
        name, descriptor = target.tool, self._descriptor
        if not name or not target.own:
            return None
        if descriptor is not None and descriptor.kind is ToolKind.NETWORK:
            return Key(KeyKind.SEARCH, (name,))
        if descriptor is not None and descriptor.category == GENERATED:
            return Key(KeyKind.FORGED, (name,))
        return self._of_tool("")
