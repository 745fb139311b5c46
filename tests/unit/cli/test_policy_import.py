"""`sayso policy import`: what is written, what is told, and what is left alone (POL-62)."""

from __future__ import annotations

import json
import time
import tomllib
from pathlib import Path

import pytest

from sayso.cli.exit_codes import ExitCode
from sayso.config.settings import load_settings
from tests.fakes.command_line import CommandLine

CLAUDE = {
    "permissions": {
        "allow": ["Bash(git status)", "Read(/docs/**)", "Write(x)"],
        "deny": ["Read(.env)"],
        "defaultMode": "plan",
    }
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory that holds rules of other gates, and a home that holds none."""
    here = tmp_path.resolve() / "project"
    (here / ".claude").mkdir(parents=True)
    (here / ".claude" / "settings.json").write_text(json.dumps(CLAUDE))
    (tmp_path / "user").mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    return here


@pytest.mark.spec("POL-62")
def test_a_dry_run_shows_the_rules_as_settings_and_what_was_lost(
    sayso: CommandLine, project: Path
) -> None:
    said = sayso("policy", "import", "claude-code", "--scope", "workspace", "--dry-run")
    assert said.code == ExitCode.OK
    allow = ["shell(git status)", f"read({project}/docs/**)"]
    assert tomllib.loads(said.out) == {"permissions": {"allow": allow, "deny": ["read(.env)"]}}
    assert "# .claude/settings.json: 3 rules, 2 notes\n" in said.out
    assert "allow Write(x)\n#     Claude Code never consults `Write(…)`" in said.out
    assert not (sayso.home / "workspaces").exists()


@pytest.mark.spec("POL-62", "POL-64")
def test_rules_are_added_in_place_and_once_by_a_person(sayso: CommandLine, project: Path) -> None:
    path = sayso.home / "settings.toml"
    path.write_text('# mine\n[permissions]\ndeny = ["tool(wipe)"]  # never\n')
    words = ("policy", "import", "claude-code", "--file", ".claude/settings.json")
    assert sayso(*words).code == ExitCode.REFUSED
    assert "git status" not in path.read_text()
    said = sayso.owner(*words)
    assert said.out.endswith(f"3 rules added to {path}\n")
    text = path.read_text()
    assert text.startswith("# mine\n[permissions]\n")
    assert "# never" in text
    assert {rule.text for rule in load_settings(path).rules} == {
        "tool(wipe)", "shell(git status)", f"read({project}/docs/**)", "read(.env)",
    }  # fmt: skip
    recorded = sayso("audit", "list", "--json").out
    assert f"3 rules of claude-code added to {path}" in recorded
    assert sayso.owner(*words).out.endswith(f"0 rules added to {path}; 3 stood there already\n")
    assert path.read_text() == text


@pytest.mark.spec("POL-62")
def test_rules_with_more_to_them_become_tables(sayso: CommandLine, project: Path) -> None:
    (project / "rules.json").write_text(
        '{"rules": [{"tool": "shell", "action": "run", "pattern": "rm *", "message": "Delete?"}]}'
    )
    path = project / "sayso.toml"
    path.write_text("# ours\n")
    words = ("policy", "import", "rules.json", "--scope", "project")
    assert sayso(*words).out.endswith(f"1 rule added to {path}\n")
    assert path.read_text() == (
        '# ours\n\n[[rule]]\neffect = "ask"\nrule = "shell(rm *)"\njustification = "Delete?"\n'
    )
    assert sayso(*words).out.endswith("0 rules added to " + f"{path}; 1 stood there already\n")


@pytest.mark.spec("POL-62")
def test_for_programs(sayso: CommandLine, project: Path) -> None:
    words = ("policy", "import", "claude-code", "--scope", "workspace", "--json")
    said = sayso.owner(*words)
    told = json.loads(said.out)
    assert [rule["text"] for rule in told["rules"]] == [
        "shell(git status)",
        f"read({project}/docs/**)",
        "read(.env)",
    ]
    assert told["added"] == 3
    assert told["files"][0]["notes"][0]["original"] == "allow Write(x)"
    assert Path(told["written_to"]).parent.parent == sayso.home / "workspaces"
    assert len(load_settings(Path(told["written_to"])).rules) == 3


def test_several_files_of_an_ordered_gate_keep_every_ask(sayso: CommandLine, project: Path) -> None:
    policies = project / ".gemini" / "policies"
    policies.mkdir(parents=True)
    rule = '[[rule]]\ntoolName = "run_shell_command"\npriority = {}\n{}\n'
    (policies / "a.toml").write_text(rule.format(9, 'decision = "ask_user"'))
    (policies / "b.toml").write_text(rule.format(1, 'decision = "allow"\ncommandPrefix = "git"'))
    said = sayso("policy", "import", "gemini", "--scope", "project", "--dry-run")
    assert tomllib.loads(said.out) == {
        "permissions": {"allow": ["shell(git *)"], "ask": ["shell(*)"]}
    }


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("codex",), "no file with rules of `codex` was found"),
        (("rules.json",), "no file with rules of `rules.json` was found: nowhere"),
        (("codex", "--file", "gone.rules"), "gone.rules:1:1: the file cannot be read"),
        (("codex", "--file", "bytes.rules"), "bytes.rules:1:1: the file is not UTF-8"),
        (("codex", "--file", "large.rules"), "large.rules:1:1: the file is larger than"),
        (("opencode", "--file", ".claude/settings.json", "--scope", "user"), None),
    ],
)
def test_what_cannot_be_read_is_told_and_nothing_is_written(
    sayso: CommandLine, project: Path, words: tuple[str, ...], error: str | None
) -> None:
    (project / "bytes.rules").write_bytes(b"\xff")
    (project / "large.rules").write_bytes(b" " * (1024 * 1024 + 1))
    before = (sayso.home / "settings.toml").read_bytes()
    said = sayso("policy", "import", *words)
    assert (sayso.home / "settings.toml").read_bytes() == before
    if error is None:
        assert said.code == ExitCode.OK
        assert "0 rules added" in said.out
    else:
        assert said.code == ExitCode.INVALID
        assert error in said.err


def test_many_rules_are_added_in_a_moment_and_in_their_order(
    sayso: CommandLine, project: Path
) -> None:
    allow = [f"Bash(run{number} *)" for number in range(300)]
    (project / "many.json").write_text(json.dumps({"permissions": {"allow": allow}}))
    begin = time.perf_counter()
    said = sayso("policy", "import", "claude-code", "--file", "many.json", "--scope", "project")
    assert time.perf_counter() - begin < 5
    assert "300 rules added" in said.out
    written = tomllib.loads((project / "sayso.toml").read_text())["permissions"]["allow"]
    assert written == [f"shell(run{number} *)" for number in range(300)]


def test_an_import_into_a_project_says_that_its_allows_wait(
    sayso: CommandLine, project: Path
) -> None:
    words = ("policy", "import", "claude-code", "--scope", "project")
    assert sayso(*words).out.endswith("its allows count once you trust the file: sayso trust\n")


@pytest.mark.spec("POL-62")
@pytest.mark.parametrize("scope", ["user", "workspace", "project"])
def test_a_path_from_the_root_of_a_project_is_that_project_s_alone(
    sayso: CommandLine, project: Path, monkeypatch: pytest.MonkeyPatch, scope: str
) -> None:
    def allowed() -> list[str]:
        words = ("policy", "import", "claude-code", "--file", ".claude/settings.json")
        said = sayso(*words, "--scope", scope, "--dry-run")
        return list(tomllib.loads(said.out)["permissions"]["allow"])[1:]

    own = "read(docs/**)" if scope == "project" else f"read({project}/docs/**)"
    assert allowed() == [own]
    monkeypatch.setenv("HOME", str(project))
    assert allowed() == [], "what a user's own file means by it is not known"


@pytest.mark.spec("POL-60", "POL-62")
@pytest.mark.parametrize("there", [True, False])
def test_a_project_s_link_leads_no_import_into_another_file(
    sayso: CommandLine, project: Path, there: bool
) -> None:
    own = sayso.home / ("settings.toml" if there else "new.toml")
    before = own.read_bytes() if there else None
    (project / "sayso.toml").symlink_to(own)
    said = sayso("policy", "import", "claude-code", "--scope", "project")
    assert (own.read_bytes() if own.exists() else None) == before
    assert said.code == ExitCode.INVALID
    assert "sayso.toml:1:1: the file is a link, and a project's link is not written" in said.err


@pytest.mark.spec("POL-62", "CH-1")
def test_nothing_that_cannot_be_seen_is_printed_or_written_bare(
    sayso: CommandLine, project: Path
) -> None:
    hidden = "a\u009b31m\u202eb\u200bc\u2028d\U000e0041e"
    asked = {"tool": "shell", "action": "run", "pattern": hidden, "message": hidden}
    (project / "rules.json").write_text(json.dumps({"rules": [asked]}))
    words = ("policy", "import", "rules.json", "--scope", "project")
    for said in (sayso(*words, "--dry-run"), sayso(*words, "--dry-run", "--json"), sayso(*words)):
        assert said.code == ExitCode.OK
        assert all(char.isprintable() or char == "\n" for char in said.out)
    text = (project / "sayso.toml").read_text()
    assert all(char.isprintable() or char == "\n" for char in text)
    (rule,) = tomllib.loads(text)["rule"]
    assert hidden in rule["rule"]
    assert rule["justification"] == hidden
