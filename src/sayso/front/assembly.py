"""The only place that builds real stores, clocks, rule sources and channels."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Callable, Container, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sayso.broker.broker import Broker
from sayso.broker.consultant import Consultant
from sayso.broker.notify import cancelled
from sayso.broker.ports import Claim, Notifier
from sayso.broker.preconditions import in_words, recheck
from sayso.broker.rule_source import CachedRules, FixedLists, ListRules
from sayso.broker.session_gate import SessionGate
from sayso.broker.world import World
from sayso.channels.notifier import Channels
from sayso.channels.terminal.approver import TerminalApprover
from sayso.channels.web.channel import WebInbox
from sayso.config.source import SettingsRules
from sayso.config.workspace import SETTINGS_NAME
from sayso.core.address import DEFAULT_PORT
from sayso.core.mode import Mode
from sayso.errors import SettingsInvalid, StoreUnavailable
from sayso.front.logs import logs_to_stderr
from sayso.front.owner_at_terminal import OwnerAtTerminal
from sayso.policy.protection import protected_rules
from sayso.policy.rule import Rule
from sayso.store.memory import MemoryStore
from sayso.store.sealing import CallKeys
from sayso.store.sqlite import SqliteStore, open_sqlite
from sayso.system.calls_keys import calls_keys
from sayso.system.clock import SystemClock
from sayso.system.facts import LocalFacts
from sayso.system.files import LocalFiles
from sayso.system.hooks import LocalHooks
from sayso.system.ids import SystemIds
from sayso.system.language_model import PydanticModel
from sayso.system.places import HOME_VARIABLE, database_url, find_places, private_directory
from sayso.system.receipt_key import ReceiptKey

if TYPE_CHECKING:
    from sayso.store.postgres import PostgresStore


@dataclass(frozen=True, slots=True)
class Embedded:
    """An embedded gate: one session's port, and what has to be closed after it."""

    gate: SessionGate
    close: Callable[[], Coroutine[None, None, None]]


@contextlib.asynccontextmanager
async def open_broker(
    *,
    notifier: Notifier | None = None,
    database: Path | str | None = None,
    settings: Path | SettingsRules | None = None,
    ports: Sequence[int] = (),
) -> AsyncIterator[Broker]:
    """The broker of this installation (or of that database and settings), closed at the end.

    `database` is a file or the URL of a PostgreSQL database, by default what SAYSO_DATABASE names,
    else this user's file. `notifier` are the channels, by default the inbox alone; `ports` are the
    ports that a server of sayso listens on, which no call may reach. It neither sweeps nor notifies
    until it is started.
    Raises StoreCorrupt, SchemaTooNew, StoreUnavailable, SettingsInvalid.
    """
    logs_to_stderr()
    places = find_places()
    if database is None and (database := database_url()) is None:
        own_directory(places.data)
        database = places.database
    lists = settings_rules(settings)
    store = open_store(database)
    try:
        files = [] if isinstance(database, str) else _files_of(database)
        own = [str(p.absolute()) for p in (places.config, places.data, lists.path, *files)]
        broker = _build(store, notifier, lists, protected_rules(own, ports=ports))
        try:
            yield broker
        finally:
            await broker.close()
    finally:
        store.close()


async def still_so(claim: Claim) -> str:
    """What a claim was given for and has changed since on this machine, in words; empty if nothing."""
    held = claim.preconditions
    return in_words(await asyncio.to_thread(recheck, LocalFacts(), LocalFiles(), held))


async def open_embedded(
    *,
    agent: str,
    workspace: str,
    database: Path | str | None,
    settings: Path | None,
    terminal: bool,
    inbox: bool,
    context_label: str | None,
    run_context: str | None = None,
    mode: Mode | None = None,
    flags: Sequence[Rule] = (),
) -> Embedded:
    """A gate in this process: its own broker, an agent's credential of its own, one session."""
    stack = contextlib.AsyncExitStack()
    lists = settings_rules(settings, flags)
    built: list[Broker] = []
    sessions: set[str] = set()
    owner = OwnerAtTerminal(lambda: built[0])
    channels = Channels(
        [
            *([_terminal(owner, lists, sessions)] if terminal else []),
            *([WebInbox()] if inbox else []),
        ],
        owner.picture,
        confirm=owner.delivered,
        question_picture=owner.question_picture,
    )
    try:
        broker = await stack.enter_async_context(
            open_broker(
                notifier=channels,
                database=database,
                settings=lists,
                ports=[lists.settings.port or DEFAULT_PORT],
            )
        )
        built.append(broker)
        await broker.start()
        stack.push_async_callback(owner.lock)
        stack.push_async_callback(channels.close)
        listening = asyncio.create_task(channels.listen(owner.decide), name="sayso-channels")
        stack.push_async_callback(cancelled, listening)
        named = () if run_context is None else (run_context,)
        actor = await broker.access.embedded_agent(agent, named)
        stack.push_async_callback(broker.access.revoke, actor, actor.credential.credential_id)
        session = await broker.open_session(
            actor,
            source="api",
            workspace=workspace,
            context_label=context_label,
            run_context=run_context,
            mode=mode,
            embedded=True,
        )
        sessions.add(session.session_id)
    except BaseException:
        await stack.aclose()
        raise
    return Embedded(broker.gate(session.session_id), stack.aclose)


def memory_broker(notifier: Notifier | None = None, lists: ListRules | None = None) -> Broker:
    """A broker on the in-memory store with the real clock, for users' tests; nothing is durable."""
    logs_to_stderr()
    store = MemoryStore()
    facts = LocalFacts()
    given = lists or ListRules(version=0, rules=())
    return Broker(
        World(
            store=store,
            feed=store.feed,
            clock=SystemClock(),
            ids=SystemIds(),
            rules=CachedRules(store, FixedLists(given), protected_rules(), facts),
            facts=facts,
            notifier=notifier or WebInbox(),
            files=LocalFiles(),
        )
    )


def open_store(database: Path | str) -> SqliteStore | PostgresStore:
    """The store in a SQLite file, or in the PostgreSQL database at a URL, with the keys of the environment.

    Raises StoreCorrupt, SchemaTooNew, StoreUnavailable, SettingsInvalid.
    """
    keys = CallKeys(calls_keys())
    if isinstance(database, Path):
        return open_sqlite(database, keys=keys)
    try:
        from sayso.store.postgres import open_postgres
    except ImportError as error:
        raise SettingsInvalid(
            "a PostgreSQL database needs a further package", "install sayso[postgres]"
        ) from error
    return open_postgres(database, keys=keys)


def settings_rules(
    settings: Path | SettingsRules | None = None, flags: Sequence[Rule] = ()
) -> SettingsRules:
    """The rules of a settings file, by default of this user's, and of workspaces; read once.

    `flags` are the rules of a command line, or of a program's own code, which count beside them.
    """
    if isinstance(settings, SettingsRules):
        return settings
    configuration = find_places().config
    found = SettingsRules(
        settings or configuration / SETTINGS_NAME, configuration=configuration, flags=flags
    )
    found.current()
    return found


def own_directory(path: Path) -> Path:
    """A directory of sayso's, made private; raises StoreUnavailable where that cannot be done."""
    try:
        return private_directory(path)
    except OSError as error:
        raise StoreUnavailable(
            f"the directory `{path}` cannot be used: {error.strerror or error}",
            f"mend that, or name another place with {HOME_VARIABLE}",
        ) from error


def _terminal(
    owner: OwnerAtTerminal, lists: SettingsRules, sessions: Container[str]
) -> TerminalApprover:
    """The terminal of an embedded gate: it asks about this program's own calls only."""
    return TerminalApprover(
        owner,
        SystemClock().now,
        diff_lines=lists.settings.diff_lines,
        concerns=lambda card: card.session_id in sessions,
        shown=owner.shown,
        answers=owner,
    )


def _files_of(database: Path) -> list[Path]:
    """A SQLite database and the files beside it, which lie where a link leads to."""
    names = {database, Path(os.path.realpath(database))}
    return [path.with_name(path.name + end) for path in names for end in ("", "-wal", "-shm")]


def _build(
    store: SqliteStore | PostgresStore,
    notifier: Notifier | None,
    lists: SettingsRules,
    built_in: Sequence[Rule],
) -> Broker:
    facts, clock, ids = LocalFacts(), SystemClock(), SystemIds()
    world = World(
        store=store,
        feed=store.feed,
        clock=clock,
        ids=ids,
        rules=CachedRules(store, lists, built_in, facts),
        facts=facts,
        notifier=notifier or WebInbox(),
        files=LocalFiles(),
        receipt_key=ReceiptKey(find_places().data),
        keep_calls=lists.settings.keep_calls,
        pending_limit=lists.settings.pending_limit,
        lapse_after=lists.settings.lapse_after,
        consultant=Consultant(lists, LocalHooks(), PydanticModel(), clock, ids),
    )
    return Broker(world)
