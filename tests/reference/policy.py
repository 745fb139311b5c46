"""What policy says of a call, written a second time: slow, linear, straight from docs/spec/policy.md.

No index, no memo, no early exit: each rule is compared with each target. Paths and names are matched
by regular expressions made from the text of the specification, not by the matchers of `sayso.policy`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sayso.core.approval_policy import ApprovalPolicy, Approver, merge
from sayso.core.call import ToolCall
from sayso.core.effect import Effect
from sayso.core.operation import Operation
from sayso.core.reason import Reason
from sayso.core.target import Target, TargetKind
from sayso.errors import RuleSyntaxError
from sayso.policy.comparison import ConditionFailed
from sayso.policy.compiled import CompiledRule
from sayso.policy.concerned_places import ConcernedPlaces
from sayso.policy.condition import compile_condition
from sayso.policy.descriptors import Descriptors
from sayso.policy.path_index import PathView
from sayso.policy.patterns.host import HostPattern, compile_host
from sayso.policy.rule import Origin, Rule
from sayso.policy.spelling import fold, skeleton
from sayso.policy.targets import targets
from sayso.policy.web_address import displayed_host
from tests.fakes.facts import FakeFacts
from tests.reference.commands import command_matches, names_a_program, runs_nothing_of_its_own

CLASSES = {
    "@fs_read": {Operation.READ},
    "@fs_write": {Operation.WRITE, Operation.DELETE},
    "@fs_any": {Operation.READ, Operation.WRITE, Operation.DELETE, Operation.ANY},
}
KIND_OPERATIONS = {
    "path": {Operation.READ, Operation.WRITE, Operation.DELETE, Operation.ANY},
    "read": {Operation.READ},
    "write": {Operation.WRITE},
    "delete": {Operation.DELETE},
}
DEFAULT_POLICY = ApprovalPolicy()
SAME, ALIKE, OTHER = "same", "alike", "other"


@dataclass(frozen=True)
class Said:
    """What the reference says of a target or a call."""

    effect: Effect
    reason: Reason
    rule: str | None
    must_ask: bool = False
    doubtful: bool = False
    approval: ApprovalPolicy = DEFAULT_POLICY


@dataclass
class World:
    """What is the same for all targets of one call."""

    call: ToolCall
    lists: Sequence[Rule]
    table: Sequence[Rule]
    facts: FakeFacts
    group: str


def judge(
    call: ToolCall,
    lists: Sequence[Rule],
    table: Sequence[Rule],
    descriptors: Descriptors,
    facts: FakeFacts,
    *,
    group: str = "default",
    unavailable: bool = False,
) -> Said:
    """POL-22: the strictest target; POL-23: nothing is allowed where rules cannot be loaded."""
    groups = {rule.group_id for rule in table}
    chosen = [rule for rule in table if rule.group_id == group and group in groups]
    if group != "default":
        chosen = in_order(chosen) + in_order([r for r in table if r.group_id == "default"])
    else:
        chosen = in_order(chosen)
    world = World(call, lists, chosen, facts, group)
    touched = targets(call, descriptors, facts)
    # POL-32: what only runs another command decides nothing, unless it is all there is.
    deciding = [t for t in touched if t.own and not runs_nothing_of_its_own(t)]
    deciding = deciding or [t for t in touched if t.own][:1]
    own = [weigh(world, target, None) for target in deciding]
    whole, _ = strictest(own)
    for target in touched:
        if not any(target is other for other in deciding):
            said, asks = weigh(world, target, whole.effect)
            if said.rule is None and said.reason is Reason.NO_RULE and target.redirected:
                # POL-34: a write by redirection that no rule is about asks.
                rows = [rule for rule in chosen if catch_all(rule)]
                written, wanted = decide(call, [], rows, target, False)
                if written.effect is not Effect.ALLOW:
                    said, asks = written, wanted
            elif said.rule is None and said.reason is Reason.NO_RULE:
                said = Said(whole.effect, whole.reason, None, False, said.doubtful)
            own.append((said, asks))
    result, _ = strictest(own)
    if unavailable and result.effect is not Effect.DENY:
        return Said(
            Effect.ASK,
            Reason.RULES_UNAVAILABLE,
            result.rule,
            True,
            result.doubtful,
            result.approval,
        )
    return result


def in_order(rules: list[Rule]) -> list[Rule]:
    return sorted(rules, key=lambda rule: (rule.priority, rule.id))


def strictest(all_said: list[tuple[Said, list[Rule]]]) -> tuple[Said, list[Rule]]:
    best = all_said[0][0]
    for said, _ in all_said[1:]:
        if rank(said) > rank(best):
            best = said
    if best.effect is not Effect.ASK:
        return Said(best.effect, best.reason, best.rule), []
    asking = [(said, asks) for said, asks in all_said if said.effect is Effect.ASK]
    rules = [rule for _, asks in asking for rule in asks]
    return (
        Said(
            Effect.ASK,
            best.reason,
            best.rule,
            any(said.must_ask for said, _ in asking),
            any(said.doubtful for said, _ in asking),
            merge([rule.approval or ApprovalPolicy() for rule in rules]),
        ),
        rules,
    )


def rank(said: Said) -> tuple[int, bool, bool, bool]:
    return (said.effect, said.must_ask, said.doubtful, said.rule is not None)


def weigh(world: World, target: Target, followed: Effect | None) -> tuple[Said, list[Rule]]:
    """One target: what the lists say, what the table says, and what is not known."""
    doubts = (bool(target.doubt) and not target.opaque) or concern(world, target)
    doubts = doubts or (target.walks and walk_meets_a_rule(world, target))
    listed: list[Rule] = []
    rows: list[Rule] = []
    known = any(
        spells_out(rule, target)
        and matches(rule, target, world, listed=rules is world.lists) == SAME
        for rules in (world.lists, world.table)
        for rule in rules
    )
    for rules, found in ((world.lists, listed), (world.table, rows)):
        for rule in rules:
            how = matches(rule, target, world, listed=rules is world.lists)
            if (
                followed is not None
                and target.own
                and not counts_on_a_wrapper(rule, rules is world.lists)
            ):
                continue
            if how == SAME:
                found.append(rule)
            elif how == ALIKE and not (known and about_tools(rule, target)):
                doubts = True
    said, asks = decide(world.call, listed, rows, target, doubts)
    allowed = said.effect is Effect.ALLOW or (
        followed is Effect.ALLOW and said.rule is None and said.reason is Reason.NO_RULE
    )
    if allowed and target.kind is TargetKind.HOST and target.host and not is_address(target.host):
        by_address = [
            (rules, rule)
            for rules in (world.lists, world.table)
            for rule in rules
            if rule.effect is not Effect.ALLOW
            and tool_matches(rule, world.call, rules is world.lists)
            and in_scope(rule, world.call)
            and (pattern := host_of(rule)) is not None
            and pattern.by_address
        ]
        if by_address:
            addresses = world.facts.addresses(target.host)
            if addresses is None:
                return decide(world.call, listed, rows, target, True)
            for rules, rule in by_address:
                pattern = host_of(rule)
                assert pattern is not None
                if pattern.fits_place(
                    target.scheme, target.port, strict=False
                ) and pattern.fits_addresses(addresses):
                    (listed if rules is world.lists else rows).append(rule)
            rows = [rule for rule in world.table if rule in rows]
            return decide(world.call, listed, rows, target, doubts)
    return said, asks


def counts_on_a_wrapper(rule: Rule, listed: bool) -> bool:
    return names_a_program(rule) and not (listed and rule.effect is Effect.ALLOW)


def decide(
    call: ToolCall, listed: list[Rule], rows: list[Rule], target: Target, doubts: bool
) -> tuple[Said, list[Rule]]:
    doubtful = doubts or target.opaque
    listed = sorted((r for r in listed if applies(r, call)), key=naming)
    # An ask of the table whose condition fails counts, and hides nothing stricter below it.
    failed = [rule for rule in rows if rule.effect is Effect.ASK and fails(rule, call)]
    row = next((rule for rule in rows if applies(rule, call) and rule not in failed), None)
    if row is not None:
        failed = [rule for rule in failed if rows.index(rule) < rows.index(row)]
    denies = [rule for rule in listed if rule.effect is Effect.DENY]
    if row is not None and row.effect is Effect.DENY:
        denies.append(row)
    if denies:
        built_in = denies[0].origin is Origin.BUILT_IN
        return Said(
            Effect.DENY, Reason.PROTECTED if built_in else Reason.RULE_DENY, denies[0].id
        ), []
    asks = [rule for rule in listed if rule.effect is Effect.ASK]
    allows = [rule for rule in listed if rule.effect is Effect.ALLOW]
    if row is not None and row.effect is Effect.ASK and firm(row):
        asks.append(row)
    if not asks and not allows and row is not None:
        (asks if row.effect is Effect.ASK else allows).append(row)
    asks += failed
    if asks:
        must = any(must_ask(rule) for rule in asks)
        reason = Reason.MUST_ASK if must else Reason.RULE_ASK
        return Said(Effect.ASK, reason, min(asks, key=naming).id, must, doubtful), asks
    if allows and not doubts:
        return Said(Effect.ALLOW, Reason.RULE_ALLOW, allows[0].id), []
    return Said(
        Effect.ASK, Reason.DOUBTFUL if doubts else Reason.NO_RULE, None, False, doubtful
    ), []


def naming(rule: Rule) -> tuple[bool, int, str]:
    return (not must_ask(rule), list(Origin).index(rule.origin), rule.id)


def must_ask(rule: Rule) -> bool:
    """POL-20: an ask from a list is must_ask unless it is a tool policy's."""
    if rule.effect is not Effect.ASK:
        return False
    return rule.must_ask or rule.origin not in (Origin.DATABASE, Origin.TOOL_POLICY)


def firm(rule: Rule) -> bool:
    """POL-22: an ask that a person wrote, or must_ask, or routed to others."""
    policy = rule.approval
    routed = policy is not None and (
        policy.approver in (Approver.OPERATOR, Approver.ADMIN)
        or policy.role is not None
        or policy.approvers is not None
        or policy.quorum not in (None, 1)
    )
    return rule.must_ask or routed or not (rule.seeded or catch_all(rule))


def catch_all(rule: Rule) -> bool:
    rest = (rule.path_pattern, rule.pattern, rule.when, rule.unless)
    owner = (rule.agent_id, rule.source, rule.user_id)
    return rule.tool_pattern == "*" and not any(rest) and not any(owner)


def applies(rule: Rule, call: ToolCall) -> bool:
    """POL-14: a condition that fails never loosens."""
    try:
        if rule.when is not None and not compile_condition(rule.when)(call):
            return False
        return rule.unless is None or not compile_condition(rule.unless)(call)
    except ConditionFailed:
        return rule.effect is not Effect.ALLOW


def fails(rule: Rule, call: ToolCall) -> bool:
    try:
        applies_cleanly = rule.when is None or compile_condition(rule.when)(call)
        if applies_cleanly and rule.unless is not None:
            compile_condition(rule.unless)(call)
    except ConditionFailed:
        return True
    return False


def in_scope(rule: Rule, call: ToolCall) -> bool:
    return (
        rule.agent_id in (None, "", call.agent_id)
        and rule.source in (None, "", call.source)
        and rule.user_id in (None, "", call.user_id)
    )


# -- what a rule matches ------------------------------------------------------------------------


def matches(rule: Rule, target: Target, world: World, *, listed: bool) -> str:
    if not in_scope(rule, world.call):
        return OTHER
    if rule.kind in KIND_OPERATIONS or rule.path_pattern is not None or is_class(rule):
        if target.kind is TargetKind.NAME and is_class(rule) and rule.path_pattern is None:
            return OTHER
        return path_matches(rule, target, world, listed)
    if rule.kind in ("skill", "agent"):
        if target.kind.value != rule.kind:
            return OTHER
        return name_matches(rule.pattern or "", target.tool or "", rule.effect)
    if rule.kind == "shell":
        if target.kind is not TargetKind.COMMAND:
            return OTHER
        return command_matches(rule, target, line_of(world, target), world.facts)
    if rule.kind == "web":
        return host_matches(rule, target)
    if rule.kind == "mcp":
        return pair_matches(rule, target)
    if rule.pattern is not None:  # a row of the table, whose pattern is read for what it meets
        if not tool_matches(rule, world.call, listed):
            return OTHER
        if target.kind is TargetKind.COMMAND:
            return command_matches(rule, target, line_of(world, target), world.facts)
        if target.kind is TargetKind.HOST:
            return host_matches(rule, target)
        return pair_matches(rule, target) if ":" in rule.pattern or rule.pattern == "*" else OTHER
    if not target.own:
        return OTHER
    if tool_matches(rule, world.call, listed):
        return SAME
    name = world.call.written_name
    if rule.effect is Effect.ALLOW or not glob(fold(rule.tool_pattern), skeleton(name)):
        return OTHER
    return ALIKE


def line_of(world: World, target: Target) -> str:
    line = world.call.arguments.get("command")
    return line if isinstance(line, str) else target.text


def about_tools(rule: Rule, target: Target) -> bool:
    """Whether a rule is about names of tools or pairs, and not about what a call touches."""
    if is_class(rule) or rule.path_pattern is not None:
        return False
    if rule.kind is None and rule.pattern is not None:
        return target.kind is TargetKind.MCP
    return rule.kind in ("tool", "mcp", None)


def spells_out(rule: Rule, target: Target) -> bool:
    """A tool that some rule names exactly is known, and is no look-alike of another."""
    return about_tools(rule, target) and "*" not in (rule.pattern or rule.tool_pattern)


def is_class(rule: Rule) -> bool:
    return rule.tool_pattern in CLASSES


def glob(pattern: str, text: str) -> bool:
    expression = ".*".join(re.escape(piece) for piece in pattern.split("*"))
    return re.fullmatch(expression, text, re.DOTALL) is not None


def name_matches(pattern: str, name: str, effect: Effect) -> str:
    if glob(pattern, name):
        return SAME
    alike = effect is not Effect.ALLOW and glob(fold(pattern), skeleton(name))
    return ALIKE if alike else OTHER


def tool_matches(rule: Rule, call: ToolCall, listed: bool) -> bool:
    """POL-2, POL-11, POL-46: `mcp__S__G` is a pair; a list's glob allows no MCP tool."""
    if rule.kind not in (None, "tool"):
        return True
    pattern = rule.tool_pattern
    if is_class(rule):
        return True
    name = call.written_name
    targeted = rule.path_pattern is not None or rule.pattern is not None
    if rule.effect is not Effect.ALLOW or targeted:
        return glob(pattern, name)
    if pattern.startswith("mcp__"):
        server, _, tool = pattern.removeprefix("mcp__").partition("__")
        if call.server is None:
            return False
        if "*" in server and listed:
            return False
        return glob(server, call.server) and glob(tool or "*", call.tool)
    if call.server is None:
        return glob(pattern, name)
    return not listed and "*" in pattern and glob(pattern, name)


def pair_matches(rule: Rule, target: Target) -> str:
    if target.kind is not TargetKind.MCP:
        return OTHER
    pattern = "*:*" if rule.pattern == "*" else rule.pattern or ""
    for separator in (" :: ", ":"):
        server, found, tool = pattern.partition(separator)
        if found:
            break
    if glob(server, target.server or "") and glob(tool, target.tool or ""):
        return SAME
    alike = glob(fold(server), skeleton(target.server or "")) and glob(
        fold(tool), skeleton(target.tool or "")
    )
    return ALIKE if alike and rule.effect is not Effect.ALLOW else OTHER


def host_of(rule: Rule) -> HostPattern | None:
    if rule.kind not in ("web", None) or rule.pattern is None:
        return None
    try:
        return compile_host(rule.pattern)
    except RuleSyntaxError:
        return None


def host_matches(rule: Rule, target: Target) -> str:
    if target.kind is not TargetKind.HOST:
        return OTHER
    strict = rule.effect is Effect.ALLOW
    pattern = host_of(rule)
    if pattern is None:
        return OTHER
    places = [] if target.host is None else [(target.host, target.scheme, target.port)]
    if not strict:
        places += [(other, None, None) for other in target.alternatives]
        if not places and pattern.any_host:
            return SAME
    how = OTHER
    for host, scheme, port in places:
        if pattern.fits_host(host):
            if pattern.fits_place(scheme, port, strict=strict):
                return SAME
        elif not strict and pattern.looks_like(skeleton(displayed_host(host))):
            how = ALIKE
    return how


def is_address(host: str) -> bool:
    return ":" in host or host.rpartition(".")[2].isdigit()


# -- paths --------------------------------------------------------------------------------------


def path_matches(rule: Rule, target: Target, world: World, listed: bool) -> str:
    if target.kind is not TargetKind.PATH:
        return OTHER
    if not is_class(rule) and rule.kind is None and not tool_matches(rule, world.call, listed):
        return OTHER
    strict = rule.effect is Effect.ALLOW
    operations = CLASSES.get(rule.tool_pattern) or KIND_OPERATIONS[rule.kind or "path"]
    if target.operation not in operations and (strict or target.operation is not Operation.ANY):
        return OTHER
    if rule.path_pattern is None or everything(rule):
        if strict:
            return SAME if target.path and target.resolved else OTHER
        return SAME
    spellings = [(target.path, world.call.workspace)] if target.path else []
    if target.resolved is not None:
        spellings.append((target.resolved, resolved_workspace(target, world)))
    if strict:
        if target.path is None or target.resolved is None:
            return OTHER
        fits = [one_path(rule, path, place, world.facts) for path, place in spellings]
        return SAME if all(fit == SAME for fit in fits) else OTHER
    spellings += [(other, world.call.workspace) for other in target.alternatives]
    fits = [one_path(rule, path, place, world.facts) for path, place in spellings]
    return SAME if SAME in fits else ALIKE if ALIKE in fits else OTHER


def everything(rule: Rule) -> bool:
    texts = ("**", "/**", "*") if rule.kind is None else ("/**",)
    loose = () if rule.effect is Effect.ALLOW else ("**", "*")
    return rule.path_pattern in texts + loose


def resolved_workspace(target: Target, world: World) -> str | None:
    place = world.call.workspace
    if place is None or target.resolved == target.path:
        return place
    return world.facts.resolve(place) or place


def one_path(rule: Rule, path: str, workspace: str | None, facts: FakeFacts) -> str:
    expression = path_expression(rule, workspace, facts)
    if expression is None:
        return OTHER
    if re.fullmatch(expression, path, re.DOTALL):
        return SAME
    if facts.ignore_case and re.fullmatch(expression, path, re.DOTALL | re.IGNORECASE):
        return SAME
    folded = path_expression(rule, workspace, facts, folded=True)
    seen = "/".join(fold(part) for part in path.split("/"))
    alike = rule.effect is not Effect.ALLOW and re.fullmatch(folded or "", seen, re.DOTALL)
    return ALIKE if alike else OTHER


def path_expression(
    rule: Rule, workspace: str | None, facts: FakeFacts, *, folded: bool = False
) -> str | None:
    """POL-12 for rows of the table, POL-13 for text rules, as a regular expression for a whole path."""
    pattern = rule.path_pattern or ""
    strict = rule.effect is Effect.ALLOW
    below = ""
    if pattern.startswith("~/"):
        pattern = f"{facts.home}{pattern[1:]}"
    if rule.kind is None:
        if pattern.endswith("/*"):
            pattern = pattern[:-2] + "/**"
        elif pattern.endswith("*") and not pattern.endswith("**"):
            below = "(?:/.*)?"
    elif not strict:
        below = "(?:/.*)?"
    if not pattern.startswith("/"):
        if pattern.startswith("**") and rule.kind is None:
            pattern = "/" + pattern
        elif rule.kind is not None and not strict:
            pattern = "/**/" + pattern
        elif workspace is None:
            return None
        else:
            pattern = f"{workspace}/{pattern}"
    if folded:
        pattern = fold(pattern)
    expression = ""
    for part in re.split(r"(/\*\*(?=/|$)|\*\*|\*)", pattern):
        if part == "/**":
            expression += "(?:/.*)?"
        elif part == "**":
            expression += ".*"
        elif part == "*":
            expression += "[^/]*"
        else:
            expression += re.escape(part)
    return expression + below


def walk_meets_a_rule(world: World, target: Target) -> bool:
    """POL-36: a deny or ask of people is about something below a folder that is walked."""
    workspace = world.call.workspace
    place = None if workspace is None else PathView(workspace, None).parts
    for rules in (world.lists, world.table):
        for rule in rules:
            about = rule.kind in KIND_OPERATIONS or rule.path_pattern is not None
            if rule.effect is Effect.ALLOW or rule.origin is Origin.BUILT_IN or not about:
                continue
            if not in_scope(rule, world.call):
                continue
            if not tool_matches(rule, world.call, rules is world.lists):
                continue
            compiled = CompiledRule(rule, world.facts)
            if not compiled.for_operation(target.operation):
                continue
            places = ConcernedPlaces()
            for pattern in compiled.paths or ():
                places.add(pattern, compiled)
            for path in {target.path, target.resolved} - {None}:
                parts = PathView(path or "", None).parts
                if any(True for _ in places.reached(parts, place, world.facts)):
                    return True
    return False


# -- what is not known --------------------------------------------------------------------------


def concern(world: World, target: Target) -> bool:
    """POL-31: a deny or ask for shell or paths could be about what cannot be seen."""
    unknown_path = (
        target.kind is TargetKind.PATH and target.resolved is None and target.doubt is None
    )
    unknown_host = target.kind is TargetKind.HOST and target.host is None and target.doubt is None
    if not target.opaque and not unknown_path and not unknown_host:
        return False
    for rules in (world.lists, world.table):
        for rule in rules:
            about_paths = (
                rule.kind in KIND_OPERATIONS or rule.path_pattern is not None or is_class(rule)
            )
            about_shell = rule.kind == "shell" or (rule.kind is None and rule.pattern is not None)
            if (
                rule.effect is not Effect.ALLOW
                and rule.origin is not Origin.BUILT_IN
                and in_scope(rule, world.call)
                and tool_matches(rule, world.call, rules is world.lists)
                and (
                    host_of(rule) is not None
                    if unknown_host
                    else about_paths or (about_shell and target.opaque)
                )
            ):
                return True
    return False
