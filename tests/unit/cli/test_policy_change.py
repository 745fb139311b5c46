"""`sayso policy add` and `remove`: files edited in place, sessions changed, and only with a person's credential."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sayso.broker.broker import Broker
from sayso.cli.exit_codes import ExitCode
from sayso.people.token import CredentialKind
from tests.fakes.command_line import CommandLine, Said

BEFORE = """# mine
[permissions]
allow = [
  "tool(add)",  # sums
]
deny = ["tool(wipe)"]
"""


@pytest.fixture
def settings(sayso: CommandLine) -> Path:
    path = sayso.home / "settings.toml"
    path.write_text(BEFORE)
    return path


def notes(sayso: CommandLine) -> list[str]:
    said = sayso("audit", "list", "--json")
    return [json.loads(line).get("note", "") for line in said.out.splitlines()]


@pytest.mark.spec("POL-64")
def test_a_rule_is_added_in_place_and_noted(sayso: CommandLine, settings: Path) -> None:
    said = sayso.owner("policy", "add", "allow", "read(src/**)")
    assert (said.code, said.out) == (0, f"added: allow read(src/**) ({settings}:5)\n")
    assert settings.read_text() == BEFORE.replace("# sums\n", '# sums\n  "read(src/**)",\n')
    assert f"rule added to {settings}: allow read(src/**)" in notes(sayso)
    again = sayso.owner("policy", "add", "allow", "read(src/**)")
    assert again.out == f"it stands there already: allow read(src/**) ({settings}:5)\n"


@pytest.mark.spec("POL-64")
def test_a_rule_is_taken_out_however_it_is_spelled(sayso: CommandLine, settings: Path) -> None:
    said = sayso.owner("policy", "remove", "deny", "wipe", "--json")
    assert json.loads(said.out) == {
        "effect": "deny",
        "rule": "tool(wipe)",
        "path": str(settings),
        "line": 6,
        "changed": True,
    }
    assert "wipe" not in settings.read_text()
    assert "# sums" in settings.read_text()
    gone = sayso.owner("policy", "remove", "deny", "wipe")
    assert gone.code == ExitCode.FAILURE
    assert "does not stand in a list" in gone.err


@pytest.mark.spec("POL-60", "POL-64")
def test_a_rule_for_a_folder_stands_in_the_users_own_file_for_it(
    sayso: CommandLine, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / "src").mkdir()
    sayso.patch.chdir(project)
    said = sayso.owner("policy", "add", "deny", "todo", "--scope", "workspace", "--json")
    path = Path(json.loads(said.out)["path"])
    assert path.is_relative_to(sayso.home / "workspaces")
    assert path.read_text().startswith(f"# what counts in {project} and below it\n")
    sayso.patch.chdir(project / "src")
    listed = json.loads(sayso("policy", "list", "--json").out)
    assert ("workspace", "tool(todo)") in [(rule["origin"], rule["text"]) for rule in listed]
    sayso.patch.chdir(tmp_path)
    assert "workspace" not in sayso("policy", "list").out


@pytest.mark.spec("POL-64")
def test_a_rule_of_a_session_is_saved_nowhere(sayso: CommandLine, settings: Path) -> None:
    async def opened(broker: Broker) -> str:
        actor = await broker.access.embedded_agent("coder")
        return (await broker.open_session(actor, workspace="/srv/site")).session_id

    async def rules(broker: Broker) -> Any:
        session = await broker.world.store.session(session_id)
        assert session is not None
        return [(given.effect, given.text) for given in session.rules]

    session_id = sayso.within(opened)
    said = sayso.owner("policy", "add", "allow", "todo", "--session", session_id)
    assert said.out == "added, in that session: allow tool(todo)\n"
    assert sayso.within(rules) == [("allow", "tool(todo)")]
    assert settings.read_text() == BEFORE
    said = sayso.owner("policy", "remove", "allow", "todo", "--session", session_id)
    assert said.out == "removed, in that session: allow tool(todo)\n"
    assert sayso.within(rules) == []
    both = sayso.owner("policy", "add", "deny", "x", "--session", "s", "--scope", "workspace")
    assert both.code == ExitCode.FAILURE


@pytest.mark.spec("POL-64")
def test_a_rule_of_a_session_is_kept_in_the_settings_on_request(
    sayso: CommandLine, settings: Path
) -> None:
    async def opened(broker: Broker) -> str:
        actor = await broker.access.embedded_agent("coder")
        return (await broker.open_session(actor, workspace="/srv/site")).session_id

    async def rules(broker: Broker) -> Any:
        session = await broker.world.store.session(session_id)
        assert session is not None
        return [(given.effect, given.text) for given in session.rules]

    session_id = sayso.within(opened)
    words = ("policy", "add", "allow", "todo", "--session", session_id)
    unknown = sayso.owner(*words, "--save")
    assert unknown.code == ExitCode.FAILURE
    assert "the session has no rule `allow tool(todo)`" in unknown.err
    assert settings.read_text() == BEFORE
    sayso.owner(*words)
    assert sayso(*words, "--save").code == ExitCode.REFUSED
    kept = sayso.owner(*words, "--save")
    assert kept.out == f"added: allow tool(todo) ({settings}:5)\n"
    assert '  "tool(todo)",\n' in settings.read_text()
    assert sayso.within(rules) == []
    assert f"rule saved in {settings}: allow tool(todo)" in notes(sayso)
    nowhere = sayso.owner("policy", "add", "allow", "todo", "--save")
    assert "hint: name the session: --session ID; or leave out --save" in nowhere.err
    sayso.owner("policy", "add", "deny", "x", "--session", session_id)
    words = ("policy", "add", "deny", "x", "--session", session_id)
    mine = json.loads(sayso.owner(*words, "--save", "--scope", "workspace", "--json").out)
    assert Path(mine["path"]).parent.parent == sayso.home / "workspaces"


def test_what_is_odd_about_a_new_rule_is_said_at_once(sayso: CommandLine, settings: Path) -> None:
    said = sayso.owner("policy", "add", "allow", "web(*)")
    assert said.code == 0
    assert "warning: `allow web(*)` is dangerously broad" in said.err
    assert "hint: name the hosts that are needed" in said.err
    assert sayso.owner("policy", "add", "allow", "web(example.com)").err == ""


@pytest.mark.spec("REQ-62", "POL-64")
@pytest.mark.parametrize(
    "words", [("add", "allow", "x"), ("add", "deny", "x"), ("remove", "deny", "wipe")]
)
def test_nobody_changes_the_policy_without_a_credential_that_may(
    words: tuple[str, ...], sayso: CommandLine, settings: Path
) -> None:
    def refused(said: Said, because: str) -> None:
        assert said.code == ExitCode.REFUSED, said
        assert because in said.err

    refused(sayso("policy", *words), "deciding needs a person's credential")
    wrong = sayso("policy", *words, "--passphrase-stdin", stdin="wrong horse battery\n")
    refused(wrong, "passphrase")
    agent = sayso.token(CredentialKind.AGENT, "coder")
    refused(sayso("policy", *words, "--token-stdin", stdin=f"{agent}\n"), "an agent's token")
    approver = sayso.token(CredentialKind.APPROVER)
    refused(sayso("policy", *words, "--token-stdin", stdin=f"{approver}\n"), "may not change")
    assert settings.read_text() == BEFORE


def test_a_rule_that_cannot_be_read_is_refused_before_anybody_is_asked(
    sayso: CommandLine, settings: Path
) -> None:
    said = sayso("policy", "add", "deny", "shel(x)")
    assert (said.code, said.out) == (ExitCode.FAILURE, "")
    assert said.err.endswith("hint: did you mean `shell(…)`?\n")


def test_a_broken_file_is_left_as_it_is(sayso: CommandLine, settings: Path) -> None:
    settings.write_text("[permissions\n")
    said = sayso.owner("policy", "add", "deny", "todo")
    assert said.code == ExitCode.INVALID
    assert settings.read_text() == "[permissions\n"
