from __future__ import annotations

from pathlib import Path

import pytest

from sayso.config.settings import Scope, Settings, load_settings, parse_settings
from sayso.core.approval_policy import Severity
from sayso.core.budget import Budget
from sayso.core.effect import Effect
from sayso.core.operation import Operation
from sayso.errors import SettingsInvalid
from sayso.policy.descriptors import PathArgument, ToolKind
from sayso.policy.rule import Origin

FILE = Path("settings.toml")


def read(text: str) -> Settings:
    return parse_settings(FILE, text.encode())


def test_a_file_that_is_not_there_says_nothing(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "settings.toml") == Settings() == read("")


def test_permissions_are_rules_with_their_place() -> None:
    settings = read(
        '[permissions]\nallow = ["read(docs/*)"]\nask = ["shell(git push *)",\n  "delete_*"]\n'
        'deny = ["write(.env)", "write(.env)"]\n'
    )
    assert [(r.effect, r.text, r.origin, r.place) for r in settings.rules] == [
        (Effect.ALLOW, "read(docs/*)", Origin.GLOBAL, "settings.toml:2:10"),
        (Effect.ASK, "shell(git push *)", Origin.GLOBAL, "settings.toml:3:8"),
        (Effect.ASK, "tool(delete_*)", Origin.GLOBAL, "settings.toml:4:3"),
        (Effect.DENY, "write(.env)", Origin.GLOBAL, "settings.toml:5:9"),
    ]


def test_every_table_is_read() -> None:
    settings = read(
        """
[ui]
diff_lines = 40
language = "en"
[server]
host = "::1"
port = 9000
[approval]
default_timeout = 600
lapse_after = 60
pending_limit = 20
[permissions]
ask = ["shell(make *)"]
[[rule]]
effect = "require"
rule = "web(*.example.com)"
must_ask = true
justification = "the shop is live"
note = "ours"
agent_id = "coder"
when = "input.amount > 10"
policy = { severity = "high", timeout = 60 }
[[rule]]
id = "mine"
effect = "deny"
tool_pattern = "@fs_write"
path_pattern = "secrets/*"
[tools.deploy]
kind = "run_command"
command = "script"
urls = ["target"]
remember = false
paths = [{ name = "from", operation = "read", many = true }]
"""
    )
    assert (settings.diff_lines, settings.language) == (40, "en")
    assert (settings.host, settings.port, settings.default_timeout) == ("::1", 9000, 600.0)
    assert (settings.lapse_after, settings.pending_limit) == (60.0, 20)
    make, web, deny = settings.rules
    assert make.approval is not None
    assert make.approval.timeout == 600
    assert (web.effect, web.text, web.must_ask) == (Effect.ASK, "web(*.example.com)", True)
    assert (web.justification, web.note) == ("the shop is live", "ours")
    assert (web.agent_id, web.when) == ("coder", "input.amount > 10")
    assert web.approval is not None
    assert (web.approval.severity, web.approval.timeout) == (Severity.HIGH, 60)
    assert (deny.id, deny.kind, deny.text) == ("mine", None, "@fs_write secrets/*")
    assert deny.approval is None
    (deploy,) = settings.descriptors
    assert (deploy.tool, deploy.kind, deploy.command) == ("deploy", ToolKind.RUN_COMMAND, "script")
    assert deploy.paths == (PathArgument("from", Operation.READ, many=True),)
    assert (deploy.urls, deploy.remember) == (("target",), False)


@pytest.mark.spec("POL-60")
def test_hosts_and_servers_are_allowed_by_name() -> None:
    settings = read(
        '[web]\nallow_domains = ["example.com", "*.example.org"]\n'
        '[mcp.shop]\nauto_approve = ["get_item"]\n[mcp."my files"]\nauto_approve = true\n'
    )
    assert [(rule.effect.word, rule.text, rule.place) for rule in settings.rules] == [
        ("allow", "web(example.com)", "settings.toml:2:18"),
        ("allow", "web(*.example.org)", "settings.toml:2:33"),
        ("allow", "mcp(shop:get_item)", "settings.toml:4:16"),
        ("allow", "mcp(my files:*)", "settings.toml:6:16"),
    ]


@pytest.mark.spec("POL-61")
def test_tool_policies_become_rules_of_the_lists() -> None:
    settings = read(
        """
[approval]
required_tools = ["delete_*", "refund"]
default_timeout = 60
[tools.refund]
server = "shop"
approval = { when = "input.amount > 100", severity = "high" }
[tools.write_file.approval]
quorum = 2
"""
    )
    assert [(r.effect.word, r.text, r.when, r.unless) for r in settings.rules] == [
        ("ask", "mcp(shop:refund)", "input.amount > 100", None),
        ("allow", "mcp(shop:refund)", None, "input.amount > 100"),
        ("ask", "tool(write_file)", None, None),
        ("ask", "tool(delete_*)", None, None),
        ("ask", "tool(refund)", None, None),
    ]
    assert {rule.origin for rule in settings.rules} == {Origin.TOOL_POLICY}
    refund, _, write, delete, _ = (rule.approval for rule in settings.rules)
    assert refund is not None
    assert write is not None
    assert delete is not None
    assert (refund.severity, refund.timeout, write.quorum) == (Severity.HIGH, 60, 2)
    assert delete.timeout == 60
    assert settings.descriptors == (), "what the tools are is left as it is"


@pytest.mark.spec("POL-60")
def test_what_does_nothing_yet_says_so() -> None:
    settings = read(
        '[ui]\ncontext_template = "x"\n[mcp.shop]\ngroup = "shops"\n[channels.telegram]\n'
    )
    assert settings.rules == ()
    assert settings.warnings == (
        "settings.toml:2:1: `context_template` does nothing in this version",
        "settings.toml:5:1: `channels` does nothing in this version",
        "settings.toml:4:1: `group` does nothing in this version",
    )


def test_examples_stand_beside_a_rule() -> None:
    (rule,) = read(
        "[[rule]]\neffect='ask'\nrule='shell(npm *)'\nexamples=['npm test']\n"
        "counter_examples=['npx x']\n"
    ).rules
    assert (rule.examples, rule.counter_examples) == (("npm test",), ("npx x",))


@pytest.mark.spec("POL-10")
def test_an_allow_may_have_a_budget_and_nothing_else_may() -> None:
    written = "[[rule]]\neffect='allow'\nrule='pay'\nbudget={ argument='amount', most=5, per='1d' }"
    (rule,) = read(written).rules
    assert rule.budget == Budget(5, 86_400, "amount")
    for wrong in ("budget={ calls=0, per='1d' }", "budget=7"):
        with pytest.raises(SettingsInvalid, match=r"number of calls|a budget is a table"):
            read(f"[[rule]]\neffect='allow'\nrule='pay'\n{wrong}")
    with pytest.raises(SettingsInvalid, match="only an allow has a budget"):
        read("[[rule]]\neffect='ask'\nrule='pay'\nbudget={ calls=1, per='1d' }")


def test_rules_that_say_the_same_keep_different_ids() -> None:
    twice = '[[rule]]\neffect = "ask"\nrule = "a"\nwhen = "input.x > 1"\n'
    rules = read(twice + twice.replace("1", "2")).rules
    assert len({rule.id for rule in rules}) == 2


@pytest.mark.parametrize(
    ("text", "place", "message", "hint"),
    [
        ("x = ", "1:5", "invalid value", "the file is TOML"),
        ("[permissions]\nallow = [1", "2:11", "unclosed array", "the file is TOML"),
        ("a = 1\na = 2", "2:6", "cannot overwrite a value", "the file is TOML"),
        ('"' + "a", "1:3", "unterminated string", "TOML"),
        ("[permision]", "1:1", "`permision` is not a setting", "did you mean `permissions`?"),
        ("[ui]\nzzz = 1", "2:1", "`zzz` is not a setting in [ui]", "known here: diff_lines"),
        ("[permissions]\nAllow = []", "2:1", "`Allow` is not a setting", "did you mean `allow`?"),
        ("permissions = 3", "1:15", "`permissions` is the number 3", "write a table"),
        ("[permissions]\nallow = 'x'", "2:9", '`allow` is the text "x"', "write a list of texts"),
        ("[permissions]\nask = ['a',\n 1]", "3:2", "`ask` holds the number 1", None),
        ("[ui]\ndiff_lines = true", "2:14", "`diff_lines` is true", "a whole number from 1"),
        ("[ui]\ndiff_lines = 0", "2:14", "`diff_lines` is the number 0", "from 1 to 100000"),
        ("[ui]\nlanguage = 'xx'", "2:12", '`language` is the text "xx"', 'write "en"'),
        ("[server]\nport = 70000", "2:8", "`port` is the number 70000", "from 0 to 65535"),
        ("[server]\nhost = ''", "2:8", "`host` is empty", "127.0.0.1"),
        ("[server]\nhost = 2020-01-01", "2:8", "`host` is a date or time", "a text in quotes"),
        ("[approval]\ndefault_timeout = -1", "2:19", "the number -1", "seconds above 0"),
        ("[approval]\nlapse_after = 0", "2:15", "the number 0", "seconds above 0"),
        ("[approval]\npending_limit = 0", "2:17", "the number 0", "from 1 to 1000000"),
        ("[store]\nkeep_calls = 0", "2:14", "the number 0", 'days above 0 or "always"'),
        ("[store]\nkeep_calls = 'never'", "2:14", 'the text "never"', "days above 0"),
        ("[store]\nkeep_calls = true", "2:14", "`keep_calls` is true", "days above 0"),
        ("[approval]\ndefault_timeout = inf", "2:19", "the number inf", "seconds above 0"),
        ("[permissions]\ndeny = ['wirte(x)']", "2:10", "`wirte` is not a kind", "`write(…)`"),
        ("[permissions]\nask = ['a', 'shell(x']", "2:21", "does not end with `)`", "kind(pattern)"),
        ("[tools.x]\nkind = 'run_command'", "2:8", "which argument holds the command", "command ="),
        ("rule = 3", "1:8", "`rule` is the number 3", "[[rule]]"),
        ("[[rule]]\nrule = 'a'", "1:1", "the effect is missing", "allow, ask or deny"),
        ("[[rule]]\neffect = 'maybe'", "2:10", "the effect `maybe` is unknown", "ask or deny"),
        ("[[rule]]\neffect = 'ask'", "1:1", "names nothing that it matches", "tool_pattern"),
        ("[[rule]]\neffect='ask'\nrule='a'\npattern='b'", "4:1", "cannot stand beside", "either"),
        ("[[rule]]\neffect='ask'\nrule='a'\npriority=1", "4:1", "only in the rule table", None),
        ("[[rule]]\neffect='ask'\nrule='a'\nwhne='x'", "4:1", "`whne` is not", "`when`"),
        ("[[rule]]\neffect='deny'\nrule='a'\nmust_ask=true", "1:1", "must_ask cannot stand", None),
        ("[[rule]]\neffect='deny'\nrule='a'\npolicy={}", "4:1", "asks nobody", "`policy` out"),
        ("[[rule]]\neffect='ask'\nrule='a'\npolicy=1", "4:8", "not a table", "severity"),
        ("[[rule]]\neffect='ask'\nrule='a'\npolicy={x=1}", "4:8", "`x` is not a field", "known"),
        ("[[rule]]\neffect='ask'\nrule='a'\nwhen='1 +'", "4:", "in `when`:", None),
        ("[[rule]]\neffect='ask'\ntool_pattern='@fs_no'", "1:1", "no class of tools", "@fs_read"),
        ("[tools.x]\nkind = 'shell'", "2:8", '`kind` is the text "shell"', "run_command"),
        ("[tools.x]\npaths = [{ operation='read' }]", "2:10", "has no `name`", "write {"),
        ("[web]\nallow_domains = ['a b']", "2:20", "", None),
        ("[mcp.'*']\nauto_approve = true", "2:16", "named in full", None),
        ("[mcp.x]\nauto_approve = 3", "2:16", "is the number 3", "true or false"),
        ("[approval]\nrequired_tools = ['path(x)']", "2:19", "names no tool", "delete_"),
        ("[tools.x]\napproval = {when='1 +'}", "2:", "in `when`:", None),
        ("[tools.x]\napproval = {quorm=1}", "2:12", "`quorm` is not a field", "quorum"),
        ("[tools.x]\napproval = 3", "2:12", "the number 3", "a table"),
        ("[permissions]\npermission_mode = 'x'", "2:19", 'the text "x"', "accept-edits"),
        ("workspace = 'x'", "1:1", "`workspace` is not a setting", None),
        ("[tools]\nx = 1", "2:5", "`x` is the number 1", "write a table"),
        ("x = " + "[" * 5000, "1:1", "nested too deeply", None),
    ],
)
def test_what_is_wrong_is_told_with_its_place_and_what_to_do(
    text: str, place: str, message: str, hint: str | None
) -> None:
    with pytest.raises(SettingsInvalid) as raised:
        read(text)
    assert raised.value.message.startswith(f"settings.toml:{place}")
    assert message in raised.value.message
    assert (raised.value.hint or "").find(hint or "") >= 0


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsInvalid, match=":1:1: the file cannot be read"):
        load_settings(tmp_path)
    with pytest.raises(SettingsInvalid, match=r"settings.toml:2:4: the file is not UTF-8"):
        parse_settings(FILE, b"# a\n# b\xff")
    with pytest.raises(SettingsInvalid, match="larger than"):
        parse_settings(FILE, b"#" * (1024 * 1024 + 1))


def test_the_example_of_the_documentation_is_read() -> None:
    page = (Path(__file__).parents[3] / "docs" / "reference" / "settings.md").read_text("utf-8")
    example = page.split("```toml\n")[1].split("```")[0]
    settings = read(example)
    assert len(settings.rules) == 12
    assert settings.descriptors[0].tool == "deploy"


@pytest.mark.spec("POL-2", "POL-60")
def test_a_tool_that_is_named_as_a_pair_is_warned_about() -> None:
    found = parse_settings(Path("s.toml"), b'[tools."box:run"]\nkind = "network"\nurls = ["to"]\n')
    (warning,) = found.warnings
    assert warning == (
        "s.toml:1:1: `box:run` is here the whole name of a tool; the tool `run` of the server `box` "
        'has the name `run` and server = "box"'
    )
    for name in ("run", ":run", "box:"):
        assert not parse_settings(
            Path("s.toml"), f'[tools."{name}"]\nurls = []\n'.encode()
        ).warnings


@pytest.mark.spec("POL-60", "GATE-9")
def test_a_project_sets_no_limits_of_what_waits() -> None:
    text = b"[approval]\nlapse_after = 9000\npending_limit = 9\ndefault_timeout = 60\n"
    settings = parse_settings(Path("/w/sayso.toml"), text, Scope.PROJECT)
    assert (settings.lapse_after, settings.pending_limit) == (600.0, 200)
    assert [warning.partition(": ")[2] for warning in settings.warnings] == [
        f"`{key}` counts only in your own settings, never here"
        for key in ("lapse_after", "pending_limit")
    ]
