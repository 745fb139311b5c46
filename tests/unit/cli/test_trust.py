"""`sayso trust`: what a project loosens waits for a person's trust in exactly that content (POL-60)."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from sayso.cli.exit_codes import ExitCode
from sayso.people.token import CredentialKind
from tests.fakes.command_line import PASSPHRASE, CommandLine

PROJECT = """\
[permissions]
allow = ["read(docs/**)"]
deny = ["write(dist)"]

[[rule]]
effect = "ask"
rule = "tool(deploy)"
policy = { severity = "low" }

[tools.deploy]
command = "script"

[ui]
diff_lines = 1
"""


def content(project: Path) -> str:
    return hashlib.sha256((project / "sayso.toml").read_bytes()).hexdigest()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    place = Path(os.path.realpath(tmp_path)) / "project"
    place.mkdir()
    (place / "sayso.toml").write_text(PROJECT)
    return place


@pytest.mark.spec("POL-60")
def test_what_would_loosen_is_shown_with_its_places(sayso: CommandLine, project: Path) -> None:
    said = sayso("trust", str(project), "--show")
    assert said.code == 0
    assert (
        said.out
        == f"""\
{project}/sayso.toml: waits for your trust
  its content, for --sha256: {content(project)}
  rules that tighten, which count at once: 2
  loosens, at 2:10: allow read(docs/**)
  loosens, at 7:8: how tool(deploy) is asked about: policy = {{ severity = "low" }}
  loosens, at 10:1: what the tool `deploy` is and does: command = "script"
  warning: 13:1: `ui` counts only in your own settings, never here
"""
    )
    (told,) = json.loads(sayso("trust", str(project), "--show", "--json").out)
    assert told["loosens"][0] == {
        "place": f"{project}/sayso.toml:2:10",
        "what": "allow read(docs/**)",
    }
    assert (told["trusted"], told["tightens"], told["problem"]) == (False, 2, None)


@pytest.mark.spec("POL-60", "REQ-64")
def test_trust_needs_a_person_and_their_word(sayso: CommandLine, project: Path) -> None:
    book = sayso.home / "trusted.json"
    said = sayso("trust", str(project))
    assert said.code == ExitCode.REFUSED
    assert "no terminal to ask on" in said.err
    said = sayso("trust", str(project), "--sha256", content(project))
    assert said.code == ExitCode.REFUSED
    for kind, agent in ((CredentialKind.AGENT, "coder"), (CredentialKind.APPROVER, None)):
        token = sayso.token(kind, agent)
        said = sayso(
            "trust", str(project), "--sha256", content(project), "--token-stdin", stdin=f"{token}\n"
        )
        assert said.code == ExitCode.REFUSED
    said = sayso(
        "trust",
        str(project),
        "--sha256",
        content(project),
        "--passphrase-stdin",
        stdin="wrong horse\n",
    )
    assert said.code == ExitCode.REFUSED
    assert not book.exists()

    shown = sayso("trust", str(project), "--show").out
    assert f"  its content, for --sha256: {content(project)}\n" in shown
    said = sayso.owner("trust", str(project), "--sha256", content(project))
    assert (said.code, said.err) == (0, f"trusted: {project}/sayso.toml\n")
    assert book.stat().st_mode & 0o077 == 0
    assert f"{project}/sayso.toml: trusted\n" in sayso("trust", str(project), "--show").out
    assert sayso("trust", str(project)).code == 0, "nothing waits any more, so nobody is asked"
    log = sayso("audit", "list", "--json").out
    assert "trusted: " in log

    (project / "sayso.toml").write_text(PROJECT.replace("docs", "**"))
    assert "waits for your trust" in sayso("trust", str(project), "--show").out

    said = sayso.owner("trust", str(project), "--revoke")
    assert (said.code, said.err) == (0, f"trusted no more: {project}/sayso.toml\n")
    said = sayso.owner("trust", str(project), "--revoke")
    assert said.err == "Nothing there was trusted.\n"


@pytest.mark.spec("POL-60")
def test_only_the_content_that_was_looked_at_is_trusted(sayso: CommandLine, project: Path) -> None:
    seen = content(project)
    (project / "sayso.toml").write_text(PROJECT.replace("docs", "**"))
    said = sayso.owner("trust", str(project), "--sha256", seen)
    assert (said.code, f"no settings file there has the content `{seen}` now" in said.err) == (
        ExitCode.FAILURE,
        True,
    )
    assert not (sayso.home / "trusted.json").exists()
    for other in ("--show", "--revoke"):
        assert sayso("trust", str(project), other, "--sha256", seen).code == ExitCode.FAILURE


@pytest.mark.spec("POL-60")
def test_a_project_that_cannot_be_used_is_not_trusted(sayso: CommandLine, project: Path) -> None:
    (project / "sayso.toml").write_text('[permissions]\nallow = ["x"]\nalow = 1\n')
    said = sayso.owner("trust", str(project), "--sha256", content(project))
    assert said.code == ExitCode.INVALID
    assert f"error: {project}/sayso.toml:3:1: `alow` is not a setting" in said.err
    assert f"{project}/sayso.toml: cannot be used\n" in said.out
    assert not (sayso.home / "trusted.json").exists()


def test_where_there_is_nothing_to_trust(sayso: CommandLine, project: Path) -> None:
    (project / "sayso.toml").write_text('[permissions]\ndeny = ["x"]\n')
    said = sayso.owner("trust", str(project))
    assert (said.code, "loosens nothing" in said.out) == (0, True)
    (project / "sayso.toml").unlink()
    said = sayso("trust", str(project))
    assert (said.code, said.out) == (0, f"{project} has no settings of its own.\n")
    said = sayso("trust", str(project / "nowhere"))
    assert "is not a folder" in said.err
    assert "--show changes nothing" in sayso("trust", "--show", "--revoke").err


@pytest.mark.spec("POL-60")
def test_what_hides_in_a_project_s_file_is_shown_harmless(
    sayso: CommandLine, project: Path
) -> None:
    hidden = (
        '[[rule]]\neffect = "allow"\nrule = "read(a)"\nid = "x"\nwhen = "tool == \'\\u001b[2J\'"\n'
    )
    (project / "sayso.toml").write_text(hidden)
    said = sayso("trust", str(project), "--show")
    assert "\x1b" not in said.out
    assert "allow read(a) when tool == '" in said.out


@pytest.mark.spec("POL-60", "CH-1")
def test_a_project_s_words_make_no_lines_of_their_own_and_their_look_alikes_are_told(
    sayso: CommandLine, project: Path
) -> None:
    faked = f'input.x == 1 or "\\n\\n{project}/sayso.toml: loosens nothing"'
    (project / "sayso.toml").write_text(
        f'[[rule]]\neffect = "allow"\nrule = "shell(ls)"\nwhen = """{faked}"""\n'
        '[permissions]\nallow = ["tool(\u0412ash)"]\n',
        encoding="utf-8",
    )
    lines = sayso("trust", str(project), "--show").out.splitlines()
    assert lines[0] == f"{project}/sayso.toml: waits for your trust"
    assert all(line.startswith("  ") for line in lines[1:])
    at = lines.index("  loosens, at 6:10: allow tool(\u0412ash)")
    assert lines[at + 1].startswith("    mixes Cyrillic and Latin letters: ")


@pytest.mark.spec("POL-60")
def test_what_is_shown_says_how_it_will_be_asked_about_and_what_a_tool_becomes(
    sayso: CommandLine, project: Path
) -> None:
    (project / "sayso.toml").write_text(
        '[tools.Bash]\nkind = "other"\n'
        '[[rule]]\neffect = "ask"\nrule = "shell(rm *)"\njustification = "It is safe.\\nDo."\n'
        '[[rule]]\neffect = "ask"\nrule = "tool(pay)"\npolicy = { action = "Read a page" }\n'
    )
    shown = sayso("trust", str(project), "--show").out
    assert "what the tool `Bash` is and does, in place of what sayso knows of it: kind" in shown
    assert 'what the card of shell(rm *) says: justification = "It is safe.\\nDo."\n' in shown
    assert 'how tool(pay) is asked about: policy = { action = "Read a page" }\n' in shown


@pytest.mark.spec("POL-61")
def test_files_of_tools_that_cannot_be_looked_for_are_told_and_nothing_is_trusted(
    sayso: CommandLine, project: Path
) -> None:
    (project / "sayso.toml").write_text(
        'tool_files = ["tools/x.yaml"]\n[permissions]\nallow = ["x"]\n'
    )
    (project / "tools").symlink_to(project.parent)
    assert "sayso.toml: cannot be used\n" in sayso("trust", str(project), "--show").out
    said = sayso.owner("trust", str(project), "--sha256", content(project))
    assert said.code == ExitCode.INVALID
    assert "sayso.toml:1:15: `tools/x.yaml` cannot be looked for" in said.err
    assert not (sayso.home / "trusted.json").exists()


@pytest.mark.spec("POL-63")
def test_doctor_and_inbox_say_what_is_wrong(
    sayso: CommandLine, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    said = sayso("doctor")
    assert "ok    rules: " in said.out
    assert "sayso trust\n" in said.out
    (project / "sayso.toml").write_text("[permissions")
    said = sayso("doctor")
    assert said.code == ExitCode.FAILURE
    assert f"MEND  rules: {project}/sayso.toml:1:13: " in said.out
    (sayso.home / "settings.toml").write_text("[permissions")
    said = sayso("inbox", "list")
    assert f"warning: {sayso.home}/settings.toml:1:13: " in said.err


@pytest.mark.spec("POL-60")
def test_flags_that_cannot_be_read_are_refused_before_anything_starts(
    sayso: CommandLine,
) -> None:
    said = sayso("serve", "--port", "0", "--allow", "wirte(x)")
    assert (said.code, said.err.splitlines()[0]) == (
        ExitCode.FAILURE,
        "error: --allow: `wirte` is not a kind of rule",
    )
    sayso.patch.setenv("SAYSO_AGENT_TOKEN", "x")
    said = sayso("mcp", "--deny", "wirte(x)", "--", "true")
    assert said.err.startswith("error: --deny: `wirte` is not a kind of rule")
    said = sayso("mcp", "--allow", "read(x)", "--", "true")
    assert said.code == ExitCode.REFUSED
    assert "cannot allow its own session anything" in said.err


def test_the_passphrase_stays_out_of_the_book(sayso: CommandLine, project: Path) -> None:
    sayso.owner("trust", str(project), "--sha256", content(project))
    assert PASSPHRASE not in (sayso.home / "trusted.json").read_text()
