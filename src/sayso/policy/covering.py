"""Whether one pattern matches whatever another does, as both are written: for lint, never for a verdict.

"No" may be wrong, for a finding that is no fault costs more trust than one missed. "Yes" leaves aside
what makes an allow stricter than its words: links, wrappers, options that run programs.
"""

from __future__ import annotations

from sayso.policy.compiled import CompiledRule
from sayso.policy.patterns.command import CommandPattern
from sayso.policy.patterns.glob import Glob, glob_matches
from sayso.policy.patterns.host import ANY_PORT, HostPattern
from sayso.policy.patterns.path import DEEP, PathPattern
from sayso.policy.patterns.tool import CLASS_OPERATIONS, ToolPattern
from sayso.policy.rule import Rule

_STAR = "\ue000"
"""Stands for a star of the covered pattern: only a star of the covering one fits it."""

MAX_SEGMENTS = 64


def covers(wide: CompiledRule, narrow: CompiledRule) -> bool:
    """Whether the patterns of the first match every target that those of the second do.

    Effects, conditions and priorities are not looked at.
    """
    if wide.problem is not None or narrow.problem is not None or wide.exceptions:
        return False
    if not _scope_covers(wide.rule, narrow.rule):
        return False
    if not tool_covers(wide.tool, narrow.tool):
        return False
    if not wide.targeted:
        # It matches a call's own targets; a rule with a target pattern can be about derived ones too.
        return not narrow.targeted or narrow.command is not None or narrow.named is not None
    if not narrow.targeted:
        return False
    sorts = (
        (narrow.paths, _paths_cover),
        (narrow.host, _host_covers),
        (narrow.pair, _pair_covers),
        (narrow.command, _command_covers),
        (narrow.named, _named_covers),
    )
    return all(check(wide, narrow) for pattern, check in sorts if pattern is not None)


def _scope_covers(wide: Rule, narrow: Rule) -> bool:
    return all(
        not of_wide or of_wide == of_narrow
        for of_wide, of_narrow in (
            (wide.agent_id, narrow.agent_id),
            (wide.source, narrow.source),
            (wide.user_id, narrow.user_id),
        )
    )


def tool_covers(wide: ToolPattern, narrow: ToolPattern) -> bool:
    """Whether every tool's name that fits the second pattern fits the first."""
    if wide.everything or wide.text == narrow.text:
        return True
    return wide.server is None and narrow.server is None and glob_covers(wide.glob, narrow.glob)


def glob_covers(wide: Glob, narrow: Glob) -> bool:
    """Whether every word that fits the second glob fits the first."""
    return glob_matches(wide, _STAR.join(narrow))


def _paths_cover(wide: CompiledRule, narrow: CompiledRule) -> bool:
    if wide.paths is None or narrow.paths is None or not wide.paths or not narrow.paths:
        return False
    if wide.operations is not None and (
        narrow.operations is None or not narrow.operations <= wide.operations
    ):
        return False
    if narrow.rule.tool_pattern in CLASS_OPERATIONS and narrow.rule.path_pattern is None:
        return wide.every_path
    return all(any(path_covers(w, n) for w in wide.paths) for n in narrow.paths)


def path_covers(wide: PathPattern, narrow: PathPattern) -> bool:
    """Whether every path that fits the second pattern fits the first."""
    if wide.everything:
        return True
    first, second = wide.segments, narrow.segments
    if narrow.anchored and not wide.anchored:
        second = (DEEP, *second)  # somewhere below the root, and where is not known
    elif wide.anchored and not narrow.anchored:
        return False
    if max(len(first), len(second)) > MAX_SEGMENTS:
        return first == second
    return _segments_cover(first, second)


def _segments_cover(wide: tuple[Glob, ...], narrow: tuple[Glob, ...]) -> bool:
    """Row by row: `fits[j]` tells whether what is left of `wide` covers what is left from j."""
    fits = [False] * len(narrow) + [True]
    for segment in reversed(wide):
        now = [False] * (len(narrow) + 1)
        for j in range(len(narrow), -1, -1):
            if segment == DEEP:
                now[j] = fits[j] or (j < len(narrow) and now[j + 1])
            elif j < len(narrow) and narrow[j] != DEEP:
                now[j] = fits[j + 1] and glob_covers(segment, narrow[j])
        fits = now
    return fits[0]


def _host_covers(wide: CompiledRule, narrow: CompiledRule) -> bool:
    first, second = wide.host, narrow.host
    if first is None or second is None:
        return False
    if first == second:
        return True
    return _place_covers(first, second, strict=wide.strict) and _name_covers(first, second)


def _place_covers(wide: HostPattern, narrow: HostPattern, *, strict: bool) -> bool:
    if wide.scheme is not None and wide.scheme != narrow.scheme:
        return False
    if wide.scheme is None and narrow.scheme not in (None, "http", "https"):
        return False
    if wide.port in (ANY_PORT, narrow.port):
        return True
    return wide.port is None and not strict


def _name_covers(wide: HostPattern, narrow: HostPattern) -> bool:
    if wide.any_host:
        return True
    if narrow.any_host or narrow.cls is not None or narrow.stem is not None:
        return wide.cls is not None and wide.cls == narrow.cls
    named = narrow.host or f"a.{narrow.parent}"
    return wide.fits_host(named) if wide.parent or narrow.host else False


def _pair_covers(wide: CompiledRule, narrow: CompiledRule) -> bool:
    if wide.pair is None or narrow.pair is None:
        return False
    return glob_covers(wide.pair.server, narrow.pair.server) and glob_covers(
        wide.pair.tool, narrow.pair.tool
    )


def _named_covers(wide: CompiledRule, narrow: CompiledRule) -> bool:
    if wide.named is None or narrow.named is None or wide.named_kind != narrow.named_kind:
        return False
    return glob_covers(wide.named.glob, narrow.named.glob)


def _command_covers(wide: CompiledRule, narrow: CompiledRule) -> bool:
    if wide.command is None or narrow.command is None:
        return False
    return command_covers(wide.command, narrow.command)


def command_covers(wide: CommandPattern, narrow: CommandPattern) -> bool:
    """Whether every command that fits the words of the second pattern fits those of the first."""
    if wide.everything:
        return True
    if wide.expression is not None or narrow.expression is not None:
        return wide.expression is not None and wide.expression == narrow.expression
    first, second = wide.globs, narrow.globs
    if len(second) < len(first):
        return False
    if not wide.open_end and (narrow.open_end or len(second) > len(first)):
        return False
    return all(glob_covers(w, n) for w, n in zip(first, second, strict=False))
