"""A real server and a session that goes on while somebody edits settings: POL-60 to POL-64."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from sayso.config.edit import add_rule, remove_rule
from sayso.config.source import LOOK_SECONDS
from sayso.config.workspace import workspace_file
from sayso.core.effect import Effect
from tests.fakes.command_line import PASSPHRASE, furnish, make_template
from tests.fakes.processes import PATIENCE, SAYSO, Running, started

pytestmark = pytest.mark.slow

WITHIN = 2.0
"""POL-63: so many seconds after an edit it counts."""


def test_files_are_looked_at_often_enough_that_an_edit_counts_in_time() -> None:
    """The other tests wait as long as a busy machine needs; what sets the time is this."""
    assert LOOK_SECONDS <= WITHIN / 2


class World:
    """An installation with its server, a project in a repository, and a session of an agent in it."""

    def __init__(self, home: Path, project: Path, server: Running, url: str) -> None:
        self.home, self.project, self.server = home, project, server
        self.env = {"SAYSO_HOME": str(home), "NO_COLOR": "1", "COLUMNS": "100"}
        token = self.sayso(
            "tokens", "create", "--kind", "agent", "--name", "coder", "--passphrase-stdin"
        ).stdout.strip()
        self.agent = httpx.Client(
            base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE
        )
        self.page = httpx.Client(base_url=url, timeout=PATIENCE)
        logged = self.page.post("/api/login", json={"passphrase": PASSPHRASE})
        self.page.headers["X-CSRF-Token"] = logged.json()["csrf"]
        body = {"source": "api", "workspace": str(project / "src")}
        self.session = self.agent.post("/api/sessions", json=body).json()["session_id"]

    def sayso(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [SAYSO, *words],
            input=f"{PASSPHRASE}\n",
            env={**os.environ, **self.env},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    def trusts(self, shown: str) -> subprocess.CompletedProcess[str]:
        """Trusts the content that `sayso trust --show` has shown."""
        digests = re.findall(r"for --sha256: ([0-9a-f]{64})", shown)
        named = [word for digest in digests for word in ("--sha256", digest)]
        return self.sayso("trust", str(self.project), *named, "--passphrase-stdin")

    def verdict(self, tool: str, **arguments: Any) -> tuple[str, str]:
        body = {"session_id": self.session, "tool": tool, "arguments": arguments}
        told = self.agent.post("/api/calls/decide", json=body).json()
        return told["effect"], told["reason"]

    def becomes(self, wanted: tuple[str, str], tool: str, **arguments: Any) -> None:
        """The verdict is that soon enough, and stays so."""
        until = time.monotonic() + PATIENCE
        while (found := self.verdict(tool, **arguments)) != wanted:
            assert time.monotonic() < until, f"still {found}"
            time.sleep(0.05)
        assert self.verdict(tool, **arguments) == wanted

    def says(self, problem: str) -> None:
        """The page soon says that."""
        until = time.monotonic() + PATIENCE
        while problem not in self.problems():
            assert time.monotonic() < until, f"`{problem}` is not among: {self.problems()}"
            time.sleep(0.05)

    def problems(self) -> str:
        """What the page says is wrong with the settings."""
        told = self.page.get("/api/inbox").json()["problems"]
        return "".join(run.get("text", "") for problem in told for run in problem)


def as_an_editor_saves(path: Path, text: str) -> None:
    """Write beside it and move it into its place."""
    beside = path.with_name(f".{path.name}.swp")
    beside.write_text(text)
    beside.replace(path)


@pytest.fixture
def world(tmp_path: Path, template: Path) -> Iterator[World]:
    home = furnish(tmp_path / "home", template)
    project = Path(os.path.realpath(tmp_path)) / "project"
    for folder in (".git", "src"):
        (project / folder).mkdir(parents=True)
    env = {**os.environ, "SAYSO_HOME": str(home), "NO_COLOR": "1"}
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(started([SAYSO, "serve", "--port", "0"], env))
        url = server.sees(r"sayso is listening on (http://\S+)")[1]
        made = World(home, project, server, url)
        stack.callback(made.agent.close)
        stack.callback(made.page.close)
        yield made


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_template(tmp_path_factory.mktemp("template") / "sayso.db")


@pytest.mark.spec("POL-63", "POL-64")
def test_an_edit_changes_the_verdict_of_a_session_that_runs(world: World) -> None:
    file = world.home / "settings.toml"
    assert world.verdict("add") == ("allow", "rule-allow")
    as_an_editor_saves(file, '[permissions]\ndeny = ["add"]\n')
    world.becomes(("deny", "rule-deny"), "add")
    as_an_editor_saves(file, '[permissions]\nallow = ["send"]\ndeny = ["add"]\n')
    world.becomes(("allow", "rule-allow"), "send")

    as_an_editor_saves(file, '[permissions]\nallow = ["send"]\ndeny = ["add"\n')
    world.becomes(("ask", "rule-ask"), "send")
    assert world.verdict("add") == ("deny", "rule-deny"), "broken, it keeps its denies"
    world.says(f"{file}:4:1: ")
    assert f"MEND  rules: {file}:4:1: " in world.sayso("doctor").stdout
    assert f"warning: {file}:4:1: " in world.sayso("inbox", "list").stderr
    assert "settings cannot be used" in world.server.screen

    as_an_editor_saves(file, '[permissions]\nallow = ["send"]\n')
    world.becomes(("allow", "rule-allow"), "send")
    assert world.problems() == ""
    add_rule(file, Effect.DENY, "send")
    world.becomes(("deny", "rule-deny"), "send")
    remove_rule(file, Effect.DENY, "send")
    world.becomes(("allow", "rule-allow"), "send")


@pytest.mark.spec("POL-60", "POL-63")
def test_a_project_tightens_at_once_and_loosens_once_it_is_trusted(world: World) -> None:
    file = world.project / "sayso.toml"
    rules = '[permissions]\nallow = ["send"]\ndeny = ["add"]\n'
    assert world.verdict("add") == ("allow", "rule-allow")
    as_an_editor_saves(file, rules)
    world.becomes(("deny", "rule-deny"), "add")
    assert world.verdict("send") == ("ask", "rule-ask")
    shown = world.sayso("trust", str(world.project), "--show").stdout
    assert "loosens, at 2:10: allow tool(send)" in shown
    done = world.trusts(shown)
    assert done.returncode == 0, done.stderr
    world.becomes(("allow", "rule-allow"), "send")

    as_an_editor_saves(file, rules + "# another content\n")
    world.becomes(("ask", "rule-ask"), "send")
    as_an_editor_saves(file, "[permissions")
    world.becomes(("ask", "rule-ask"), "send")
    assert world.verdict("add") == ("deny", "rule-deny"), "broken, it keeps its denies"
    world.says(str(file))
    as_an_editor_saves(file, rules)
    world.becomes(("allow", "rule-allow"), "send")
    file.unlink()
    world.becomes(("allow", "rule-allow"), "add")
    assert world.verdict("send") == ("ask", "rule-ask")


REFUND = "name: refund\napproval: {when: input.amount > 100}\n"


@pytest.mark.spec("POL-61", "POL-63", "POL-44")
def test_a_tool_yaml_asks_at_once_and_allows_once_it_is_trusted(world: World) -> None:
    file = world.project / "tools/refund/tool.yaml"
    file.parent.mkdir(parents=True)
    as_an_editor_saves(world.home / "settings.toml", '[permissions]\nallow = ["refund"]\n')
    world.becomes(("allow", "rule-allow"), "refund", amount=200)
    as_an_editor_saves(world.project / "sayso.toml", 'tool_files = ["tools/*/tool.yaml"]\n')
    as_an_editor_saves(file, REFUND)
    world.becomes(("ask", "rule-ask"), "refund", amount=200)
    for path in (file, world.project / "tools/other/tool.yaml"):
        assert world.verdict("Write", file_path=str(path)) == ("deny", "rule-deny")

    as_an_editor_saves(world.home / "settings.toml", "")
    world.becomes(("ask", "rule-ask"), "refund", amount=50)
    shown = world.sayso("trust", str(world.project), "--show").stdout
    assert "loosens, at 2:1: allow tool(refund) unless input.amount > 100" in shown
    done = world.trusts(shown)
    assert done.returncode == 0, done.stderr
    world.becomes(("allow", "rule-allow"), "refund", amount=50)
    assert world.verdict("refund", amount=200) == ("ask", "rule-ask")

    as_an_editor_saves(file, REFUND.replace("100", "900"))
    world.becomes(("ask", "rule-ask"), "refund", amount=50)
    as_an_editor_saves(world.home / "settings.toml", '[permissions]\nallow = ["refund"]\n')
    world.becomes(("allow", "rule-allow"), "refund", amount=200)
    as_an_editor_saves(file, "name: [")
    world.says(f"{file}:1:8: ")
    assert world.verdict("refund", amount=1000) == ("ask", "rule-ask"), "broken, it keeps its ask"


@pytest.mark.spec("POL-60")
def test_the_user_s_settings_for_a_workspace_count_in_it_alone(world: World) -> None:
    file = workspace_file(world.home, str(world.project))
    add_rule(file, Effect.DENY, "add")
    world.becomes(("deny", "rule-deny"), "add")
    body = {"source": "api", "workspace": str(world.project.parent)}
    world.session = world.agent.post("/api/sessions", json=body).json()["session_id"]
    assert world.verdict("add") == ("allow", "rule-allow")


@pytest.mark.spec("POL-44", "POL-60")
def test_no_call_reaches_what_is_trusted(world: World) -> None:
    for path in (world.home / "trusted.json", world.home / "workspaces" / "x" / "settings.toml"):
        for tool in ("Read", "Write"):
            assert world.verdict(tool, file_path=str(path)) == ("deny", "protected")
    for path in (world.project / "sayso.toml", world.project / ".sayso" / "settings.toml"):
        assert world.verdict("Write", file_path=str(path)) == ("deny", "protected")
