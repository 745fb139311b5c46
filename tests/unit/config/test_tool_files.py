"""A tool's `approval` block in a `tool.yaml` that settings name (POL-61)."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from sayso.config.settings import Scope, load_settings, parse_settings, parse_tool_file
from sayso.config.source import SettingsRules
from sayso.config.tool_files import MAX_FILES, NamedFiles, find_tool_files
from sayso.config.yaml_tool import MAX_YAML_BYTES
from sayso.core.effect import Effect
from sayso.errors import SettingsInvalid
from sayso.policy.rule import Origin, Rule
from sayso.policy.ruleset import compile_ruleset, judge
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.policy.text_rule import parse_text_rule
from sayso.system.facts import LocalFacts
from tests.unit.policy.worlds import call

REFUND = """\
# what a refund needs
name: refund
server: shop
approval:
  when: input.amount > 100
  severity: high
  must_ask: true
"""
ALLOWS = [
    parse_text_rule(Effect.ALLOW, text, Origin.GLOBAL)
    for text in ("shell(*)", "write(**)", "delete(**)")
]
ASK, ALLOW = "ask mcp(shop:refund)", "allow mcp(shop:refund)"


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    (folder / "tools/refund").mkdir(parents=True)
    (folder / "sayso.toml").write_text('tool_files = ["tools/*/tool.yaml"]\n')
    (folder / "tools/refund/tool.yaml").write_text(REFUND)
    return folder


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def rules(tmp_path: Path, clock: Clock) -> SettingsRules:
    return SettingsRules(
        tmp_path / "mine/settings.toml", configuration=tmp_path / "mine", now=clock
    )


def shown(rules: tuple[Rule, ...]) -> list[str]:
    return [f"{rule.effect.word} {rule.text}" for rule in rules if rule.effect is not Effect.DENY]


def read(text: str) -> tuple[Rule, ...]:
    return parse_tool_file(Path("tool.yaml"), text.encode()).rules


def why_not(text: str) -> str | None:
    """Why the file is refused, or None."""
    try:
        read(text)
    except SettingsInvalid as error:
        return error.message
    return None


@pytest.mark.spec("POL-61")
def test_a_tool_yaml_says_what_the_same_table_says_in_toml() -> None:
    toml = b"""
[tools.refund]
server = "shop"
kind = "network"
urls = ["to"]
paths = [{ name = "bill", operation = "read", many = true }]
approval = { when = "input.amount > 100", severity = "high", must_ask = true, timeout = 90 }
"""
    more = "  timeout: 90\nkind: network\nurls: [to]\npaths:\n- {name: bill, operation: read, many: true}\n"
    ours = parse_tool_file(Path("tool.yaml"), (REFUND + more).encode())
    theirs = parse_settings(Path("settings.toml"), toml)
    assert ours.descriptors == theirs.descriptors
    assert [rule.place for rule in ours.rules] == ["tool.yaml:4:1"] * 2

    def placeless(rules: tuple[Rule, ...]) -> list[object]:
        return [(r.id, r.effect, r.text, r.when, r.unless, r.must_ask, r.approval) for r in rules]

    assert placeless(ours.rules) == placeless(theirs.rules)
    assert [one.text for one in ours.loosens] == [one.text for one in theirs.loosens]


@pytest.mark.spec("POL-61")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("approval: {}", "tool.yaml:1:1: the tool has no `name`"),
        ("name: 5", "tool.yaml:1:7: the tool has no `name`"),
        ("name: a\nwhat: b", "tool.yaml:2:1: `what` is not a setting in [tools.a]"),
        ("name: a\napproval: {severty: high}", "tool.yaml:2:11: `severty`"),
        ("name: a\napproval:\n  when: 5", "tool.yaml:3:3: `when` is not a text"),
        ("name: a\napproval:\n  when: input.x >", "tool.yaml:3:9: in `when`: "),
        ("name: a\napproval:\n  when: 'input.x >'", "tool.yaml:3:19: in `when`: "),
        ("name: a\napproval:", "tool.yaml:2:10: there is no value"),
        ("name: a\napproval: {must_ask: yes}", "tool.yaml:2:22: `yes` is not the same"),
        (
            "name: a\napproval: {must_ask: 'true'}",
            "tool.yaml:2:11: `must_ask` is not true or false",
        ),
        ("name: a\napproval: {timeout: 1:30}", "tool.yaml:2:21: `1:30` is not the same"),
        ("name: a\napproval: {timeout: 010}", "tool.yaml:2:21: `010` is not the same"),
        ("name: 2026-01-02", "tool.yaml:1:7: `2026-01-02` is not the same"),
        ("name: a\nname: b", "tool.yaml:2:1: `name` stands there twice"),
        ("name: &a b", "tool.yaml:1:7: anchors and aliases are not read"),
        ("name: *a", "tool.yaml:1:7: anchors and aliases are not read"),
        ("*a : b", "tool.yaml:1:1: anchors and aliases are not read"),
        ("name: !!python/name:os.system a", "tool.yaml:1:7: tags are not read"),
        ("name: !x a", "tool.yaml:1:7: tags are not read"),
        ("!!map {name: a}", "tool.yaml:1:1: tags are not read"),
        ("name: a\n<<: {server: b}", "tool.yaml:2:1: `<<` is not the same"),
        ("name: a\n5: b", "tool.yaml:2:1: the key `5` is no text"),
        ("[a]: b", "tool.yaml:1:1: a key is no text"),
        ("- a", "tool.yaml:1:1: the file is no mapping"),
        ("just words", "tool.yaml:1:1: the file is no mapping"),
        ("name: a\n---\nname: b", "tool.yaml:2:1: the file holds more than one document"),
        ("%YAML 1.1\n---\nname: a", "tool.yaml:1:1: the file has a directive"),
        ('name: "\\ud800"', "tool.yaml:1:7: the text holds half a character"),
        ('name: "\\UFFFFFFFF"', "tool.yaml:1:1: "),
        ("name: [a", "tool.yaml:1:9: "),
        ("name: \x07", "tool.yaml:1:1: "),
        ("name: " + "[" * 500, "tool.yaml:1:"),
        ("name: a\nurls: " + "[" * 50 + "]" * 50, "the file is nested too deeply"),
        ("name: a\nurls: [" + "a," * 600 + "]", "the file holds more than 500 values"),
        ("#" * (MAX_YAML_BYTES + 1), "tool.yaml:1:1: the file is larger than"),
    ],
)
def test_what_is_no_plain_yaml_or_no_tool_is_refused_with_its_place(
    text: str, message: str
) -> None:
    with pytest.raises(SettingsInvalid) as refused:
        read(text)
    assert message in refused.value.message


def test_text_that_is_not_utf_8_is_refused_and_an_empty_file_says_nothing() -> None:
    with pytest.raises(SettingsInvalid, match="not UTF-8"):
        parse_tool_file(Path("tool.yaml"), b"\xff")
    assert read("") == read("# later\n") == read("---\n") == ()


PIECES = (
    *(
        "name: a\n",
        "approval:\n",
        "  when: ",
        "input.x > 1",
        "\n",
        "{",
        "}",
        "[",
        "]",
        ": ",
        "- ",
        "&a ",
    ),
    *(
        "*a",
        "!!str ",
        "!x",
        "'",
        '"',
        "|\n",
        "  ",
        "? ",
        "%YAML 1.1\n",
        "---\n",
        "...\n",
        "\t",
        "#",
        "\\u12",
    ),
    *(
        "\\ud800",
        "\ufeff",
        "\x85",
        "\u2028",
        "é",
        "<<",
        "~",
        "1:2",
        ",",
        "true",
        "\\",
        "@",
        ">-\n",
        "\x00",
    ),
)


def test_whatever_stands_in_a_file_it_is_read_or_refused_with_its_place() -> None:
    random = Random(61)
    for _ in range(500):
        text = "".join(random.choices(PIECES, k=random.randint(1, 20)))
        for one in (text, "name: a\n" + text):
            refused = why_not(one)
            assert refused is None or re.match(r"tool\.yaml:\d+:\d+: ", refused), one


@pytest.mark.parametrize("word", ["100 or more", "3rd", "a: b", "1.0.0 is out"])
def test_words_in_quotes_are_texts(word: str) -> None:
    (rule,) = read(f"name: a\napproval: {{justification: '{word}'}}")
    assert rule.justification == word


@pytest.mark.spec("POL-61", "POL-60")
def test_a_projects_tool_yaml_asks_at_once_and_its_allow_waits_for_trust_in_its_content(
    project: Path, rules: SettingsRules, clock: Clock
) -> None:
    file = project / "tools/refund/tool.yaml"
    found = rules.current(str(project))
    assert shown(found.rules) == [ASK]
    assert found.rules[-1].approval is None
    assert f"{file}: what it loosens waits for your trust: sayso trust" in found.warnings
    followed = next(one for one in rules.files(str(project)) if one.path == file)
    assert rules.trust is not None
    assert followed.digest is not None
    rules.trust.trust(str(file), followed.digest)
    clock.seconds += 1
    found = rules.current(str(project))
    assert shown(found.rules) == [ASK, ALLOW]
    assert not found.warnings
    file.write_text(REFUND.replace("100", "900"))
    clock.seconds += 1
    assert shown(rules.current(str(project)).rules) == [ASK]


@pytest.mark.spec("POL-61")
def test_tool_files_are_followed_as_they_come_change_and_go(
    project: Path, rules: SettingsRules, clock: Clock
) -> None:
    assert shown(rules.current(str(project)).rules) == [ASK]
    (project / "tools/wire").mkdir()
    wire = project / "tools/wire/tool.yaml"
    wire.write_text("name: wire\napproval: {}\n")
    clock.seconds += 1
    assert shown(rules.current(str(project)).rules) == [ASK, "ask tool(wire)"]
    before = rules.edition()
    wire.write_text("name: send\napproval: {}\n")
    clock.seconds += 1
    assert shown(rules.current(str(project)).rules) == [ASK, "ask tool(send)"]
    assert rules.edition() > before
    wire.unlink()
    clock.seconds += 0.6
    assert shown(rules.current(str(project)).rules) == [ASK, "ask tool(send)"]
    for _ in range(3):
        clock.seconds += 1
        found = rules.current(str(project))
    assert shown(found.rules) == [ASK]
    assert found.problem is None
    (project / "sayso.toml").write_text("")
    clock.seconds += 1
    assert rules.current(str(project)).rules == ()


@pytest.mark.spec("POL-61", "POL-63")
def test_one_that_becomes_invalid_keeps_its_asks_and_is_reported(
    project: Path, rules: SettingsRules, clock: Clock
) -> None:
    rules.current(str(project))
    file = project / "tools/refund/tool.yaml"
    file.write_text("name: refund\napproval: {when: yes}\n")
    clock.seconds += 1
    found = rules.current(str(project))
    assert shown(found.rules) == [ASK]
    assert (found.problem or "").startswith(f"{file}:2:18: ")
    assert not found.unavailable
    assert found.problem in rules.problems()
    file.write_text("name: wire\nkind: none\napproval: {}\n")
    clock.seconds += 1
    found = rules.current(str(project))
    assert shown(found.rules) == [ASK, "ask tool(wire)"], "what can still be read counts too"
    assert (found.problem or "").startswith(f"{file}:2:7: ")


@pytest.mark.spec("POL-61", "POL-23")
def test_one_that_is_invalid_from_the_start_makes_the_rules_unavailable(
    project: Path, rules: SettingsRules
) -> None:
    (project / "tools/refund/tool.yaml").write_text("{")
    found = rules.current(str(project))
    assert found.unavailable
    with pytest.raises(SettingsInvalid, match=r"tool\.yaml:1:2"):
        load_settings(project / "sayso.toml", Scope.PROJECT)


@pytest.mark.spec("POL-61", "POL-63")
def test_a_users_tool_yaml_counts_wholly_with_the_time_limit_of_the_settings(
    tmp_path: Path,
) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text('tool_files = ["tools/*.yaml"]\n[approval]\ndefault_timeout = 60\n')
    (tmp_path / "tools").mkdir()
    file = tmp_path / "tools/refund.yaml"
    file.write_text(REFUND)
    rules = SettingsRules(settings)
    found = rules.current()
    assert shown(found.rules) == [ASK, ALLOW] == shown(load_settings(settings).rules)
    asks = [rule for rule in found.rules if rule.effect is Effect.ASK]
    assert [rule.approval.timeout for rule in asks if rule.approval is not None] == [60]
    file.unlink()
    found = rules.current()
    assert shown(found.rules) == [ASK]
    assert "the file is gone; its deny and ask rules stay" in (found.problem or "")


@pytest.mark.spec("POL-44", "POL-61")
def test_what_tool_files_names_is_kept_from_being_changed_also_where_nothing_is_yet(
    project: Path, rules: SettingsRules
) -> None:
    denies = [r for r in rules.current(str(project)).rules if r.effect is Effect.DENY]
    assert [f"{r.kind} {r.path_pattern}" for r in denies] == [
        f"write {project}/tools/*/tool.yaml",
        f"delete {project}/tools/*/tool.yaml",
    ]


@pytest.mark.spec("POL-44", "POL-36")
def test_a_folder_of_tool_files_is_not_taken_away_with_them(
    project: Path, rules: SettingsRules
) -> None:
    found = rules.current(str(project)).rules
    facts = LocalFacts()
    ruleset = compile_ruleset([*found, *ALLOWS], [], SHIPPED, facts=facts)

    def said(tool: str, **arguments: str) -> str:
        made = replace(call(tool, **arguments), workspace=str(project))
        return judge(made, ruleset, facts).effect.word

    for line in ("mv tools old", "mv tools/refund old", "rm -r tools/refund", "rm -rf tools"):
        assert said("execute_cmd", command=line) == "ask", line
    assert said("delete_file", path="tools/refund") == "ask"
    assert said("move_file", source="tools", destination="old") == "ask"
    for line in ("cp new.py tools", "touch tools/a.py", "rm tools/refund/code.py"):
        assert said("execute_cmd", command=line) == "allow", line


@pytest.mark.spec("POL-61")
def test_no_link_leads_out_of_the_project(project: Path, rules: SettingsRules) -> None:
    outside = project.parent / "outside"
    outside.mkdir()
    (outside / "tool.yaml").write_text("name: wire\napproval: {}\n")
    (project / "tools/linked").symlink_to(outside)
    assert shown(rules.current(str(project)).rules) == [ASK]
    (project / "tools/linked").unlink()
    (project / "tools/other").mkdir()
    (project / "tools/other/tool.yaml").symlink_to(outside / "tool.yaml")
    found = SettingsRules(rules.path, configuration=rules.configuration).current(str(project))
    assert shown(found.rules) == [ASK]
    assert "a link that leads out of the project" in (found.problem or "")


@pytest.mark.spec("POL-61")
def test_a_link_or_a_closed_folder_on_the_way_to_a_named_file_is_said_not_passed_over(
    project: Path, rules: SettingsRules, clock: Clock
) -> None:
    settings = project / "sayso.toml"
    settings.write_text('tool_files = ["linked/refund/tool.yaml"]\n')
    (project / "linked").symlink_to(project / "tools")
    found = rules.current(str(project))
    assert found.problem == (
        f"{settings}:1:15: `linked/refund/tool.yaml` cannot be looked for: `{project}/linked` is a link\n"
        "hint: name the files more exactly, or make their folder readable"
    )
    assert found.unavailable
    assert found.problem in rules.problems()
    (project / "linked").unlink()
    (project / "linked").write_text("a file is no folder\n")
    clock.seconds += 1
    assert rules.current(str(project)).problem is None


@pytest.mark.skipif(os.geteuid() == 0, reason="root may search every folder")
def test_a_folder_that_cannot_be_searched_is_said(project: Path, rules: SettingsRules) -> None:
    (project / "tools/refund").chmod(0)
    found = rules.current(str(project))
    (project / "tools/refund").chmod(0o700)
    assert "`tools/*/tool.yaml` cannot be looked for: Permission denied" in (found.problem or "")


def test_any_error_on_the_way_to_a_named_file_is_said(
    project: Path, rules: SettingsRules, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: object) -> object:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("sayso.config.tool_files.os.lstat", refused)
    with pytest.raises(SettingsInvalid, match="cannot be looked for: Permission denied"):
        find_tool_files(str(project), (NamedFiles("tools/refund/tool.yaml", "s:1:1"),))


@pytest.mark.spec("POL-61", "POL-63")
def test_one_that_is_away_stays_while_it_is_still_named(
    tmp_path: Path, project: Path, rules: SettingsRules, clock: Clock
) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text('tool_files = ["tools/*.yaml"]\n')
    (tmp_path / "tools").mkdir()
    file = tmp_path / "tools/refund.yaml"
    file.write_text(REFUND)
    own = SettingsRules(settings)
    assert shown(own.current().rules) == [ASK, ALLOW]
    file.unlink()
    settings.write_text('tool_files = ["tools/*.yaml", "more/*.yaml"]\n')
    found = own.current()
    assert shown(found.rules) == [ASK]
    assert "the file is gone; its deny and ask rules stay" in (found.problem or "")
    settings.write_text('tool_files = ["more/*.yaml"]\n')
    found = own.current()
    assert shown(found.rules) == []
    assert found.problem is None


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("tool.json", "does not end in .yaml or .yml"),
        ("/etc/tool.yaml", "can lead out of its folder"),
        ("~/tool.yaml", "can lead out of its folder"),
        ("a/../../tool.yaml", "can lead out of its folder"),
        ("**/tool.yaml", "holds more than names and `*`"),
        ("[ab]/tool.yaml", "holds more than names and `*`"),
        ("a/" * 20 + "tool.yaml", "is no path of at most 16 parts"),
    ],
)
def test_an_entry_that_could_name_anything_is_refused(pattern: str, why: str) -> None:
    with pytest.raises(SettingsInvalid, match=r"s\.toml:1:15") as refused:
        parse_settings(Path("s.toml"), f'tool_files = ["{pattern}"]'.encode())
    assert why in refused.value.message


def test_too_many_entries_and_too_many_files_are_refused(
    project: Path, rules: SettingsRules
) -> None:
    with pytest.raises(SettingsInvalid, match="more than 32 entries"):
        parse_settings(Path("s.toml"), f"tool_files = {['a.yaml'] * 33}".encode())
    for number in range(MAX_FILES + 1):
        (project / f"tools/{number}").mkdir()
        (project / f"tools/{number}/tool.yaml").touch()
    found = rules.current(str(project))
    assert "`tool_files` names more than 100 files" in (found.problem or "")
    assert found.unavailable
