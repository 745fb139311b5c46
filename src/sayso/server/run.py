"""Running the server: the socket, the event loop, and an end that loses nothing (SRV-3, SRV-7)."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import signal
import socket
import ssl
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import uvicorn
from litestar import Litestar

from sayso.broker.access import Access
from sayso.broker.broker import Broker
from sayso.core.address import DEFAULT_HOST, DEFAULT_PORT, is_loopback
from sayso.errors import SettingsInvalid, StoreUnavailable
from sayso.server.app import create_app
from sayso.server.config import MAX_BODY, ServerConfig
from sayso.server.live.closing import Closing

T = TypeVar("T")

GRACE_SECONDS = 5
BACKLOG = 2048


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes any that is free.

    Raises SettingsInvalid if the address cannot be had, which says how to choose another.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host.strip("[]") or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError, OverflowError) as error:
        raise SettingsInvalid(
            f"`{host}:{port}` is no address of this machine", "choose another: sayso serve --host"
        ) from error
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listening.bind(address)
        listening.listen(BACKLOG)
        listening.setblocking(False)
    except OSError as error:
        listening.close()
        raise _refused(host, port, error) from error
    return listening


async def check_exposure(access: Access, host: str) -> None:
    """Refuse to be reachable from other machines while nobody can log in.

    Raises SettingsInvalid if `host` is not a loopback address and no passphrase was chosen.
    """
    if not is_loopback(host) and not await access.has_passphrase():
        raise SettingsInvalid(
            f"`{host}` can be reached from other machines, and no passphrase was chosen",
            "choose one on a terminal: sayso passphrase set",
        )


def check_certificate(certificate: Path, key: Path) -> None:
    """Raise SettingsInvalid unless the certificate can be read and the key is its own."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password="")
    except (OSError, ValueError) as error:  # an SSLError is an OSError
        raise SettingsInvalid(
            f"`{certificate}` and `{key}` are no certificate and its key",
            "give them as PEM files, the key without a passphrase",
        ) from error


async def serve(
    broker: Broker,
    *,
    host: str = DEFAULT_HOST,
    port: int = DEFAULT_PORT,
    announce: Callable[[], object] | None = None,
    allowed_hosts: Sequence[str] = (),
    allowed_origins: Sequence[str] = (),
    trusted_proxies: Sequence[str] = (),
    tls: tuple[Path, Path] | None = None,
) -> None:
    """Serve a broker until the process is told to stop; `announce` is called once it answers.

    The broker is started and closed here. `tls` is a certificate and its key. Raises SettingsInvalid
    if the address cannot be had, or may not because nobody can log in, and for a certificate that does
    not fit.
    """
    await check_exposure(broker.access, host)
    if tls is not None:
        check_certificate(*tls)
    config = ServerConfig(
        host=host,
        port=port,
        allowed_hosts=tuple(allowed_hosts),
        allowed_origins=tuple(allowed_origins),
        trusted_proxies=tuple(trusted_proxies),
        secure=tls is not None,
    )
    with contextlib.closing(bind(host, port)) as listening:
        server = Server(create_app(broker, config), announce=announce, tls=tls)
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            await asyncio.shield(serving)
        except asyncio.CancelledError:
            server.should_exit = True
            await serving
            raise


class Server(uvicorn.Server):
    """A uvicorn server that tells the application of its end before it waits for open requests."""

    def __init__(
        self,
        app: Litestar,
        *,
        announce: Callable[[], object] | None = None,
        tls: tuple[Path, Path] | None = None,
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http="httptools",
                ws="wsproto",
                ws_max_size=MAX_BODY,
                lifespan="on",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                backlog=BACKLOG,
                timeout_graceful_shutdown=GRACE_SECONDS,
                ssl_certfile=None if tls is None else str(tls[0]),
                ssl_keyfile=None if tls is None else str(tls[1]),
            )
        )
        self._app = app
        self._closing: Closing = app.state.closing
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so; raises what kept the broker from starting."""
        try:
            await super().startup(sockets)
        except SystemExit as error:
            failure: Exception | None = self._app.state.failure
            raise failure or StoreUnavailable("the server could not start") from error
        if self.started and self._announce is not None:
            self._announce()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End streams and long polls at once, then wait for the rest."""
        self._closing.begin()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End on the usual signals, and let whoever called go on: there is more to close than a server."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        signals = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, self.handle_exit) for number in signals}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def run(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine function to its end, on the event loop that serves best here."""
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(work())


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:  # Windows has none
        return None
    return uvloop.new_event_loop


def _refused(host: str, port: int, error: OSError) -> SettingsInvalid:
    if error.errno == errno.EADDRINUSE:
        return SettingsInvalid(
            f"port {port} on `{host}` is in use",
            f"is sayso running already? else choose another: sayso serve --port {port + 1}",
        )
    if error.errno == errno.EACCES:
        return SettingsInvalid(
            f"port {port} may not be used by this user",
            "choose one above 1023: sayso serve --port 8484",
        )
    return SettingsInvalid(
        f"`{host}:{port}` cannot be listened on: {error.strerror}",
        "choose another: sayso serve --host",
    )
