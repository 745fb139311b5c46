"""Gates of a scratch installation, and a person beside them on the same store."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sayso.broker.broker import Broker
from sayso.front.assembly import open_broker
from sayso.front.gate import Gate
from sayso.people.token import CredentialKind
from sayso.requests.approval import ApprovalRequest, Vote
from sayso.store.sqlite import open_sqlite
from tests.fakes.world import make_actor

SETTINGS = """
[permissions]
allow = ["tool(add)"]
deny = ["tool(wipe)"]
"""


class Aside:
    """A person with a broker of their own on the gate's store, as a second process has it."""

    def __init__(self, broker: Broker) -> None:
        self.broker = broker

    @property
    def store(self) -> Any:
        """The store, for looking."""
        return self.broker.world.store

    async def asked(self, count: int = 1) -> ApprovalRequest:
        """The newest request, once so many wait."""
        async with asyncio.timeout(20):
            while len(found := await self.store.pending()) < count:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        return found[-1]  # type: ignore[no-any-return]

    async def becomes(self, request_id: str, what: Callable[[ApprovalRequest], bool]) -> None:
        """Wait until something holds of a request."""
        async with asyncio.timeout(20):
            while not what(await self.store.request(request_id)):  # noqa: ASYNC110
                await asyncio.sleep(0.02)

    async def approve(self, request: ApprovalRequest) -> None:
        """Approve it."""
        await self._vote(request, Vote.APPROVE, digest=request.digest)

    async def reject(self, request: ApprovalRequest, comment: str | None = None) -> None:
        """Reject it."""
        await self._vote(request, Vote.REJECT, comment=comment)

    async def _vote(self, request: ApprovalRequest, vote: Vote, **more: Any) -> None:
        world = self.broker.world
        actor = await make_actor(
            world.store,
            world.ids,
            world.clock.now(),
            CredentialKind.SESSION,  # type: ignore[arg-type]
        )
        await self.broker.review(actor, request.request_id, vote, **more)


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database that was made once, to be copied."""
    path = tmp_path_factory.mktemp("store") / "sayso.db"
    open_sqlite(path).close()
    return path


@pytest.fixture
def home(tmp_path: Path, empty_database: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation with a few rules, which everything here finds by itself."""
    place = tmp_path / "home"
    place.mkdir(mode=0o700)
    shutil.copy(empty_database, place / "sayso.db")
    (place / "settings.toml").write_text(SETTINGS)
    monkeypatch.setenv("SAYSO_HOME", str(place))
    for name in ("SAYSO_URL", "SAYSO_AGENT_TOKEN", "SAYSO_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    return place


@pytest.fixture
def gate(home: Path) -> Iterator[Gate]:
    """An embedded gate without a terminal, whose calls wait for the inbox."""
    with contextlib.closing(Gate(terminal=False, inbox=True)) as made:
        yield made


@pytest.fixture
async def aside(home: Path) -> AsyncIterator[Aside]:
    """A person beside the gate."""
    async with open_broker() as broker:
        yield Aside(broker)
