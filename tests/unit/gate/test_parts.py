"""Which keys the parts of a call have, and which calls can only be approved once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from sayso.core.call import ToolCall
from sayso.core.effect import Effect
from sayso.core.operation import Operation
from sayso.gate.parts import offered_keys, parts_of
from sayso.policy.descriptors import PathArgument, ToolDescriptor, ToolKind
from sayso.policy.rule import Origin, Rule
from sayso.policy.ruleset import compile_ruleset, judge
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.policy.text_rule import parse_text_rule
from tests.fakes.facts import FakeFacts
from tests.fakes.values import a_call

WORKSPACE = "/w"

pytestmark = pytest.mark.spec("REQ-50")


def row(effect: str, tool: str = "*", **more: Any) -> Rule:
    """A row of the rule table."""
    effect_ = Effect.parse(effect)
    return Rule(f"{effect}:{tool}:{more}", effect_, Origin.DATABASE, tool_pattern=tool, **more)


def call_of(tool: str, arguments: dict[str, Any], **more: Any) -> ToolCall:
    return a_call(tool=tool, arguments=arguments, workspace=WORKSPACE, **more)


def keys(
    call: ToolCall,
    *allowed: str,
    table: Sequence[Rule] = (),
    facts: FakeFacts | None = None,
    descriptors: Sequence[ToolDescriptor] = (),
) -> list[list[str]]:
    """For each part that asks, the texts of its keys."""
    facts = FakeFacts() if facts is None else facts
    known = SHIPPED.adding(descriptors)
    rules = [parse_text_rule(Effect.ALLOW, text, Origin.GLOBAL) for text in allowed]
    ruleset = compile_ruleset(rules, [*table, row("ask")], known, facts=facts)
    outcome = judge(call, ruleset, facts)
    found = parts_of(call, outcome, known, facts)
    return [[key.text for key in part.keys] for part in found]


def offered(line: str, *allowed: str) -> list[str]:
    """The texts of the keys that a card offers for a line."""
    facts = FakeFacts()
    rules = [parse_text_rule(Effect.ALLOW, text, Origin.GLOBAL) for text in allowed]
    ruleset = compile_ruleset(rules, [row("ask")], SHIPPED, facts=facts)
    call = call_of("execute_cmd", {"command": line})
    found = parts_of(call, judge(call, ruleset, facts), SHIPPED, facts)
    return [key.text for key in offered_keys(found)]


def run(line: str, *allowed: str, **more: Any) -> list[list[str]]:
    return keys(call_of("execute_cmd", {"command": line}), *allowed, **more)


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("write_file", {"path": "a.txt", "content": "x"}, ["write:/w"]),
        ("Edit", {"file_path": "/w/src/a.py"}, ["write:/w"]),
        ("delete_file", {"path": "a.txt"}, ["delete:/w"]),
        ("write_file", {"path": "/etc/hosts"}, ["tool:write_file:write:/etc/hosts"]),
        ("write_file", {"path": "../w2/x"}, ["tool:write_file:write:/w2/x"]),
        ("read_file", {"path": "a.txt"}, ["tool:read_file:read:/w/a.txt"]),
        ("execute_cmd", {"command": "npm test"}, ["cmd:/w\0npm test"]),
        ("Bash", {"command": "npm test"}, ["cmd:/w\0npm test"]),
        ("execute_cmd", {"command": "cat src/a.py"}, ["cmd:/w\0cat src/a.py\0read:/w/src/a.py"]),
        ("web_fetch", {"url": "https://example.com/a?b"}, ["web:example.com"]),
        ("web_fetch", {"url": "http://Example.com:80/"}, ["web:example.com"]),
        ("web_fetch", {"url": "http://example.com:8080/"}, ["web:http://example.com:8080"]),
        ("WebSearch", {"query": "cats"}, ["search:WebSearch"]),
        ("send_mail", {"to": "a"}, ["tool:send_mail:"]),
        ("Skill", {"skill": "pdf"}, ["tool:Skill:the skill pdf"]),
        ("Task", {"subagent_type": "tester"}, ["tool:Task:the agent tester"]),
    ],
)
def test_what_a_call_is_remembered_by(
    tool: str, arguments: dict[str, Any], expected: list[str]
) -> None:
    assert keys(call_of(tool, arguments)) == [expected]


@pytest.mark.spec("REQ-55")
@pytest.mark.parametrize("kind", [ToolKind.OTHER, ToolKind.NETWORK])
def test_what_was_granted_for_fetching_does_not_reach_another_tool_that_goes_there(
    kind: ToolKind,
) -> None:
    """Its card said "fetch anything from", and this one may send anything to."""
    posts = ToolDescriptor("http_post", kind, "network", urls=("url",))
    call = call_of("http_post", {"url": "https://example.com/a", "body": "all of it"})
    assert keys(call, descriptors=[posts]) == [["tool:http_post:host:https://example.com:443"]]


@pytest.mark.spec("REQ-55")
def test_what_was_granted_for_editing_does_not_reach_another_tool_that_writes_besides() -> None:
    deploys = ToolDescriptor("deploy", paths=(PathArgument("config", Operation.WRITE),))
    call = call_of("deploy", {"config": "prod.toml", "to": "the world"})
    assert keys(call, descriptors=[deploys]) == [["tool:deploy:write:/w/prod.toml"]]
    edits = replace(deploys, kind=ToolKind.WRITE_FILE)
    assert keys(call, descriptors=[edits]) == [["write:/w"]]


def test_a_tool_of_a_server_is_remembered_by_the_pair() -> None:
    call = call_of("create_issue", {"title": "x", "path": "/etc/x"}, server="github")
    assert keys(call) == [["mcp:github:create_issue"]]
    odd = call_of("a:b", {}, server="git:hub")
    assert keys(odd) == [["mcp:git%3Ahub:a:b"]]


def test_a_generated_tool_is_remembered_by_its_name() -> None:
    made = ToolDescriptor("count_words", category="dynamic")
    assert keys(call_of("count_words", {}), descriptors=[made]) == [["forged:count_words"]]


def test_a_path_that_a_row_asks_about_is_a_part_of_its_own() -> None:
    """The grant for a server's tool does not reach what somebody set an ask for."""
    call = call_of("read_file", {"path": "/w/private/x"}, server="fs")
    asks = row("ask", "@fs_read", path_pattern="/w/private/*", priority=1)
    assert keys(call, table=[asks]) == [
        ["mcp:fs:read_file"],
        ["tool:mcp__fs__read_file:read:/w/private/x"],
    ]
    assert keys(call, "mcp(fs:read_file)", table=[asks]) == [
        ["tool:mcp__fs__read_file:read:/w/private/x"]
    ]


def test_a_move_has_two_parts() -> None:
    call = call_of("move_file", {"source": "a", "destination": "b"})
    assert keys(call) == [["delete:/w"], ["write:/w"]]


def test_only_what_no_rule_covers_is_a_part() -> None:
    line = "git status && npm test && npm run lint"
    whole = f"cmd:/w\0{line}"
    assert run(line, "shell(git status)") == [
        ["cmd:/w\0npm test", whole],
        ["cmd:/w\0npm run lint", whole],
    ]


@pytest.mark.parametrize(
    "line",
    [
        "echo x | psql prod",
        "psql prod < a.sql",
        "psql prod <<E\nselect 1\nE\n",
        "(npm test; ls)",
        "npm test &",
    ],
)
def test_where_something_flows_into_a_command_the_line_is_the_key(line: str) -> None:
    for part in run(line):
        assert all(key.startswith(f"cmd:/w\0{line}") for key in part), part


@pytest.mark.parametrize("line", ["cd sub && npm test", "export A=1; npm test"])
def test_a_command_that_depends_on_what_came_before_has_the_line_for_a_key(line: str) -> None:
    first, second = run(line)
    assert len(first) == 2
    (whole,) = second
    assert whole == f"cmd:/w\0{line}"
    assert offered(line) == [whole]


@pytest.mark.spec("REQ-55")
def test_one_grant_is_offered_for_each_uncovered_part() -> None:
    line = "git status && npm test && npm run lint"
    assert offered(line, "shell(git status)") == ["cmd:/w\0npm test", "cmd:/w\0npm run lint"]
    assert offered("npm test && bash x.sh") == []


@pytest.mark.spec("REQ-55")
@pytest.mark.parametrize(
    "line",
    [
        "bash x.sh",
        "sh -c 'npm test'",
        "python3 x.py",
        "python3 -c 'print(1)'",
        "node -e 1",
        "./tool | bash",
        "sudo npm test",
        "timeout 5 npm test",
        "env A=1 npm test",
        "xargs rm",
        "find . -exec rm {} ;",
        "git",
        "git -C sub",
        "git --exec-path=/x status",
        "git -c core.pager=x log",
        "eval npm test",
        "source x.sh",
        "awk '{ print }' a",
        "echo $X",
        "npm $X",
        "A=$B npm test",
        "$X",
        "rm $(cat a)",
        "echo 'unclosed",
        "docker exec a ls",
        "ssh host ls",
        "zsh",
        "pwsh x",
        "echo \u202e x",
        "echo " + "x" * 9000,
    ],
)
def test_what_can_only_be_approved_once(line: str) -> None:
    found = run(line)
    assert found
    assert [] in found, found


def test_a_tool_whose_descriptor_says_so_has_no_key() -> None:
    once = ToolDescriptor("run_script", remember=False)
    assert keys(call_of("run_script", {}), descriptors=[once]) == [[]]


def test_what_a_glob_stands_for_is_in_the_key() -> None:
    before = FakeFacts(files=("/w/a.o", "/w/b.o"))
    after = FakeFacts(files=("/w/a.o", "/w/b.o", "/w/c.o"))
    assert run("rm *.o", facts=before) == [["cmd:/w\0rm *.o\0delete:/w/a.o\0delete:/w/b.o"]]
    assert run("rm *.o", facts=before) != run("rm *.o", facts=after)
    many = FakeFacts(files=tuple(f"/w/{n}.o" for n in range(30)))
    assert run("rm *.o", facts=many) == [[]]


def test_where_a_link_leads_is_in_the_key() -> None:
    here, there = FakeFacts(links={"/w/a": "/w/b"}), FakeFacts(links={"/w/a": "/etc/passwd"})
    assert run("cat a", facts=here) == [["cmd:/w\0cat a\0read:/w/a -> /w/b"]]
    assert run("cat a", facts=there) != run("cat a", facts=here)
    line = "ls && cat a && head a"  # the second command's path is its own, too
    assert run(line, facts=here)[-1][0] == "cmd:/w\0head a\0read:/w/a -> /w/b"


def test_a_link_out_of_the_workspace_is_no_file_of_it() -> None:
    facts = FakeFacts(links={"/w/out": "/etc"})
    call = call_of("write_file", {"path": "out/x"})
    assert keys(call, facts=facts) == [["tool:write_file:write:/w/out/x -> /etc/x"]]
    linked = FakeFacts(links={"/w": "/data/w"})
    assert keys(call_of("write_file", {"path": "x"}), facts=linked) == [["write:/w"]]


def test_what_is_not_known_has_no_key() -> None:
    facts = FakeFacts(unknown=True)
    assert keys(call_of("write_file", {"path": "x"}), facts=facts) == [[]]
    assert keys(call_of("read_file", {"path": "x"}), facts=facts) == [[]]
    assert keys(call_of("read_file", {"path": 7})) == [[]]
    assert keys(call_of("web_fetch", {"url": "https://exa\u0301mple.com/"})) == [[]]
    assert keys(call_of("send\u200bmail", {})) == [[]]


def test_another_workspace_is_another_key() -> None:
    one = call_of("execute_cmd", {"command": "npm test"})
    assert keys(replace(one, workspace="/other")) == [["cmd:/other\0npm test"]]
    assert keys(replace(one, workspace=None)) == [["cmd:\0npm test"]]
    write = call_of("write_file", {"path": "/x/a"})
    assert keys(replace(write, workspace="/")) == [["tool:write_file:write:/x/a"]]
    assert keys(replace(write, workspace=None)) == [["tool:write_file:write:/x/a"]]


def test_a_shell_tool_that_somebody_described_has_its_name_in_the_key() -> None:
    """It may run its commands elsewhere than the shell tools that ship."""
    prod = ToolDescriptor("on_prod", ToolKind.RUN_COMMAND, "shell", command="command")
    call = call_of("on_prod", {"command": "npm test"})
    assert keys(call, descriptors=[prod]) == [["cmd:/w\0npm test\0by:on_prod"]]
    far = replace(prod, tool="run", server="far")
    found = keys(call_of("run", {"command": "npm test"}, server="far"), descriptors=[far])
    assert ["cmd:/w\0npm test\0by:mcp__far__run"] in found


def test_a_doubtful_command_has_the_exact_line_for_a_key() -> None:
    facts = FakeFacts(repositories=frozenset({"/w/sub"}))
    line = "cd sub && git status"
    allowed = ("shell(cd *)", "shell(git status)")
    assert run(line, *allowed, facts=facts) == [[f"cmd:/w\0{line}"]]


def test_a_tool_with_two_paths_has_both() -> None:
    copy = ToolDescriptor(
        "copy",
        paths=(PathArgument("a", Operation.READ), PathArgument("b", Operation.ANY)),
    )
    call = call_of("copy", {"a": "/x", "b": "/y"})
    assert keys(call, descriptors=[copy]) == [["tool:copy:read:/x"], ["tool:copy:any:/y"]]


def test_what_is_said_beside_a_command_is_in_the_key() -> None:
    plain = call_of("Bash", {"command": "npm test", "description": "tests", "timeout": 5})
    assert keys(plain) == [["cmd:/w\0npm test"]]
    elsewhere = call_of("Bash", {"command": "npm test", "workdir": "/etc"})
    assert keys(elsewhere) == [['cmd:/w\0npm test\0with:{"workdir":"/etc"}']]
    open_ = call_of("Bash", {"command": "npm test", "dangerouslyDisableSandbox": True})
    assert keys(open_) == [['cmd:/w\0npm test\0with:{"dangerouslyDisableSandbox":true}']]
