"""The sentence on top of the card: one line, from a rule's template or from the targets (REQ-13).

A template comes from a rule, which a person wrote, never from a call; the call's own text is data
for it and nothing else. Rendering is bounded and never raises: whatever goes wrong, the default
sentence stands. The sentence is plain text; surfaces show what is odd in it, as everywhere.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import minijinja
from msgspec.structs import replace

from sayso.core.approval_policy import ApprovalPolicy
from sayso.core.call import ToolCall
from sayso.core.operation import Operation
from sayso.core.target import Target, TargetKind

FUEL = 20_000
"""How many steps of the template engine one sentence may take."""

MAX_NAME = 160
"""The longest name of a target, in characters, that the sentence quotes in full."""

MAX_SENTENCE = 400
"""The longest sentence, in characters; what a template says beyond it is cut and counted."""

LINE_BREAK = "↵"

_VERBS = {
    Operation.READ: "Read",
    Operation.WRITE: "Edit",
    Operation.DELETE: "Delete",
    Operation.ANY: "Use",
}


def action_sentence(call: ToolCall, policy: ApprovalPolicy, targets: Sequence[Target]) -> str:
    """The sentence on top of the card: the policy's `action`, else one made from the targets.

    A template sees the arguments by name and as `input`, and `tool`, `server`, `agent`, `source`
    and `user`. A template that is empty, fails, runs out of fuel, names what is not there or
    renders to nothing gives the default sentence.
    """
    return _rendered(policy.action, call) or default_sentence(call, targets)


def message_text(call: ToolCall, policy: ApprovalPolicy) -> str:
    """Why this is asked, from the policy's `message`; empty where there is none or it fails."""
    return _rendered(policy.message, call)


def default_sentence(call: ToolCall, targets: Sequence[Target]) -> str:
    """The sentence for a call without a template: `Edit a.txt?`, `Run git push?`, `Run <tool>?`."""
    own = [t for t in targets if t.own and t.kind not in (TargetKind.NAME, TargetKind.MCP)]
    tool = call.tool if call.server is None else f"{call.server}:{call.tool}"
    aside = f" ({_quoted(tool)})" if call.server is not None else ""
    said = _of_targets([_near(target, call.workspace) for target in own])
    if said is not None:
        return f"{said}{aside}?"
    verb = "Call" if tool.casefold().startswith("run") else "Run"  # nobody reads `Run run?`
    return f"{verb} {_quoted(tool)}?"


def _near(target: Target, workspace: str | None) -> Target:
    """A target as people say it: a path inside the workspace as it is called there, a command whole.

    The card has the whole path as well. Of a command line nothing is left out: what is not said first
    would not be seen.
    """
    if target.kind is TargetKind.COMMAND and target.line is not None:
        return replace(target, text=target.line)
    inside = f"{(workspace or '').rstrip('/')}/"
    if target.kind is TargetKind.PATH and workspace and target.text.startswith(inside):
        return replace(target, text=target.text[len(inside) :])
    return target


def _of_targets(own: Sequence[Target]) -> str | None:
    """What happens to the targets, if they are all of one known kind."""
    if not own:
        return None
    first = own[0]
    if {target.kind for target in own} == {TargetKind.COMMAND}:
        return f"Run {_counted(own, 'command')}"
    if {target.kind for target in own} == {TargetKind.HOST}:
        return f"Fetch {_counted(own, 'host')}"
    if {target.kind for target in own} != {TargetKind.PATH}:
        return None
    operations = [target.operation or Operation.ANY for target in own]
    if operations == [Operation.DELETE, Operation.WRITE]:
        return f"Move {_place(first)} to {_place(own[1])}"
    if len(set(operations)) > 1:
        return None
    return f"{_VERBS[operations[0]]} {_counted(own, 'path')}"


def _counted(targets: Sequence[Target], noun: str) -> str:
    more = len({target.text for target in targets}) - 1
    plural = "" if more == 1 else "s"
    return _place(targets[0]) + (f" and {more} more {noun}{plural}" if more else "")


def _place(target: Target) -> str:
    """The target, and where links take it: what changes is there, whatever the name says."""
    leads = "" if target.leads_to is None else f" (leads to {_quoted(target.leads_to)})"
    return f"{_quoted(target.text)}{leads}"


def on_one_line(text: str) -> str:
    """The text with its line ends drawn, so that it cannot imitate a line of ours."""
    return text.replace("\r\n", LINE_BREAK).replace("\n", LINE_BREAK)


def _quoted(text: str) -> str:
    return _cut(text, MAX_NAME)


def _cut(text: str, limit: int) -> str:
    """The text on one line; what is cut is counted, so that nobody takes it for the whole."""
    line = on_one_line(text)
    if len(line) <= limit:
        return line
    return f"{line[:limit]}… ({len(line) - limit:,} more characters)"


def _rendered(template: str, call: ToolCall) -> str:
    """The template over the call, or nothing if it is empty or fails."""
    if not template.strip():
        return ""
    try:
        # A copy: a template could otherwise reach the methods of the call's own arguments.
        arguments = json.loads(json.dumps(dict(call.arguments)))
        facts = {
            "input": arguments,
            "tool": call.tool,
            "server": call.server,
            "agent": call.agent_id,
            "source": call.source,
            "user": call.user_id,
        }
        said = _environment().render_str(template, **{**arguments, **facts})
    except Exception:  # REQ-13: whatever a template does, the gate goes on with the default
        return ""
    return _cut(said.strip(), MAX_SENTENCE)


def _environment() -> minijinja.Environment:
    return minijinja.Environment(
        debug=False,
        fuel=FUEL,
        undefined_behavior="strict",
        auto_escape_callback=lambda _name: False,
        pycompat=False,
    )
