"""The real `sayso`, from the first start to the log: a person at a terminal, scripts, and an agent beside them."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.fakes.command_line import PASSPHRASE, furnish, make_template
from tests.fakes.ports import free_port
from tests.fakes.processes import PATIENCE, SAYSO, Running, at_a_terminal, started

pytestmark = pytest.mark.slow


class Place:
    """An installation in a scratch directory, and the processes in it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        kept = {k: v for k, v in os.environ.items() if not k.startswith("SAYSO_")}
        self.env = {**kept, "SAYSO_HOME": str(home), "NO_COLOR": "1", "COLUMNS": "100"}

    def run(self, *words: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        """A command as a script runs it."""
        ended = subprocess.run(
            [SAYSO, *words],
            input=stdin,
            env={**self.env, **env},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert "Traceback" not in ended.stderr
        return ended

    def owner(self, *words: str) -> subprocess.CompletedProcess[str]:
        """A command with the passphrase."""
        return self.run(*words, "--passphrase-stdin", stdin=f"{PASSPHRASE}\n")

    def ended_with(self, code: int, *words: str, **more: Any) -> str:
        """What a command says on standard error that ends with this status."""
        ended = self.run(*words, **more)
        assert (ended.returncode, ended.stdout) == (code, ""), ended
        return ended.stderr


class Agent:
    """An agent's program, at the HTTP API with its token."""

    def __init__(self, url: str, token: str) -> None:
        self.http = httpx.Client(
            base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE
        )
        opened = self.http.post("/api/sessions", json={"source": "api", "workspace": "/srv/site"})
        assert opened.status_code == 201, opened.text
        self.session = opened.json()["session_id"]

    def call(self, **arguments: Any) -> Any:
        """Make a call; how it stands."""
        body = {"session_id": self.session, "tool": "send_mail", "arguments": arguments}
        answer = self.http.post("/api/calls", json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def __enter__(self) -> Agent:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def waits(self, call_id: str) -> Any:
        """Wait for the decision."""
        return self.http.get(f"/api/calls/{call_id}/wait", params={"timeout": 30}).json()


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_template(tmp_path_factory.mktemp("template") / "sayso.db")


@pytest.fixture
def place(tmp_path: Path, template: Path) -> Place:
    """An installation with a passphrase."""
    return Place(furnish(tmp_path / "home", template))


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def first_start(
    tmp_path_factory: pytest.TempPathFactory, port: int
) -> Iterator[tuple[Place, Running, str]]:
    """The first `sayso serve` of all, on a terminal: the person chooses a passphrase."""
    place = Place(tmp_path_factory.mktemp("first") / "home")
    with at_a_terminal([SAYSO, "serve", "--port", str(port)], place.env) as server:
        server.hidden("New passphrase: ", "short")
        server.sees("It needs at least 8 characters")
        server.hidden("(?s)characters.*New passphrase: ", PASSPHRASE)
        server.hidden("Once more: ", PASSPHRASE)
        url = server.sees(r"sayso is listening on (http://\S+)")[1]
        yield place, server, url


@pytest.mark.spec("REQ-62")
def test_the_first_start_lets_a_person_choose_and_gives_nobody_a_login(
    first_start: tuple[Place, Running, str], port: int, tmp_path: Path
) -> None:
    place, server, url = first_start
    assert PASSPHRASE not in server.screen
    with httpx.Client(base_url=url, timeout=PATIENCE) as browser:
        assert browser.get("/").status_code == 200
        assert browser.get("/api/inbox").status_code == 401
        wrong = browser.post("/api/login", json={"passphrase": "wrong horse battery"})
        assert wrong.status_code == 401
        logged = browser.post("/api/login", json={"passphrase": PASSPHRASE})
        browser.headers["X-CSRF-Token"] = logged.json()["csrf"]
        assert browser.get("/api/inbox").json()["approvals"] == []

    said = place.ended_with(1, "serve", "--port", "0")
    assert said == (
        f"error: a server of this installation is running already, at {url}\n"
        "hint: use that one, stop it, or set SAYSO_HOME to another directory\n"
    )
    assert f"stop the server at {url} first" in place.ended_with(1, "passphrase", "reset")
    said = Place(tmp_path / "other").ended_with(3, "serve", "--port", str(port))
    assert f"error: port {port} on `127.0.0.1` is in use\nhint: " in said
    assert f"sayso serve --port {port + 1}" in said


@pytest.mark.spec("REQ-62", "REQ-64")
def test_a_call_waits_for_a_person_and_for_nobody_else(
    first_start: tuple[Place, Running, str],
) -> None:
    place, _, url = first_start
    token = place.owner("tokens", "create", "--kind", "agent", "--agent", "coder").stdout.strip()
    with Agent(url, token) as agent:
        standing = agent.call(to="alice", subject="hidden\u202e")
        assert standing["status"] == "pending"
        call_id = standing["call_id"]

        # Whatever the agent holds, none of it decides.
        approve = ["approve", call_id, "--code", standing["code"]]
        with_token = {"SAYSO_AGENT_TOKEN": token, "SAYSO_URL": url}
        assert "needs a person's credential" in place.ended_with(2, *approve, **with_token)
        said = place.ended_with(2, *approve, "--token-stdin", stdin=token)
        assert said.startswith("error: an agent's token can never decide or configure\n")
        refused = agent.http.post(
            f"/api/inbox/approvals/{call_id}/resolve",
            json={"action": "approve", "digest": standing["digest"]},
        )
        assert refused.status_code == 403
        (card,) = json.loads(place.run("inbox", "list", "--json").stdout)
        assert (card["request_id"], card["status"]) == (call_id, "pending")

        with at_a_terminal([SAYSO, "approve", call_id[:14]], place.env) as person:
            person.hidden("Passphrase: ", PASSPHRASE)
            person.sees("Approve exactly this, once")
            for shown in ("send_mail", "alice", standing["code"], r"U\+202E"):
                assert re.search(shown, person.screen), shown
            person.types("no\n")
            assert person.ends() == 1
            assert "Not approved; the request still waits." in person.screen
        with at_a_terminal([SAYSO, "approve", call_id[:14]], place.env) as person:
            person.hidden("Passphrase: ", PASSPHRASE)
            person.sees("Approve exactly this, once")
            person.types("yes\n")
            assert person.ends() == 0, person.screen
            assert f"approved: {standing['code']}" in person.screen
            assert PASSPHRASE not in person.screen
        told = agent.waits(call_id)
        assert (told["status"], told["by"]) == ("approved", "owner")
        again = place.run(*approve, "--passphrase-stdin", stdin=f"{PASSPHRASE}\n")
        assert again.returncode == 2
        assert again.stderr.startswith("error: already resolved by owner: approved\n")

        approver = place.owner("tokens", "create", "--kind", "approver").stdout.strip()
        standing = agent.call(to="bob")
        said = place.run(
            "reject", standing["call_id"], "-m", "not bob", SAYSO_TOKEN=approver
        ).stdout
        assert said == f"rejected: {standing['code']}\n"
        told = agent.waits(standing["call_id"])
        assert told["message"] == "rejected by owner: not bob"

        # Nothing but the database is needed to read the log, and nothing that was piped is cut.
        log = place.run("audit", "list").stdout
        assert re.search(r"review      approve  send_mail · owner\n", log)
        assert "review      reject   send_mail · owner · “not bob”\n" in log
        (live,) = [
            t for t in json.loads(place.run("tokens", "list", "--json").stdout) if t["agent"]
        ]
        assert place.owner("tokens", "revoke", live["id"]).returncode == 0
        assert (
            agent.http.get(f"/api/calls/{call_id}/wait", params={"timeout": 0}).status_code == 401
        )


def test_the_server_ends_when_it_is_told_to(first_start: tuple[Place, Running, str]) -> None:
    place, server, _ = first_start
    assert server.interrupt() == 0
    assert "no server runs; to start one: sayso serve" in place.run("doctor").stdout


@pytest.mark.spec("REQ-62")
def test_a_lost_passphrase_is_reset_at_a_terminal_and_ends_everything(place: Place) -> None:
    place.owner("tokens", "create", "--kind", "admin")
    refused = place.run("passphrase", "reset", stdin="another one altogether\n" * 2)
    assert refused.returncode == 2
    with at_a_terminal([SAYSO, "passphrase", "reset"], place.env) as person:
        person.hidden("New passphrase: ", "another one altogether")
        person.hidden("Once more: ", "another one altogether")
        assert person.ends() == 0, person.screen
        assert "logins and tokens that were ended: 1." in person.screen
    assert place.owner("tokens", "create", "--kind", "admin").returncode == 2
    assert place.run("tokens", "list").stdout.startswith("There are no tokens.")


def test_what_a_server_does_not_start_with(place: Place, tmp_path: Path) -> None:
    said = Place(tmp_path / "new").ended_with(3, "serve", "--host", "0.0.0.0", "--port", "0")
    assert "can be reached from other machines, and no passphrase was chosen" in said

    with sqlite3.connect(place.home / "sayso.db") as database:
        database.execute("UPDATE schema_version SET version_num = '9999'")
    said = place.ended_with(1, "serve", "--port", "0")
    assert "has the schema `9999`" in said
    assert "hint: install the newer sayso that wrote it" in said
    (place.home / "sayso.db").write_bytes(b"broken" * 1000)
    said = place.ended_with(1, "serve", "--port", "0")
    assert "is not a database" in said
    assert (place.home / "sayso.db").read_bytes() == b"broken" * 1000


def test_broken_settings_are_shown_and_loosen_nothing(place: Place) -> None:
    (place.home / "settings.toml").write_text('[permissions]\nalow = ["tool(send_mail)"]\n')
    token = place.owner("tokens", "create", "--kind", "agent").stdout.strip()
    with started([SAYSO, "serve", "--port", "0"], place.env) as server:
        server.sees(r"settings\.toml:2:1: `alow` is not a setting in \[permissions\]\n")
        server.sees("hint: did you mean `allow`")
        url = server.sees(r"sayso is listening on (http://\S+)")[1]
        with Agent(url, token) as agent:
            standing = agent.call(to="alice")
        assert (standing["status"], standing["reason"]) == ("pending", "rules-unavailable")
        approve = ["approve", standing["call_id"], "--code", standing["code"]]
        refused = place.owner(*approve)
        assert refused.returncode == 1
        assert "settings.toml:2:1" in refused.stderr
        (place.home / "settings.toml").write_text("")
        assert place.owner(*approve).returncode == 0


@pytest.mark.spec("AUD-3")
def test_a_log_that_was_changed_by_hand_names_the_entry(place: Place) -> None:
    place.owner("tokens", "create", "--kind", "admin")
    good = place.run("audit", "verify")
    assert (good.returncode, good.stdout.split()[0]) == (0, "good:")
    checkpoint = good.stdout.split()[-1]
    assert place.run("audit", "verify", "--checkpoint", checkpoint).returncode == 0
    with sqlite3.connect(place.home / "sayso.db") as database:
        database.execute("UPDATE audit SET body = replace(body, 'admin', 'agent') WHERE seq = 3")
    bad = place.run("audit", "verify")
    assert bad.returncode == 3
    assert bad.stdout == ("tampered: entry 3 was changed; entries before it that are good: 2\n")


@pytest.mark.parametrize("how", ["command line", "page"])
def test_the_demo_waits_runs_once_and_leaves_nothing(tmp_path: Path, how: str) -> None:
    place, port = Place(tmp_path / "unused"), free_port()
    env = {**place.env, "TMPDIR": str(tmp_path)}
    with started([SAYSO, "demo", "--once", "--port", str(port)], env) as demo:
        home, call_id = demo.sees(r"SAYSO_HOME=(\S+) sayso approve (\S+)").groups()
        url = demo.sees(r"page +(http://\S+)")[1]
        passphrase = demo.sees(r"passphrase +(\S.*\S)\n")[1]
        folder = Path(demo.sees(r"folder +(\S+)\n")[1])
        code = demo.sees(r"the card with the code (.+)\n")[1]
        assert re.search(r"allowed +read_file notes.txt", demo.screen)
        assert re.search(r"denied +read_file vault/key.txt", demo.screen)
        assert not (folder / "report.md").exists()
        if how == "command line":
            ended = Place(Path(home)).run(
                "approve", call_id, "--code", code, "--passphrase-stdin", stdin=f"{passphrase}\n"
            )
            assert ended.returncode == 0, ended.stderr
        else:
            with httpx.Client(base_url=url, timeout=PATIENCE) as page:
                logged = page.post("/api/login", json={"passphrase": passphrase})
                page.headers["X-CSRF-Token"] = logged.json()["csrf"]
                (card,) = page.get("/api/inbox").json()["approvals"]
                answer = page.post(
                    f"/api/inbox/approvals/{call_id}/resolve",
                    json={"action": "approve", "digest": card["digest"]},
                )
                assert answer.status_code == 200, answer.text
        demo.sees(r"ran +write_file report.md +wrote 52 characters to report.md")
        assert demo.ends() == 0
        assert demo.screen.count("outcome     done     write_file") == 1
        assert "review      approve  write_file · owner\n" in demo.screen
        assert demo.screen.endswith("The demo is over; its folder is removed.\n")
    assert not place.home.exists()
    assert list(tmp_path.glob("sayso-demo-*")) == []


def test_a_demo_that_is_interrupted_leaves_nothing_either(tmp_path: Path) -> None:
    place = Place(tmp_path / "unused")
    with started([SAYSO, "demo"], {**place.env, "TMPDIR": str(tmp_path)}) as demo:
        demo.sees("the card with the code")
        assert demo.interrupt() == 0
    assert list(tmp_path.glob("sayso-demo-*")) == []


GUIDE = """
from sayso import CallRejected, Gate

gate = Gate(agent="report-writer")

@gate.guard
def send_mail(to: str) -> str:
    print("SENT", to)
    return "sent"

print("result", send_mail("alice"))
try:
    send_mail("bob")
except CallRejected as error:
    print(error.message)
"""


@pytest.mark.spec("REQ-62", "GATE-6")
def test_a_python_program_asks_the_person_at_its_terminal(place: Place) -> None:
    with at_a_terminal([sys.executable, "-c", GUIDE], place.env) as person:
        person.sees(r"a approve once, exactly this")
        assert "SENT" not in person.screen
        time.sleep(1.5)  # keys that are pressed as soon as a card appears do not count
        person.types("a")
        person.hidden("Passphrase", PASSPHRASE)
        person.sees(r"(?s)result sent.*\? explain")
        time.sleep(1.5)
        person.types("r")
        person.sees(r"Why\?")
        person.types("not bob\n")
        person.sees("rejected by owner: not bob")
        assert person.ends() == 0
        assert person.screen.count("SENT") == 1
        assert PASSPHRASE not in person.screen
