"""What passes in plan mode: calls that only read, questions, the task list and the plan tools (step 3)."""

from __future__ import annotations

from sayso.core.call import ToolCall
from sayso.core.operation import Operation
from sayso.core.target import Target, TargetKind
from sayso.gate.asked_call import descriptor_of
from sayso.gate.context import Context
from sayso.gate.read_only import ReadLine
from sayso.policy.descriptors import ToolDescriptor, ToolKind
from sayso.policy.facts import Facts
from sayso.policy.outcome import PolicyOutcome
from sayso.policy.ruleset import RuleSet
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.policy.spelling import normal

PLANNING_TOOLS = frozenset(
    {
        "ask_user",
        "todo",
        "write_todos",
        "enter_plan_mode",
        "exit_plan_mode",
        "AskUserQuestion",
        "TodoWrite",
        "EnterPlanMode",
        "ExitPlanMode",
    }
)
"""Questions, the task list and the tools that begin and end planning, under sayso's names and others'."""


_HOW_TO_READ = frozenset(
    {
        *("query", "prompt", "timeout", "max_length", "start_index", "raw", "limit"),
        *("allowed_domains", "blocked_domains"),
    }
)
"""What a fetch may be told beside the address: a `method` or a `body` could send something."""


def passes_in_plan_mode(
    call: ToolCall, policy: PolicyOutcome, rules: RuleSet, context: Context, facts: Facts
) -> bool:
    """Whether plan mode lets a call go on to what policy says of it."""
    there = context.circumstances
    if call.server is None and call.tool in PLANNING_TOOLS:
        return True
    targets = [outcome.target for outcome in policy.targets]
    if any(target.kind is TargetKind.MCP for target in targets):
        return there.marked_read_only
    if any(target.kind is TargetKind.COMMAND for target in targets):
        return ReadLine(call, policy, rules, facts, there, context.group).only_reads()
    descriptor = descriptor_of(call, rules)
    # Only of a tool that ships it is known that it reads what an address names, and sends nothing.
    fetches = (
        descriptor is not None
        and descriptor.kind is ToolKind.NETWORK
        and descriptor == SHIPPED.find(normal(call.tool))
        and call.arguments.keys() <= {*descriptor.urls, *_HOW_TO_READ}
    )
    return bool(targets) and all(_reads(target, descriptor, fetches) for target in targets)


def _reads(target: Target, descriptor: ToolDescriptor | None, fetches: bool) -> bool:
    if target.kind is TargetKind.PATH:
        return target.operation is Operation.READ
    return fetches and target.kind in (TargetKind.HOST, TargetKind.NAME)
