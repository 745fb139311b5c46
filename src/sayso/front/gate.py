"""The public `Gate`: embedded, or a client of a running server, by configuration alone (GATE-1, GATE-2)."""

from __future__ import annotations

import contextlib
import inspect
import os
import threading
import weakref
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar, overload

import structlog

from sayso.broker.ports import GatePort, Standing
from sayso.broker.rule_source import given_rules
from sayso.broker.run import OnAsked, Recheck, authorize, run
from sayso.broker.session_rules import flag_rules
from sayso.broker.sessions import mode_named
from sayso.client.remote_gate import TOKEN_VARIABLE, URL_VARIABLE, RemoteGate
from sayso.core.observed_tool import ObservedTool
from sayso.core.session import CallDraft
from sayso.errors import NotAuthenticated, NotEligible, SaysoError
from sayso.front.asking import Asking
from sayso.front.assembly import Embedded, open_embedded, still_so
from sayso.front.bridge import BridgedGate, LoopThread, closed, in_own_thread, run_sync
from sayso.front.databases import named_database
from sayso.front.ending import CLOSE_SECONDS, at_exit, stop
from sayso.front.guard import guarded

_log = structlog.get_logger("sayso.front")

P = ParamSpec("P")
T = TypeVar("T")

_LEFT_BEHIND: list[object] = []
"""What a forked process took over from its parent and must neither use nor close."""


class Gate(Asking):
    """Every tool call passes here: policy allows, asks or denies; an approved call runs at most once.

    With `url` (or the variable SAYSO_URL) it is a client of that server and needs an agent's token
    (`token`, or SAYSO_AGENT_TOKEN); without one the gate is embedded: its store is `database` (a file
    or a PostgreSQL URL, by default this user's), and it asks on the terminal. `inbox=True` lets an
    embedded gate without a terminal wait for the inbox instead of refusing. `agent` names the agent
    of an embedded gate; `workspace` is the working directory that calls are bound to (by default the current one).
    `allow`, `ask` and `deny` are rules in text that count beside those of the settings; at a server an
    agent's token may give its session asks and denies only. `run_context` is the id of the one that the
    session runs under, and `mode` how it treats what would need a person: at a server those run contexts
    that the token may name, and modes that only tighten. `on_question` answers, in the agent's own
    words, what a person asks back before deciding; without it they are told that it cannot answer. A plain
    function is called in a thread of its own; what it says once the call is decided is not used.

    Any number of threads and event loops may use one gate. Use it as a (sync or async) context
    manager, or call `close()`; a gate that was left open is closed when the program ends.
    """

    def __init__(
        self,
        *,
        url: str | None = None,
        token: str | None = None,
        agent: str = "python",
        workspace: str | Path | None = None,
        database: str | Path | None = None,
        settings: str | Path | None = None,
        terminal: bool = True,
        inbox: bool = False,
        context_label: str | None = None,
        run_context: str | None = None,
        mode: str | None = None,
        allow: Sequence[str] = (),
        ask: Sequence[str] = (),
        deny: Sequence[str] = (),
        on_question: Callable[[str], str | Awaitable[str | None] | None] | None = None,
    ) -> None:
        self._on_question = on_question
        self._url = url or os.environ.get(URL_VARIABLE) or None
        self._token = token or os.environ.get(TOKEN_VARIABLE) or None
        self._agent = agent
        self._workspace = str(Path(workspace or Path.cwd()).absolute())
        self._database = named_database(database)
        self._settings = None if settings is None else Path(settings)
        self._terminal = terminal
        self._inbox = inbox
        self._context_label = context_label
        self._run_context = run_context
        self._mode = None if mode is None else mode_named(mode)
        self._flags = flag_rules(allow=allow, ask=ask, deny=deny)
        self._opening = threading.RLock()
        self._idle = threading.Condition()
        self._under_way = 0
        self._closed = False
        self._process = os.getpid()
        self._thread: LoopThread | None = None
        self._port: GatePort | None = None
        self._embedded: Embedded | None = None
        self._remote: RemoteGate | None = None
        self._offered: list[ObservedTool] = []

    # ── asking ──

    async def decide(self, tool: str, arguments: Mapping[str, Any], **more: Any) -> Standing:
        """The verdict on a call, with grants; asks nobody and runs nothing."""
        return await (await self._bridged()).decide(CallDraft(tool, arguments, **more))

    async def authorize(self, tool: str, arguments: Mapping[str, Any], **more: Any) -> Standing:
        """The verdict on a call after a person, where it asks, has decided; runs nothing.

        Whoever runs the call on this word alone gives up at-most-once: prefer `run`.
        """
        draft = CallDraft(tool, arguments, **more)
        return await authorize(await self._bridged(), draft, on_question=self._answer)

    async def run(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        execute: Callable[[Mapping[str, Any]], Awaitable[T]],
        on_edited: OnAsked | None = None,
        **more: Any,
    ) -> T:
        """Ask for a call and run it at most once with exactly the judged arguments.

        `execute` is awaited with the arguments; where a person has changed them, with those, and
        `on_edited` is awaited before it. `more` may hold `server` (an MCP server's configured name),
        `external_id`, `detail` and `context` (the dialogue, for people to understand the call). Raises
        CallDenied (policy), CallRejected (a person, or it expired), CallAlreadyRan, or a SaysoError if
        the gate itself cannot work: then nothing ran.
        """
        port = await self._bridged()
        with self._at_work():
            draft = CallDraft(tool, arguments, **more)
            return await run(
                port,
                draft,
                execute,
                on_edited=on_edited,
                on_question=self._answer,
                recheck=self._recheck,
            )

    def decide_sync(self, tool: str, arguments: Mapping[str, Any], **more: Any) -> Standing:
        """`decide` for code without an event loop."""
        thread, port = self._open()
        return thread.call_sync(port.decide(CallDraft(tool, arguments, **more)))

    def authorize_sync(self, tool: str, arguments: Mapping[str, Any], **more: Any) -> Standing:
        """`authorize` for code without an event loop."""
        thread, port = self._open()
        draft = CallDraft(tool, arguments, **more)
        return thread.call_sync(authorize(port, draft, on_question=self._answer))

    def run_sync(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        execute: Callable[[Mapping[str, Any]], T],
        **more: Any,
    ) -> T:
        """`run` for code without an event loop; `execute` runs in the calling thread."""
        thread, port = self._open()
        draft = CallDraft(tool, arguments, **more)

        async def body(here: Callable[[Callable[[], T]], Awaitable[T]]) -> T:
            async def in_caller(judged: Mapping[str, Any]) -> T:
                return await here(lambda: execute(judged))

            return await run(
                port, draft, in_caller, on_question=self._answer, recheck=self._recheck
            )

        with self._at_work():
            return run_sync(thread, body)

    async def _answer(self, standing: Standing) -> str | None:
        question = standing.question
        if self._on_question is None or question is None:
            return None
        handler, text = self._on_question, question.text
        # Plain code may think for long: on this loop it would hold up leases and other calls.
        said = await in_own_thread(lambda: handler(text))
        return await said if inspect.isawaitable(said) else said

    # ── guarding functions ──

    @overload
    def guard(self, function: Callable[P, T], /) -> Callable[P, T]: ...

    @overload
    def guard(
        self, /, *, tool: str | None = None, server: str | None = None
    ) -> Callable[[Callable[P, T]], Callable[P, T]]: ...

    def guard(
        self,
        function: Callable[P, T] | None = None,
        /,
        *,
        tool: str | None = None,
        server: str | None = None,
    ) -> Callable[P, T] | Callable[[Callable[P, T]], Callable[P, T]]:
        """Gate a plain function, sync or async: each call of it passes the gate first (GATE-6).

        The call's arguments are the function's, with defaults filled in; `tool` is the name that
        rules see (by default the function's). Of a method, `self` (or `cls`) is no argument: it is
        neither shown nor judged. Raises CallInvalid for what cannot be guarded, as a generator.
        """

        def wrap(wrapped: Callable[P, T]) -> Callable[P, T]:
            return guarded(self, wrapped, tool, server)

        return wrap if function is None else wrap(function)

    def offer(self, tool: ObservedTool) -> None:
        """Have a tool remembered, so that people can set rules for it (POL-51).

        Guarded functions are, by themselves; it is done beside the first call, and no call waits for it.
        """
        self._offered.append(tool)

    # ── its own life ──

    async def aclose(self) -> None:
        """Close from async code; see `close`."""
        await in_own_thread(self.close)

    def close(self) -> None:
        """Stop the session and close the store; what waits is cancelled, because its caller has gone.

        Calls that run already are waited for, for a few seconds; a closed gate cannot be used again.
        """
        with self._opening:
            self._closed = True
            thread, self._thread = self._thread, None
            port, self._port = self._port, None
            embedded, self._embedded = self._embedded, None
            remote, self._remote = self._remote, None
        if thread is None:
            return
        try:
            if port is not None:
                thread.call_sync(stop(port))
            with self._idle:
                self._idle.wait_for(lambda: not self._under_way, CLOSE_SECONDS)
            if embedded is not None:
                thread.call_sync(embedded.close())
            if remote is not None:
                thread.call_sync(remote.close())
        finally:
            thread.stop()

    def __enter__(self) -> Self:
        self._open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        await self._bridged()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    @contextlib.contextmanager
    def _at_work(self) -> Iterator[None]:
        """Counts a call as under way, so that closing can wait for it."""
        with self._idle:
            self._under_way += 1
        try:
            yield
        finally:
            with self._idle:
                self._under_way -= 1
                self._idle.notify_all()

    @property
    def _recheck(self) -> Recheck | None:
        """A server may see other files than this machine: what it noted is looked at only here."""
        return still_so if self._url is None else None

    async def _bridged(self) -> BridgedGate:
        thread, port = self._thread, self._port
        if thread is not None and port is not None and self._process == os.getpid():
            self._tell_tools(thread, port)
            return BridgedGate(thread, port)
        return BridgedGate(*await in_own_thread(self._open))

    def _open(self) -> tuple[LoopThread, GatePort]:
        if self._process != os.getpid():
            self._start_anew()
        with self._opening:
            if self._closed:
                raise closed()
            if self._thread is None or self._port is None:
                thread = LoopThread()
                try:
                    self._port = thread.call_sync(self._make_port())
                except BaseException:
                    thread.stop()
                    raise
                self._thread = thread
                at_exit(weakref.ref(self))
            self._tell_tools(self._thread, self._port)
            return self._thread, self._port

    def _tell_tools(self, thread: LoopThread, port: GatePort) -> None:
        if self._offered:
            offered, self._offered = self._offered, []
            thread.submit(_tell(port, offered))

    def _start_anew(self) -> None:
        """In a forked process: the parent's thread, session and connections are not ours."""
        _LEFT_BEHIND.extend((self._thread, self._port, self._embedded, self._remote))
        self._thread = self._port = self._embedded = self._remote = None
        self._opening, self._idle, self._under_way = threading.RLock(), threading.Condition(), 0
        self._process = os.getpid()

    async def _make_port(self) -> GatePort:
        if self._url is not None:
            if self._token is None:
                raise NotAuthenticated(
                    f"the gate at `{self._url}` needs an agent's token",
                    f"make one with `sayso tokens create --kind agent` and put it into "
                    f"{TOKEN_VARIABLE}",
                )
            if self._given("allow"):
                raise NotEligible(
                    "an agent's token cannot allow its own session anything",
                    "put the allow into the settings: sayso policy add",
                )
            self._remote = await RemoteGate.open(
                self._url,
                self._token,
                source="api",
                workspace=self._workspace,
                context_label=self._context_label,
                run_context=self._run_context,
                mode=self._mode,
                ask=self._given("ask"),
                deny=self._given("deny"),
            )
            return self._remote
        self._embedded = await open_embedded(
            agent=self._agent,
            workspace=self._workspace,
            database=self._database,
            settings=self._settings,
            terminal=self._terminal,
            inbox=self._inbox,
            context_label=self._context_label,
            run_context=self._run_context,
            mode=self._mode,
            flags=given_rules(self._flags),
        )
        return self._embedded.gate

    def _given(self, effect: str) -> list[str]:
        return [rule.text for rule in self._flags if rule.effect == effect]


async def _tell(port: GatePort, offered: Sequence[ObservedTool]) -> None:
    try:
        await port.see_tools(offered)
    except SaysoError as error:  # no call depends on it; the next program tells it again
        _log.warning("the guarded tools could not be remembered", error=error.message)
