from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from sayso.core.approval_policy import ApprovalPolicy
from sayso.core.call import ToolCall
from sayso.core.operation import Operation
from sayso.core.target import Target, TargetKind
from sayso.policy.made_up_facts import MadeUpFacts
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.policy.targets import targets
from sayso.requests.sentence import (
    MAX_NAME,
    MAX_SENTENCE,
    action_sentence,
    default_sentence,
    message_text,
)


def call(arguments: dict[str, Any] | None = None, **changes: Any) -> ToolCall:
    data: dict[str, Any] = {
        "call_id": "c1",
        "tool": "refund",
        "arguments": arguments or {},
        "session_id": "s1",
        "agent_id": "support-bot",
        "user_id": "owner",
    }
    return ToolCall(**{**data, **changes})


def path(text: str, operation: Operation | None, own: bool = True) -> Target:
    return Target(TargetKind.PATH, text, own=own, operation=operation)


def command(text: str) -> Target:
    return Target(TargetKind.COMMAND, text)


def sentence(template: str, arguments: dict[str, Any] | None = None) -> str:
    return action_sentence(call(arguments), ApprovalPolicy(action=template), ())


@pytest.mark.spec("REQ-13")
@pytest.mark.parametrize(
    ("tool", "said"), [("run", "Call run?"), ("Run_it", "Call Run_it?"), ("prune", "Run prune?")]
)
def test_a_tool_whose_name_says_run_is_called(tool: str, said: str) -> None:
    assert default_sentence(replace(call(), tool=tool), ()) == said


@pytest.mark.parametrize(
    ("targets", "said"),
    [
        ([], "Run refund?"),
        ([Target(TargetKind.NAME, "refund")], "Run refund?"),
        ([path("a.txt", Operation.WRITE)], "Edit a.txt?"),
        ([path("a.txt", Operation.READ)], "Read a.txt?"),
        ([path("a.txt", Operation.DELETE)], "Delete a.txt?"),
        ([path("a.txt", None)], "Use a.txt?"),
        ([path("a", Operation.WRITE), path("b", Operation.WRITE)], "Edit a and 1 more path?"),
        ([path(str(n), Operation.DELETE) for n in range(4)], "Delete 0 and 3 more paths?"),
        ([path("a", Operation.DELETE), path("b", Operation.WRITE)], "Move a to b?"),
        ([path("a", Operation.READ), path("b", Operation.WRITE)], "Run refund?"),
        ([path("a", Operation.READ, own=False)], "Run refund?"),
        ([command("git push")], "Run git push?"),
        ([command("git add ."), command("git commit")], "Run git add . and 1 more command?"),
        ([command("ls"), path("out", Operation.WRITE, own=False)], "Run ls?"),
        ([Target(TargetKind.HOST, "example.com")], "Fetch example.com?"),
        ([command("curl"), Target(TargetKind.HOST, "example.com")], "Run refund?"),
        ([command("a\nb\r\nc")], "Run a↵b↵c?"),
    ],
)
def test_the_default_sentence_tells_what_happens(targets: list[Target], said: str) -> None:
    assert action_sentence(call(), ApprovalPolicy(), targets) == said


def test_a_link_is_said_with_where_it_leads() -> None:
    link = Target(
        TargetKind.PATH,
        "/w/notes.txt",
        operation=Operation.WRITE,
        path="/w/notes.txt",
        resolved="/etc/cron.d/x",
    )
    said = action_sentence(call(workspace="/w"), ApprovalPolicy(), [link])
    assert said == "Edit notes.txt (leads to /etc/cron.d/x)?"
    plain = structs.replace(link, resolved="/w/notes.txt")
    assert action_sentence(call(workspace="/w"), ApprovalPolicy(), [plain]) == "Edit notes.txt?"
    source = structs.replace(link, operation=Operation.DELETE)
    moved = action_sentence(call(workspace="/w"), ApprovalPolicy(), [source, link])
    assert moved.count("leads to /etc/cron.d/x") == 2


def test_a_tool_of_a_server_is_named_as_a_pair() -> None:
    upstream = call(tool="write_file", server="files")
    pair = Target(TargetKind.MCP, "files:write_file", server="files", tool="write_file")
    assert action_sentence(upstream, ApprovalPolicy(), [pair]) == "Run files:write_file?"
    both = [pair, path("a.txt", Operation.WRITE)]
    said = action_sentence(upstream, ApprovalPolicy(), both)
    assert said == "Edit a.txt (files:write_file)?"


def test_what_is_cut_is_counted() -> None:
    said = action_sentence(call(), ApprovalPolicy(), [command("x" * (MAX_NAME + 1200))])
    assert said == f"Run {'x' * MAX_NAME}… (1,200 more characters)?"


def test_a_template_sees_the_arguments_and_the_call() -> None:
    arguments = {"amount": 120, "tool": "mine", "order": {"id": 7}}
    said = sentence("{{ tool }} €{{ amount }} on {{ input.order.id }} by {{ agent }}", arguments)
    assert said == "refund €120 on 7 by support-bot"


@pytest.mark.spec("REQ-13")
@pytest.mark.parametrize(
    "template",
    [
        "",
        "  \n ",
        "{{ nothing }}",
        "{{ input.nothing.at_all }}",
        "{{",
        "{% for i in range(1000000) %}x{% endfor %}",
        "{{ 'x' * 100000000 }}",
        "{% include 'other' %}",
        "{{ 1 / 0 }}",
        "{{ '' }}",
        "{{ amount.__class__ }}",
    ],
)
def test_a_template_that_fails_or_is_empty_gives_the_default(template: str) -> None:
    assert sentence(template, {"amount": 1}) == "Run refund?"


def test_what_a_call_says_is_never_a_template() -> None:
    assert sentence("Pay {{ who }}", {"who": "{{ 7 * 7 }}"}) == "Pay {{ 7 * 7 }}"


def test_nothing_is_escaped_and_lines_are_marked() -> None:
    assert sentence("Pay {{ who }}", {"who": "<b>&\nmore"}) == "Pay <b>&↵more"


def test_a_template_cannot_change_the_call() -> None:
    one = call({"keep": 1, "list": [1]})
    template = "{{ input.clear() }}{{ list.clear() }}{{ input.update(keep=2) }}"
    action_sentence(one, ApprovalPolicy(action=template), ())
    assert dict(one.arguments) == {"keep": 1, "list": [1]}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    template=st.text() | st.from_regex(r"\{[{%].{0,20}[%}]\}"),
    arguments=st.dictionaries(st.text(), JSON),
)
def test_rendering_never_raises_and_never_says_nothing(
    template: str, arguments: dict[str, Any]
) -> None:
    said = sentence(template, arguments)
    assert said.strip()
    assert "\n" not in said


def test_a_path_inside_the_workspace_is_said_as_it_is_there() -> None:
    inside = Target(TargetKind.PATH, "/srv/proj/docs/a.md", operation=Operation.WRITE)
    beside = Target(TargetKind.PATH, "/srv/project/a.md", operation=Operation.WRITE)
    call = ToolCall("c", "write_file", {}, "s", "a", "u", workspace="/srv/proj")
    assert action_sentence(call, ApprovalPolicy(), [inside]) == "Edit docs/a.md?"
    assert action_sentence(call, ApprovalPolicy(), [beside]) == "Edit /srv/project/a.md?"


@pytest.mark.spec("REQ-13")
def test_a_command_line_is_shown_whole_however_many_commands_it_has() -> None:
    line = "git status && rm -rf build; ls > out"
    what = call({"command": line}, tool="execute_cmd", workspace="/w")
    found = targets(what, SHIPPED, MadeUpFacts())
    assert len([target for target in found if target.own]) == 3
    assert default_sentence(what, found) == f"Run {line}?"


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("", ""),
        ("Refunds need a look.", "Refunds need a look."),
        ("{{ amount }} leave the account.", "40 leave the account."),
        ("{{ nothing }}", ""),
        ("{% for", ""),
        ("{{ note }}", "line one↵{{ 7 * 7 }}"),
    ],
)
def test_the_message_is_a_template_too_and_says_nothing_where_it_fails(
    template: str, said: str
) -> None:
    asked = call({"amount": 40, "note": "line one\n{{ 7 * 7 }}"})
    assert message_text(asked, ApprovalPolicy(message=template)) == said


def test_a_long_message_is_cut_and_counted() -> None:
    said = message_text(call({"x": "y" * 1000}), ApprovalPolicy(message="{{ x }}"))
    assert said.startswith("y" * MAX_SENTENCE)
    assert said.endswith("… (600 more characters)")
