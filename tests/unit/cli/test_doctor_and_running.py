"""`sayso doctor`, the mark of a running server, and what `sayso serve` and `mcp` check first."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from sayso.cli.commands.mcp import named_by
from sayso.cli.commands.serve import Listening
from sayso.cli.exit_codes import ExitCode
from sayso.cli.running import free_port, running_url, server_url, serving, while_stopped
from sayso.errors import NotNow
from sayso.system.places import find_places
from tests.fakes.command_line import CommandLine, mail
from tests.house.plan import ROOT

LIMITS = ("README.md", "docs/guides/python.md", "docs/guides/mcp.md")
"""The documents that a person reads before they let an agent run."""


@pytest.mark.spec("REQ-69")
def test_what_cannot_be_kept_from_an_unsandboxed_agent_is_said_plainly(bare: CommandLine) -> None:
    said = " ".join(bare("doctor").out.split())
    for text in (said, *(" ".join((ROOT / name).read_text().split()) for name in LIMITS)):
        assert "unsandboxed as the same user" in text
        assert "in a sandbox" in text
        assert "as another user" in text


def test_a_good_installation(sayso: CommandLine) -> None:
    sayso.ask(mail())
    said = sayso("doctor")
    assert said.code == 0
    assert "MEND" not in said.out
    for part in (
        f"ok    {sayso.home} is private\n",
        f"ok    database {sayso.home}/sayso.db opens and is whole\n",
        "ok    a passphrase is chosen\n",
        f"ok    rules load; settings {sayso.home}/settings.toml\n",
        "ok    requests that wait: 1\n",
        "ok    no server runs; to start one: sayso serve\n",
        "run `sayso serve` as another user.\n",
    ):
        assert part in said.out
    assert said.out.count("is private") == 1
    assert all(finding["good"] for finding in json.loads(sayso("doctor", "--json").out))


@pytest.mark.spec("MODE-3")
@pytest.mark.parametrize(
    ("why", "said"),
    [(None, "works here"), ("no namespaces", "does not work here: no namespaces")],
)
def test_it_says_whether_the_sandbox_works(
    bare: CommandLine, monkeypatch: pytest.MonkeyPatch, why: str | None, said: str
) -> None:
    async def tried() -> str | None:
        return why

    monkeypatch.setattr("sayso.cli.commands.doctor.why_not", tried)
    assert f"ok    the sandbox {said}" in bare("doctor").out


def test_nothing_is_made_by_looking(bare: CommandLine) -> None:
    said = bare("doctor")
    assert said.code == ExitCode.FAILURE
    assert "MEND  no passphrase is chosen, so nobody can decide\n" in said.out
    assert "hint: choose one on a terminal: sayso passphrase set\n" in said.out
    assert f"ok    settings {bare.home}/settings.toml, not there, which is fine\n" in said.out
    assert not bare.home.exists()


@pytest.mark.spec("POL-63", "POL-71")
def test_settings_that_are_away_may_still_count_in_a_server_that_runs(sayso: CommandLine) -> None:
    settings = sayso.home / "settings.toml"
    settings.unlink()
    kept = "the running server keeps its deny and ask rules until an empty one is put there"
    assert kept not in sayso("policy", "explain", "--", "ls").err
    with serving("http://127.0.0.1:9"):
        assert f"ok    rules load; settings {settings}, not there: if it was, {kept}\n" in (
            sayso("doctor").out
        )
        explained = sayso("policy", "explain", "--", "ls")
        assert explained.err == f"warning: `{settings}` is not there; if it was, {kept}\n"
        settings.touch()
        assert sayso("policy", "explain", "--", "ls").err == ""


def test_what_is_to_be_mended_is_said(sayso: CommandLine) -> None:
    sayso.home.chmod(0o755)
    (sayso.home / "settings.toml").write_text('[permissions]\nalow = ["x"]\n')
    said = sayso("doctor")
    assert said.code == ExitCode.FAILURE
    assert f"MEND  {sayso.home} can be entered by other users\n" in said.out
    assert f"hint: take their rights away: chmod 700 {sayso.home}\n" in said.out
    assert f"MEND  rules: {sayso.home}/settings.toml:2:1: `alow` is not a setting" in said.out
    assert "      hint: did you mean `allow`?\n" in said.out
    assert said.err == ""


def test_a_database_that_is_broken_is_said(sayso: CommandLine) -> None:
    (sayso.home / "sayso.db").write_bytes(b"nothing of the kind" * 100)
    for words in (["doctor"], ["inbox", "list"], ["serve", "--port", "0"]):
        said = sayso(*words)
        assert said.code == ExitCode.FAILURE
        assert f"`{sayso.home}/sayso.db` is not a database" in said.out + said.err
        assert "hint: move the file away" in said.out + said.err


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SAYSO_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_one_server_an_installation(home: Path) -> None:
    assert running_url() is None
    assert not home.exists()
    assert server_url() == "http://127.0.0.1:8484"
    with serving("http://127.0.0.1:9"):
        assert running_url() == server_url() == "http://127.0.0.1:9"
        assert find_places().config.stat().st_mode & 0o777 == 0o700
        with (
            pytest.raises(NotNow, match=r"is running already, at http://127\.0\.0\.1:9"),
            serving("http://127.0.0.1:10"),
        ):
            pytest.fail("two servers")
        with pytest.raises(NotNow, match="no"), while_stopped("no"):
            pytest.fail("a server runs")
        assert running_url() == "http://127.0.0.1:9"
    assert running_url() is None
    with (
        while_stopped("no"),
        pytest.raises(NotNow, match="an address it has not said yet"),
        serving("x"),
    ):
        pytest.fail("it was to be stopped")
    with serving("http://127.0.0.1:10"):
        assert running_url() == "http://127.0.0.1:10"


def test_a_port_that_is_taken_is_not_free() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert free_port(port) not in (0, port)
    assert free_port(port) == port


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:80"),
        ("0.0.0.0", "http://localhost:80"),
        ("::", "http://localhost:80"),
        ("::1", "http://[::1]:80"),
        ("[::1]", "http://[::1]:80"),
        ("sayso.example", "http://sayso.example:80"),
    ],
)
def test_the_address_is_one_that_can_be_opened(host: str, url: str) -> None:
    assert Listening(host, 80, (), (), (), None).url == url
    tls = (Path("cert"), Path("key"))
    assert Listening(host, 80, (), (), (), tls).url == url.replace("http", "https")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--tls-cert", "x"], "a certificate and its key go together"),
        (["--tls-cert", "/none", "--tls-key", "/none"], "there is no file `/none`"),
        (["--port", "65536"], "`65536` is not a port"),
        (["--port", "-1"], "`-1` is not a port"),
        (["--host", "0.0.0.0", "--port", "0"], "can be reached from other machines"),
        (["--host", "not a host", "--port", "0"], ""),
        (["--host", "192.0.2.1", "--port", "1"], ""),
    ],
)
def test_what_a_server_cannot_be_run_with(
    bare: CommandLine, words: list[str], message: str
) -> None:
    said = bare("serve", *words)
    assert said.code == ExitCode.INVALID
    assert message in said.err
    assert "\nhint: " in said.err


def test_clear_text_that_others_can_read_is_warned_of(sayso: CommandLine) -> None:
    said = sayso("serve", "--host", "192.0.2.1", "--port", "1")  # nobody has this address
    assert "warning: it talks clear text" in said.err
    assert "hint: give --tls-cert and --tls-key" in said.err
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        said = sayso("serve", "--port", str(taken.getsockname()[1]))
    assert said.code != ExitCode.OK
    assert "clear text" not in said.err


def test_a_gateway_says_what_it_lacks(sayso: CommandLine) -> None:
    for words, message in (
        ([], "no server command is given"),
        (["--", "cat"], "the gateway needs an agent's token in SAYSO_AGENT_TOKEN"),
    ):
        said = sayso("mcp", *words)
        assert f"error: {message}\nhint: " in said.err
        assert said.code in (ExitCode.FAILURE, ExitCode.REFUSED)
        assert said.out == ""
    sayso.patch.setenv("SAYSO_AGENT_TOKEN", "sayso_agent_" + "0" * 64)
    for hold in ("0", "-1", "nan", "1e9"):
        said = sayso("mcp", "--hold", hold, "--", "cat")
        assert "is not a number of seconds" in said.err
    sayso.patch.setenv("SAYSO_URL", f"http://127.0.0.1:{free_port()}")
    said = sayso("mcp", "--", "cat")
    assert said.code == ExitCode.FAILURE
    assert "no sayso server answers" in said.err
    assert "hint: start it: sayso serve" in said.err


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("npx -y @acme/server-notes@1.2 /home/me", "server-notes"),
        ("npx --package=x -p @acme/notes notes", "notes"),
        ("/usr/bin/uvx --python 3.12 mcp-server-git==2.0 --repository .", "mcp-server-git"),
        ("uvx git-server[all]", "git-server"),
        ("pipx run notes", "notes"),
        ("npx -y", "npx"),
        ("/opt/bin/notes --x", "notes"),
        ("python -m notes", "python"),
    ],
)
def test_a_server_without_a_name_has_its_packages(command: str, name: str) -> None:
    assert named_by(command.split()) == name


@pytest.mark.spec("REV-3")
def test_whoever_is_asked_before_a_person_is_named_and_looked_for(sayso: CommandLine) -> None:
    hook = sayso.home / "hook.sh"
    hook.write_text("#!/bin/sh\ntouch ran\n")
    hook.chmod(0o700)
    (sayso.home / "settings.toml").write_text(
        '[[permissions.hooks.permission_request]]\ncommand = ["./hook.sh"]\n'
        '[[permissions.hooks.permission_request]]\ncommand = ["./gone.sh"]\n'
        '[permissions.auto]\nmodel = "nonsense"\n'
    )
    said = sayso("doctor").out
    assert "ok    permission hook ./hook.sh\n" in said
    assert f"MEND  permission hook ./gone.sh\n      hint: `./gone.sh` in {sayso.home}" in said
    assert "MEND  the reviewer's model nonsense cannot be asked here: Unknown model" in said
    assert not (sayso.home / "ran").exists()
    (sayso.home / "settings.toml").write_text('[permissions.auto]\nmodel = "test"\n')
    assert "ok    the reviewer's model is test\n" in sayso("doctor").out
