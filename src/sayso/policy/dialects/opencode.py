"""OpenCode's permissions (`opencode.json`): the last entry that matches decides.

Read of its documentation and source in 2026 (anomalyco/opencode, permissions.mdx): a key names a tool or
is a wildcard for several, a pattern is a wildcard over what the tool is asked to do, and `*` crosses
everything, slashes too. Its own defaults allow most; they are not carried over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from sayso.core.effect import Effect
from sayso.errors import RuleRefused
from sayso.policy.dialects.command_globs import GlobWord, allowed_pattern, hit_patterns, split_words
from sayso.policy.dialects.host_globs import allowed_host
from sayso.policy.dialects.joined_names import hit_joined, split_joined
from sayso.policy.dialects.json_text import JsonText, Path, read_json
from sayso.policy.dialects.ordered import Entry, emit
from sayso.policy.dialects.path_globs import allow_wildcard, hit_wildcard
from sayso.policy.dialects.translated import Source, Translation, Translator
from sayso.policy.patterns.glob import glob_matches, parse_glob

ACTIONS = ("allow", "ask", "deny")
EDITORS = ("edit", "write", "patch", "multiedit")
READS_TOO = ("list", "glob", "grep")
"""Tools with a key of their own whose paths an allow for reading covers here."""

FILE_COMMANDS = ("cd", "rm", "cp", "mv", "mkdir", "touch", "chmod", "chown", "cat")
"""Commands whose paths outside of the working directory OpenCode asks about."""

BUILT_IN = (
    *(
        "read",
        "edit",
        "glob",
        "grep",
        "list",
        "bash",
        "task",
        "skill",
        "lsp",
        "todoread",
        "todowrite",
    ),
    *("question", "webfetch", "websearch", "codesearch", "external_directory", "doom_loop"),
)
_FILLED_IN = re.compile(r"\{(?:env|file):")
_HOME = re.compile(r"~(?=/|$)|\$HOME")
_NUMBER = re.compile(r"0|[1-9]\d*")


@dataclass(frozen=True, slots=True)
class Line:
    """One entry: a key, a pattern and what they say, in the order in which OpenCode reads them."""

    key: str
    pattern: str
    effect: Effect
    source: Source


def translate(text: str, name: str = "opencode.json", *, alone: bool = True) -> Translation:
    """Read an OpenCode configuration.

    `name` is for messages. `alone` tells that no other file is read beside it, so that an ask which
    overrides nothing here overrides nothing at all. Raises SettingsInvalid for what is no such file, and
    RuleRefused for a deny that ours has no words for.
    """
    document = read_json(text, name, comments=True)
    out = Translator()
    data = document.table(())
    lines = [*_tools(document, ("tools",)), *_lines(document, ("permission",))]
    guarded = _guarded(lines)
    emit(_entries(lines, document, guarded=guarded), out, alone=alone)
    _siblings(lines, out)
    for key in ("agent", "mode"):
        for agent in document.table((key,)) if key in data else ():
            _agent(document, (key, agent), agent, out)
    return out.translation()


def _agent(document: JsonText, path: tuple[str, ...], agent: str, out: Translator) -> None:
    """The denies and asks that OpenCode has for one of its agents; what it allows it is left out."""
    settings = document.table(path)
    if not {"permission", "tools"} & set(settings):
        return
    lines = [*_tools(document, (*path, "tools")), *_lines(document, (*path, "permission"))]
    for entry in _entries(lines, document, guarded=False):
        if entry.effect is not Effect.ALLOW:
            out.hit(entry.effect, entry.source, entry.texts, entry.wide, agent_id=agent)
    source = Source(document.position(path), f"the permissions of `{agent}`")
    lost = "OpenCode's agents have no counterpart here"
    out.note(source, lost, f"asks and denies hold for an agent whose id is `{agent}`; no allow")


def _lines(document: JsonText, path: tuple[str, ...]) -> list[Line]:
    """The entries of a `permission`, in the order in which they are read."""
    value = document.table(path[:-1]).get(path[-1])
    if isinstance(value, str):
        return [_line(document, path, "*", "*", value)]
    lines = []
    for key, said in _in_order(document.table(path)):
        here = (*path, key)
        if isinstance(said, str):
            lines.append(_line(document, here, key, "*", said))
        else:
            for pattern, action in _in_order(document.table(here)):
                lines.append(_line(document, (*here, pattern), key, pattern, action))
    return lines


def _tools(document: JsonText, path: Path) -> list[Line]:
    """The older `tools`, which switch whole tools on or off: what is off is denied."""
    lines = []
    for key, on in document.table(path).items():
        if not isinstance(on, bool):
            document.refuse((*path, key), f"`{key}` is not true or false")
        if not on:
            name = "edit" if key in EDITORS else key
            lines.append(_line(document, (*path, key), name, "*", "deny"))
    return lines


def _line(document: JsonText, path: Path, key: str, pattern: str, action: object) -> Line:
    if action not in ACTIONS:
        document.refuse(path, f"`{key}` says neither {', '.join(ACTIONS[:-1])} nor {ACTIONS[-1]}")
    for text in (key, pattern):
        if _FILLED_IN.search(text):
            document.refuse(
                path,
                f"`{text}` is filled in when OpenCode starts",
                "write it out in a copy of the file, and import that",
            )
    shown = {key: action} if pattern == "*" else {key: {pattern: action}}
    source = Source(document.position(path), json.dumps(shown, ensure_ascii=False)[1:-1])
    return Line(key, pattern, Effect.parse(str(action)), source)


def _in_order(table: dict[str, object]) -> Iterator[tuple[str, object]]:
    """Keys in the order in which JavaScript goes through them: whole numbers first."""
    numbers = sorted((key for key in table if _NUMBER.fullmatch(key)), key=int)
    for key in (*numbers, *(key for key in table if not _NUMBER.fullmatch(key))):
        yield key, table[key]


def _guarded(lines: list[Line]) -> bool:
    """Whether OpenCode asks before a tool touches what lies outside of its working directory."""
    guarded = True
    for line in lines:
        if wildcard_matches(line.key, "external_directory"):
            if line.effect is not Effect.ALLOW:
                guarded = True
            elif line.pattern == "*":
                guarded = False
    return guarded


def _entries(lines: list[Line], document: JsonText, *, guarded: bool) -> Iterator[Entry]:
    for line in lines:
        names = [name for name in BUILT_IN if wildcard_matches(line.key, name)]
        if line.key == "*" and not (guarded and line.effect is Effect.ALLOW):
            yield _everything(line)
            continue
        for name in names:
            if name == "external_directory":
                yield from _outside(line, document)
            elif name == "bash" and guarded:
                yield from _guarded_bash(line, name)
            elif name in READS_TOO and guarded and line.effect is Effect.ALLOW:
                lost = f"`{name}` would reach outside; an allow for `read` covers it inside"
                yield Entry(line.effect, line.source, (), name, line.pattern, lost)
            elif name != "doom_loop":
                yield from _READERS.get(name, _whole)(line, name)
        if line.key not in BUILT_IN and line.key not in ("external_directory", "doom_loop"):
            yield from _other(line)


def _siblings(lines: list[Line], out: Translator) -> None:
    """Ask for tools that an allow for reading covers here, and which OpenCode does not allow."""
    reads = [line for line in lines if wildcard_matches(line.key, "read")]
    if all(line.effect is not Effect.ALLOW for line in reads):
        return
    for tool in READS_TOO:
        own = [line for line in lines if wildcard_matches(line.key, tool)]
        whole = [line for line in own if line.pattern == "*"]
        if own and (not whole or whole[-1].effect is not Effect.ALLOW):
            lost = f"`{tool}` reads, so an allow for reading would cover it"
            out.stricter(Effect.ASK, own[-1].source, [f"tool({tool})"], lost, wide="tool(*)")


def wildcard_matches(pattern: str, text: str) -> bool:
    """Whether a key fits the name of a tool; a `?` in it could be any character, or none."""
    return glob_matches(_glob(pattern), text)


@lru_cache(maxsize=256)
def _glob(pattern: str) -> tuple[str, ...]:
    return parse_glob(pattern.replace("?", "*"))


# ── one reader for each permission ──


def _everything(line: Line) -> Entry:
    lost = "" if line.pattern == "*" else "a pattern for every tool at once has no counterpart"
    texts: tuple[str, ...] = ("tool(*)",)
    if lost and line.effect is Effect.ALLOW:
        texts = ()
    return Entry(line.effect, line.source, texts, None, "*", lost)


def _whole(line: Line, name: str) -> Iterator[Entry]:
    """A tool whose patterns ours has no words for."""
    lost = "" if line.pattern == "*" else f"what `{name}` is asked for cannot be matched here"
    allows = line.effect is Effect.ALLOW
    texts = () if allows and lost else (f"tool({name})",)
    yield Entry(line.effect, line.source, texts, name, line.pattern, lost)


def _is_whole(line: Line) -> bool:
    """Whether the pattern is every text; one that is empty is none but the empty one."""
    return bool(line.pattern) and not line.pattern.strip("*")


def _bash(line: Line, name: str) -> Iterator[Entry]:
    allows, lost = line.effect is Effect.ALLOW, ""
    if _is_whole(line):
        texts = ["*"]
    elif allows:
        pattern = allowed_pattern(line.pattern, single=True)
        texts = [] if pattern is None else [pattern]
        lost = "" if pattern else "it is more than plain words, or has a `?` in it"
        if pattern and "*" in line.pattern.rstrip("*").rstrip(" "):
            lost = "a `*` within a command stands for one word"
    else:
        home = _HOME.match(line.pattern)  # OpenCode compares the full path
        texts = hit_patterns(
            line.pattern if home is None else f"*{line.pattern[home.end() :]}", single=True
        )
        lost = "" if home is None else "the home directory is any folder here"
    rules = [f"shell({text})" for text in texts]
    if _is_whole(line) and line.effect is Effect.DENY:
        rules.append(f"tool({name})")
    yield Entry(line.effect, line.source, tuple(rules), "shell", line.pattern, lost, "shell(*)")


def _guarded_bash(line: Line, name: str) -> Iterator[Entry]:
    """The same, where commands that take paths ask about those outside."""
    words = split_words(line.pattern) or []
    program = words[0].text if words else ""
    if line.effect is not Effect.ALLOW:
        yield from _bash(line, name)
    elif _is_whole(line):
        yield from _bash(line, name)
        yield _files_of_commands(line)
    elif any(wildcard_matches(program, name) for name in FILE_COMMANDS) and any(
        _may_lie_outside(word) for word in words
    ):
        lost = f"`{program}` asks about paths outside of the working directory"
        yield Entry(line.effect, line.source, (), "shell", line.pattern, lost)
    else:
        yield from _bash(line, name)


def _may_lie_outside(word: GlobWord) -> bool:
    """Whether a word of a command could be a path outside of the working directory."""
    return word.starred or word.text.startswith(("/", "~", "$")) or ".." in word.text


def _files_of_commands(line: Line) -> Entry:
    texts = tuple(f"shell({program} *)" for program in FILE_COMMANDS)
    lost = "these ask about paths outside of the working directory"
    return Entry(Effect.ASK, line.source, texts, "shell", "*", lost, "shell(*)")


def _paths(line: Line, name: str, kinds: tuple[str, ...]) -> Iterator[Entry]:
    family = "edit" if name == "edit" else "read"
    lost = ""
    if line.effect is Effect.ALLOW:
        allowed = allow_wildcard(line.pattern)
        if allowed is not None and allowed.startswith(("/", "~")):
            allowed = None
        texts = [] if allowed is None else [f"{kinds[0]}({allowed})"]
        lost = "" if allowed else "the path lies outside, or cannot be said exactly"
    else:
        texts = [f"{kind}({hit_wildcard(line.pattern)})" for kind in kinds]
        lost = "`?` is `*` here" if "?" in line.pattern else ""
    yield Entry(
        line.effect, line.source, tuple(texts), family, line.pattern, lost, f"{kinds[0]}(**)"
    )


def _read(line: Line, name: str) -> Iterator[Entry]:
    return _paths(line, name, ("read",))


def _edit(line: Line, name: str) -> Iterator[Entry]:
    return _paths(line, name, ("write", "delete"))


def _list(line: Line, name: str) -> Iterator[Entry]:
    if line.effect is Effect.ALLOW or line.pattern == "*":
        return _whole(line, name)
    return _paths(line, name, ("read",))


def _webfetch(line: Line, name: str) -> Iterator[Entry]:
    if line.pattern == "*":
        yield from _whole(line, name)
        return
    found = re.fullmatch(r"(https?)://([^/?*:@\\]+)(/\*|/?\*?)", line.pattern)
    host = None if found is None else allowed_host(found[2])
    exact = found is not None and host is not None and found[3] == "/*"
    if line.effect is Effect.ALLOW:
        texts = (f"web({found[1]}://{host})",) if found is not None and exact else ()
        lost = "" if exact else "only a whole host can be said, as `https://host/*`"
    else:
        narrow = re.match(r"https?://([^/?*:@\\]+)/", line.pattern)
        host = None if narrow is None else allowed_host(narrow[1])
        texts = ("web(*)",) if host is None else (f"web({host})",)
        lost = "" if exact else "only a whole host can be said"
    yield Entry(line.effect, line.source, texts, name, line.pattern, lost, "web(*)")


def _named(line: Line, name: str) -> Iterator[Entry]:
    kind = "agent" if name == "task" else "skill"
    pattern = line.pattern.replace("?", "*")
    lost = "`?` is `*` here" if pattern != line.pattern else ""
    texts: tuple[str, ...] = (f"{kind}({pattern})",)
    if line.effect is Effect.ALLOW and lost:
        texts = ()
    yield Entry(line.effect, line.source, texts, name, line.pattern, lost, f"{kind}(*)")


def _outside(line: Line, document: JsonText) -> Iterator[Entry]:
    """Paths outside of the working directory, which another permission has to allow as well."""
    if line.effect is Effect.ALLOW:
        lost = "it takes a second permission, and an allow here is one"
        yield Entry(line.effect, line.source, (), "outside", line.pattern, lost)
    elif line.effect is Effect.DENY:
        pattern = hit_wildcard(line.pattern)
        if pattern == "**":
            raise RuleRefused(
                f"{document.name}:{line.source.position}: `outside of the working directory` cannot "
                "be denied here, and would be asked about",
                "take the entry out of a copy of the file, and import that",
            )
        yield Entry(line.effect, line.source, (f"path({pattern})",), None, line.pattern)
    else:
        pattern = hit_wildcard(line.pattern)
        if pattern != "**":  # what no rule allows outside is asked about as it is
            yield Entry(line.effect, line.source, (f"path({pattern})",), None, line.pattern)


def _other(line: Line) -> Iterator[Entry]:
    """A tool of an MCP server (`server_tool`), or one that is not known."""
    key, lost = line.key.replace("?", "*"), ""
    if line.pattern != "*":
        lost = f"what `{line.key}` is asked for cannot be matched here"
    if line.effect is not Effect.ALLOW:
        texts = (f"tool({key})", *hit_joined(key))
        yield Entry(line.effect, line.source, texts, "other", key, lost)
        return
    if not lost and not re.fullmatch(r"[\w.-]+\*?", line.key):
        lost = "an allow names its tool in full, or its server"
    pairs = split_joined(key)
    texts = ()
    if not lost and "*" not in line.key:
        texts = (f"tool({key})",)
    if not lost and pairs and "*" not in pairs[0][0]:
        texts = (*texts, f"mcp({pairs[0][0]} :: {pairs[0][1]})")
    lost = lost or ("" if texts else "an allow names its tool in full, or its server")
    yield Entry(line.effect, line.source, texts, "other", key, lost)


_READERS: dict[str, Callable[[Line, str], Iterator[Entry]]] = {
    "bash": _bash,
    "read": _read,
    "edit": _edit,
    "list": _list,
    "webfetch": _webfetch,
    "task": _named,
    "skill": _named,
}
