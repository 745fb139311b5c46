from __future__ import annotations

import json
from typing import Any

import pytest

from sayso.errors import RuleRefused, SettingsInvalid
from sayso.policy.dialects.opencode import FILE_COMMANDS, translate
from sayso.policy.dialects.translated import Translation
from tests.unit.policy.worlds import call, effect


def said(found: Translation) -> list[str]:
    return [f"{rule.effect.word} {rule.text}" for rule in found.rules]


def read(permission: Any, **more: Any) -> Translation:
    return translate(json.dumps({"permission": permission, **more}))


@pytest.mark.spec("POL-62")
@pytest.mark.parametrize(
    ("permission", "ours"),
    [
        ({"bash": {"git *": "allow"}}, ["allow shell(git *)"]),
        ({"bash": {"git*": "allow"}}, ["allow shell(git* *)"]),
        ({"bash": {"*": "ask", "git *": "allow"}}, ["allow shell(git *)"]),
        ({"bash": {"git *": "allow", "*": "ask"}}, ["allow shell(git *)", "ask shell(*)"]),
        ({"*": "ask", "bash": {"rm *": "deny"}}, ["deny shell(rm *)"]),
        ({"bash": {"rm -r src/x": "allow"}}, ["allow shell(rm -r src/x)"]),
        ({"bash": {"ls /etc": "allow"}}, ["allow shell(ls /etc)"]),
        ({"bash": "deny"}, ["deny shell(*)", "deny tool(bash)"]),
        ({"bash": {"g?t *": "deny"}}, ["deny shell(g*t *)", "deny shell(/(?:^|\\W)g.t/)"]),
        ({"edit": {"src/*": "allow"}}, ["allow write(src/**)"]),
        ({"edit": {"docs/*.md": "allow"}}, ["allow write(docs/**/*.md)"]),
        ({"edit": {"*.env": "deny"}}, ["deny write(*.env)", "deny delete(*.env)"]),
        ({"edit": {"a*b/c*": "deny"}}, ["deny write(a**b/c*)", "deny delete(a**b/c*)"]),
        ({"read": {"~/x/*": "deny"}}, ["deny read(~/x)"]),
        ({"webfetch": {"https://example.com/*": "allow"}}, ["allow web(https://example.com)"]),
        ({"webfetch": {"https://example.com/x": "deny"}}, ["deny web(example.com)"]),
        ({"webfetch": {"*example*": "deny"}}, ["deny web(*)"]),
        ({"webfetch": "allow"}, ["allow tool(webfetch)"]),
        ({"task": {"explore": "allow"}}, ["allow agent(explore)"]),
        ({"skill": {"de?loy": "deny"}}, ["deny skill(de*loy)"]),
        ({"todowrite": "allow"}, ["allow tool(todowrite)"]),
        ({"github_get": "allow"}, ["allow tool(github_get)", "allow mcp(github:get)"]),
        (
            {"github_*": "deny"},
            ["deny tool(github_*)", "deny mcp(github:*)", "deny mcp(github_*:*)"],
        ),
        ({"doom_loop": "deny"}, []),
        ({"external_directory": {"/etc/*": "deny"}}, ["deny path(/etc)"]),
        ({"external_directory": "ask"}, []),
        ("deny", ["deny tool(*)"]),
    ],
)
def test_what_each_entry_becomes(permission: Any, ours: list[str]) -> None:
    assert said(read(permission)) == ours


@pytest.mark.spec("POL-62")
@pytest.mark.parametrize(
    "permission",
    [
        {"bash": {"cat *": "allow"}},
        {"bash": {"c* x": "allow"}},
        {"bash": {"cat /etc/passwd": "allow"}},
        {"bash": {"cat '/etc/passwd'": "allow"}},
        {"bash": {"'cat' /etc/passwd": "allow"}},
        {"bash": {"rm ../x": "allow"}},
        {"bash": {"rm -r src/../../x": "allow"}},
        {"bash": {"cp a ~/b": "allow"}},
        {"bash": {"cat '$HOME/b'": "allow"}},
        {"bash": {"ls ?": "allow"}},
        {"bash": {"": "allow"}},
        {"read": {"": "allow"}},
        {"bash": {"a && b": "allow"}},
        {"read": {"/etc/*": "allow"}},
        {"read": {"~/x": "allow"}},
        {"read": {"*/": "allow"}},
        {"read": {"src/./x": "allow"}},
        {"read": {"src//x": "allow"}},
        {"edit": {"./*": "allow"}},
        {"edit": {"a?": "allow"}},
        {"webfetch": {"https://example.com/x": "allow"}},
        {"webfetch": {"https://private/*": "allow"}},
        {"task": {"a?": "allow"}},
        {"list": {"src/*": "allow"}},
        {"grep": {"x": "allow"}},
        {"?ool": "allow"},
        {"list": "allow"},
        {"external_directory": {"~/p/**": "allow"}},
    ],
)
def test_an_allow_that_cannot_be_said_is_left_out_with_a_note(permission: Any) -> None:
    found = read(permission)
    assert found.rules == ()
    assert found.notes


@pytest.mark.spec("POL-62")
def test_commands_that_take_paths_ask_unless_paths_outside_are_allowed() -> None:
    files = [f"ask shell({name} *)" for name in FILE_COMMANDS]
    assert said(read({"bash": "allow"})) == ["allow shell(*)", *files]
    assert said(read({"bash": "allow", "external_directory": "allow"})) == ["allow shell(*)"]
    assert said(read({"*": "allow"})) == ["allow tool(*)"]


@pytest.mark.spec("POL-62")
def test_what_an_allow_for_reading_would_cover_is_asked_about() -> None:
    permission = {"*": "ask", "read": "allow", "glob": "allow"}
    asks = ["ask tool(list)", "ask tool(grep)"]
    assert said(read(permission)) == ["allow read(**)", *asks]
    outside = {"external_directory": "allow"}
    assert said(read(permission | outside)) == ["allow read(**)", "allow tool(glob)", *asks]
    assert "ask tool(list)" in said(
        read({"*": "allow", "external_directory": "ask", "list": "ask"})
    )


@pytest.mark.spec("POL-62")
def test_everything_is_allowed_inside_where_paths_outside_are_asked_about() -> None:
    found = read({"*": "allow", "external_directory": "ask"})
    assert [text for text in said(found) if text.startswith("allow")] == [
        "allow read(**)",
        "allow write(**)",
        "allow shell(*)",
        "allow agent(*)",
        "allow skill(*)",
        *(f"allow tool({name})" for name in ("lsp", "todoread", "todowrite", "question")),
        *(f"allow tool({name})" for name in ("webfetch", "websearch", "codesearch")),
    ]


@pytest.mark.spec("POL-62")
def test_a_deny_of_all_that_lies_outside_is_refused_by_name() -> None:
    with pytest.raises(
        RuleRefused, match=r"opencode\.json:1:39: `outside of the working directory`"
    ):
        read({"external_directory": "deny"})


@pytest.mark.spec("POL-62")
@pytest.mark.parametrize(
    "config",
    [
        {"permission": {"bash": {"{env:DANGEROUS} *": "deny"}}},
        {"permission": {"{file:./tool}": "deny"}},
        {"tools": {"{env:OFF}": False}},
        {"agent": {"x": {"permission": {"edit": {"{env:SRC}/*": "ask"}}}}},
    ],
)
def test_an_entry_that_opencode_fills_in_when_it_starts_is_refused(config: Any) -> None:
    with pytest.raises(SettingsInvalid, match="is filled in when OpenCode starts") as caught:
        translate(json.dumps(config))
    assert caught.value.hint == "write it out in a copy of the file, and import that"
    ours = {"provider": {"x": {"options": {"apiKey": "{env:KEY}"}}}}
    assert said(read({"bash": {"git *": "allow"}}, **ours)) == ["allow shell(git *)"]


@pytest.mark.spec("POL-62")
@pytest.mark.parametrize("home", ["~", "$HOME"])
@pytest.mark.parametrize("said_there", ["ask", "deny"])
def test_a_command_in_the_home_directory_is_hit_by_its_full_path_too(
    home: str, said_there: str
) -> None:
    found = read({"bash": {"*": "allow", f"{home}/bin/wipe *": said_there}})
    for line in ("/home/me/bin/wipe all", "~/bin/wipe all", "/root/bin/wipe"):
        assert effect(call("bash", command=line), *found.rules) == said_there
    assert said(read({"bash": {f"{home}/bin/wipe *": "allow"}})) == []


def test_agents_keep_their_asks_and_denies() -> None:
    agent = {"plan": {"permission": {"edit": "deny", "bash": "allow"}, "tools": {"write": False}}}
    found = read({}, agent=agent | {"x": {"model": "m"}})
    assert said(found) == ["deny write(**)", "deny delete(**)"]
    assert {rule.agent_id for rule in found.rules} == {"plan"}
    [note] = found.notes
    assert note.original == "the permissions of `plan`"


def test_comments_commas_and_the_order_of_whole_numbers() -> None:
    found = translate(
        '{ // OpenCode\n "permission": {"bash": {"*": "ask", "7": "allow", /* last */},},\n'
        ' "tools": {"write": false, "read": true}}'
    )
    assert said(found) == ["deny write(**)", "deny delete(**)", "allow shell(7)", "ask shell(*)"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"permission": {"bash": "maybe"}}', "1:25: `bash` says neither allow, ask nor deny"),
        ('{"permission": {"bash": {"x": 1}}}', "1:31: `bash` says neither allow, ask nor deny"),
        ('{"permission": {"bash": 1}}', "1:25: `bash` is not an object"),
        ('{"permission": []}', "1:16: `permission` is not an object"),
        ('{"tools": {"bash": 1}}', "1:20: `bash` is not true or false"),
        ('{"agent": {"x": 1}}', "1:17: `x` is not an object"),
    ],
)
def test_what_is_no_such_file_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(SettingsInvalid) as caught:
        translate(text)
    assert message in caught.value.message
