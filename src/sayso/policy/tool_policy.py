"""Tool policies: a tool's `approval` block, or its name in `required_tools`, becomes list rules (POL-61).

A block compiles to an ask with its approval policy. With `when` it also compiles to an allow for the
tool where `when` is false, so that small operations run without a question; a `when` that fails asks,
because a failing condition makes the ask apply and the allow not (POL-14).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sayso.core.approval_policy import ApprovalPolicy, parse_approval_policy
from sayso.core.effect import Effect
from sayso.errors import RuleRefused, RuleSyntaxError
from sayso.policy.condition import compile_condition
from sayso.policy.patterns.mcp import compile_pair, write_pair
from sayso.policy.patterns.tool import compile_tool_pattern, split_written, written
from sayso.policy.rule import Origin, Rule
from sayso.policy.text_rule import parse_text_rule

OWN_KEYS = ("when", "must_ask", "justification")
"""What a block holds beside the fields of an approval policy."""

_PLAIN_NAME = re.compile(r"[\w.-]+")


@dataclass(frozen=True, slots=True)
class ToolApproval:
    """One tool's `approval` block; `server` is the MCP server the tool belongs to, `*` any server.

    `policy` None stands for the defaults; `place` is the `file:line:column` of the block.
    """

    tool: str
    server: str | None = None
    when: str | None = None
    must_ask: bool = False
    justification: str = ""
    policy: ApprovalPolicy | None = None
    place: str | None = None

    @property
    def text(self) -> str:
        """The text rule that means this tool."""
        if self.server is None:
            return f"tool({self.tool})"
        return f"mcp({write_pair(self.server, self.tool)})"


@dataclass(frozen=True, slots=True)
class RequiredTool:
    """One entry of `required_tools`: a tool's name or a glob, or `mcp(server:tool)`."""

    pattern: str
    place: str | None = None


def parse_tool_approval(
    tool: str, block: Mapping[str, Any], *, server: str | None = None, place: str | None = None
) -> ToolApproval:
    """Read the `approval` block of a tool, as a settings file or a `tool.yaml` holds it.

    Raises RuleSyntaxError for a `when` that cannot be read, with its column, and RuleRefused for
    fields that are unknown, of a wrong type or do not go together.
    """
    own = {key: block[key] for key in OWN_KEYS if key in block}
    when, must_ask = own.get("when"), own.get("must_ask", False)
    justification = own.get("justification", "")
    if when is not None and not isinstance(when, str):
        raise RuleRefused("`when` is not a text", 'write a condition: "input.amount > 100"')
    if not isinstance(must_ask, bool):
        raise RuleRefused("`must_ask` is not true or false", "write true or false")
    if not isinstance(justification, str):
        raise RuleRefused("`justification` is not a text", "write why it is asked, in quotes")
    if when is not None:
        _check_when(tool, server, when, place)
    policy = {key: value for key, value in block.items() if key not in OWN_KEYS}
    return ToolApproval(
        tool,
        server,
        when,
        must_ask,
        justification,
        parse_approval_policy(policy, must_ask=must_ask) if policy else None,
        place,
    )


def tool_policy_rules(
    approvals: Iterable[ToolApproval], required: Iterable[RequiredTool] = ()
) -> tuple[Rule, ...]:
    """The list rules of one file's tool policies, each with the origin `tool-policy`.

    A tool with a block of its own is left out of what `required_tools` asks about (REQ-10), so both
    have to come from files that are trusted alike. Raises RuleSyntaxError for a name or pattern that
    cannot be read.
    """
    approvals = tuple(approvals)
    rules = [rule for approval in approvals for rule in _of_tool(approval)]
    rules += [_of_entry(entry, approvals) for entry in required]
    return tuple(rules)


def _of_tool(approval: ToolApproval) -> list[Rule]:
    if approval.server is None and approval.tool.startswith("@"):
        raise RuleSyntaxError(
            f"`{approval.tool}` is a class of tools, not the name of one",
            "write the block for each tool",
            place=approval.place,
        )
    ask = replace(
        _rule(Effect.ASK, approval.text, approval.place),
        when=approval.when,
        must_ask=approval.must_ask,
        justification=approval.justification,
        approval=approval.policy,
    )
    if not (approval.when or "").strip():
        return [ask]
    allow = _rule(Effect.ALLOW, approval.text, approval.place)
    return [ask, replace(allow, unless=approval.when)]


def _of_entry(entry: RequiredTool, approvals: tuple[ToolApproval, ...]) -> Rule:
    rule = _rule(Effect.ASK, entry.pattern, entry.place)
    if rule.kind not in ("tool", "mcp") or rule.tool_pattern.startswith("@"):
        raise RuleSyntaxError(
            f"`{entry.pattern}` names no tool",
            'write a name such as "delete_*"; other rules stand in [permissions] ask',
            place=entry.place,
        )
    names = sorted(_own_names(rule, approvals))
    if names:
        rule = replace(rule, unless=f"tool in [{', '.join(f'{name!r}' for name in names)}]")
    return rule


def _own_names(rule: Rule, approvals: tuple[ToolApproval, ...]) -> set[str]:
    """The written names of the tools that a pattern hits and that have a block of their own.

    A name that could be written of another tool too is not among them: that one is asked about twice.
    """
    found = set()
    for approval in approvals:
        name = written(approval.server, approval.tool)
        if not _PLAIN_NAME.fullmatch(name) or len(split_written(name)) > 1:
            continue
        if _names(rule, approval.server, approval.tool):
            found.add(name)
    return found


def _names(rule: Rule, server: str | None, tool: str) -> bool:
    if rule.kind == "tool":
        return compile_tool_pattern(rule.tool_pattern).hits(server, tool)
    pairs = split_written(tool) if server is None else [(server, tool)]
    return any(compile_pair(rule.pattern or "").matches(*pair) for pair in pairs)


def _rule(effect: Effect, text: str, place: str | None) -> Rule:
    return parse_text_rule(effect, text, Origin.TOOL_POLICY, place=place)


def _check_when(tool: str, server: str | None, when: str, place: str | None) -> None:
    if "*" in tool or (server is not None and "*" in server):
        raise RuleRefused(
            f"`when` needs one tool, and `{written(server, tool)}` can be several",
            "name the tool and its server in full, or leave out `when`",
        )
    try:
        compile_condition(when)
    except RuleSyntaxError as error:
        raise RuleSyntaxError(
            f"in `when`: {error.message}", error.hint, column=error.column, place=place
        ) from None
