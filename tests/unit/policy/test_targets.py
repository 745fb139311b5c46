from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.effect import Effect
from sayso.core.operation import Operation
from sayso.core.target import Target, TargetKind
from sayso.policy.descriptors import PathArgument, ToolDescriptor, ToolKind
from sayso.policy.facts import NOTHING_KNOWN
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.policy.targets import targets
from tests.fakes.facts import FakeFacts
from tests.unit.policy.worlds import call, effect, said

FACTS = FakeFacts(links={"/w/link": "/etc"})


def of(tool: str, server: str | None = None, /, **arguments: Any) -> list[Target]:
    return list(targets(call(tool, server, **arguments), SHIPPED, FACTS))


@pytest.mark.spec("POL-3")
def test_a_move_deletes_its_source_and_writes_its_destination() -> None:
    source, destination = of("move_file", source="a", destination="/b")
    assert (source.path, source.operation) == ("/w/a", Operation.DELETE)
    assert (destination.path, destination.operation) == ("/b", Operation.WRITE)
    assert source.own
    assert destination.own


@pytest.mark.spec("POL-3")
def test_a_fetch_has_a_host_target() -> None:
    (target,) = of("web_fetch", url="https://Example.com/a")
    assert (target.kind, target.scheme, target.host, target.port) == (
        TargetKind.HOST,
        "https",
        "example.com",
        443,
    )


@pytest.mark.spec("POL-3")
def test_an_mcp_call_has_its_pair_and_what_its_arguments_touch() -> None:
    pair, path = of("read_file", "fs", path="link/passwd")
    assert (pair.kind, pair.server, pair.tool, pair.own) == (
        TargetKind.MCP,
        "fs",
        "read_file",
        True,
    )
    assert (path.path, path.resolved, path.own) == ("/w/link/passwd", "/etc/passwd", False)
    assert [t.path for t in of("read_multiple_files", "fs", paths=["a", "b"])[1:]] == [
        "/w/a",
        "/w/b",
    ]
    assert [t.host for t in of("fetch", "web", url="http://x.test/")[1:]] == ["x.test"]


@pytest.mark.spec("POL-3")
def test_a_call_without_another_target_has_its_name() -> None:
    (target,) = of("notify", text="hello")
    assert (target.kind, target.tool, target.doubt) == (TargetKind.NAME, "notify", None)


@pytest.mark.spec("POL-3")
def test_a_command_line_has_a_target_for_each_command_and_for_what_they_touch() -> None:
    first, second, path = of("execute_cmd", command="git status && rm x")
    assert [(t.kind, t.text, t.own) for t in (first, second)] == [
        (TargetKind.COMMAND, "git status", True),
        (TargetKind.COMMAND, "rm x", True),
    ]
    assert (path.path, path.operation, path.own) == ("/w/x", Operation.DELETE, False)
    assert not any(target.opaque or target.doubt for target in (first, second, path))


@pytest.mark.spec("POL-31")
def test_a_command_line_that_cannot_be_verified_has_a_target_of_its_own() -> None:
    found, line = (
        of("execute_cmd", command='ls; eval "$X"')[:-1],
        of("execute_cmd", command='eval "$X"'),
    )
    assert any(target.text == "ls" for target in found)
    (opaque,) = (target for target in line if target.opaque)
    assert opaque.own
    assert opaque.doubt


@pytest.mark.spec("POL-2")
@pytest.mark.parametrize("value", [None, 7, True, 1.5, [], ["a"], {"p": "a"}, ""])
@pytest.mark.parametrize(
    ("tool", "argument"),
    [
        ("read_file", "path"),
        ("Write", "file_path"),
        ("delete_file", "path"),
        ("web_fetch", "url"),
        ("execute_cmd", "command"),
        ("Bash", "command"),
    ],
)
def test_a_value_of_the_wrong_type_is_doubtful_and_never_nothing(
    tool: str, argument: str, value: object
) -> None:
    found = of(tool, **{argument: value})
    assert found
    assert all(target.doubt for target in found)
    assert all(not target.opaque for target in found)
    what = call(tool, **{argument: value})
    assert (
        effect(what, "allow tool(*)", "allow path(/**)", "allow shell(*)", "allow web(*)") == "ask"
    )
    assert effect(what, f"deny tool({tool})") == "deny"


@pytest.mark.spec("POL-2")
@pytest.mark.parametrize(
    ("argument", "value"), [("paths", "a"), ("paths", [1]), ("paths", [["a"]])]
)
def test_a_list_of_paths_may_be_hostile_too(argument: str, value: object) -> None:
    found = of("read_multiple_files", "fs", **{argument: value})
    assert len(found) >= 2
    assert all(target.doubt for target in found[1:2])


@pytest.mark.spec("POL-3")
def test_a_text_that_a_server_may_read_as_a_list_of_paths_is_doubtful() -> None:
    found = of("read_multiple_files", "fs", paths='["/etc/shadow"]')
    assert any(target.doubt for target in found)
    what = call("read_multiple_files", "fs", paths='["/etc/shadow"]')
    assert effect(what, "allow mcp(fs:*)", "allow read(/**)") == "ask"


@pytest.mark.spec("POL-3")
@pytest.mark.parametrize("name", ["Path", "PATH", "\uff50ath", "p\u0430th", "pa\u200bth"])
def test_an_argument_that_a_server_may_take_for_the_path_is_doubtful(name: str) -> None:
    for arguments in ({name: "/etc/shadow"}, {"path": "/w/a", name: "/etc/shadow"}):
        what = call("read_file", "fs", **arguments)
        assert effect(what, "allow mcp(fs:*)", "allow read(/w/**)") == "ask"


@pytest.mark.spec("POL-3")
@pytest.mark.parametrize(
    "pattern", ["*/../../*", "**/..", "{/etc/passwd,x}", "src/*/../../../**", "{x,~/.ssh}/*"]
)
def test_a_glob_that_may_lead_out_of_where_it_begins_is_doubtful(pattern: str) -> None:
    what = call("Glob", pattern=pattern)
    assert effect(what, "allow read(/w/**)", "allow read(**)") == "ask"
    assert effect(call("Glob", pattern="src/{a,b}/*.py"), "allow read(**)") == "allow"


@pytest.mark.spec("POL-3")
@pytest.mark.parametrize(
    "pattern",
    [
        "@(/etc|/root)/shadow",
        "@(a|/etc)/*",
        "+(/etc)/x",
        "?(/etc)/x",
        "*(/etc)/x",
        "!(a)/../../etc/*",
        "x/@(a)/../../y",
        "(/etc|a)/b",
        ".{.,x}/etc",
        "{./.,x}./etc",
        "x/@(.)@(.|y)/../y",
        ".@(.)/etc",
    ],
)
def test_an_extended_glob_that_may_lead_out_of_where_it_begins_is_doubtful(pattern: str) -> None:
    assert effect(call("Glob", pattern=pattern), "allow read(**)") == "ask"


@pytest.mark.spec("POL-3")
@pytest.mark.parametrize(
    "pattern",
    [
        "app/(group)/page.tsx",
        "app/(a|b)/x.py",
        "src/@(a|b)/*.py",
        "a@b/c+d/!e",
        "x (1).md",
        "./{a,b}/*.{ts,tsx}",
        ".{git,env}/x",
        "app/(.)photo/*.tsx",
        "*.{test,spec}.ts",
        "a{,.min}.js",
    ],
)
def test_brackets_in_a_name_are_no_reason_to_ask(pattern: str) -> None:
    assert effect(call("Glob", pattern=pattern), "allow read(**)") == "allow"


@pytest.mark.spec("POL-3")
def test_the_fixed_part_of_a_glob_ends_where_an_extended_one_begins() -> None:
    for pattern, fixed in {
        "app/(group)/*.tsx": "/w/app/(group)",
        "src/@(a|b)/x": "/w/src",
        "src/!(a)/x": "/w/src",
        "src/a+(b)/x": "/w/src",
    }.items():
        assert [target.path for target in of("Glob", pattern=pattern)][1:] == [fixed], pattern


def test_more_paths_than_can_be_judged_are_one_doubt() -> None:
    found = of("read_multiple_files", "fs", paths=["a"] * 1001)
    assert len(found) == 2
    assert found[1].doubt


@given(arguments=st.dictionaries(
    st.sampled_from(["path", "file_path", "command", "url", "source", "destination", "pattern"]),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    ),
))  # fmt: skip
def test_no_argument_raises_or_is_overlooked(arguments: dict[str, Any]) -> None:
    for descriptor in SHIPPED:
        server = "s" if descriptor.server == "*" else None
        what = call(descriptor.tool, server, **arguments)
        found = targets(what, SHIPPED, NOTHING_KNOWN)
        assert any(target.own for target in found)
        assert said(what).effect is Effect.ASK


@pytest.mark.parametrize(
    ("arguments", "paths"),
    [
        ({"pattern": "**/*.py"}, ["/w"]),
        ({"pattern": "**/*.py", "path": "src"}, ["/w/src"]),
        ({"pattern": "/etc/*"}, ["/w", "/etc"]),
        ({"pattern": "../x/*", "path": "src"}, ["/w/src", "/w/x"]),
        ({"pattern": "~/.ssh/*"}, ["/w", "/home/u/.ssh"]),
        ({"pattern": "/*"}, ["/w", "/"]),
        ({"pattern": "a/b"}, ["/w", "/w/a/b"]),
    ],
)
def test_the_fixed_part_of_a_glob_is_a_path_too(
    arguments: dict[str, str], paths: list[str]
) -> None:
    assert [target.path for target in of("Glob", **arguments)] == paths


def test_a_file_url_is_also_a_path_that_is_read() -> None:
    assert effect(call("web_fetch", url="file:///etc/passwd"), "deny read(/etc)") == "deny"


def test_skills_and_sub_agents_are_targets_by_name() -> None:
    assert effect(call("Skill", skill="deploy"), "allow skill(deploy)") == "allow"
    assert effect(call("Skill", skill="deploy"), "allow agent(deploy)") == "ask"
    assert effect(call("Task", subagent_type="Explore"), "allow agent(Exp*)") == "allow"
    assert (
        effect(call("Task", subagent_type="explore"), "deny agent(Explore)", "allow Task") == "ask"
    )
    assert effect(call("Task", subagent_type=["x"]), "allow agent(*)") == "ask"
    assert effect(call("Task"), "allow Task") == "allow"
    assert effect(call("execute_task", agent="x"), "deny tool(execute_task)") == "deny"


@pytest.mark.spec("POL-2")
def test_a_user_can_describe_their_own_tools() -> None:
    mine = SHIPPED.adding(
        [
            ToolDescriptor(
                "load", ToolKind.READ_FILE, paths=(PathArgument("from", Operation.READ),)
            ),
            ToolDescriptor("read_file", server="drive"),
        ]
    )
    load = call("load", **{"from": "secrets/k"})
    assert effect(load, "deny path(secrets)", descriptors=mine) == "deny"
    assert effect(load, "deny path(secrets)") == "ask"
    assert len(targets(call("read_file", "drive", path="a"), mine, FACTS)) == 1
    assert mine.kind("load") is ToolKind.READ_FILE
    assert mine.kind("load", "drive") is ToolKind.MCP_TOOL
    assert mine.kind("unheard") is ToolKind.OTHER


@pytest.mark.spec("POL-2")
@pytest.mark.parametrize(
    ("tool", "server", "kind", "category"),
    [
        ("read_file", None, ToolKind.READ_FILE, "filesystem"),
        ("execute_cmd", None, ToolKind.RUN_COMMAND, "shell"),
        ("Bash", None, ToolKind.RUN_COMMAND, "shell"),
        ("WebFetch", None, ToolKind.NETWORK, "network"),
        ("delete_file", None, ToolKind.DELETE_FILE, "filesystem"),
        ("read_text_file", "fs", ToolKind.MCP_TOOL, None),
        ("git_status", "git", ToolKind.MCP_TOOL, None),
    ],
)
def test_descriptors_ship(
    tool: str, server: str | None, kind: ToolKind, category: str | None
) -> None:
    found = SHIPPED.find(tool, server)
    assert found is not None
    assert (found.kind, found.category) == (kind, category)


def test_a_tool_may_be_matched_by_its_class_without_a_path() -> None:
    mine = SHIPPED.adding([ToolDescriptor("scan", ToolKind.READ_FILE)])
    assert effect(call("scan"), "deny tool(@fs_read)", descriptors=mine) == "deny"
    assert effect(call("scan"), "deny tool(@fs_write)", descriptors=mine) == "ask"
    assert effect(call("scan"), "allow tool(@fs_any)", descriptors=mine) == "allow"
