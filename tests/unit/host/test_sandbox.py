"""The sandbox for real: what a command in it can reach, and what it cannot (MODE-3)."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from sayso.errors import CallInvalid
from sayso.host import sandbox_run
from sayso.host.sandbox import Sandbox, command_line, environment, sandbox_for
from sayso.host.sandbox_run import Ran, run_in, why_not

PATIENCE = 60.0


@dataclass
class Place:
    """A home with secrets in it, sayso's own files, and a workspace beside them."""

    home: Path
    own: Path
    work: Path

    def sandbox(self, *, network: bool = False, readable: tuple[Path, ...] = ()) -> Sandbox:
        return sandbox_for(
            self.work, home=self.home, own=(self.own,), readable=readable, network=network
        )

    def run(self, script: str, sandbox: Sandbox | None = None, seconds: float = PATIENCE) -> Ran:
        """A line of shell in the sandbox."""
        found = self.sandbox() if sandbox is None else sandbox
        return asyncio.run(run_in(found, ["/bin/sh", "-c", script], seconds))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Everything below a directory that is not one of those that are empty in the sandbox."""
    home, own, work = tmp_path / "home", tmp_path / "home" / "sayso", tmp_path / "home" / "work"
    for folder in (home / ".ssh", home / "tools", own, work / ".git" / "hooks"):
        folder.mkdir(parents=True)
    (home / ".ssh" / "id_ed25519").write_text("SECRET-KEY")
    (home / "tools" / "tool").write_text("a tool")
    (own / "sayso.db").write_text("SECRET-DATABASE")
    (work / ".env").write_text("SECRET-ENV")
    (work / "server.pem").write_text("SECRET-PEM")
    (work / "a.txt").write_text("plain")
    (work / "sayso.toml").write_text("")
    return Place(home.resolve(), own.resolve(), work.resolve())


@pytest.fixture
def real(place: Place) -> Place:
    """The same, where bubblewrap runs."""
    why = asyncio.run(why_not())
    if why is not None:
        if os.environ.get("SAYSO_NEEDS_SANDBOX"):
            pytest.fail(f"the sandbox does not work here: {why}")
        pytest.skip(f"THE SANDBOX IS NOT TESTED HERE: {why}")
    return place


@pytest.mark.spec("MODE-3")
def test_the_workspace_is_written_and_nothing_else(real: Place) -> None:
    beside = real.home.parent / "outside.txt"
    beside.write_text("before")
    written = Path(__file__).with_name("written-by-the-sandbox.txt")
    assert real.run("echo new > b.txt && cat a.txt b.txt").output == b"plainnew\n"
    assert (real.work / "b.txt").read_text() == "new\n"
    for target in (written, Path("/etc/sayso-test"), Path("/usr/sayso-test")):
        assert real.run(f"echo broken > {target}").status != 0
        assert not target.exists()
    real.run(f"mkdir -p {beside.parent}; echo broken > {beside}")  # a /tmp of its own
    assert beside.read_text() == "before"
    assert real.run("test ! -w /usr && echo read-only").output == b"read-only\n"
    for kept in ("sayso.toml", ".git/hooks/pre-commit"):
        assert real.run(f"echo x > {kept}").status != 0
    assert not (real.work / ".git" / "hooks" / "pre-commit").exists()


@pytest.mark.spec("MODE-3")
def test_secrets_and_saysos_own_files_cannot_be_read_by_any_way(real: Place) -> None:
    (real.work / "link").symlink_to(real.home / ".ssh")
    (real.work / "dotenv").symlink_to(real.work / ".env")
    (real.work / "deep").mkdir()
    (real.work / "deep" / ".env.local").write_text("SECRET-DEEP")
    (real.work / ".env.example").write_text("shown")
    names = [
        real.own / "sayso.db", real.home / ".ssh" / "id_ed25519", "link/id_ed25519", "dotenv", ".env",
        "server.pem", "deep/.env.local", f"/proc/self/root{real.own}/sayso.db",
        f"/proc/1/root{real.home}/.ssh/id_ed25519", "/proc/self/cwd/../sayso/sayso.db",
    ]  # fmt: skip
    tricks = [
        "mv .env moved; cat moved", "rm -f .env; cat .env", "umount .env; cat .env",
        f"unshare -Urm sh -c 'umount -l {real.home}; umount .env; cat .env {real.own}/sayso.db'",
        f"unshare -Urm sh -c 'mount --rbind / /mnt; cat /mnt{real.own}/sayso.db /mnt{real.work}/.env'",
        f"ln {real.home}/.ssh/id_ed25519 hard; cat hard",
        "grep -r SECRET . /proc/*/environ 2>/dev/null",
    ]  # fmt: skip
    script = "; ".join([*(f"cat {name}" for name in names), *tricks, "cat .env.example"])
    said = real.run(script).output
    assert b"SECRET" not in said.replace(b"grep -r SECRET", b"")
    assert said.endswith(b"shown")
    assert (real.work / ".env").read_text() == "SECRET-ENV"


@pytest.mark.spec("MODE-3")
def test_what_is_named_of_the_home_is_read_and_secrets_in_it_are_not(real: Place) -> None:
    sandbox = real.sandbox(readable=(real.home / "tools", real.home / ".ssh"))
    said = real.run(f"cat {real.home}/tools/tool; cat {real.home}/.ssh/id_ed25519", sandbox)
    assert said.output.startswith(b"a tool")
    assert b"SECRET" not in said.output
    assert real.run(f"echo x > {real.home}/tools/tool", sandbox).status != 0


@pytest.mark.spec("MODE-3")
def test_there_is_no_network_unless_it_is_allowed(real: Place) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        dial = f"exec 3<>/dev/tcp/127.0.0.1/{port} && echo through"
        script = f"bash -c '{dial}'"
        if shutil.which("bash") is None:
            pytest.skip("there is no bash to dial with")
        assert b"through" not in real.run(script).output
        assert b"through" in real.run(script, real.sandbox(network=True)).output


@pytest.mark.spec("MODE-3")
def test_processes_sockets_and_tokens_of_the_machine_are_out_of_reach(
    real: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAYSO_TOKEN", "SECRET-TOKEN")
    monkeypatch.setenv("SAYSO_DATABASE", "postgresql://user:SECRET@host/db")
    monkeypatch.setenv("OPENAI_API_KEY", "SECRET-API")
    said = real.run("env; cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n'").output
    assert b"SECRET" not in said
    assert f"HOME={real.home}".encode() in said
    assert real.run(f"kill -0 {os.getpid()} || test -d /proc/{os.getpid()}/fd").status != 0
    assert real.run("ls -A /run /tmp | grep -v ^/ | grep -c sock").output.strip() == b"0"


@pytest.mark.spec("MODE-3")
def test_a_command_ends_in_time_with_all_it_started(real: Place) -> None:
    ran = real.run("echo begun; (sleep 3; echo late > late.txt) & sleep 600", seconds=1.0)
    assert (ran.status, ran.output) == (None, b"begun\n")
    assert real.run("sleep 3; ls late.txt").status != 0
    assert real.run("exit 7").status == 7


async def test_what_is_said_is_kept_up_to_a_limit(
    real: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox_run, "MOST_OUTPUT", 10)
    ran = await run_in(real.sandbox(), ["/bin/sh", "-c", "printf 12345678901234"], PATIENCE)
    assert (ran.output, ran.cut, ran.status) == (b"1234567890", True, 0)


@pytest.mark.spec("MODE-3")
def test_the_command_line_is_made_of_the_value(place: Place) -> None:
    words = command_line(place.sandbox(), ["ls", "-l"])
    assert words[0] == "bwrap"
    assert words[-3:] == ["--", "ls", "-l"]
    for flag in ("--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts"):
        assert flag in words
    assert {"--die-with-parent", "--new-session"} <= set(words)
    assert "--unshare-net" not in command_line(place.sandbox(network=True), ["ls"])
    work = str(place.work)
    bound = words.index(work)
    assert words[bound - 1 : bound + 2] == ["--bind", work, work]
    # what is hidden comes after what is bound, so that it counts
    assert words.index(str(place.work / ".env")) > bound


@pytest.mark.spec("MODE-3")
def test_a_workspace_that_holds_the_home_or_saysos_files_is_refused(place: Place) -> None:
    with pytest.raises(CallInvalid, match="which no command in it may change"):
        sandbox_for(place.home, home=place.home, own=(place.own,))
    (place.own / "inner").mkdir()
    with pytest.raises(CallInvalid, match="is sayso's own"):
        sandbox_for(place.own / "inner", home=place.home, own=(place.own,))
    with pytest.raises(CallInvalid, match="is not a directory"):
        sandbox_for(place.work / "none", home=place.home)


def test_only_harmless_variables_are_handed_on() -> None:
    given = {"PATH": "/bin", "LC_ALL": "C", "SAYSO_TOKEN": "x", "SSH_AUTH_SOCK": "/s", "HOME": "/x"}
    assert environment(given, Path("/home/a")) == {
        "PATH": "/bin", "LC_ALL": "C", "HOME": "/home/a",
    }  # fmt: skip


async def test_it_is_said_why_the_sandbox_does_not_work(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sandbox_run, "PROGRAM", "no-such-bubblewrap")
    assert "is not installed" in str(await why_not())
    monkeypatch.setattr(sandbox_run, "PROGRAM", "bwrap")
    broken = tmp_path / "bwrap"
    broken.write_text(
        "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n"
    )
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    if sys.platform.startswith("linux"):
        assert await why_not() == "bwrap: No permissions to create new namespace"
