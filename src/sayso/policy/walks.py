"""Whether a walk below a folder would read what is denied or asked about, the built-in protection included.

Policy itself asks only where a person's own rule lies below (POL-36). What nobody asked to be allowed, an
implied grant, is held to more: it lifts nothing that could read a protected file on the way (POL-35).
"""

from __future__ import annotations

from collections.abc import Iterator

from sayso.core.call import ToolCall
from sayso.core.operation import Operation
from sayso.core.target import Target
from sayso.policy.compiled import CompiledRule
from sayso.policy.facts import Facts
from sayso.policy.matching import PathMatcher
from sayso.policy.path_index import MATCHES, PathView, Place
from sayso.policy.paths import components
from sayso.policy.patterns.path import DEEP, PathPattern
from sayso.policy.plan import Plan
from sayso.policy.rule import Origin
from sayso.policy.ruleset import RuleSet
from sayso.policy.spelling import normal

_SIGNS = frozenset("?[\\")


def written_below(
    target: Target, call: ToolCall, ruleset: RuleSet, facts: Facts, plan: Plan
) -> bool:
    """Whether a deny or ask that people wrote is about something below the folder, or may be."""
    matcher = PathMatcher(target, ruleset.place(call.workspace, windows=facts.windows), facts)
    return matcher.reached((*plan.list_paths, *plan.table_paths), call) is not None


def protected_below(
    target: Target,
    call: ToolCall,
    ruleset: RuleSet,
    facts: Facts,
    plan: Plan,
    *,
    hidden: bool = True,
) -> bool:
    """Whether something that is protected by itself lies in the folder or directly below, or may.

    As with what people wrote, how deep a walk goes would have to be walked. With `hidden` false the walk
    passes over names that begin with a dot.
    """
    folder = target.resolved
    if folder is None:
        return True
    if facts.glob("*", folder) == () and facts.glob(".*", folder) == ():
        return False  # a file, or nothing: nothing lies below it
    workspace = ruleset.place(call.workspace, windows=facts.windows)
    return any(
        _is_there(pattern, rule, folder, workspace, facts, hidden=hidden)
        for rule in _protecting(plan, call)
        for pattern in rule.paths or ()
    )


def _protecting(plan: Plan, call: ToolCall) -> Iterator[CompiledRule]:
    for group in plan.list_groups:
        for rule in group.rules:
            if (
                rule.rule.origin is Origin.BUILT_IN
                and not rule.strict
                and rule.for_operation(Operation.READ)
                and rule.for_call(call)
            ):
                yield rule


def _is_there(
    pattern: PathPattern,
    rule: CompiledRule,
    folder: str,
    workspace: Place | None,
    facts: Facts,
    *,
    hidden: bool,
) -> bool:
    """Whether a file that fits the pattern, and is no exception of its rule, is where a walk comes by."""
    for glob in _globs(pattern, folder, workspace, hidden=hidden):
        if _SIGNS & set(glob):
            return True  # signs of a name that a glob reads otherwise
        names = facts.glob(glob, folder)
        if names is None:
            return True
        views = [PathView(normal(name.replace("\\", "/")), workspace) for name in names]
        if any(view.fits(rule.exceptions) != MATCHES for view in views):
            return True
    return False


def _globs(
    pattern: PathPattern, folder: str, workspace: Place | None, *, hidden: bool
) -> Iterator[str]:
    """Where to look for what a pattern names, as globs that are relative to the folder, or absolute."""
    segments = pattern.segments
    floats = segments[:1] == (DEEP,) and not pattern.anchored
    steps = []
    for segment in segments[1:] if floats else segments:
        if segment == DEEP:
            break
        steps.append("*".join(segment))
    text = "/".join(steps)
    if not text:
        return
    if floats:
        if hidden or not text.startswith("."):
            yield text
            yield f"*/{text}"
        return
    above = [] if not pattern.anchored or workspace is None else workspace.parts
    parts, here = [*above, *steps], components(folder)
    if parts[: len(here)] == here and len(parts) > len(here):
        yield "/" + "/".join(parts)
