from __future__ import annotations

import json

import pytest

from sayso.errors import SettingsInvalid
from sayso.policy.dialects.claude_code import translate
from sayso.policy.dialects.translated import Translation


def read(allow: str = "", ask: str = "", deny: str = "", root: str | None = "") -> Translation:
    lists = {"allow": allow, "ask": ask, "deny": deny}
    permissions = {name: [rule] for name, rule in lists.items() if rule}
    return translate(json.dumps({"permissions": permissions}), root=root)


def texts(translation: Translation) -> list[str]:
    return [rule.text for rule in translation.rules]


@pytest.mark.spec("POL-62")
@pytest.mark.parametrize(
    ("rule", "ours"),
    [
        ("Bash", "shell(*)"),
        ("Bash(*)", "shell(*)"),
        ("Bash(npm test)", "shell(npm test)"),
        ("Bash(npm run test:*)", "shell(npm run test *)"),
        ("Bash(git diff *)", "shell(git diff *)"),
        ("Bash(ls*)", "shell(ls* *)"),
        ("Bash(echo 'a b')", "shell(echo 'a b')"),
        ("Bash(/bin/ls /tmp/)", "shell(\\/bin/ls /tmp/)"),
        ("Read", "tool(Read)"),
        ("Read(./src/**)", "read(src/**)"),
        ("Read(//etc/hosts)", "read(/etc/hosts/**)"),
        ("Read(~/.zshrc)", "read(~/.zshrc)"),
        ("Read(/docs/*.md)", "read(docs/*.md)"),
        ("Read(*.md)", "read(**/*.md)"),
        ("Edit(src/**)", "write(src/**)"),
        ("WebFetch(domain:example.com)", "web(example.com)"),
        ("WebFetch(domain:*.example.com)", "web(*.example.com)"),
        ("WebSearch", "tool(WebSearch)"),
        ("mcp__github", "tool(mcp__github__*)"),
        ("mcp__github__get_*", "tool(mcp__github__get_*)"),
        ("Agent(Explore)", "agent(Explore)"),
        ("Skill(review *)", "skill(review)"),
    ],
)
def test_what_is_allowed_is_carried_over_exactly(rule: str, ours: str) -> None:
    found = read(allow=rule)
    assert texts(found) == [ours]
    assert found.notes == ()


@pytest.mark.spec("POL-62")
@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("Bash(git push && rm x)", "more than plain words"),
        ("Bash(echo $HOME)", "more than plain words"),
        ("Bash(FOO=1 npm test)", "more than plain words"),
        ("Bash()", "more than plain words"),
        ("Read(src/a?.py)", "cannot be said exactly"),
        ("Read(../x)", "cannot be said exactly"),
        ("Edit(src//*)", "cannot be said exactly"),
        ("Edit(///x)", "cannot be said exactly"),
        ("Edit(./src/./x)", "cannot be said exactly"),
        ("Edit(/./x)", "cannot be said exactly"),
        ("Write(src/**)", "never consults `Write"),
        ("Glob(src/**)", "never consults `Glob"),
        ("WebFetch(domain:private)", "a plain host"),
        ("WebFetch(domain:example.com:8080)", "a plain host"),
        ("WebFetch(example.com)", "a plain host"),
        ("mcp__*__read", "names its server in full"),
        ("get_*", "names its tool in full"),
        ("@fs_any", "names its tool in full"),
        ("Agent(a*)", "names its sub-agent in full"),
        ("Skill(a*)", "names its skill in full"),
        ("mcp__a__b(x:1)", "cannot look at one argument"),
        ("Tool(x:1)", "is not known here"),
        ("Bash(ls", "it is no rule"),
        ("(ls)", "it is no rule"),
    ],
)
def test_an_allow_that_cannot_be_said_is_left_out_with_a_note(rule: str, why: str) -> None:
    found = read(allow=rule)
    assert found.rules == ()
    [note] = found.notes
    assert note.position == "1:28"
    assert note.original == f"allow {rule}"
    assert why in note.lost
    assert "asked about" in note.instead


@pytest.mark.spec("POL-62")
@pytest.mark.parametrize(
    ("rule", "ours"),
    [
        ("Bash", ["shell(*)", "tool(Bash)"]),
        ("Bash(rm:*)", ["shell(rm *)"]),
        ("Bash(git * main)", ["shell(git * main)", "shell(/(?:^|\\W)git\\s+.*\\s+main(?:\\W|$)/)"]),
        ("Bash(curl * | sh)", ["shell(/(?:^|\\W)curl\\s+.*\\s+\\|\\s+sh(?:\\W|$)/)"]),
        ("Read", ["tool(@fs_read)", "tool(Read)"]),
        ("Read(./.env)", ["read(.env)"]),
        ("Read(secrets/**)", ["read(secrets)"]),
        ("Read(~/.ssh/id_[rd]sa)", ["read(~/.ssh/id_*sa)"]),
        ("Edit(/src/*)", ["write(src/*)", "delete(src/*)"]),
        ("Write(x)", ["write(x)", "delete(x)"]),
        ("WebFetch(domain:example.com)", ["web(example.com)"]),
        ("WebFetch(domain:a.*.com)", ["web(*)"]),
        ("mcp__github", ["tool(mcp__github__*)", "tool(mcp__github)"]),
        ("mcp__*__delete", ["tool(mcp__*__delete)"]),
        ("Agent(Explore)", ["agent(Explore)"]),
        ("Task", ["tool(Task)", "tool(Agent)"]),
        ("Skill(plugin:deploy)", ["skill(plugin:deploy)", "tool(Skill)"]),
        ("Tool(whatever)", ["tool(Tool)"]),
        ("Bash(ls", ["tool(Bash)"]),
    ],
)
def test_a_deny_hits_no_less(rule: str, ours: list[str]) -> None:
    assert texts(read(deny=rule)) == ours


def test_a_value_of_an_argument_is_a_condition() -> None:
    found = read(deny="Agent(model:opus)")
    assert texts(found) == ["agent(model:opus)", "tool(Task)", "tool(Agent)"]
    assert {rule.when for rule in found.rules[1:]} == {'"model" in input and input.model == "opus"'}
    assert read(deny="mcp__a__b(x:a*)").notes[0].instead.endswith("which is stricter")


def test_a_skill_without_a_star_is_allowed_without_arguments_only() -> None:
    [rule] = read(allow="Skill(deploy)").rules
    assert rule.unless == '"args" in input'


def test_what_is_taken_back_from_an_allow_is_asked_about() -> None:
    found = read(allow="Read(!src/secret)")
    assert [(rule.effect.word, rule.text) for rule in found.rules] == [("ask", "read(src/secret)")]
    assert read(deny="Read(!x)").rules == ()


def test_where_a_leading_slash_starts_has_to_be_known_for_an_allow() -> None:
    assert read(allow="Read(/docs/x.md)", root=None).rules == ()
    assert texts(read(allow="Read(/docs/x.md)", root="/srv/p")) == ["read(/srv/p/docs/x.md)"]
    assert texts(read(deny="Read(/docs/x.md)", root=None)) == ["read(docs/x.md)"]


def test_modes_hooks_and_what_is_not_known_are_told_of() -> None:
    found = translate(
        '{"permissions": {"defaultMode": "plan", "new": 1, "additionalDirectories": ["../x"]},\n'
        ' "hooks": {"PreToolUse": []}, "model": "x"}'
    )
    assert found.rules == ()
    assert [note.position for note in found.notes] == ["1:33", "1:48", "1:76", "2:11"]
    assert found.notes[0].original == '"defaultMode": "plan"'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "settings.json:1:1: a JSON value is expected here"),
        ("[]", "settings.json:1:1: `the file` is not an object"),
        ('{"permissions": []}', "settings.json:1:17: `permissions` is not an object"),
        ('{"permissions": {"deny": "Bash"}}', "settings.json:1:26: `deny` is not a list"),
        ('{"permissions": {"deny": [1]}}', "1:27: `deny` holds something that is not a text"),
        ('{"a": 1,\n "a": 2}', "settings.json:2:2: the key `a` stands twice"),
        ('{"a": 1,}', "settings.json:1:9: a comma stands before `}`"),
        ('{"a": "x\n"}', "settings.json:1:7: the text is not closed"),
        ('{"a": "\\ud800"}', "settings.json:1:7: the text is not valid Unicode"),
        ('{"a" 1}', "settings.json:1:6: `:` is expected here"),
        ("{a: 1}", "settings.json:1:2: a key in quotes is expected here"),
        ("{} x", "settings.json:1:4: something stands after the end of the JSON"),
        ("[" * 100, "settings.json:1:66: the JSON is nested deeper than 64"),
        ("1" * 200, "settings.json:1:1: the number is too long"),
        ("{} // x", "settings.json:1:4: something stands after the end of the JSON"),
    ],
)
def test_what_is_no_such_file_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(SettingsInvalid) as caught:
        translate(text)
    assert message in caught.value.message
