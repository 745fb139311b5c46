"""Imported rules are never looser than the gate they come from, and what we print is what we read."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings

from sayso.core.call import ToolCall
from sayso.core.effect import Effect
from sayso.errors import RuleRefused
from sayso.policy.dialects import claude_code, codex, gemini, opencode, rules_json
from sayso.policy.dialects.translated import Translation
from sayso.policy.rule import Origin
from sayso.policy.ruleset import compile_ruleset, judge
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.policy.text_rule import parse_text_rule
from tests.fakes.facts import FakeFacts
from tests.laws.policy_worlds import randoms
from tests.reference import dialects as reference
from tests.reference.dialects import Sample

MANY = settings(max_examples=max(500, settings.default.max_examples if settings.default else 0))

COMMANDS = (
    "git status", "git push", "git push origin main", "git checkout -b main", "npm run test",
    "npm run test:unit", "npm test", "ls", "ls -la", "lsof", "rm -rf /w/x", "rm x", "rmdir x",
    "cat src/a.py", "cat /etc/passwd", "echo a b", "curl -s example.com", "drop table", "/bin/ls x",
    "rm ../x", "cp a ~/b", "cat src/../../x",
)  # fmt: skip
COMMAND_GLOBS = (
    "git status", "git push", "git *", "git push *", "git push*", "git * main", "* main", "npm run *",
    "npm run test*", "npm *", "ls", "ls *", "ls*", "rm *", "rm -rf *", "rm*", "cat *", "echo a ?",
    "*drop*", "curl * example.com", "*", "echo *b", "/bin/ls *", "/bin/ls x/", "g?t *", "cat src/*",
    "echo 'a' *", "git push && *", "*;*", "", "cat /etc/passwd", "rm ../x", "rm -rf /w/x", "cp a ~/b",
    "cat src/../../x", "cat src/a.py", "rm x",
)  # fmt: skip
PATHS = (
    "/w/src/a.py", "/w/src/deep/b.py", "/w/secrets/key", "/w/.env", "/w/lib/.env", "/w/a.md",
    "/w/docs/x.md", "/etc/passwd", "/home/u/.zshrc", "/home/u/docs/x", "/w/src/x1", "/w/src/[x]",
)  # fmt: skip
PATH_GLOBS = (
    "src/**", "src/*", "*.py", "**/*.py", "./.env", ".env", "*.env", "secrets", "secrets/", "//etc/**",
    "~/.zshrc", "~/docs/*", "/src/*", "src/x?", "src/x[0-9]", "src/[[]x]", "docs/*.md", "*", "**", "a.md",
    "src/**/b.py", "/etc/*", "*/", "./*", "src//*", "*secret*", "src*",
    "src/*/b.py", "../w/src/*", "!src/a.py", "lib/../.env",
)  # fmt: skip
URLS = (
    "https://example.com/x",
    "https://a.example.com/",
    "https://example.co.uk/",
    "http://example.com:8080/",
    "http://private/",
)
HOSTS = ("example.com", "*.example.com", "example.*", "*", "private", "evil.test", "EXAMPLE.com")
PAIRS = (("github", "get_issue"), ("github", "delete_repo"), ("git_hub", "get"), ("fs", "read"))
NAMES = ("explore", "deploy", "notify", "todowrite")
DECISIONS = ("allow", "ask", "deny")


def a_sample(r: random.Random, *kinds: str) -> Sample:
    kind = r.choice(kinds)
    if kind == "command":
        count = r.choice([1, 1, 2])
        return Sample(kind, r.choice([" && ", "; ", " | "]).join(r.sample(COMMANDS, count)))
    if kind in ("read", "edit"):
        return Sample(kind, r.choice(PATHS))
    if kind == "fetch":
        return Sample(kind, r.choice(URLS))
    if kind == "mcp":
        server, tool = r.choice(PAIRS)
        return Sample(kind, tool, server)
    return Sample(kind, r.choice(NAMES))


def the_call(sample: Sample, names: dict[str, tuple[str, str]]) -> ToolCall:
    tool, argument = names.get(sample.kind, (sample.what, ""))
    tool = sample.what if sample.kind in ("mcp", "tool") else tool
    arguments: dict[str, Any] = {argument: sample.what} if argument else {}
    server = sample.server or None
    return ToolCall("c", tool, arguments, "s", "a", "u", workspace="/w", server=server)


def verdict(translation: Translation, call: ToolCall) -> Effect:
    facts = FakeFacts()
    return judge(call, compile_ruleset(translation.rules, [], SHIPPED, facts=facts), facts).effect


def of_either(judged: Callable[[Sample], Effect], sample: Sample) -> Effect:
    """What another gate says of a call, or of one with programs by their bare name: the same programs.

    Ours lets an allow for `ls` cover `/bin/ls` (POL-38), on purpose.
    """
    bare = re.sub(r"(?<![^ ])/(?:usr/)?bin/", "", sample.what)
    return min(judged(sample), judged(replace(sample, what=bare)))


def never_looser(ours: Translation, theirs: Effect, call: ToolCall, shown: object) -> None:
    found = verdict(ours, call)
    rules = "\n".join(f"{rule.effect.word} {rule.text}" for rule in ours.rules)
    assert found >= theirs, (
        f"{call.tool} {dict(call.arguments)}: {theirs} became {found}\n{shown}\n{rules}"
    )


CLAUDE = {
    "command": ("Bash", "command"), "read": ("Read", "file_path"), "edit": ("Edit", "file_path"),
    "fetch": ("WebFetch", "url"), "agent": ("Task", "subagent_type"), "skill": ("Skill", "skill"),
}  # fmt: skip


def claude_rule(r: random.Random, kind: str) -> str:
    if kind == "mcp":
        server, tool = r.choice(PAIRS)
        return r.choice(
            [f"mcp__{server}", f"mcp__{server}__{tool}", f"mcp__{server}__get*", "mcp__git*"]
        )
    if kind == "tool":
        return r.choice(NAMES)
    tool = r.choice(reference._CLAUDE_TOOLS[kind])
    body = {
        "command": r.choice(COMMAND_GLOBS).replace("?", "b") + r.choice(["", "", ":*"]),
        "read": r.choice(PATH_GLOBS),
        "edit": r.choice(PATH_GLOBS),
        "fetch": f"domain:{r.choice(HOSTS)}",
    }.get(kind, r.choice(NAMES) + r.choice(["", " *", ":*"]))
    return r.choice([tool, f"{tool}({body})", f"{tool}({body})", f"{tool}({body})"])


@pytest.mark.spec("POL-62")
@MANY
@given(r=randoms)
def test_an_import_never_widens_claude_code(r: random.Random) -> None:
    kinds = ("command", "command", "read", "edit", "fetch", "mcp", "agent", "skill", "tool")
    sample = a_sample(r, *kinds)
    near = [sample.kind] * 3 + list(kinds)
    lists = {
        name: [claude_rule(r, r.choice(near)) for _ in range(r.randrange(4))] for name in DECISIONS
    }
    written = {"permissions": lists}
    ours = claude_code.translate(json.dumps(written))
    never_looser(
        ours,
        of_either(partial(reference.claude, written), sample),
        the_call(sample, CLAUDE),
        written,
    )


def starlark(rules: Iterable[dict[str, Any]]) -> str:
    return "\n".join(
        f"prefix_rule({', '.join(f'{key} = {json.dumps(value)}' for key, value in rule.items())})"
        for rule in rules
    )


@pytest.mark.spec("POL-62")
@MANY
@given(r=randoms)
def test_an_import_never_widens_codex(r: random.Random) -> None:
    sample = a_sample(r, "command")
    rules = []
    for _ in range(r.randrange(1, 5)):
        words: list[Any] = r.choice(COMMANDS).split()[: r.randrange(1, 4)]
        if r.random() < 0.5:
            words[-1] = [words[-1], *r.sample(["push", "-la", "a*", "x y", "rm"], 2)]
        rule: dict[str, Any] = {"pattern": words}
        if r.random() < 0.8:
            rule["decision"] = r.choice(["allow", "prompt", "forbidden"])
        rules.append(rule)
    ours = codex.translate(starlark(rules))
    never_looser(
        ours, of_either(partial(reference.codex, rules), sample), the_call(sample, CLAUDE), rules
    )


GEMINI = {
    "command": ("run_shell_command", "command"),
    "read": ("list_directory", "path"),
    "edit": ("replace", "file_path"),
}
REGEXES = (
    "git (commit|push)",
    "rm .*",
    "ls",
    "git.*main",
    "(git|npm) ",
    "npm\\\\s+run",
    "echo [ab]",
    "drop|ls",
)


def gemini_rule(r: random.Random) -> dict[str, Any]:
    rule: dict[str, Any] = {"decision": r.choice(["allow", "ask_user", "deny"])}
    rule["priority"] = r.choice([0, 1, 1, 2, 10, 999])
    sort = r.randrange(6)
    if sort == 0:
        rule["toolName"] = r.choice(
            ["*", "run_shell_command", "list_directory", "replace", "notify"]
        )
    elif sort <= 2:
        rule["toolName"] = "run_shell_command"
        rule["commandPrefix"] = r.choice(
            ["git", "git push", "ls", "npm run", "rm -rf", "git ", "echo 'a", "*"]
        )
    elif sort == 3:
        rule["toolName"] = "run_shell_command"
        rule["commandRegex"] = r.choice(REGEXES).replace("\\\\", "\\")
    elif sort == 4:
        server, tool = r.choice(PAIRS)
        rule["mcpName"] = r.choice([server, "*"])
        if r.random() < 0.6:
            rule["toolName"] = tool
    else:
        server, tool = r.choice(PAIRS)
        rule["toolName"] = r.choice([f"mcp_{server}_{tool}", f"mcp_{server}_*", "mcp_*"])
    if r.random() < 0.1:
        rule["modes"] = [r.choice(["default", "yolo"])]
    return rule


def toml(rules: Iterable[dict[str, Any]]) -> str:
    return "\n".join(
        "[[rule]]\n" + "\n".join(f"{key} = {json.dumps(value)}" for key, value in rule.items())
        for rule in rules
    )


@pytest.mark.spec("POL-62")
@MANY
@given(r=randoms)
def test_an_import_never_widens_gemini_cli(r: random.Random) -> None:
    sample = a_sample(r, "command", "command", "mcp", "read", "edit", "tool")
    rules = [gemini_rule(r) for _ in range(r.randrange(1, 6))]
    ours = gemini.translate(toml(rules))
    never_looser(
        ours, of_either(partial(reference.gemini, rules), sample), the_call(sample, GEMINI), rules
    )


OPENCODE = {
    "command": ("bash", "command"), "read": ("read", "filePath"), "edit": ("edit", "filePath"),
    "list": ("list", "path"), "fetch": ("webfetch", "url"), "agent": ("task", "subagent_type"),
    "skill": ("skill", "name"),
}  # fmt: skip
OPENCODE_KEYS = (
    "bash", "bash", "read", "edit", "list", "webfetch", "task", "skill", "*", "notify", "github_*",
    "git_hub_get", "to*", "external_directory", "l*",
)  # fmt: skip
URL_GLOBS = (
    "https://example.com/*",
    "https://*.example.com/*",
    "http*",
    "*",
    "https://example.com/x",
    "*private*",
)


def opencode_permission(r: random.Random) -> Any:
    if r.random() < 0.05:
        return r.choice(DECISIONS)
    said: dict[str, Any] = {}
    for _ in range(r.randrange(1, 6)):
        key = r.choice(OPENCODE_KEYS)
        globs = {
            "bash": COMMAND_GLOBS, "read": PATH_GLOBS, "edit": PATH_GLOBS, "list": PATH_GLOBS,
            "webfetch": URL_GLOBS, "external_directory": ("*", "~/docs/**", "/etc/*"),
        }.get(key, ("*", "explore", "de?loy", "e*"))  # fmt: skip
        if r.random() < 0.4:
            said[key] = r.choice(DECISIONS)
        else:
            said[key] = {r.choice(globs): r.choice(DECISIONS) for _ in range(r.randrange(1, 4))}
    return said


def unless_refused(text: str) -> Translation | None:
    try:
        return opencode.translate(text)
    except RuleRefused:
        return None


@pytest.mark.spec("POL-62")
@MANY
@given(r=randoms)
def test_an_import_never_widens_opencode(r: random.Random) -> None:
    kinds = ("command", "read", "edit", "list", "fetch", "agent", "skill", "mcp", "tool")
    sample = a_sample(r, *kinds)
    if sample.kind == "list":
        sample = Sample("list", r.choice(["/w/src/deep", "/etc"]))
    config = {"permission": opencode_permission(r)}
    ours = unless_refused(json.dumps(config))
    if ours is None:
        return
    theirs = of_either(partial(reference.opencode, config), sample)
    never_looser(ours, theirs, the_call(sample, OPENCODE), config)


@pytest.mark.spec("POL-62")
@MANY
@given(r=randoms)
def test_a_rules_json_asks_about_all_that_it_names(r: random.Random) -> None:
    sample = a_sample(r, "command", "read", "edit", "fetch", "tool")
    rules = []
    for _ in range(r.randrange(1, 4)):
        sort = r.choice(["shell", "file", "web", "tool"])
        rule = {"tool": sort, "action": "run", "pattern": r.choice(COMMAND_GLOBS)}
        if sort == "file":
            rule = {
                "tool": sort,
                "action": r.choice(["read", "write", "any"]),
                "pattern": r.choice(PATH_GLOBS),
            }
        elif sort == "web":
            rule = {"tool": sort, "action": "fetch", "pattern": r.choice(HOSTS)}
        elif sort == "tool":
            rule = {"tool": r.choice(NAMES), "action": "call"}
        rules.append(rule)
    ours = rules_json.translate(json.dumps({"rules": rules}))
    assert {rule.effect for rule in ours.rules} == {Effect.ASK}
    if reference.rules_json(rules, sample) is Effect.ASK:
        allowed = [f"tool({name})" for name in ("Bash", "Read", "Edit", "WebFetch", *NAMES)]
        allows = [parse_text_rule("allow", text, Origin.SESSION) for text in allowed]
        both = Translation((*allows, *ours.rules))
        shown = [rule.text for rule in ours.rules]
        assert verdict(both, the_call(sample, CLAUDE)) is Effect.ASK, f"{sample}\n{rules}\n{shown}"
