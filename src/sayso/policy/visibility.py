"""Which tools a model is shown: all but those that an unconditional deny hits (POL-50)."""

from __future__ import annotations

from sayso.core.session import DEFAULT_GROUP
from sayso.policy.compiled import CompiledRule
from sayso.policy.descriptors import ToolDescriptor
from sayso.policy.plan import Plan
from sayso.policy.ruleset import RuleSet


def visible(
    tool: str, ruleset: RuleSet, *, server: str | None = None, group: str = DEFAULT_GROUP
) -> bool:
    """Whether a tool, or a tool of an MCP server, is shown in a permission group.

    Hidden is what every call would be denied by a rule without target pattern (a pair counts as none),
    agent, source, user or condition; the check of each call remains.
    """
    # Rules for one agent, source or user are conditions here, so that whose call it is does not matter.
    plan = ruleset.unscoped_plan(tool, server, group)
    denies = [rule for rule in plan.lists if rule.denies]
    denies += [
        rule
        for patterned in plan.list_groups
        for rule in patterned.rules
        if rule.denies and _class_hits_always(rule, plan.descriptor)
    ]
    if any(_unconditional(rule) for rule in denies):
        return False
    return not _denied_by_table(plan)


def _denied_by_table(plan: Plan) -> bool:
    rows = dict.fromkeys(plan.table, True)
    for patterned in plan.table_groups:
        for rule in patterned.rules:
            if rule not in rows and _could_match(rule, plan.descriptor):
                rows[rule] = _class_hits_always(rule, plan.descriptor)
    for rule in plan.ordered(list(rows)):
        if rows[rule] and _unconditional(rule):
            return rule.denies
        if not rule.denies:
            return False
    return False


def _unconditional(rule: CompiledRule) -> bool:
    return not rule.scoped and rule.when is None and rule.unless is None


def _class_hits_always(rule: CompiledRule, descriptor: ToolDescriptor | None) -> bool:
    """Whether a class token without a path hits every call of the tool."""
    if descriptor is None or not rule.rule.tool_pattern.startswith("@") or not rule.every_path:
        return False
    return rule.rule.path_pattern is None and any(
        rule.for_operation(argument.operation)
        for argument in descriptor.paths
        if not argument.optional
    )


def _could_match(rule: CompiledRule, descriptor: ToolDescriptor | None) -> bool:
    if descriptor is None:
        return False
    return bool(
        (rule.paths is not None and descriptor.paths)
        or (rule.host is not None and descriptor.urls)
        or (rule.command is not None and descriptor.command)
        or (rule.named is not None and (descriptor.skill or descriptor.agent))
    )
