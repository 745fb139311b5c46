"""The listener of a replica on PostgreSQL: whatever happens to it, who waits here is told in the end."""

from __future__ import annotations

import os
import resource
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

import psycopg
import pytest

from sayso.store.feed import LocalFeed
from sayso.store.postgres import listener
from sayso.store.postgres.address import parse_address
from sayso.store.postgres.listener import Listener
from sayso.store.postgres.store import postgres_queries
from tests.fakes.postgres import server


class Told(LocalFeed):
    """A feed that keeps what was published; `first` runs when all are woken for the first time."""

    def __init__(self, first: Callable[[], None] = lambda: None) -> None:
        super().__init__()
        self.topics: list[str] = []
        self.changed = threading.Condition()
        self.everything = 0
        self._first = first

    def publish_everything(self) -> None:
        with self.changed:
            self.everything += 1
            if self.everything == 1:
                self._first()
            self.changed.notify_all()

    def publish(self, topics: Iterable[str]) -> None:
        with self.changed:
            self.topics.extend(topics)
            self.changed.notify_all()

    def hears(self, topic: str, seconds: float = 10) -> bool:
        with self.changed:
            return self.changed.wait_for(lambda: topic in self.topics, seconds)

    def was_woken(self, times: int, seconds: float = 10) -> bool:
        with self.changed:
            return self.changed.wait_for(lambda: self.everything >= times, seconds)


@pytest.fixture
def url() -> str:
    return server().new_database()


@pytest.fixture
def listen(url: str) -> Iterator[Callable[[LocalFeed], Listener]]:
    """Starts listeners, and closes them after the test."""
    started: list[Listener] = []

    def start(feed: LocalFeed) -> Listener:
        started.append(Listener(parse_address(url), postgres_queries(), feed, lambda: ()))
        started[-1].start()
        return started[-1]

    yield start
    for one in started:
        one.close()


def write_event(url: str, number: int, topic: str) -> None:
    """An event of which no notice comes, as from a replica behind a pooler."""
    with psycopg.connect(url) as connection:
        connection.execute("INSERT INTO notices VALUES (%s, %s, '{}')", (number, topic))


def tell(url: str, topic: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("SELECT pg_notify('sayso', %s)", (topic,))


@pytest.mark.spec("ST-3")
def test_an_event_beside_the_first_waking_is_told(
    url: str, listen: Callable[[LocalFeed], Listener], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "LOOK_SECONDS", 0.1)
    told = Told(first=lambda: write_event(url, 1, "c1"))
    listen(told)
    assert told.hears("c1", 5)


@pytest.mark.spec("ST-3")
def test_it_listens_in_a_process_with_very_many_files_open(
    url: str, listen: Callable[[LocalFeed], Listener]
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = 2000 if hard == resource.RLIM_INFINITY else min(hard, 2000)
    if enough < 1200:
        pytest.skip("this process may not have so many files open")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, enough), hard))
    open_files = [os.open(os.devnull, os.O_RDONLY)]
    try:
        while open_files[-1] < 1100:
            open_files.append(os.dup(open_files[0]))
        told = Told()
        listening = listen(told)
        assert told.was_woken(1)
        tell(url, "c1")
        assert told.hears("c1")
        listening.close()
        assert not listening._thread.is_alive()
    finally:
        for each in open_files:
            with suppress(OSError):
                os.close(each)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.spec("ST-3")
def test_no_error_ends_it_for_good(url: str, listen: Callable[[LocalFeed], Listener]) -> None:
    def fail() -> None:
        raise ValueError("it broke")

    told = Told(first=fail)
    listening = listen(told)
    assert told.was_woken(2)
    tell(url, "c1")
    assert told.hears("c1")
    listening.close()
    assert not listening._thread.is_alive()
