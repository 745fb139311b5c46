"""Paths in the normal form that rules match: absolute, `..` collapsed, `~` resolved (POL-12, POL-40a).

Links are not followed here: that is a question to `Facts`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import unquote

from msgspec import Struct

from sayso.policy.facts import Facts
from sayso.policy.spelling import hidden_character, normal

_PROCESS = re.compile(
    r"/proc/(?:self|thread-self|\d+)(?:/task/\d+)?(?:/(root|cwd|fd|map_files)(/.*)?)?"
)
_PROCESS_VIEW = re.compile(
    r"/proc/(?:(?:self|thread-self)|\d+(?:/task/\d+)?/(?:root|cwd|fd|map_files))(?:/|$)"
)
_DESCRIPTOR = re.compile(r"/dev/(?:fd(?:/|$)|stdin$|stdout$|stderr$)")
_ESCAPED = re.compile(r"%(?:2e|2f|5c|25|00)", re.IGNORECASE)
_DRIVE = re.compile(r"[A-Za-z]:(?:/|$)")
_SHORT_NAME = re.compile(r"~\d")
_PLAIN_RELATIVE = re.compile(r"[\w+@-][\w+@.-]*(?:/[\w+@-][\w+@.-]*)*/?\Z", re.ASCII)
_PLAIN_FOLDER = re.compile(r"(?:/[\w+@-][\w+@.-]*)+\Z", re.ASCII)


class NormalPath(Struct, frozen=True):
    """A path in normal form.

    `path` is absolute and normalised, None if nothing can be said; `raw` is absolute and otherwise as
    written, for following links: two spellings of one letter are two names to a file system, and
    `..` counts where it stands. `alternatives` are further places it may mean, for deny and ask rules
    only. `doubt` says why it cannot be verified.
    """

    path: str | None
    raw: str | None = None
    alternatives: tuple[str, ...] = ()
    doubt: str | None = None


def normalise(text: str, workspace: str | None, facts: Facts) -> NormalPath:
    """Bring a path as an agent wrote it into normal form; `workspace` is absolute or None."""
    if (
        text[:1] == "/"
        and text.isascii()
        and text.isprintable()
        and not facts.windows
        and "//" not in text
        and "/." not in text
        and "%" not in text
        and text[:6] != "/proc/"
        and text[:5] != "/dev/"
        and text[-1] != " "
    ):
        path = text if text[-1] != "/" or text == "/" else text[:-1]
        return NormalPath(path, path)
    if (
        workspace is not None
        and not facts.windows
        and _PLAIN_RELATIVE.match(text)
        and _is_plain_folder(workspace)
    ):
        place = f"{workspace}/{text}"
        return NormalPath(place.removesuffix("/"), place)
    return _normalise(text, workspace, facts)


@lru_cache(maxsize=256)
def _is_plain_folder(path: str) -> bool:
    """Whether names below a folder need nothing but to be written behind it."""
    return _PLAIN_FOLDER.match(path) is not None and not f"{path}/".startswith(("/proc/", "/dev/"))


def _normalise(text: str, workspace: str | None, facts: Facts) -> NormalPath:
    if not text:
        return NormalPath(None, doubt="the path is empty")
    if "\x00" in text:
        return NormalPath(None, doubt="the path contains a NUL character")
    doubts: list[str] = []
    alternatives: list[str] = []
    hidden = hidden_character(text)
    if hidden is not None:
        doubts.append(f"the path contains the character {hidden}, which is not seen as what it is")
    if text != text.strip(" "):
        doubts.append("the path starts or ends with a blank, which some programs drop")
        alternatives.append(text.strip(" "))
    if text[:5].lower() == "file:":
        doubts.append("it is a URL, not a path")
        rest = text[5:]
        text = unquote("/" + rest[2:].partition("/")[2] if rest.startswith("//") else rest) or "/"
    if _ESCAPED.search(text):
        doubts.append("the path contains percent escapes")
        alternatives.append(unquote(unquote(text)))
    for variable in ("$HOME", "${HOME}"):
        if text == variable or text.startswith(variable + "/"):
            alternatives.append("~" + text[len(variable) :])
    place = _absolute(text, workspace, facts, doubts)
    path = None if place is None else normal(collapse(place))
    others = []
    for other in alternatives:
        meant = None if "\x00" in other else _absolute(other, workspace, facts, [])
        if meant is not None:
            others.append(normal(collapse(meant)))
    if path is not None:
        if facts.windows:
            doubts += _windows_doubts(path)
        view = process_view(path, workspace)
        if view is not None:
            doubts.append(view.doubt or "")
            others += view.alternatives
    return NormalPath(path, place, tuple(others), "; ".join(doubts) or None)


def process_view(path: str, workspace: str | None) -> NormalPath | None:
    """What a path below `/proc/self` and its like means elsewhere; None for all other paths."""
    if path[:6] != "/proc/" and path[:5] != "/dev/":
        return None
    if not (_PROCESS_VIEW.match(path) or _DESCRIPTOR.match(path)):
        return None
    alternatives: tuple[str, ...] = ()
    found = _PROCESS.match(path)
    if found is not None and found[1] == "root":
        alternatives = (found[2] or "/",)
    elif found is not None and found[1] == "cwd" and workspace is not None:
        alternatives = (collapse(f"{workspace}/{found[2] or ''}"),)
    return NormalPath(
        path, path, alternatives, "the path goes through a process's own view of files"
    )


def is_absolute(path: str, *, windows: bool) -> bool:
    """Whether a path with `/` as separator stands on its own."""
    return path.startswith("/") or (windows and _DRIVE.match(path) is not None)


def collapse(path: str) -> str:
    """An absolute path without `.`, `..`, empty components and trailing separators."""
    drive = ""
    if not path.startswith("/"):
        drive, _, path = path.partition("/")
    kept: list[str] = []
    for component in path.split("/"):
        if component == "..":
            if kept:
                kept.pop()
        elif component not in ("", "."):
            kept.append(component)
    return f"{drive}/{'/'.join(kept)}"


def components(path: str) -> list[str]:
    """The components of a path in normal form; a drive is the first, the root has none."""
    parts = path.split("/")
    if parts[0] == "":
        del parts[0]
    if parts and parts[-1] == "":
        del parts[-1]
    return parts


def _absolute(text: str, workspace: str | None, facts: Facts, doubts: list[str]) -> str | None:
    if facts.windows:
        text = text.replace("\\", "/")
    if text == "~" or text.startswith("~/"):
        if facts.home is None:
            doubts.append("the home directory is not known")
            return "/" + text
        return f"{_forward(facts.home, facts)}{text[1:]}"
    if text.startswith("~"):
        doubts.append("it names another user's home directory")
    if is_absolute(text, windows=facts.windows):
        return text
    if workspace is None:
        doubts.append("it is a relative path and the session has no working directory")
        return "/" + text
    return f"{_forward(workspace, facts)}/{text}"


def _forward(path: str, facts: Facts) -> str:
    return path.replace("\\", "/") if facts.windows else path


def _windows_doubts(path: str) -> list[str]:
    parts = components(path)
    names = parts[1:] if parts and _DRIVE.match(parts[0]) else parts
    doubts = []
    if any(name != name.rstrip(". ") for name in names):
        doubts.append("the system drops trailing dots and blanks of a name")
    if any(":" in name for name in names):
        doubts.append("it names a stream of a file")
    if any(_SHORT_NAME.search(name) for name in names):
        doubts.append("it may be a short name of another file")
    return doubts
