"""`sayso serve`: the server and its page."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from sayso.channels.web.channel import WebInbox
from sayso.cli.acting import PassphraseStdin, choose_passphrase
from sayso.cli.running import DEFAULT_HOST, serving
from sayso.config.source import SettingsRules
from sayso.errors import SettingsInvalid
from sayso.front.assembly import DEFAULT_PORT, open_broker, settings_rules
from sayso.server.config import ServerConfig
from sayso.server.run import serve as serve_broker

app = App(name="serve", help="Run the server and its page.", help_format="plaintext")


@app.default
def serve(
    *,
    host: Annotated[
        str | None,
        Parameter(help="The address to listen on; by default that of the settings, or 127.0.0.1."),
    ] = None,
    port: Annotated[
        int | None,
        Parameter(help="The port to listen on; by default that of the settings, or 8484."),
    ] = None,
    allowed_host: Annotated[
        tuple[str, ...],
        Parameter(help="A further host name the server is reached by (repeatable)."),
    ] = (),
    allowed_origin: Annotated[
        tuple[str, ...],
        Parameter(
            help="A further origin whose pages may talk to it, as https://name:port (repeatable)."
        ),
    ] = (),
    tls_cert: Annotated[Path | None, Parameter(help="The certificate, to serve over TLS.")] = None,
    tls_key: Annotated[Path | None, Parameter(help="The certificate's key.")] = None,
    passphrase_stdin: PassphraseStdin = False,
) -> int:
    """Run the server: the inbox at its address, and the API that gateways and programs use.

    At the first start on a terminal it lets you choose the passphrase that the page asks for.
    """
    if (tls_cert is None) != (tls_key is None):
        raise SettingsInvalid(
            "a certificate and its key go together", "give --tls-cert and --tls-key"
        )
    lists = settings_rules()
    config = ServerConfig(
        host=host or lists.settings.host or DEFAULT_HOST,
        port=port if port is not None else lists.settings.port or DEFAULT_PORT,
        allowed_hosts=allowed_host,
        allowed_origins=allowed_origin,
        secure=tls_cert is not None,
    )
    tls = None if tls_cert is None or tls_key is None else (tls_cert, tls_key)
    return asyncio.run(_serve(config, lists, tls, passphrase_stdin))


async def _serve(
    config: ServerConfig,
    lists: SettingsRules,
    tls: tuple[Path, Path] | None,
    passphrase_stdin: bool,
) -> int:
    shown = "localhost" if config.host in ("0.0.0.0", "::") else config.host
    url = f"{'https' if config.secure else 'http'}://{shown}:{config.port}"
    async with open_broker(notifier=WebInbox(), settings=lists, ports=[config.port]) as broker:
        if not await broker.access.has_passphrase() and (passphrase_stdin or sys.stdin.isatty()):
            await choose_passphrase(broker, from_stdin=passphrase_stdin)
        if not await broker.access.has_passphrase():
            print(
                "No passphrase has been chosen, so nobody can log in: sayso passphrase set",
                file=sys.stderr,
            )
        with serving(url):
            await serve_broker(
                broker,
                host=config.host,
                port=config.port,
                allowed_hosts=config.allowed_hosts,
                allowed_origins=config.allowed_origins,
                tls=tls,
                announce=lambda: print(f"sayso is listening on {url}", flush=True),
            )
    return 0
