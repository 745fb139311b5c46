"""Random calls, rules and machines for the laws of policy: small, so that rules and calls meet."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from hypothesis import strategies as st

from sayso.core.approval_policy import ApprovalPolicy, Approver, OnTimeout, Severity
from sayso.core.call import ToolCall
from sayso.core.effect import Effect
from sayso.policy.outcome import PolicyOutcome
from sayso.policy.rule import Origin, Rule
from sayso.policy.ruleset import RuleSet, compile_ruleset, judge
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.policy.text_rule import parse_text_rule
from tests.fakes.facts import FakeFacts

Form = TypeVar("Form")

PATHS = (
    "/w/src/a.py", "src/a.py", "src/../lib/b.py", "/w/secrets/key", "secrets/key", "./Secrets/key",
    "/w/lib", "lib/deep/down/x.py", "/etc/passwd", "/etc/cron.d/x", "~/.ssh/id", "../other/y.md",
    "link/x", "/w/link/y.py", "src/out/passwd", "/w", "README.md", "data/x-1/y", "/w2/src/a.py", "sеcrets/key", "",
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
PAIR_PATTERNS = (
    "github:*",
    "github:get_*",
    "github:get_issue",
    "fs:*",
    "web:fetch",
    "fs:read_file",
)
ANY_SERVER = ("*:*", "*:delete_*", "git*:*")
COMMANDS = (
    "ls", "rm -rf /", "git status", "a\u200bb", "", "git status && rm -rf x", "timeout 5 git push", "ls $X",
    "FOO=1 git status", "CI=1 git status", "/bin/ls", "/tmp/ls", "git -C . push", "git $X", "X=1", "> out",
    "env -i rm x", "GIT status", "my-tool rm x", "xargs rm", "sort -o x y", "bash -c 'git status'", "rm *",
    "export PAGER=x; git status", "echo 'unclosed", "docker run x rm y", "r\u043c x", "bash -c ''",
    "cat a > src/x", "echo x >> secrets/x", "tee memory/x", "cat $X", 'curl "$U"', "cat < data/x",
    "curl https://example.com/", "cd src && rm x", "timeout 5 rm x; git status", "nc localhost 80",
    "frob secrets/x memory/y", 'eval "$X"; cat secrets/x',
)  # fmt: skip
COMMAND_PATTERNS = (
    "*", "git *", "rm *", "/rm/", "git status", "git push *", "ls", "ls *", "rm -rf *", "timeout *", "g*",
    "* status", "/git.*/", "sort *", "bash -c *", "docker run *", "/usr/bin/git status", "rm x",
)  # fmt: skip
CONDITIONS = ("input.amount > 10", "input.amount == 5", 'agent == "a1"', 'input.kind in ["x"]')
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


def a_list_rule(
    r: random.Random, number: int, near: ToolCall, effect: Effect | None = None
) -> Rule:
    """A rule of a permission list, read from text; most are about what the call is about."""
    effect = r.choice(EFFECTS) if effect is None else effect
    pairs = PAIR_PATTERNS if effect is Effect.ALLOW else PAIR_PATTERNS + ANY_SERVER
    exact = effect is Effect.ALLOW and near.server is not None
    names = [name for name in NAME_PATTERNS if effect is not Effect.ALLOW or name != "mcp__*"]
    paths = [
        f"{kind}({r.choice(PATTERNS)})" for kind in ("path", "path", "read", "write", "delete")
    ]
    forms = {
        "path": [*paths, f"tool({r.choice(['@fs_read', '@fs_write', '@fs_any'])})"],
        "host": [f"web({r.choice(HOST_PATTERNS)})"],
        "pair": [f"mcp({r.choice(pairs)})"],
        "command": [f"shell({r.choice(COMMAND_PATTERNS)})"],
        "named": [f"{kind}({r.choice(NAME_PATTERNS[:7])})" for kind in ("agent", "skill")],
        "name": [
            f"tool({r.choice(names)})",
            f"tool({r.choice(names)})",
            f"tool({_tool(r, near, exact=exact)})",
        ],
    }
    text = r.choice(_near(r, forms, near))
    origins = [Origin.GLOBAL, Origin.GLOBAL, Origin.BUILT_IN, Origin.TOOL_POLICY, Origin.SESSION]
    rule = parse_text_rule(effect, text, r.choice(origins), rule_id=f"l{number}")
    approval = r.choice(POLICIES) if effect is Effect.ASK else None
    must_ask = effect is Effect.ASK and r.random() < 0.2
    return replace(rule, must_ask=must_ask, approval=approval, **_common(r))


def a_row(r: random.Random, number: int, near: ToolCall) -> Rule:
    """A row of the rule table; most are about what the call is about."""
    effect = r.choice(EFFECTS)
    classes = ["@fs_read", "@fs_write", "@fs_any"]
    names: list[tuple[str, str | None, str | None]] = [
        (r.choice([r.choice(NAME_PATTERNS), _tool(r, near), "*"]), None, None)
    ]
    forms = {
        "path": [
            (r.choice([*classes, "*", "*_file", _tool(r, near)]), r.choice(PATTERNS), None),
            (r.choice([*classes, "*", "write_*"]), r.choice(PATTERNS), None),
            (r.choice(classes), None, None),
        ],
        "host": [(r.choice(["web_fetch", "*"]), None, r.choice(HOST_PATTERNS))],
        "command": [(r.choice(["execute_cmd", "*"]), None, r.choice(COMMAND_PATTERNS))],
        "pair": [("*", None, r.choice(PAIR_PATTERNS))],
        "name": names,
    }
    tool, path, pattern = r.choice(_near(r, forms, near))
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


def _tool(r: random.Random, near: ToolCall, *, exact: bool = False) -> str:
    """A pattern that names the call's tool, exactly or by a glob."""
    name = near.written_name.strip() or "x"
    return (
        name
        if exact
        else r.choice([name, name, f"{name[: len(name) // 2]}*", f"*{name[len(name) // 2 :]}"])
    )


def _near(r: random.Random, forms: dict[str, list[Form]], near: ToolCall) -> list[Form]:
    if r.random() < 0.2:
        return [form for some in forms.values() for form in some]
    sorts = ["name"]
    if near.server is not None:
        sorts += ["pair", "pair"]
    if {"path", "source"} & set(near.arguments):
        sorts += ["path", "path", "path", "path"]
    if "url" in near.arguments:
        sorts += ["host", "host", "host"]
    if "command" in near.arguments:
        sorts += ["command", "command", "path"]
    if {"subagent_type", "skill"} & set(near.arguments):
        sorts += ["named", "named"]
    return forms.get(r.choice(sorts)) or forms["name"]


@dataclass
class PolicyWorld:
    """A call on a machine under rules that are about such calls."""

    call: ToolCall
    facts: FakeFacts
    lists: list[Rule]
    table: list[Rule]
    group: str

    def compiled(self, lists: list[Rule] | None = None, table: list[Rule] | None = None) -> RuleSet:
        """The rules compiled, some of them changed."""
        return compile_ruleset(
            self.lists if lists is None else lists,
            self.table if table is None else table,
            SHIPPED,
            facts=self.facts,
        )

    def judged(
        self, lists: list[Rule] | None = None, table: list[Rule] | None = None
    ) -> PolicyOutcome:
        """What policy says of the call, some rules changed."""
        return judge(self.call, self.compiled(lists, table), self.facts, group=self.group)


def a_world(r: random.Random, *, most: int = 6) -> PolicyWorld:
    """A random world with up to so many rules of each source."""
    call = a_call(r)
    return PolicyWorld(
        call,
        a_machine(r),
        [a_list_rule(r, number, call) for number in range(r.randrange(most + 1))],
        [a_row(r, number, call) for number in range(r.randrange(most + 1))],
        r.choice(["default", "team", "nowhere"]),
    )


def a_machine(r: random.Random) -> FakeFacts:
    """Facts of a machine, some with links, some that ignore case, some of which nothing is known."""
    links = {
        "/w/link": "/real",
        "/w/src/out": "/etc",
        "/alias": "/w",
        "/w/lib/deep": "/w/secrets",
    }
    return FakeFacts(
        links=links if r.random() < 0.6 else {},
        ignore_case=r.choice([False, False, True, None]),
        dns={"inner.test": "127.0.0.1"},
        unknown=r.random() < 0.1,
    )


randoms = st.integers(min_value=0, max_value=2**48).map(random.Random)
"""Seeded randomness as one drawn number, so that a found example can be run again."""
