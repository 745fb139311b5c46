from __future__ import annotations

from dataclasses import replace

import pytest

from sayso.core.effect import Effect
from sayso.core.reason import Reason
from sayso.errors import RuleRefused
from sayso.policy.defaults import (
    HARMLESS,
    check_catch_all,
    check_group_delete,
    hiding_catch_alls,
    missing_seeds,
    pattern_key,
    seed_rules,
)
from sayso.policy.protection import NO_SECRETS, protected_rules
from sayso.policy.rule import Origin
from sayso.policy.text_rule import check_rule
from tests.fakes.facts import FakeFacts
from tests.unit.policy.worlds import call, effect, row, said

SEEDS = seed_rules()


@pytest.mark.spec("POL-41")
def test_what_a_new_database_says() -> None:
    assert effect(call("execute_cmd", command="ls"), table=SEEDS) == "ask"
    for folder in ("memory", "data"):
        assert effect(call("write_file", path=f"{folder}/a/b"), table=SEEDS) == "allow"
    for tool in ("read_file", "write_file", "delete_file", "list_files"):
        assert effect(call(tool, path="secrets/key"), table=SEEDS) == "deny"
    assert effect(call("read_file", path="src/a"), table=SEEDS) == "ask"
    for tool in HARMLESS:
        assert effect(call(tool), table=SEEDS) == "allow"
    assert said(call("unheard_of"), table=SEEDS).rule == SEEDS[-1]
    assert SEEDS[-1].priority == 999_999
    assert all(rule.seeded for rule in SEEDS)
    assert len({rule.id for rule in SEEDS}) == len(SEEDS)
    for rule in SEEDS:
        check_rule(rule)


@pytest.mark.spec("POL-41")
def test_a_seed_is_added_once_and_not_after_a_person_deleted_it() -> None:
    assert missing_seeds(SEEDS, []) == SEEDS
    assert missing_seeds(SEEDS, SEEDS) == ()
    assert missing_seeds(SEEDS, SEEDS[1:], known=[pattern_key(SEEDS[0])]) == ()
    assert missing_seeds(SEEDS, SEEDS[1:]) == (SEEDS[0],)
    changed = row("allow", "execute_cmd", id="mine", priority=3)
    assert SEEDS[0] not in missing_seeds(SEEDS, [changed])
    renamed = replace(SEEDS[0], tool_pattern="shell")
    assert missing_seeds(SEEDS, [renamed, *SEEDS[1:]]) == ()
    mine = row("deny", "*", id="mine", priority=5)
    assert SEEDS[-1] not in missing_seeds(SEEDS, [mine])
    elsewhere = replace(mine, group_id="team")
    assert SEEDS[-1] in missing_seeds(SEEDS, [elsewhere])


@pytest.mark.spec("POL-41a")
def test_a_group_that_hides_the_default_groups_denies_is_warned_of() -> None:
    allow_all = row("allow", "*", group_id="team", id="team-all")
    (warning,) = hiding_catch_alls([*SEEDS, allow_all])
    assert warning == (
        "the `*` allow `team-all` of group `team` hides the default group's denies: "
        "`seed:@fs_any secrets/*`"
    )
    assert hiding_catch_alls([*SEEDS, replace(allow_all, effect=Effect.ASK)]) == ()
    assert hiding_catch_alls([allow_all]) == ()
    secret = call("read_file", path="secrets/key")
    assert effect(secret, table=[*SEEDS, allow_all], group="team") == "allow"
    assert (
        effect(secret, table=[*SEEDS, row("allow", "x", group_id="team")], group="team") == "deny"
    )


@pytest.mark.spec("POL-42")
def test_a_second_catch_all_with_another_effect_is_refused() -> None:
    second = row("allow", "*", id="mine")
    with pytest.raises(RuleRefused, match=r"already has a `\*` rule that says ask: `seed:\*`"):
        check_catch_all(SEEDS, second)
    check_catch_all(SEEDS, replace(second, effect=Effect.ASK))
    check_catch_all(SEEDS, replace(second, group_id="team"))
    check_catch_all(SEEDS, replace(second, when="agent == 'a'"))
    check_catch_all(SEEDS, row("allow", "get_*"))
    check_catch_all(SEEDS, replace(SEEDS[-1], effect=Effect.DENY))


@pytest.mark.spec("POL-43")
def test_a_group_is_not_deleted_from_under_its_users() -> None:
    with pytest.raises(RuleRefused, match="`default` cannot be deleted"):
        check_group_delete("default")
    with pytest.raises(RuleRefused, match="used by `night`, `ops`") as refused:
        check_group_delete("team", ["ops", "night"])
    assert refused.value.hint == "say which group they go to"
    with pytest.raises(RuleRefused):
        check_group_delete("team", ["ops"], move_to="team")
    check_group_delete("team", ["ops"], move_to="default")
    check_group_delete("team")


BUILT_IN = protected_rules(["/home/u/.config/sayso", "/home/u/.local/share/sayso"], ports=[7070])
ALLOW = ("allow path(/**)", "allow tool(*)", "allow web(*:*)")


def protected(what: object, *, facts: FakeFacts | None = None) -> tuple[str, str, bool]:
    outcome = said(what, *ALLOW, *BUILT_IN, facts=facts)  # type: ignore[arg-type]
    return outcome.effect.word, outcome.reason.value, outcome.must_ask


@pytest.mark.parametrize(
    "what",
    [
        call("read_file", path="~/.config/sayso/settings.toml"),
        call("write_file", path="/home/u/.local/share/sayso/sayso.db"),
        call("list_files", path="/home/u/.config/sayso"),
        call("write_file", path="sayso.toml"),
        call("delete_file", path="sub/.sayso/settings.toml"),
        call("move_file", source="sayso.toml", destination="x"),
        call("web_fetch", url="http://localhost:7070/api/requests"),
        call("web_fetch", url="http://127.1:7070/"),
    ],
)
def test_what_is_saysos_own_is_denied(what: object) -> None:
    assert protected(what) == ("deny", "protected", False)


def test_a_projects_settings_may_be_read() -> None:
    assert protected(call("read_file", path="sayso.toml"))[0] == "allow"


@pytest.mark.parametrize(
    "path",
    [".git/hooks/pre-commit", "sub/.git/config", "~/.bashrc", ".vscode/tasks.json", ".npmrc",
     ".envrc", ".mcp.json", ".claude/settings.json", ".husky/pre-commit", "~/.ssh/authorized_keys"],
)  # fmt: skip
def test_what_runs_later_asks_before_it_is_written_or_deleted(path: str) -> None:
    assert protected(call("write_file", path=path)) == ("ask", "must-ask", True)
    assert protected(call("delete_file", path=path)) == ("ask", "must-ask", True)


@pytest.mark.parametrize(
    "path", [".gitignore", "src/gitconfig.py", "claude/x", "docs/.github/x.md"]
)
def test_ordinary_files_of_a_similar_name_do_not_ask(path: str) -> None:
    assert protected(call("write_file", path=path))[0] == "allow"


@pytest.mark.parametrize(
    "path",
    [".env", "a/.env.production", "~/.ssh/id_ed25519", "~/.aws/credentials", "~/.netrc", "x.pem",
     "deploy/server.key", "/etc/shadow", "~/.password-store/x.gpg", "~/.ssh"],
)  # fmt: skip
def test_what_commonly_holds_secrets_asks_before_it_is_read(path: str) -> None:
    assert protected(call("read_file", path=path)) == ("ask", "must-ask", True)


@pytest.mark.parametrize("name", [n.replace("*", "id_rsa") for n in NO_SECRETS])
def test_examples_of_secrets_are_read_without_a_question(name: str) -> None:
    assert protected(call("read_file", path=f"app/{name}"))[0] == "allow"
    facts = FakeFacts(links={f"/w/app/{name}": "/w/.env"})
    assert protected(call("read_file", path=f"app/{name}"), facts=facts)[0] == "ask"


@pytest.mark.parametrize("path", ["/", "~", "/home", ".", "..", "/w", "link"])
def test_critical_removals_ask(path: str) -> None:
    facts = FakeFacts(links={"/w/link": "/home/u"})
    assert protected(call("delete_file", path=path), facts=facts) == ("ask", "must-ask", True)


def test_a_removal_that_could_be_critical_asks() -> None:
    gone = call("delete_file", path="build")
    assert protected(gone)[0] == "allow"
    assert protected(gone, facts=FakeFacts(unknown=True)) == ("ask", "must-ask", True)


def test_people_can_add_to_what_is_protected() -> None:
    rules = protected_rules(runs_later=["Makefile"], secrets=["vault/**"])
    assert said(call("write_file", path="Makefile"), "allow tool(*)", *rules).must_ask
    assert said(call("read_file", path="vault/x"), "allow tool(*)", *rules).must_ask


def test_built_in_rules_are_sound_and_named_once() -> None:
    assert len({rule.id for rule in BUILT_IN}) == len(BUILT_IN)
    assert {rule.origin for rule in BUILT_IN} == {Origin.BUILT_IN}
    for rule in BUILT_IN:
        check_rule(rule)
        assert rule.justification
    assert said(call("read_file", path=".env"), *BUILT_IN).reason is Reason.MUST_ASK
