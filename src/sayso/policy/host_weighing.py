"""From the rules that match a host to its outcome, and where its name leads (POL-45)."""

from __future__ import annotations

from sayso.core.call import ToolCall
from sayso.core.effect import Effect
from sayso.core.reason import Reason
from sayso.core.target import Target
from sayso.policy.compiled import CompiledRule
from sayso.policy.facts import Facts
from sayso.policy.outcome import TargetOutcome
from sayso.policy.plan import Plan, look_alike
from sayso.policy.rule import Origin
from sayso.policy.targets import with_addresses
from sayso.policy.weighing import weigh


def where_it_leads(
    outcome: TargetOutcome, call: ToolCall, facts: Facts, plan: Plan
) -> TargetOutcome:
    """The outcome of a host that asks, once its addresses are known; the same where they change nothing.

    A call is let run by more than rules. Whatever does it, a rule about addresses counts as for an allow.
    """
    target = outcome.target
    own = target.own
    lists, table = (plan.lists, plan.table) if own else ([], [])
    doubts = [*plan.doubts] if own else []
    found = weigh_host(target, call, facts, plan, lists, table, doubts, None, to_allow=True)
    stricter = (
        found.effect is Effect.DENY
        or (found.must_ask and not outcome.must_ask)
        or (found.doubtful and not outcome.doubtful)
    )
    return found if stricter else outcome


def weigh_host(
    target: Target,
    call: ToolCall,
    facts: Facts,
    plan: Plan,
    lists: list[CompiledRule],
    table: list[CompiledRule],
    doubts: list[str],
    followed: Effect | None,
    *,
    to_allow: bool = False,
) -> TargetOutcome:
    """Weigh a host; its name is looked up only where policy allows it, or with `to_allow` something else does.

    To ask for a name already tells others.
    """
    lists, rows = list(lists), list(table)
    addressed: list[tuple[bool, CompiledRule]] = []
    if target.host is None and target.doubt is None and plan.host_concern is not None:
        doubts.append(
            "where the address leads is not known, and rule "
            f"`{plan.host_concern.rule.id}` could be about it"
        )
    for groups, found, listed in (
        (plan.list_groups, lists, True),
        (plan.table_groups, rows, False),
    ):
        for group in groups:
            if not group.hosts.size:
                continue
            hits, looks = group.hosts.find(target)
            found += [rule for rule in hits if rule.in_scope(call)]
            doubts += sorted({look_alike(target, rule) for rule in looks if rule.in_scope(call)})
            addressed += [(listed, r) for r in group.hosts.by_address if r.in_scope(call)]
    outcome = weigh(target, call, lists, plan.ordered(rows), doubts)
    effect = (
        followed if outcome.reason is Reason.NO_RULE and followed is not None else outcome.effect
    )
    if not addressed or target.host is None:
        return outcome
    if effect is not (Effect.ASK if to_allow else Effect.ALLOW):
        return outcome
    if ":" in target.host or target.host.rpartition(".")[2].isdigit():
        return outcome
    addresses = facts.addresses(target.host)
    if addresses is None:
        rules = [rule for _, rule in addressed]
        if not target.own:
            # No built-in rule makes every name in a command line a question.
            rules = [rule for rule in rules if rule.rule.origin is not Origin.BUILT_IN]
        if not rules:
            return outcome
        rule = min(rules, key=lambda r: r.rule.id)
        doubt = f"its addresses are not known, and rule `{rule.rule.id}` could be about them"
        return weigh(target, call, lists, plan.ordered(rows), [*doubts, doubt])
    target = with_addresses(target, addresses)
    for listed, rule in addressed:
        pattern = rule.host
        assert pattern is not None
        if pattern.fits_place(target.scheme, target.port, strict=False) and pattern.fits_addresses(
            addresses
        ):
            (lists if listed else rows).append(rule)
    return weigh(target, call, lists, plan.ordered(rows), doubts)
