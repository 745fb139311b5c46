"""Path patterns of other gates as patterns of `path(…)` and its like.

Two grammars: that of gitignore, where a `*` stays within one component, and plain wildcards, where it
crosses them. An allow covers no path that the other does not, a deny or ask misses none: there a
relative pattern floats to any depth, and all below a match is hit too (POL-13). In both `X/**` is taken
to mean the folder `X` too.
"""

from __future__ import annotations

import re

EVERYTHING = "**"
_ANCHOR = re.compile(r"^(?://|~/|\./|/)")
_ESCAPED = frozenset("*?[]!# \\")


def hit_gitignore(glob: str) -> str:
    """The pattern that hits every path that a gitignore pattern does."""
    anchor, names = _gitignore_names(glob)
    kept: list[str] = []
    for name in names:
        if name != "..":
            kept.append(_wide_name(name))
        elif kept and "*" not in kept[-1]:
            kept.pop()
        else:  # where that leads is not fixed: the rest holds anywhere
            kept, anchor = [], ""
    return _joined(anchor, kept)


def allow_gitignore(glob: str, *, root: str | None) -> str | None:
    """The pattern that covers no path that a gitignore pattern does not; None if there is none.

    `root` is what a leading `/` stands for, written in our grammar: empty for the workspace; None if it
    is not known.
    """
    body = _ANCHOR.sub("", glob).rstrip("/ ")
    if any(name in ("", ".") for name in body.split("/")):
        return None  # no path has such names
    anchor, names = _gitignore_names(glob)
    written = [_narrow_name(name) for name in names]
    kept = [name for name in written if name is not None]
    if ".." in names or not kept or len(kept) < len(written):
        return None
    if glob.rstrip().endswith("/") or ("*" not in kept[-1] and "." not in kept[-1]):
        kept.append("**")  # it looks like the name of a folder
    if glob.startswith("/") and not glob.startswith("//"):
        if root is None:
            return None
        anchor = f"{root}/" if root else ""
    elif not anchor and "/" not in glob.rstrip("/ ") and kept[0] != "**":
        kept.insert(0, "**")  # without a slash it matches at any depth
    return anchor + "/".join(kept)


def hit_wildcard(glob: str) -> str:
    """The pattern that hits every path that a plain wildcard does (`*` and `?` cross components)."""
    anchor, body = _wildcard_anchor(glob)
    names = [_collapsed(name) for name in body.replace("?", "*").split("/")]
    names = [name for name in names if name not in ("", ".")]
    if ".." in names:
        names, anchor = names[len(names) - names[::-1].index("..") :], ""
    if names and names[0].startswith("*"):
        anchor = ""  # the star can begin anywhere, and so does a pattern that floats
    while names and names[0] == "*":
        names = names[1:]
    kept = [
        _crossing(name, first=number == 0, last=number == len(names) - 1)
        for number, name in enumerate(names)
    ]
    return _joined(anchor, kept)


def allow_wildcard(glob: str) -> str | None:
    """The pattern that covers no path that a plain wildcard does not; None if there is none."""
    anchor, body = _wildcard_anchor(glob)
    names = [_collapsed(name) for name in body.split("/")]
    if "?" in glob or any(name in ("", ".", "..") for name in names):
        return None  # it is compared as text, in which no path has such names
    if anchor == "/" and names[0].startswith("*"):
        return None
    kept: list[str] = []
    for number, name in enumerate(names):
        last = number == len(names) - 1
        if name == "*":
            kept += ["**"] if last else ["*", "**"]
        elif name.endswith("*") and last:
            kept += [name, "**"]
        elif name.startswith("*") and "*" not in name[1:]:
            kept += ["**", name]
        else:
            kept.append(name)
    return anchor + "/".join(kept)


def _joined(anchor: str, names: list[str]) -> str:
    """A deny's or ask's pattern; what it ends with, all below, is understood."""
    while names and names[-1] == "**":
        names = names[:-1]
    if not names:
        return anchor.rstrip("/") or EVERYTHING
    return anchor + "/".join(names)


def _wildcard_anchor(glob: str) -> tuple[str, str]:
    """What a wildcard pattern begins at, and the rest of it."""
    body = glob.replace("\\", "/")
    for home in ("~", "$HOME", "${HOME}"):
        if body == home or body.startswith(f"{home}/"):
            return "~/", body[len(home) + 1 :]
    return ("/", body[1:]) if body.startswith("/") else ("", body)


def _collapsed(name: str) -> str:
    return re.sub(r"\*+", "*", name)


def _crossing(name: str, *, first: bool, last: bool) -> str:
    """A name whose star reaches into other components; a leading and a last one do so anyway."""
    if name == "*":
        return "**"
    head = "*" if first and name.startswith("*") else ""
    tail = "*" if last and name.endswith("*") else ""
    middle = name[len(head) : len(name) - len(tail)]
    before, star, rest = middle.partition("*")
    if star:
        middle = f"{before}**{rest.rpartition('*')[2]}"
    return head + middle + tail


def _gitignore_names(glob: str) -> tuple[str, list[str]]:
    """What a gitignore pattern begins at, and its names without `.` and empty ones."""
    body = glob if glob.endswith("\\ ") else glob.rstrip(" ")
    anchor = ""
    if body.startswith("//"):
        anchor, body = "/", body[2:]
    elif body == "~" or body.startswith("~/"):
        anchor, body = "~/", body[1:]
    return anchor, [name for name in body.split("/") if name not in ("", ".")]


def _wide_name(name: str) -> str:
    """A name in which classes and `?` are a star, and escapes are ours."""
    if name == "**":
        return name
    found: list[str] = []
    position = 0
    while position < len(name):
        character = name[position]
        if character == "\\" and position + 1 < len(name):
            position += 1
            found.append(_literal(name[position]))
        elif character in "*?[":
            if character == "[" and "]" in name[position + 1 :]:
                position = name.rindex("]")
            elif character == "[":
                found.append(character)
                position += 1
                continue
            if found[-1:] != ["*"]:
                found.append("*")
        else:
            found.append(_literal(character))
        position += 1
    return "".join(found)


def _narrow_name(name: str) -> str | None:
    """A name of an allow in our grammar; None where it cannot be written there."""
    plain = re.sub(r"\\.", "", name)
    if "?" in plain or "[" in plain or plain.endswith("\\"):
        return None
    if any(pair[1] not in _ESCAPED for pair in re.findall(r"\\.", name)):
        return None
    return _wide_name(name)


def _literal(character: str) -> str:
    """A character that means itself; a star and a backslash need a backslash in our grammar."""
    return f"\\{character}" if character in "*\\" else character
