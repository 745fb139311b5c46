from __future__ import annotations

import pytest

from sayso.errors import SettingsInvalid
from sayso.policy.dialects.codex import translate
from sayso.policy.dialects.translated import Translation
from tests.unit.policy.worlds import call, effect


def said(found: Translation) -> list[str]:
    return [f"{rule.effect.word} {rule.text}" for rule in found.rules]


@pytest.mark.spec("POL-62")
def test_prefixes_are_carried_over_with_their_alternatives_and_reasons() -> None:
    found = translate(
        """# what may run
prefix_rule(
    pattern = ["git", ["push", 'fetch']],  # talks to others
    decision = "prompt",
    justification = "it talks " "to others",
    match = [["git", "push"], "git fetch origin"],
)
prefix_rule(pattern=["ls"])
prefix_rule(pattern=[r"echo", \"\"\"a b\"\"\"], decision="forbidden"); prefix_rule(pattern=["x\\x41"])
"""
    )
    assert said(found) == [
        "ask shell(git push *)",
        "ask shell(git fetch *)",
        "allow shell(ls *)",
        "deny shell(echo 'a b' *)",
        "allow shell(xA *)",
    ]
    assert found.rules[0].justification == "it talks to others"
    assert found.notes == ()


@pytest.mark.spec("POL-62")
def test_what_cannot_be_said_is_left_out_of_allows_and_widened_in_denies() -> None:
    star = 'prefix_rule(pattern=["rm", "a* b", "c"], decision="%s")'
    assert said(translate(star % "allow")) == []
    forbidden = translate(star % "forbidden")
    assert said(forbidden) == ["deny shell(rm *)"]
    assert forbidden.notes[0].position == "1:1"
    tokens = ", ".join(['["a", "b"]'] * 8)
    many = f"prefix_rule(pattern=[{tokens}], decision='prompt')"
    assert len(translate(many).rules) == 64
    assert len(translate(many).notes) == 1
    assert said(translate('prefix_rule(pattern=["FOO=1", "x"])')) == []


def test_a_pinned_program_and_a_network_rule() -> None:
    found = translate(
        'host_executable(name="git", paths=["/opt/git"])\n'
        'prefix_rule(pattern=[["git", "hg"], "status"])\n'
        'network_rule(host="evil.test", protocol="https", decision="deny")\n'
        'network_rule(host="*", protocol="http", decision="deny")\n'
        'network_rule(host="good.test", protocol="https", decision="allow")\n'
        'network_rule(host="x y", protocol="https", decision="prompt")\n'
    )
    assert said(found) == ["deny web(evil.test)", "deny web(*)", "ask web(*)"]
    assert [note.position for note in found.notes] == ["1:1", "2:1", "5:1", "6:1"]


def test_the_configuration_is_told_of_and_tools_that_are_off_are_denied() -> None:
    found = translate(
        'approval_policy = "never"\n[projects."/x"]\ntrust_level = "trusted"\n'
        '[mcp_servers.git]\ndisabled_tools = ["push"]\nenabled_tools = ["log"]\n',
        "config.toml",
    )
    assert said(found) == ["deny mcp(git:push)"]
    assert [note.position for note in found.notes] == [
        "approval_policy",
        "projects",
        "mcp_servers.git.enabled_tools",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1", "default.rules:1:1: only calls such as prefix_rule(…) are read here"),
        ("def f(): pass", "default.rules:1:1: only calls"),
        ("prefix_rule(['git'])", "default.rules:1:13: an argument with its name"),
        ("prefix_rule(pattern == 1)", "default.rules:1:13: an argument with its name"),
        ("prefix_rule(pattern = git)", "default.rules:1:23: a text or a list of texts"),
        ("prefix_rule(pattern = ['a'] 'b')", "1:29: `,` or `)` is expected here"),
        ("prefix_rule(pattern = ['a' ['b'])", "1:28: `,` or `]` is expected here"),
        (
            "prefix_rule(pattern = ['a'], pattern = ['a'])",
            "1:30: the argument `pattern` stands twice",
        ),
        ("prefix_rule(pattern = [])", "1:1: `pattern` is a list of texts that is not empty"),
        ("prefix_rule(pattern = [[]])", "1:1: `pattern` holds texts"),
        ("prefix_rule(pattern = ['a'], decision = 'maybe')", "1:1: `decision` is not one of"),
        ("prefix_rule(pattern = ['a'], justification = ' ')", "1:1: `justification` is a text"),
        ("prefix_rule(pattern = ['a'], x = 'y')", "1:1: `prefix_rule` has no argument `x`"),
        ("other_rule()", "1:1: `other_rule` is not known here"),
        ("network_rule(host = ['a'], decision = 'deny')", "1:1: `host` and `protocol` are texts"),
        ("prefix_rule(pattern = ['\\q'])", "the escape `\\q` is not known"),
        ("prefix_rule(pattern = ['\\ud800'])", "the text is not valid Unicode"),
        ("prefix_rule(pattern = " + "[" * 20, "the lists are nested deeper than 8"),
    ],
)
def test_a_file_that_is_more_or_less_than_rules_is_refused_as_a_whole(
    text: str, message: str
) -> None:
    with pytest.raises(SettingsInvalid) as caught:
        translate(text)
    assert message in caught.value.message


def test_a_configuration_that_is_no_toml_is_refused() -> None:
    with pytest.raises(SettingsInvalid, match=r"^config\.toml:1:"):
        translate("x = ", "config.toml")
    with pytest.raises(SettingsInvalid, match="more than 100 parts"):
        translate("a" + ".b" * 200 + " = 1", "config.toml")


@pytest.mark.spec("POL-62")
def test_a_word_that_a_shell_makes_the_home_directory_is_hit_as_written() -> None:
    found = translate('prefix_rule(pattern=["cp", "a", "~/b"], decision="forbidden")')
    assert said(found) == [
        "deny shell(cp a '~/b' *)",
        r"deny shell(/(?:^|\W)cp\s+a\s+~/b(?:\W|$)/)",
    ]
    assert effect(call("Bash", command="cp a ~/b"), "allow shell(*)", *found.rules) == "deny"
