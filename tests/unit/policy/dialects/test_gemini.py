from __future__ import annotations

import json
from typing import Any

import pytest

from sayso.errors import SettingsInvalid
from sayso.policy.dialects.gemini import translate
from sayso.policy.dialects.translated import Translation
from tests.unit.policy.worlds import call, effect


def said(found: Translation) -> list[str]:
    return [f"{rule.effect.word} {rule.text}" for rule in found.rules]


def rule(decision: str, priority: int = 1, **fields: object) -> str:
    lines = [f"{key} = {json.dumps(value)}" for key, value in fields.items()]
    return "\n".join(["[[rule]]", f'decision = "{decision}"', f"priority = {priority}", *lines, ""])


SHELL = "run_shell_command"


@pytest.mark.spec("POL-62")
def test_prefixes_expressions_and_tools() -> None:
    found = translate(
        rule("allow", toolName=SHELL, commandPrefix=["git status", "npm run"])
        + rule("deny", toolName=SHELL, commandRegex="git (commit|push)", denyMessage="use the page")
        + rule("allow", toolName=SHELL, commandRegex="ls\\s")
        + rule("deny", toolName=["write_file", "replace"])
        + rule("allow", mcpName="jira", toolName="search")
        + rule("deny", toolName="mcp_git_push")
        + rule("deny", mcpName="evil")
        + rule("allow", toolName="glob")
    )
    assert said(found) == [
        "allow tool(glob)",
        "deny mcp(evil:*)",
        "deny mcp(git:push)",
        "deny tool(mcp_git_push)",
        "allow mcp(jira:search)",
        "deny tool(write_file)",
        "deny tool(replace)",
        "allow shell(/(?:ls ).*/)",
        "deny shell(/git (commit|push)/)",
        "allow shell(git status *)",
        "allow shell(npm run *)",
    ]
    assert next(r for r in found.rules if r.justification).text == "shell(/git (commit|push)/)"


@pytest.mark.spec("POL-62")
def test_an_ask_that_overrides_nothing_is_left_to_the_default() -> None:
    lowest = rule("ask_user", 1, toolName=SHELL)
    above = rule("allow", 2, toolName=SHELL, commandPrefix="git")
    assert said(translate(lowest + above)) == ["allow shell(git *)"]
    assert said(translate(lowest + above, alone=False)) == ["ask shell(*)", "allow shell(git *)"]
    below = rule("allow", 0, toolName=SHELL, commandPrefix="git")
    assert said(translate(lowest + below)) == ["allow shell(git *)", "ask shell(*)"]
    everything = rule("allow", 0, toolName="*")
    assert said(translate(lowest + everything)) == ["allow tool(*)", "ask shell(*)"]
    same = rule("allow", 1, toolName=SHELL, commandPrefix="git")
    assert said(translate(lowest + same)) == ["allow shell(git *)", "ask shell(*)"]
    assert said(translate(same + lowest)) == ["allow shell(git *)"]


@pytest.mark.spec("POL-62")
def test_an_allow_above_a_deny_is_told_to_do_nothing() -> None:
    found = translate(
        rule("deny", 1, toolName=SHELL, commandPrefix="git")
        + rule("allow", 2, toolName=SHELL, commandPrefix="git status")
        + rule("allow", 2, toolName=SHELL, commandPrefix="ls")
    )
    [note] = found.notes
    assert note.position == "rule[1]"
    assert note.instead == "where both match, deny: stricter"


@pytest.mark.parametrize(
    ("fields", "allowed", "denied"),
    [
        (
            {"toolName": SHELL, "argsPattern": '"command":"git'},
            ["shell(/(?:git).*/)"],
            ["shell(/git/)"],
        ),
        ({"toolName": SHELL, "argsPattern": '"dir"'}, [], ["shell(*)"]),
        ({"toolName": "glob", "argsPattern": "x"}, [], ["tool(glob)"]),
        ({"toolName": SHELL, "commandRegex": "git|rm"}, [], ["shell(*)"]),
        ({"toolName": SHELL, "commandRegex": "(?=git)"}, [], ["shell(*)"]),
        ({"toolName": SHELL, "commandRegex": "git$"}, [], ["shell(*)"]),
        ({"toolName": SHELL, "commandRegex": "[[:alpha:]]"}, [], ["shell(*)"]),
        ({"toolName": SHELL, "commandPrefix": "git "}, [], ["shell(git *)"]),
        ({"toolName": SHELL, "commandPrefix": "echo 'a"}, [], ["shell(/(?:^|\\W)echo\\s+'a/)"]),
        ({"toolName": "glob", "subagent": "x"}, [], ["tool(glob)"]),
        ({"toolName": "glob", "modes": ["yolo"]}, [], ["tool(glob)"]),
        ({"toolName": "glob", "interactive": True}, [], ["tool(glob)"]),
        ({"mcpName": "*", "toolName": "x"}, [], ["mcp(*:x)"]),
        ({"toolName": "mcp_*"}, [], ["mcp(*:*)", "tool(mcp_*)"]),
        ({"toolName": "a b"}, [], ["tool(a b)"]),
    ],
)
def test_what_cannot_be_said(
    fields: dict[str, object], allowed: list[str], denied: list[str]
) -> None:
    allow, deny = (translate(rule(word, **fields)) for word in ("allow", "deny"))
    assert [r.text for r in allow.rules] == allowed
    assert [r.text for r in deny.rules] == denied
    if not allowed:
        assert allow.notes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[rule]]\npriority = 1\n", "in `rule[0]`: `decision` is not one of"),
        ('[[rule]]\ndecision = "deny"\n', "`priority` is not a whole number from 0 to 999"),
        (rule("deny", 1000, toolName="x"), "`priority` is not a whole number from 0 to 999"),
        (rule("deny"), "`toolName` or `mcpName` is missing"),
        (rule("deny", toolName=""), "`toolName` is not a text or a list of texts"),
        (rule("deny", toolName=[1]), "`toolName` is not a text or a list of texts"),
        (rule("deny", toolName="x", mcpName=1), "`mcpName` is not a text"),
        (rule("deny", toolName="x", commandPrefix="y"), "go with toolName"),
        (rule("deny", toolName=SHELL, commandPrefix="y", commandRegex="x"), "only one of"),
        (rule("deny", toolName=SHELL, typo=1), "`typo` is not known here"),
        ("rule = 1\n", "`rule` is not a list of tables"),
        ("rule = [1]\n", "`rule` is not a list of tables"),
        ("[[rule", "policy.toml:1:7: expected"),
    ],
)
def test_a_file_that_gemini_cli_would_refuse_is_refused(text: str, message: str) -> None:
    with pytest.raises(SettingsInvalid) as caught:
        translate(text)
    assert message in caught.value.message


def test_safety_checkers_are_told_of() -> None:
    [note] = translate("[[safety_checker]]\n").notes
    assert note.position == "safety_checker"


@pytest.mark.spec("POL-62")
def test_its_settings() -> None:
    found = translate(
        json.dumps(
            {
                "tools": {
                    "allowed": [
                        "run_shell_command(git)",
                        "ShellTool",
                        "glob",
                        "x(y)",
                        "run_shell_command(a')",
                        "?",
                    ],
                    "exclude": ["ShellTool(rm -rf)", "write_file", "web_fetch(x)", ""],
                    "core": ["x"],
                },
                "mcp": {"allowed": ["git", "*"], "excluded": ["evil"]},
                "mcpServers": {
                    "fs": {"trust": True, "excludeTools": ["rm"], "includeTools": ["ls"]}
                },
            }
        ),
        "settings.json",
    )
    assert said(found) == [
        "allow shell(git *)",
        "allow shell(*)",
        "allow tool(glob)",
        "deny shell(rm -rf *)",
        "deny tool(write_file)",
        "deny tool(web_fetch)",
        "allow mcp(git:*)",
        "deny mcp(evil:*)",
        "allow mcp(fs:*)",
        "deny mcp(fs:rm)",
    ]
    assert len(found.notes) == 8


@pytest.mark.spec("POL-62")
@pytest.mark.parametrize("tool", ["mcp_github_delete_repo", "mcp_github_delete_repo(x)"])
def test_a_tool_of_a_server_that_the_settings_exclude_is_denied_as_the_pair(tool: str) -> None:
    found = translate(
        json.dumps({"tools": {"exclude": [tool]}, "mcpServers": {"github": {"trust": True}}}),
        "settings.json",
    )
    assert said(found) == [
        "deny mcp(github:delete_repo)",
        "deny mcp(github_delete:repo)",
        "deny tool(mcp_github_delete_repo)",
        "allow mcp(github:*)",
    ]
    assert effect(call("delete_repo", "github"), *found.rules) == "deny"
    assert effect(call("get_issue", "github"), *found.rules) == "allow"


@pytest.mark.spec("POL-62")
@pytest.mark.parametrize(
    "settings",
    [
        {"tools": {"exclude": ["$TOOL"]}},
        {"tools": {"exclude": ["run_shell_command(${TOOL} -f)"]}},
        {"excludeTools": ["$TOOL"]},
        {"mcp": {"excluded": ["a", "${SERVER:-b}"]}},
        {"mcpServers": {"x": {"excludeTools": ["$TOOL"]}}},
    ],
)
def test_a_name_that_gemini_cli_takes_from_the_environment_is_refused(
    settings: dict[str, Any],
) -> None:
    with pytest.raises(SettingsInvalid, match="is taken from the environment") as caught:
        translate(json.dumps(settings), "settings.json")
    assert caught.value.hint == "write it out in a copy of the file, and import that"
