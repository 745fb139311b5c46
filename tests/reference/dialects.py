"""How other gates read their own rules, slowly and obviously: what imported rules are compared with.

Each takes the parsed file and a call, and says what that gate would. Where nothing matches the answer is
ask, even where the gate itself allows by default: an import may always be stricter.
"""

from __future__ import annotations

import fnmatch
import json
import posixpath
import re
from dataclasses import dataclass
from typing import Any

from sayso.core.effect import Effect

WORKSPACE = "/w"
HOME = "/home/u"
ALLOW, ASK, DENY = Effect.ALLOW, Effect.ASK, Effect.DENY


@dataclass(frozen=True)
class Sample:
    """One call: `kind` is command, read, edit, fetch, mcp, agent, skill or tool; `what` is its object."""

    kind: str
    what: str
    server: str = ""


def parts(command: str) -> list[str]:
    """The simple commands of a line of the test's own making, which quotes no operator."""
    return [part.strip() for part in re.split(r"&&|\|\||;|\||\n", command) if part.strip()]


def strictest(effects: list[Effect]) -> Effect:
    """The strictest of several effects."""
    return max(effects)


# ── Claude Code ──


def claude(settings: dict[str, Any], call: Sample) -> Effect:
    """Deny before ask before allow; of a command line each part is looked at."""
    lists = settings.get("permissions", {})
    whats = parts(call.what) if call.kind == "command" else [call.what]
    found = []
    for what in whats:
        effect = ASK
        for name, said in (("allow", ALLOW), ("ask", ASK), ("deny", DENY)):
            rules = lists.get(name, [])
            if name == "allow" and any(_takes_back(rule, call.kind, what) for rule in rules):
                continue
            if any(_claude_matches(rule, call, what, allow=name == "allow") for rule in rules):
                effect = said
        found.append(effect)
    return strictest(found)


_CLAUDE_TOOLS = {
    "command": ("Bash",),
    "read": ("Read",),
    "edit": ("Edit",),
    "fetch": ("WebFetch",),
    "agent": ("Task", "Agent"),
    "skill": ("Skill",),
}


def _takes_back(rule: str, kind: str, what: str) -> bool:
    tool, _, body = rule.partition("(")
    return (
        tool in _CLAUDE_TOOLS.get(kind, ())
        and body.startswith("!")
        and gitignored(body[1:-1], what, floats=True)
    )


def _claude_matches(rule: str, call: Sample, what: str, *, allow: bool) -> bool:
    if call.kind == "mcp":
        name = f"mcp__{call.server}__{what}"
        if allow and "*" in rule.removeprefix("mcp__").partition("__")[0]:
            return False
        return rule == f"mcp__{call.server}" or fnmatch.fnmatchcase(name, rule)
    if call.kind == "tool":
        return rule == what
    tool, opened, body = rule.partition("(")
    if tool not in _CLAUDE_TOOLS[call.kind]:
        return False
    if not opened:
        return True
    body = body.removesuffix(")")
    if call.kind == "command":
        return _claude_command(body, what)
    if call.kind in ("read", "edit"):
        return not body.startswith("!") and gitignored(body, what, floats=not allow)
    if call.kind == "fetch":
        return body.startswith("domain:") and _domain(body.removeprefix("domain:"), what)
    if call.kind == "skill" and body.endswith((":*", " *")):
        return what == body[:-2]
    return what == body


def _claude_command(glob: str, command: str) -> bool:
    if glob.endswith(":*"):
        glob = glob[:-2] + " *"
    if glob == "*":
        return True
    text = re.escape(glob).replace(r"\*", ".*")
    if glob.endswith(" *") and glob.count("*") == 1:
        text = re.escape(glob[:-2]) + r"(?: .*)?"
    return re.fullmatch(text, command, re.DOTALL) is not None


def _domain(glob: str, url: str) -> bool:
    host, glob = url.partition("://")[2].partition("/")[0].partition(":")[0].lower(), glob.lower()
    if glob == "*":
        return True
    if glob.startswith("*."):
        return host.endswith(glob[1:])
    if glob.endswith(".*"):
        return re.fullmatch(re.escape(glob[:-1]) + r"[^.]+", host) is not None
    return host == glob


def gitignored(pattern: str, path: str, *, floats: bool) -> bool:
    """Whether a pattern hits a path or a folder that it lies in; `floats`: from wherever it could begin."""
    if pattern.startswith("//"):
        places, body = ["/"], pattern[2:]
    elif pattern.startswith("~/"):
        places, body = [HOME + "/"], pattern[2:]
    else:
        body = pattern.removeprefix("./").removeprefix("/")
        places = [WORKSPACE + "/"]
        if floats:
            places = [path[: at + 1] for at, letter in enumerate(path) if letter == "/"]
        if "/" not in pattern.rstrip("/"):
            body = "**/" + body
    body = body.rstrip("/")
    if body.endswith("/**"):
        body = body[:-3]
    wanted = re.compile(_gitignore_regex(body))
    for place in places:
        if not path.startswith(place):
            continue
        names = path[len(place) :].split("/")
        if any(wanted.fullmatch("/".join(names[:count])) for count in range(1, len(names) + 1)):
            return True
    return False


def _gitignore_regex(body: str) -> str:
    found = ""
    position = 0
    while position < len(body):
        if body.startswith("**/", position):
            found, position = found + "(?:.*/)?", position + 3
        elif body.startswith("**", position):
            found, position = found + ".*", position + 2
        elif body[position] == "*":
            found, position = found + "[^/]*", position + 1
        elif body[position] == "?":
            found, position = found + "[^/]", position + 1
        elif body[position] == "[" and "]" in body[position:]:
            end = body.index("]", position)
            inner = body[position + 1 : end].replace("[", "\\[")
            found, position = f"{found}[{inner}]", end + 1
        else:
            found, position = found + re.escape(body[position]), position + 1
    return found


# ── Codex ──


def codex(rules: list[dict[str, Any]], call: Sample) -> Effect:
    """A prefix of the words of each part; the strictest that matches, and ask where none does."""
    found = []
    for part in parts(call.what):
        words = part.split()
        said = [
            {"allow": ALLOW, "prompt": ASK, "forbidden": DENY}[rule.get("decision", "allow")]
            for rule in rules
            if len(words) >= len(rule["pattern"])
            and all(
                word in (token if isinstance(token, list) else [token])
                for word, token in zip(words, rule["pattern"], strict=False)
            )
        ]
        found.append(strictest(said) if said else ASK)
    return strictest(found)


# ── Gemini CLI ──


def gemini(rules: list[dict[str, Any]], call: Sample) -> Effect:
    """The rule with the highest priority, the first of several; each part of a line on its own, too."""
    if call.kind != "command":
        return _gemini(rules, call, {})
    found = [_gemini(rules, call, {"command": call.what})]
    if found[0] is not DENY:
        found += [_gemini(rules, call, {"command": part}) for part in parts(call.what)]
    return strictest(found)


def _gemini(rules: list[dict[str, Any]], call: Sample, arguments: dict[str, str]) -> Effect:
    for rule in sorted(rules, key=lambda rule: -rule["priority"]):
        if _gemini_matches(rule, call, json.dumps(arguments, separators=(",", ":"))):
            return {"allow": ALLOW, "ask_user": ASK, "deny": DENY}[rule["decision"]]
    return ASK


_GEMINI_NAMES = {"command": "run_shell_command", "read": "list_directory", "edit": "replace"}


def _gemini_matches(rule: dict[str, Any], call: Sample, arguments: str) -> bool:
    if rule.get("modes") and "default" not in rule["modes"]:
        return False
    names = rule.get("toolName")
    if call.kind == "mcp":
        name = f"mcp_{call.server}_{call.what}"
        if rule.get("mcpName") not in (None, "*", call.server):
            return False
        if "mcpName" in rule:
            names = [f"mcp_{rule['mcpName']}_{names or '*'}"]
        if rule.get("mcpName") == "*":
            names = ["*"] if rule.get("toolName", "*") == "*" else []
    else:
        if "mcpName" in rule:
            return False
        name = _GEMINI_NAMES.get(call.kind, call.what)
    names = [names] if isinstance(names, str) else names
    if not any(_gemini_name(wanted, name, call.server) for wanted in names):
        return False
    prefixes = rule.get("commandPrefix")
    if prefixes is not None:
        prefixes = [prefixes] if isinstance(prefixes, str) else prefixes
        return any(
            re.search(f'"command":"{re.escape(json.dumps(prefix)[1:-1])}(?:[\\s"]|\\\\)', arguments)
            for prefix in prefixes
        )
    if "commandRegex" in rule:
        return re.search(f'"command":"{rule["commandRegex"]}', arguments) is not None
    if "argsPattern" in rule:
        return re.search(rule["argsPattern"], arguments) is not None
    return True


def _gemini_name(wanted: str, name: str, server: str) -> bool:
    if wanted == "*":
        return True
    if wanted == "mcp_*":
        return bool(server)
    if wanted.startswith("mcp_") and wanted.endswith("_*"):
        return bool(server) and server == wanted[4:-2]
    return wanted == name


# ── OpenCode ──

OPENCODE_FILES = ("cd", "rm", "cp", "mv", "mkdir", "touch", "chmod", "chown", "cat")


def opencode(config: dict[str, Any], call: Sample) -> Effect:
    """The last entry that matches; what lies outside of the working directory takes a second one."""
    rules = _opencode_rules(config.get("permission", {}))
    key = {"command": "bash", "fetch": "webfetch", "agent": "task", "mcp": ""}.get(
        call.kind, call.kind
    )
    if call.kind == "mcp":
        return _last(rules, f"{call.server}_{call.what}", "*")
    if call.kind == "tool":
        return _last(rules, call.what, "*")
    if call.kind == "command":
        found = [_last(rules, "bash", part) for part in parts(call.what)]
        for part in parts(call.what):
            program, *words = part.split()
            if program in OPENCODE_FILES:
                found += [_guard(rules, path) for path in map(_outside, words) if path]
        return strictest(found)
    if call.kind == "list" and not any(_wild(wanted, "list") for wanted, _, _ in rules):
        return (
            ALLOW  # as OpenCode's defaults say, which the import of an allow for reading relies on
        )
    if call.kind in ("read", "edit"):
        inside = call.what.startswith(WORKSPACE + "/")
        shown = call.what[len(WORKSPACE) + 1 :] if inside else call.what
        found = [_last(rules, key, shown)]
        if call.kind == "list" and not any(_wild(wanted, "list") for wanted, _, _ in rules):
            found = [
                ALLOW
            ]  # as its defaults say, which the import of an allow for reading relies on
        if not inside:
            found.append(_guard(rules, call.what))
        return strictest(found)
    return _last(rules, key, call.what)


def _outside(word: str) -> str:
    """The path that a word of a command leads to outside of the working directory, empty if to none."""
    if word.startswith(("/", "~")):
        return word
    path = posixpath.normpath(posixpath.join(WORKSPACE, word))
    return "" if path == WORKSPACE or path.startswith(WORKSPACE + "/") else path


def _guard(rules: list[tuple[str, str, Effect]], path: str) -> Effect:
    if not any(_wild(key, "external_directory") for key, _, _ in rules):
        return ASK
    return _last(rules, "external_directory", path)


def _opencode_rules(permission: Any) -> list[tuple[str, str, Effect]]:
    if isinstance(permission, str):
        permission = {"*": permission}
    rules = []
    for key, said in permission.items():
        for pattern, action in ({"*": said} if isinstance(said, str) else said).items():
            expanded = re.sub(r"^(?:~|\$HOME)(?=/|$)", HOME, pattern)
            rules.append((key, expanded, Effect.parse(action)))
    return rules


def _last(rules: list[tuple[str, str, Effect]], key: str, what: str) -> Effect:
    for wanted, pattern, effect in reversed(rules):
        if _wild(wanted, key) and _wild(pattern, what):
            return effect
    return ASK


def _wild(pattern: str, text: str) -> bool:
    found = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    if found.endswith(r"\ .*"):
        found = found[:-4] + r"(?:\ .*)?"
    if pattern.endswith("/**"):
        found = found[:-5] + "(?:/.*)?"
    return re.fullmatch(found, text, re.DOTALL) is not None


# ── rules.json ──


def rules_json(rules: list[dict[str, str]], call: Sample) -> Effect:
    """Each rule asks: of a command by its whole text, of a file by its path, of a URL by its host."""
    for rule in rules:
        pattern = rule.get("pattern", "*")
        if call.kind == "command" and rule["tool"] == "shell":
            hit = fnmatch.fnmatchcase(call.what, pattern)
        elif call.kind in ("read", "edit") and rule["tool"] == "file":
            kinds = {"read": "read", "write": "edit", "any": call.kind}
            shown = call.what.removeprefix(WORKSPACE + "/")
            hit = kinds[rule["action"]] == call.kind and any(
                fnmatch.fnmatchcase(text, pattern) for text in (shown, call.what)
            )
        elif call.kind == "fetch" and rule["tool"] == "web":
            host = call.what.partition("://")[2].partition("/")[0].partition(":")[0]
            hit = fnmatch.fnmatchcase(host, pattern.lower())
        else:
            hit = call.kind == "tool" and rule["tool"] == call.what
        if hit:
            return ASK
    return ALLOW
