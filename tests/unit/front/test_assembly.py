"""What is built: nothing of sayso's own can be reached by a call, wherever it lies (POL-44)."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from pathlib import Path

import pytest

from sayso import CallDenied, Gate, memory_broker
from sayso.broker.rule_source import ListRules
from sayso.broker.run import run
from sayso.core.session import CallDraft
from sayso.errors import SettingsInvalid
from sayso.front.assembly import open_broker, open_store
from sayso.people.token import CredentialKind
from sayso.requests.approval import Vote
from tests.fakes.postgres import server
from tests.fakes.world import FakeIds, make_actor, rule

EVERYTHING = '[permissions]\nallow = ["read(**)", "write(**)", "delete(**)", "web(*)"]\n'


def verdicts(gate: Gate, path: Path | str) -> set[str]:
    """Why the gate lets pass or refuses to read, write and delete a path."""
    drafts = [
        ("read_file", {"path": str(path)}),
        ("write_file", {"path": str(path), "content": ""}),
        ("delete_file", {"path": str(path)}),
    ]
    return {gate.decide_sync(tool, arguments).reason for tool, arguments in drafts}


def test_the_files_of_an_installation_are_nobodys(home: Path, tmp_path: Path) -> None:
    (home / "settings.toml").write_text(EVERYTHING)
    link = tmp_path / "link"
    link.symlink_to(home)
    with contextlib.closing(Gate(terminal=False, workspace=tmp_path)) as gate:
        for name in ("sayso.db", "sayso.db-wal", "settings.toml", "serve.lock", "new/deep.txt"):
            for path in (home / name, f"home/{name}", f"link/{name}", f"x/../home/{name}"):
                assert verdicts(gate, path) == {"protected"}, path
        assert verdicts(gate, home) == {"protected"}
        assert verdicts(gate, tmp_path / "notes.txt") == {"rule-allow"}


def test_a_database_and_settings_elsewhere_are_too(home: Path, tmp_path: Path) -> None:
    place, other = tmp_path / "place", tmp_path / "other"
    place.mkdir()
    other.mkdir()
    (other / "real.toml").write_text(EVERYTHING)
    (place / "mine.toml").symlink_to(other / "real.toml")
    with contextlib.closing(
        Gate(
            terminal=False,
            workspace=tmp_path,
            database=place / "mine.db",
            settings=place / "mine.toml",
        )
    ) as gate:
        for name in ("mine.db", "mine.db-wal", "mine.db-shm", "mine.toml"):
            assert verdicts(gate, place / name) == {"protected"}, name
        assert verdicts(gate, other / "real.toml") == {"protected"}
        assert verdicts(gate, home / "settings.toml") == {"protected"}
        assert verdicts(gate, place / "notes.txt") == {"rule-allow"}


def test_a_database_behind_a_link_is_too(home: Path, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text(EVERYTHING)
    (home / "sayso.db").rename(tmp_path / "real.db")
    (tmp_path / "link.db").symlink_to(tmp_path / "real.db")
    with contextlib.closing(
        Gate(terminal=False, database=tmp_path / "link.db", settings=tmp_path / "settings.toml")
    ) as gate:
        for name in ("link.db", "real.db", "real.db-wal", "real.db-shm"):
            assert verdicts(gate, tmp_path / name) == {"protected"}, name


@pytest.mark.parametrize(("settings", "port"), [("", 8484), ("[server]\nport = 9000\n", 9000)])
def test_the_port_of_the_server_is_nobodys(home: Path, settings: str, port: int) -> None:
    (home / "settings.toml").write_text(EVERYTHING + settings)
    with contextlib.closing(Gate(terminal=False)) as gate:
        for host in ("127.0.0.1", "localhost", "[::1]"):
            found = gate.decide_sync("web_fetch", {"url": f"http://{host}:{port}/api/inbox"})
            assert (found.effect, found.reason) == ("deny", "protected"), host


async def test_a_read_of_its_own_files_does_not_run(home: Path) -> None:
    (home / "settings.toml").write_text(EVERYTHING)
    with contextlib.closing(Gate(terminal=False, inbox=True)) as gate:

        @gate.guard
        def read_file(path: str) -> str:
            pytest.fail("it ran")

        with pytest.raises(CallDenied) as caught:
            await asyncio.to_thread(read_file, str(home / "sayso.db"))
        assert caught.value.reason == "protected"
        assert "sayso's own settings, data and tokens" in caught.value.message


async def test_a_broker_for_tests_needs_no_file_and_no_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAYSO_HOME", str(tmp_path / "none"))
    broker = memory_broker(lists=ListRules(1, (rule("allow", "add"), rule("deny", "wipe"))))
    await broker.start()
    try:
        actor = await broker.access.embedded_agent("tested")
        gate = broker.gate((await broker.open_session(actor)).session_id)
        ran = []

        async def execute(arguments: object) -> str:
            ran.append(arguments)
            return "ran"

        assert await run(gate, CallDraft("add", {"a": 1}), execute) == "ran"
        with pytest.raises(CallDenied):
            await run(gate, CallDraft("wipe", {}), execute)
        running = asyncio.create_task(run(gate, CallDraft("send", {}), execute))
        async with asyncio.timeout(5):
            while not (found := await broker.world.store.pending()):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        owner = await make_actor(
            broker.world.store, FakeIds(1), broker.world.clock.now(), CredentialKind.SESSION
        )
        await broker.review(owner, found[0].request_id, Vote.APPROVE, digest=found[0].digest)
        assert await asyncio.wait_for(running, 5) == "ran"
        assert ran == [{"a": 1}, {}]
    finally:
        await broker.close()
    assert not (tmp_path / "none").exists()


async def test_a_broker_of_an_installation_makes_its_directory_private(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAYSO_HOME", str(tmp_path / "new" / "home"))
    async with open_broker() as broker:
        assert not await broker.access.has_passphrase()
    for place, mode in (("new/home", 0o40700), ("new/home/sayso.db", 0o100600)):
        assert (tmp_path / place).stat().st_mode == mode


@pytest.mark.spec("ST-1")
async def test_a_broker_of_a_shared_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAYSO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SAYSO_DATABASE", server().new_database())
    async with open_broker() as here, open_broker() as there:
        await here.access.choose_passphrase("a passphrase of words", None, "test")
        assert await there.access.has_passphrase()
    assert not (tmp_path / "home").exists()


def test_a_shared_database_needs_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sayso.store.postgres", None)
    with pytest.raises(SettingsInvalid, match="needs a further package"):
        open_store("postgresql://db/sayso")
