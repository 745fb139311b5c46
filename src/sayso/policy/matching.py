"""Which rules match a path, a host, a skill or an agent that a call touches (POL-12, POL-45)."""

from __future__ import annotations

from collections.abc import Iterable

from sayso.core.call import ToolCall
from sayso.core.operation import Operation
from sayso.core.target import Target
from sayso.policy.compiled import CompiledRule
from sayso.policy.facts import Facts
from sayso.policy.layer import Patterned
from sayso.policy.path_index import LOOKS_LIKE, MATCHES, NO_MATCH, PathIndex, PathView, Place
from sayso.policy.patterns.glob import glob_matches
from sayso.policy.patterns.path import PathPattern
from sayso.policy.spelling import skeleton


class PathMatcher:
    """One path target, ready to be compared with any number of rules.

    A deny or ask matches if one spelling does; an allow only if the path as written and the resolved
    one both do. `workspace` is the call's working directory in normal form.
    """

    __slots__ = (
        "_case", "_facts", "_resolved", "_target", "_views", "_workspace",
        "_written",
    )  # fmt: skip

    def __init__(self, target: Target, workspace: Place | None, facts: Facts) -> None:
        self._target = target
        self._facts = facts
        self._case: bool | None = None
        self._workspace = workspace
        self._written: PathView | None = None
        self._resolved: PathView | None = None
        if target.path is not None:
            self._written = PathView(target.path, workspace)
            if target.resolved == target.path:
                self._resolved = self._written
            elif target.resolved is not None:
                real = None if workspace is None else facts.resolve(workspace.path)
                there = workspace if real is None else Place(real, windows=facts.windows)
                self._resolved = PathView(target.resolved, there)
        self._views = [] if self._written is None else [self._written]
        if self._resolved is not None and self._resolved is not self._written:
            self._views.append(self._resolved)
        if target.alternatives:
            self._views += [PathView(other, workspace) for other in target.alternatives]

    def match(
        self, indexes: Iterable[PathIndex], call: ToolCall, looks: list[CompiledRule]
    ) -> list[CompiledRule]:
        """The rules that match; denies and asks that only a look-alike would match go to `looks`."""
        found: list[CompiledRule] = []
        operation = self._target.operation
        for index in indexes:
            if self._views:
                candidates = index.find(self._views[0])
                for view in self._views[1:]:
                    candidates += index.find(view)
            else:
                candidates = index.everything
            for rule in dict.fromkeys(candidates) if len(candidates) > 1 else candidates:
                if rule.scoped and not rule.in_scope(call):
                    continue
                if rule.operations is not None and not rule.for_operation(operation):
                    continue
                fit = self._fit(rule)
                if fit == MATCHES:
                    found.append(rule)
                elif fit == LOOKS_LIKE:
                    looks.append(rule)
        return found

    def reached(self, indexes: Iterable[PathIndex], call: ToolCall) -> CompiledRule | None:
        """A deny or ask of people about something below the path, which is walked (POL-36)."""
        workspace = None if self._workspace is None else self._workspace.parts
        views = [view for view in (self._written, self._resolved) if view is not None]
        for index in indexes:
            for view in views:
                for rule in index.places.reached(view.parts, workspace, self._facts):
                    if rule.in_scope(call) and rule.for_operation(self._target.operation):
                        return rule
        return None

    def _fit(self, rule: CompiledRule) -> int:
        if rule.critical:
            return MATCHES if self._is_removal() and self._is_critical() else NO_MATCH
        patterns = rule.paths or ()
        if rule.strict:
            written, resolved = self._written, self._resolved
            if written is None or resolved is None:
                return NO_MATCH
            if self._one(written, patterns) < MATCHES:
                return NO_MATCH
            if resolved is not written and self._one(resolved, patterns) < MATCHES:
                return NO_MATCH
            return MATCHES
        if rule.every_path:
            return MATCHES
        fit = NO_MATCH
        for view in self._views:
            fit = max(fit, self._one(view, patterns))
            if fit == MATCHES:
                break
        if fit and rule.exceptions and self._excepted(rule):
            return NO_MATCH
        return fit

    def _one(self, view: PathView, patterns: tuple[PathPattern, ...]) -> int:
        fit = view.fits(patterns)
        if fit == LOOKS_LIKE and self._ignores_case() and view.fits_ignoring_case(patterns):
            return MATCHES
        return fit

    def _excepted(self, rule: CompiledRule) -> bool:
        """Whether every known spelling is an exception of the rule; an unknown one is none."""
        if self._resolved is None:
            return False
        return all(view.fits(rule.exceptions) == MATCHES for view in self._views)

    def _ignores_case(self) -> bool:
        if self._case is None:
            known = self._facts.windows or self._facts.ignores_case(self._target.path or "/")
            self._case = bool(known)
        return self._case

    def _is_removal(self) -> bool:
        """Whether the path may be taken away; an operand of a program not known hardly is (`lint .`)."""
        return self._target.operation is Operation.DELETE or self._target.command is None

    def _is_critical(self) -> bool:
        """Whether the path is the root, the home, the workspace or a parent, or could be one."""
        if self._resolved is None:
            return True
        places = ["/"]
        places += [] if self._workspace is None else [self._workspace.path]
        places += [] if self._facts.home is None else [self._facts.home]
        places += [real for real in map(self._facts.resolve, places[1:]) if real is not None]
        others = [PathView(place.replace("\\", "/"), None) for place in places]
        return any(view.holds(other) for view in self._views for other in others)


def match_named(
    target: Target, groups: Iterable[Patterned], call: ToolCall, looks: list[CompiledRule]
) -> list[CompiledRule]:
    """The rules for a skill or an agent that match; those for one that it looks like go to `looks`."""
    found: list[CompiledRule] = []
    name = target.tool or ""
    for group in groups:
        for rule in group.named:
            if rule.named is None or rule.named_kind != target.kind.value:
                continue
            if rule.scoped and not rule.in_scope(call):
                continue
            if glob_matches(rule.named.glob, name):
                found.append(rule)
            elif not rule.strict and rule.named.looks_like(skeleton(name)):
                looks.append(rule)
    return found
