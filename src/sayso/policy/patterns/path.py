"""Patterns for paths, in two grammars: of the rule table (POL-12) and of text rules (POL-13).

Both become one list of segments, matched component by component: a literal, a glob that stays within
its component, or `**` for any number of components.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from sayso.errors import RuleSyntaxError
from sayso.policy.paths import components, is_absolute
from sayso.policy.patterns.glob import Glob, fold_glob, glob_matches, parse_glob
from sayso.policy.spelling import fold, normal

DEEP: Glob = ()
"""The segment `**`."""

MAX_MIXED = 3

_STAR: Glob = ("", "")
_EVERY_PATH = ((DEEP,), (DEEP, _STAR), (DEEP, _STAR, DEEP))


class PathPattern:
    """One compiled pattern for paths; `anchored` means below the workspace, else from the root.

    `folded` are the segments as they look. `subtree` and `depth` are set where all segments are
    literal but for a last `**`: the commonest form, compared at once.
    """

    __slots__ = ("anchored", "depth", "everything", "folded", "segments", "subtree")

    def __init__(self, segments: tuple[Glob, ...], anchored: bool) -> None:
        self.segments = segments
        self.anchored = anchored
        self.folded = tuple(fold_glob(segment, fold_component) for segment in segments)
        self.everything = not anchored and segments in _EVERY_PATH
        self.subtree: list[str] | None = None
        self.depth = len(segments) - 1
        if segments and segments[-1] == DEEP and all(len(s) == 1 for s in segments[:-1]):
            self.subtree = [segment[0] for segment in segments[:-1]]

    def matches(self, parts: list[str]) -> bool:
        """Whether the components (below the workspace, if anchored) fit."""
        if self.subtree is not None:
            return parts[: self.depth] == self.subtree
        return _segments_match(self.segments, parts)

    def looks_like(self, parts: list[str]) -> bool:
        """Whether components fit that look like these (folded by `fold_component`)."""
        return _segments_match(self.folded, parts)

    def matches_ignoring_case(self, parts: list[str]) -> bool:
        """Whether the components fit where the file system ignores case."""
        segments = tuple(fold_glob(segment, str.casefold) for segment in self.segments)
        return _segments_match(segments, [part.casefold() for part in parts])


def fold_component(name: str) -> str:
    """What a component of a path looks like, without case; it never gains a separator."""
    return fold(name).replace("/", "\u2215")


def _segments_match(segments: tuple[Glob, ...], parts: list[str]) -> bool:
    position, index, count = 0, 0, len(segments)
    while index < count and segments[index] != DEEP:  # anchored at the start
        if position >= len(parts) or not glob_matches(segments[index], parts[position]):
            return False
        index += 1
        position += 1
    if index == count:
        return position == len(parts)
    end = len(parts)
    while segments[count - 1] != DEEP:  # anchored at the end
        if end <= position or not glob_matches(segments[count - 1], parts[end - 1]):
            return False
        count -= 1
        end -= 1
    run: list[Glob] = []
    for segment in segments[index + 1 : count]:  # each run between two `**`, as early as it fits
        if segment != DEEP:
            run.append(segment)
            continue
        if run:
            position = _find(run, parts, position, end)
            if position < 0:
                return False
            run = []
    return True


def _find(run: list[Glob], parts: list[str], start: int, end: int) -> int:
    for place in range(start, end - len(run) + 1):
        if all(glob_matches(glob, parts[place + i]) for i, glob in enumerate(run)):
            return place + len(run)
    return -1


def compile_table_path(
    text: str, home: str | None, *, windows: bool, strict: bool
) -> list[PathPattern]:
    """Compile a path pattern of the rule table; `strict` is an allow.

    Relative ones are anchored at the workspace; a trailing `*` crosses components. An empty list
    means that it cannot match (an unknown home). Raises RuleSyntaxError.
    """
    text = _prepare(text, windows=windows)
    crossing = text.endswith("*") and not text.endswith(("**", "\\*"))
    absolute = _expand(text, home, windows=windows, strict=strict)
    if absolute is None:
        return []
    anchored, body = absolute
    if crossing and body.endswith("/*"):
        body = body[:-1] + "**"
    elif crossing and body == "*":
        body = "**"
    elif crossing:
        body += "/**"
    if body.startswith("**"):
        anchored = False
    return _compile(body, anchored, windows=windows)


def compile_text_path(
    text: str, home: str | None, *, windows: bool, strict: bool
) -> list[PathPattern]:
    """Compile the path of a text rule; `strict` is an allow.

    A strict pattern is anchored at the workspace if it is relative. Others float to any depth and
    cover all below. An empty list means that it cannot match. Raises RuleSyntaxError.
    """
    return list(_text_path(text, home, windows, strict))


@functools.lru_cache(maxsize=4096)
def _text_path(text: str, home: str | None, windows: bool, strict: bool) -> tuple[PathPattern, ...]:
    """The patterns of one text; kept, for the built-in rules are compiled anew with every change."""
    text = _prepare(text, windows=windows)
    expanded = _expand(text, home, windows=windows, strict=strict)
    if expanded is None:
        return ()
    anchored, body = expanded
    floating = anchored and not strict
    return tuple(_compile(body, anchored, windows=windows, floating=floating, below=not strict))


def with_resolved_prefix(
    pattern: PathPattern, resolve: Callable[[str], str | None]
) -> PathPattern | None:
    """The pattern with its fixed part resolved (links); None where that changes nothing (POL-13)."""
    if pattern.anchored:
        return None
    fixed: list[str] = []
    for segment in pattern.segments:
        if len(segment) != 1:
            break
        fixed.append(segment[0])
    if not fixed:
        return None
    drive = len(fixed[0]) == 2 and fixed[0][1] == ":"
    written = "/".join(fixed) if drive else "/" + "/".join(fixed)
    resolved = resolve(written)
    if resolved is None or resolved == written:
        return None
    segments = tuple((part,) for part in components(resolved)) + pattern.segments[len(fixed) :]
    return PathPattern(segments, False)


def _prepare(text: str, *, windows: bool) -> str:
    if not text:
        raise RuleSyntaxError("the path is empty", "write `**` for every path")
    if "\x00" in text:
        raise RuleSyntaxError("the path contains a NUL character", column=text.index("\x00") + 1)
    return normal(text).replace("\\", "/") if windows else normal(text)


def _expand(text: str, home: str | None, *, windows: bool, strict: bool) -> tuple[bool, str] | None:
    """Whether the pattern is anchored at the workspace, and its body; None if it cannot match."""
    if text == "~" or text.startswith("~/"):
        if home is None:
            # The home is unknown: a deny or an ask holds in every directory, an allow in none.
            return None if strict else (False, "**" + text[1:])
        home = home.replace("\\", "/") if windows else home.replace("\\", "\\\\")
        return False, home.replace("*", "\\*").rstrip("/") + text[1:]
    return not is_absolute(text, windows=windows), text


def _compile(
    body: str, anchored: bool, *, windows: bool, floating: bool = False, below: bool = False
) -> list[PathPattern]:
    choices: list[list[Glob]] = [[DEEP] if floating else []]
    mixed = 0
    for name in _names(body):
        ways = _segment(name, windows=windows)
        mixed += len(ways) > 1
        if mixed > MAX_MIXED:
            raise RuleSyntaxError(
                f"more than {MAX_MIXED} names mix `**` with other letters",
                "write `**` between slashes",
            )
        choices = [[*choice, *way] for choice in choices for way in ways]
    ending = [DEEP] if below else []
    return [PathPattern(_squeeze(choice + ending), anchored and not floating) for choice in choices]


def _names(body: str) -> list[str]:
    names: list[str] = []
    for name in body.split("/"):
        if name == "..":
            if names and "*" in names[-1]:
                raise RuleSyntaxError("`..` after a `*` has no fixed meaning", "leave out the `..`")
            if names:
                names.pop()
            elif not body.startswith("/"):
                raise RuleSyntaxError(
                    "a path that leaves the workspace must be absolute", "write it from `/` or `~`"
                )
        elif name not in ("", "."):
            names.append(name)
    return names


def _segment(name: str, *, windows: bool) -> list[list[Glob]]:
    if name.strip("*") == "" and len(name) >= 2:
        return [[DEEP]]
    glob = parse_glob(name, escapes=not windows)
    for place in range(1, len(glob) - 1):
        if glob[place] == "":  # `a**b`: within one component, or across
            first, last = (*glob[:place], ""), ("", *glob[place + 1 :])
            within = (*glob[:place], *glob[place + 1 :])
            return [[within], [_one(first), DEEP, _one(last)]]
    return [[glob]]


def _one(glob: Glob) -> Glob:
    """The glob without stars that stand beside each other."""
    kept = [glob[0]]
    kept += [piece for piece in glob[1:-1] if piece]
    return (*kept, glob[-1]) if len(glob) > 1 else glob


def _squeeze(segments: list[Glob]) -> tuple[Glob, ...]:
    kept: list[Glob] = []
    for segment in segments:
        if not (segment == DEEP and kept and kept[-1] == DEEP):
            kept.append(segment)
    return tuple(kept)
