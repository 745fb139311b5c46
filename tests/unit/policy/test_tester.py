"""The rule tester: how a rule matches a sample, and whether it applies (POL-74)."""

from __future__ import annotations

from typing import Any

import pytest

from sayso.core.effect import Effect
from sayso.errors import CallInvalid, RuleRefused, RuleSyntaxError
from sayso.policy.rule import Origin, Rule
from sayso.policy.samples import SampleKind, call_of_sample, kind_of_sample
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.policy.tester import How, RuleTest, try_rule
from tests.fakes.facts import FakeFacts
from tests.unit.policy.worlds import row, rule


def tried(what: Rule | str, sample: str, **more: Any) -> RuleTest:
    given = rule(what) if isinstance(what, str) else what
    facts = more.pop("facts", FakeFacts())
    return try_rule(given, sample, SHIPPED, facts, **more)


@pytest.mark.parametrize(
    ("text", "sample", "how"),
    [
        ("deny shell(*)", "ls -l", How.PREFIX),
        ("deny path(secrets)", "secrets/k", How.PATH),
        ("allow read(src/**)", "src/a.py", How.PATH),
        ("allow write(src/**)", "src/a.py", How.PATH),
        ("ask delete(*)", "a.py", How.PATH),
        ("allow web(example.com)", "https://example.com/x", How.HOST),
        ("deny web(loopback)", "http://127.0.0.1:8080", How.HOST),
        ("allow mcp(mail:send)", "mail:send", How.NAME),
        ("deny mcp(*:delete_*)", 'mail :: delete_all {"really": true}', How.NAME),
        ("allow skill(pdf)", "pdf", How.NAME),
        ("deny agent(cleaner)", "cleaner", How.NAME),
        ("allow todo*", "todo_list", How.NAME),
        ("deny @fs_write", "a.py", How.PATH),
    ],
)
@pytest.mark.spec("POL-74")
def test_a_rule_says_how_it_matches_a_sample_of_what_it_is_about(
    text: str, sample: str, how: How
) -> None:
    found = tried(text, sample)
    assert (found.applies, found.how) == (True, how)
    assert found.alone is Effect.parse(text.partition(" ")[0])


@pytest.mark.parametrize(
    ("text", "sample"),
    [
        ("deny path(secrets)", "src/a.py"),
        ("allow read(src/**)", "other/a.py"),
        ("allow web(example.com)", "http://example.org"),
        ("allow mcp(mail:send)", "mail:read"),
        ("deny todo", "todo2"),
    ],
)
@pytest.mark.spec("POL-74")
def test_what_does_not_match_does_not_apply_and_leaves_the_call_to_others(
    text: str, sample: str
) -> None:
    found = tried(text, sample)
    assert (found.applies, found.how, found.alone) == (False, None, Effect.ASK)
    assert [part.matches for part in found.parts] == [False]


@pytest.mark.parametrize(
    ("what", "sample", "how"),
    [
        (row("allow", "@fs_any", "memory/*"), "memory/x", How.PATH),
        (row("deny", "write_file", "secrets/*"), "secrets/x", How.PATH),
        (row("deny", "no_such_tool", "secrets/*"), "secrets/x", How.PATH),
        (row("ask", "refund"), 'refund {"amount": 5}', How.NAME),
        (row("ask", "web_fetch", pattern="example.com"), "https://example.com", How.HOST),
        (row("deny", "execute_cmd", pattern="*"), "ls", How.PREFIX),
        (row("deny", "*", pattern="mail :: send"), "mail:send", How.NAME),
    ],
)
@pytest.mark.spec("POL-74")
def test_rows_of_the_table_are_tried_alone_too(what: Rule, sample: str, how: How) -> None:
    found = tried(what, sample)
    assert (found.applies, found.how) == (True, how)


def test_a_sample_is_judged_as_a_call_of_whom_the_rule_is_for() -> None:
    scoped = Rule(
        "r", Effect.DENY, Origin.GLOBAL, tool_pattern="x", agent_id="a", source="cron", user_id="u"
    )
    assert tried(scoped, "x").applies


def test_conditions_see_the_arguments_behind_the_name() -> None:
    big = Rule("r", Effect.ASK, Origin.GLOBAL, tool_pattern="refund", when="input.amount > 100")
    assert tried(big, 'refund {"amount": 500}').applies
    small = tried(big, 'refund {"amount": 5}')
    assert not small.applies
    assert "is false: not applied" in small.notes[0]
    assert tried(big, "refund").applies  # it fails closed


def test_links_of_the_machine_count() -> None:
    facts = FakeFacts(links={"/srv/project/notes": "/etc"})
    assert not tried("allow read(notes)", "notes", facts=facts).applies
    assert tried("deny read(/etc)", "notes/x", facts=facts).applies


def test_a_warning_that_a_rule_can_never_match_is_told() -> None:
    found = tried("allow read(~/x)", "~/x", facts=FakeFacts(home=None))
    assert not found.applies
    assert any("can never match" in note for note in found.notes)


def test_the_working_directory_can_be_named() -> None:
    assert tried("allow read(a)", "/w/a", workspace="/w").applies
    assert not tried("allow read(a)", "/w/a").applies


@pytest.mark.parametrize("sample", ["mail", "mail.send"])
def test_a_pair_without_a_colon_is_refused(sample: str) -> None:
    with pytest.raises(CallInvalid, match="names no tool of a server"):
        tried("deny mcp(mail:send)", sample)


@pytest.mark.parametrize("sample", ["refund {", 'refund {"a": 1, "a": 2}', "refund {]"])
def test_arguments_that_are_no_json_are_refused(sample: str) -> None:
    with pytest.raises(CallInvalid):
        tried("deny refund", sample)


def test_a_rule_that_cannot_stand_is_refused_before_it_is_tried() -> None:
    broken = Rule("r", Effect.DENY, Origin.GLOBAL, kind="shell", pattern="'")
    with pytest.raises(RuleSyntaxError):
        tried(broken, "ls")
    with pytest.raises(RuleRefused):
        tried(Rule("r", Effect.ALLOW, Origin.GLOBAL, tool_pattern="x", must_ask=True), "x")


def test_a_test_can_be_carried_as_plain_data() -> None:
    assert tried("deny path(a)", "a").to_json() == {
        "applies": True,
        "how": "path",
        "alone": "deny",
        "parts": [{"kind": "path", "text": "/srv/project/a", "matches": True, "note": None}],
        "redirections": [],
        "notes": [],
    }


@pytest.mark.parametrize("kind", list(SampleKind))
def test_every_kind_of_sample_becomes_a_call(kind: SampleKind) -> None:
    call, descriptors = call_of_sample(rule("deny *"), "a:b", SHIPPED, kind=kind)
    assert call.tool
    assert descriptors is not None


def test_what_a_rule_is_about_decides_what_its_samples_are() -> None:
    kinds = {text: kind_of_sample(rule(f"deny {text}"), SHIPPED) for text in ("todo", "@fs_any")}
    assert kinds == {"todo": SampleKind.NAME, "@fs_any": SampleKind.PATH}


@pytest.mark.parametrize(
    ("text", "sample", "how"),
    [
        ("allow shell(git status)", "git status", How.EXACT),
        ("allow shell(git push *)", "git push origin", How.PREFIX),
        ("allow shell(npm run test*)", "npm run test:unit", How.GLOB),
        ("allow shell(/git (status|log).*/)", "git log -3", How.REGEX),
        ("deny shell(rm *)", "ls && sudo 'rm' -rf x", How.PREFIX),
        ("ask shell(/--force/)", "git push --force", How.REGEX),
    ],
)
@pytest.mark.spec("POL-74")
def test_a_rule_for_commands_says_in_which_way_it_matches(text: str, sample: str, how: How) -> None:
    found = tried(text, sample)
    assert (found.applies, found.how) == (True, how)


@pytest.mark.spec("POL-74")
def test_an_allow_has_to_match_every_command_and_a_deny_any() -> None:
    line = "git status && rm -rf build"
    allowed = tried("allow shell(git *)", line)
    assert [(part.text, part.matches) for part in allowed.parts] == [
        ("git status", True),
        ("rm -rf build", False),
    ]
    assert (allowed.applies, allowed.alone) == (False, Effect.ASK)
    assert tried("deny shell(git *)", line).applies


@pytest.mark.spec("POL-74")
def test_a_wrapper_that_no_allow_has_to_cover_is_no_part() -> None:
    found = tried("allow shell(git *)", "timeout 5 git status")
    assert (found.applies, [part.text for part in found.parts]) == (True, ["git status"])


@pytest.mark.spec("POL-74")
def test_a_redirection_that_writes_is_noted() -> None:
    found = tried("allow shell(git *)", "git log > out.txt")
    assert (found.applies, found.alone) == (True, Effect.ASK)
    assert found.redirections == ("/srv/project/out.txt",)
    assert found.notes == (
        "it writes to `/srv/project/out.txt` by redirection, which needs an allow of its own",
    )
    assert tried("allow shell(git *)", "git log > /dev/null").redirections == ()


@pytest.mark.spec("POL-74")
def test_a_rule_for_paths_can_be_tried_on_a_command_line() -> None:
    found = tried("deny read(secrets)", "cat secrets/k notes", kind=SampleKind.COMMAND)
    assert (found.applies, found.how, found.alone) == (True, How.PATH, Effect.DENY)
    assert [(part.kind, part.text, part.matches) for part in found.parts] == [
        ("path", "/srv/project/secrets/k", True),
        ("path", "/srv/project/notes", False),
    ]


@pytest.mark.spec("POL-74")
def test_what_cannot_be_verified_is_told_with_its_part() -> None:
    found = tried("allow shell(eval *)", 'eval "$X"')
    assert not found.applies
    assert any(part.note for part in found.parts)
