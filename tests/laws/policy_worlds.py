"""Random calls, rules and machines for the laws of policy: small, so that rules and calls meet."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import strategies as st

from sayso.core.approval_policy import ApprovalPolicy, Approver, OnTimeout, Severity
from sayso.core.call import ToolCall
from sayso.core.effect import Effect
from sayso.policy.rule import Origin, Rule
from sayso.policy.text_rule import parse_text_rule
from tests.fakes.facts import FakeFacts

PATHS = (
    "/w/src/a.py", "src/a.py", "src/../lib/b.py", "/w/secrets/key", "secrets/key", "./Secrets/key",
    "/w/lib", "lib/deep/down/x.py", "/etc/passwd", "/etc/cron.d/x", "~/.ssh/id", "../other/y.md",
    "link/x", "/w", "README.md", "data/x-1/y", "/w2/src/a.py", "sеcrets/key", "",
)  # fmt: skip
PATTERNS = (
    "src/**", "src/*", "/w/**", "secrets/**", "secrets/*", "secrets", "**/key", "**/*.py", "*.md",
    "/etc/**", "/etc/cron.d/*", "~/.ssh/**", "lib", "lib/*", "lib/**", "data/x-*/*", "data/*/y",
    "/w/src/a.py", "**", "/**", "*", "li*", "lib/**/x.py", "/w2/src/*", "/real/**",
)  # fmt: skip
HOSTS = (
    "https://example.com/", "http://example.com/", "https://example.com:8443/", "https://a.b.test/",
    "http://127.0.0.1:8080/", "http://localhost/", "https://inner.test/", "ftp://example.com/",
    "example.com", "https://xn--exmple-cua.com/", "https://EXAMPLE.com./", "http://2130706433/",
)  # fmt: skip
HOST_PATTERNS = (
    "example.com", "https://example.com", "example.com:8443", "*.b.test", "b.test", "example.*",
    "*", "loopback", "private", "127.0.0.1", "exаmple.com",
)  # fmt: skip
NAMES = ("notify", "get_user", "get_users", "Get_User", "budget_get", "send", "gеt_user", "send ")
NAME_PATTERNS = (
    "notify", "get_user", "get_*", "*_user", "*", "send", "g*t_*", "read_file", "write_*", "mcp__*",
    "mcp__github__*", "mcp__github__get_issue", "*delete*", "execute_cmd", "web_fetch", "Task",
)  # fmt: skip
PAIRS = (
    ("github", "get_issue"), ("github", "delete_repo"), ("GitHub", "get_issue"), ("fs", "read_file"),
    ("github__x", "get_issue"), ("fs", "move_file"), ("web", "fetch"),
)  # fmt: skip
PAIR_PATTERNS = ("github:*", "github:get_*", "github:get_issue", "fs:*", "web:fetch", "fs:read_file")
ANY_SERVER = ("*:*", "*:delete_*", "git*:*")
COMMANDS = ("ls", "rm -rf /", "git status", "a\u200bb", "")
COMMAND_PATTERNS = ("*", "git *", "rm *", "/rm/")
CONDITIONS = ("input.amount > 10", "input.amount == 5", "agent == \"a1\"", "input.kind in [\"x\"]")
GROUPS = ("default", "default", "team")
EFFECTS = tuple(Effect)
POLICIES = (
    None, None, None, ApprovalPolicy(severity=Severity.HIGH, timeout=60.0),
    ApprovalPolicy(approver=Approver.OPERATOR, quorum=2), ApprovalPolicy(remember=("once",)),
    ApprovalPolicy(on_timeout=OnTimeout.ALLOW), ApprovalPolicy(approvers=("web:ann", "web:bob")),
)  # fmt: skip


def a_call(r: random.Random) -> ToolCall:
    """A call that touches something some pattern is about."""
    server, tool, arguments = None, "", {}
    sort = r.randrange(8)
    path: Any = r.choice(PATHS) if r.random() < 0.95 else r.choice([None, 7, ["x"], {"p": 1}])
    if sort <= 2:
        tool = r.choice(["read_file", "write_file", "edit_file", "delete_file", "list_files"])
        arguments = {"path": path}
    elif sort == 3:
        tool, arguments = "move_file", {"source": path, "destination": r.choice(PATHS)}
    elif sort == 4:
        tool, arguments = "web_fetch", {"url": r.choice(HOSTS)}
    elif sort == 5:
        tool, arguments = r.choice(
            [
                ("execute_cmd", {"command": r.choice(COMMANDS)}),
                ("Task", {"subagent_type": r.choice(NAMES)}),
                ("Skill", {"skill": r.choice(NAMES)}),
            ]
        )
    elif sort == 6:
        server, tool = r.choice(PAIRS)
        if server == "fs":
            arguments = {"path": path, "source": path, "destination": r.choice(PATHS)}
        elif server == "web":
            arguments = {"url": r.choice(HOSTS)}
    else:
        tool = r.choice(NAMES)
        arguments = r.choice(
            [{}, {"amount": 11}, {"amount": 5}, {"amount": "20000"}, {"kind": "x", "amount": True}]
        )
    return ToolCall(
        "c1",
        tool,
        arguments,
        "s1",
        r.choice(["a1", "a2"]),
        r.choice(["u1", "u2"]),
        source=r.choice(["web", "mcp"]),
        workspace=r.choice(["/w", "/w", "/w", None, "/alias"]),
        server=server,
    )


def _common(r: random.Random) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if r.random() < 0.15:
        found[r.choice(["when", "unless"])] = r.choice(CONDITIONS)
    if r.random() < 0.1:
        found[r.choice(["agent_id", "source", "user_id"])] = r.choice(["a1", "web", "u1"])
    return found


def a_list_rule(r: random.Random, number: int, effect: Effect | None = None) -> Rule:
    """A rule of a permission list, read from text."""
    effect = r.choice(EFFECTS) if effect is None else effect
    pairs = PAIR_PATTERNS if effect is Effect.ALLOW else PAIR_PATTERNS + ANY_SERVER
    names = [name for name in NAME_PATTERNS if effect is not Effect.ALLOW or name != "mcp__*"]
    text = r.choice(
        [
            *(f"{kind}({r.choice(PATTERNS)})" for kind in ("path", "path", "read", "write", "delete")),
            f"web({r.choice(HOST_PATTERNS)})",
            f"mcp({r.choice(pairs)})",
            f"shell({r.choice(COMMAND_PATTERNS)})",
            f"tool({r.choice(names)})",
            f"tool({r.choice(['@fs_read', '@fs_write', '@fs_any'])})",
            f"agent({r.choice(NAME_PATTERNS[:7])})",
            f"skill({r.choice(NAME_PATTERNS[:7])})",
        ]
    )
    origins = [Origin.GLOBAL, Origin.GLOBAL, Origin.BUILT_IN, Origin.TOOL_POLICY, Origin.SESSION]
    rule = parse_text_rule(effect, text, r.choice(origins), rule_id=f"l{number}")
    approval = r.choice(POLICIES) if effect is Effect.ASK else None
    return _changed(rule, must_ask=effect is Effect.ASK and r.random() < 0.2, approval=approval,
                    **_common(r))


def a_row(r: random.Random, number: int) -> Rule:
    """A row of the rule table."""
    effect = r.choice(EFFECTS)
    tool, path, pattern = r.choice(NAME_PATTERNS), None, None
    sort = r.randrange(6)
    if sort <= 1:
        tool = r.choice(["@fs_read", "@fs_write", "@fs_any", "read_file", "*", "write_*", "*_file"])
        path = r.choice(PATTERNS)
    elif sort == 2:
        tool, pattern = r.choice(
            [
                ("execute_cmd", r.choice(COMMAND_PATTERNS)),
                ("web_fetch", r.choice(HOST_PATTERNS)),
                ("*", r.choice(PAIR_PATTERNS)),
            ]
        )
    elif sort == 3:
        tool = r.choice(["*", "@fs_read", "@fs_any", "@fs_write"])
    return Rule(
        f"t{number}",
        effect,
        Origin.DATABASE,
        tool_pattern=tool,
        path_pattern=path,
        pattern=pattern,
        priority=r.choice([-1, 0, 1, 1, 5, 999_999]),
        group_id=r.choice(GROUPS),
        must_ask=effect is Effect.ASK and r.random() < 0.1,
        approval=r.choice(POLICIES) if effect is Effect.ASK else None,
        seeded=r.random() < 0.2,
        **_common(r),
    )


def a_machine(r: random.Random) -> FakeFacts:
    """Facts of a machine, some with links, some that ignore case, some of which nothing is known."""
    links = {"/w/link": "/real", "/alias": "/w", "/w/lib/deep": "/w/secrets"}
    return FakeFacts(
        links=links if r.random() < 0.6 else {},
        ignore_case=r.choice([False, False, True, None]),
        dns={"inner.test": "127.0.0.1"},
        unknown=r.random() < 0.1,
    )


def _changed(rule: Rule, **fields: Any) -> Rule:
    from dataclasses import replace

    return replace(rule, **fields)


randoms = st.integers(min_value=0, max_value=2**48).map(random.Random)
"""Seeded randomness as one drawn number, so that a found example can be run again."""
