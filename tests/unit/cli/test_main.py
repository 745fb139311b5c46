"""The command itself: what it imports, how it complains, and how it ends."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sayso import errors
from sayso.cli.exit_codes import ExitCode
from sayso.cli.main import COMMANDS, exit_code_of, main
from sayso.cli.saying import complain
from tests.fakes.command_line import CommandLine


def test_help_names_every_command_and_imports_none_of_them() -> None:
    program = (
        "import sys\nfrom sayso.cli.main import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit as end:\n    assert end.code == 0\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))\n"
        "print(*sorted(name for name in sys.modules if name.startswith('sayso.')))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    *shown, packages, modules = ended.stdout.splitlines()
    for name in COMMANDS:
        assert any(line.startswith(f"│ {name} ") for line in shown), name
    assert {"litestar", "sqlalchemy", "httpx", "structlog"}.isdisjoint(packages.split())
    assert modules.split() == [
        "sayso.cli",
        "sayso.cli.exit_codes",
        "sayso.cli.main",
        "sayso.cli.saying",
        "sayso.errors",
    ]


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_is_there_and_says_more_of_itself_when_asked(
    bare: CommandLine, name: str
) -> None:
    said = bare(name, "--help")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith(f"Usage: sayso {name}")
    assert COMMANDS[name].partition(":")[0] in said.out or name in ("demo", "mcp")
    assert not bare.home.exists()


def test_the_version_is_said(bare: CommandLine) -> None:
    assert bare("--version").out.startswith("0.")


@pytest.mark.parametrize(
    ("words", "message", "where"),
    [
        (["blah"], "unknown command `blah`", ""),
        (["inbox", "blah"], "unknown command `blah`", " inbox"),
        (["audit", "list", "--qqqqqqqq"], "unknown option: --qqqqqqqq", " audit list"),
        (["approve"], "`sayso approve` needs REQUEST_ID", " approve"),
        (["approve", "a", "b"], "unused Tokens: ['b']", " approve"),
        (
            ["audit", "list", "--limit", "x"],
            "invalid value for --limit: unable to convert `x` into int",
            " audit list",
        ),
        (
            ["tokens", "create", "--kind", "root"],
            "invalid value `root` for --kind. Choose from: `agent`, `approver`, `admin`",
            " tokens create",
        ),
    ],
)
def test_a_wrong_command_line_has_an_exit_status_of_its_own(
    bare: CommandLine, words: list[str], message: str, where: str
) -> None:
    said = bare(*words)
    assert (said.code, said.out) == (ExitCode.USAGE, "")
    assert said.err == f"error: {message}\nhint: see: sayso{where} --help\n"
    assert not bare.home.exists()


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.NotAuthenticated("m"), ExitCode.REFUSED),
        (errors.NotEligible("m"), ExitCode.REFUSED),
        (errors.PassphraseWrong("m"), ExitCode.REFUSED),
        (errors.RateLimited("m", retry_after=1), ExitCode.REFUSED),
        (errors.RequestClosed("m", status="done"), ExitCode.REFUSED),
        (errors.SettingsInvalid("m"), ExitCode.INVALID),
        (errors.StoreCorrupt("m"), ExitCode.FAILURE),
        (errors.ServerUnreachable("m"), ExitCode.FAILURE),
        (errors.DigestMismatch("m"), ExitCode.FAILURE),
        (errors.CallInvalid("m"), ExitCode.FAILURE),
    ],
)
def test_what_an_error_means_for_the_exit_status(error: errors.SaysoError, code: int) -> None:
    assert exit_code_of(error) == code


def test_a_complaint_cannot_move_the_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    complain(errors.SaysoError("no `\x1b[2J\u202e`\nsecond line", "see: \x07"))
    assert (
        capsys.readouterr().err
        == "error: no `[U+001B][2J[U+202E]`\nsecond line\nhint: see: [U+0007]\n"
    )


def test_a_home_that_cannot_be_used_is_said(bare: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    bare.patch.setenv("SAYSO_HOME", str(tmp_path / "file" / "home"))
    said = bare("inbox", "list")
    assert said.code == ExitCode.FAILURE
    assert said.err == (
        f"error: the directory `{tmp_path}/file/home` cannot be used: Not a directory\n"
        "hint: mend that, or name another place with SAYSO_HOME\n"
    )
    bare.patch.setenv("SAYSO_HOME", "relative")
    said = bare("inbox", "list")
    assert said.code == ExitCode.INVALID
    assert "SAYSO_HOME `relative` is not an absolute path" in said.err


def test_what_the_system_refuses_is_said_without_a_trace(sayso: CommandLine) -> None:
    (sayso.home / "serve.lock").mkdir()
    said = sayso("doctor")
    assert said.code == ExitCode.FAILURE
    assert said.err == (
        f"error: `{sayso.home}/serve.lock`: Is a directory\n"
        "hint: see whether it is there and yours to use: sayso doctor\n"
    )


def test_a_reader_that_goes_away_is_no_error(sayso: CommandLine) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as output:
        ended = subprocess.run(
            [sys.executable, "-m", "sayso.cli.main", "audit", "list"],
            stdout=output,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_an_output_that_the_command_has_closed_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    output = io.StringIO()
    monkeypatch.setattr(sys, "stdout", output)
    monkeypatch.setattr("sayso.cli.main.make_app", lambda _: lambda *_, **__: output.close())
    with pytest.raises(SystemExit) as ended:
        main(["mcp"])
    assert ended.value.code == ExitCode.OK
