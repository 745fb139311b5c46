"""`sayso serve`: the server and its page."""

from __future__ import annotations

import asyncio
import sys
from typing import Annotated

from cyclopts import App, Parameter

from sayso.channels.web.channel import WebInbox
from sayso.cli.acting import PassphraseStdin, choose_passphrase
from sayso.cli.running import DEFAULT_HOST, DEFAULT_PORT, serving
from sayso.front.assembly import open_broker
from sayso.server.run import serve as serve_broker

app = App(name="serve", help="Run the server and its page.", help_format="plaintext")


@app.default
def serve(
    *,
    host: Annotated[str, Parameter(help="The address to listen on.")] = DEFAULT_HOST,
    port: Annotated[int, Parameter(help="The port to listen on.")] = DEFAULT_PORT,
    passphrase_stdin: PassphraseStdin = False,
) -> int:
    """Run the server: the inbox at its address, and the API that gateways and programs use.

    At the first start on a terminal it lets you choose the passphrase that the page asks for.
    """
    return asyncio.run(_serve(host, port, passphrase_stdin))


async def _serve(host: str, port: int, passphrase_stdin: bool) -> int:
    url = f"http://{'localhost' if host in ('0.0.0.0', '::') else host}:{port}"
    async with open_broker(notifier=WebInbox()) as broker:
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
                host=host,
                port=port,
                announce=lambda: print(f"sayso is listening on {url}", flush=True),
            )
    return 0
