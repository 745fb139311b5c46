"""`sayso serve`: the server and its page."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from sayso.broker.rule_source import given_rules
from sayso.broker.session_rules import flag_rules
from sayso.channels.web.channel import WebInbox
from sayso.cli.acting import PassphraseStdin, choose_passphrase
from sayso.cli.flags import AllowRules, AskRules, DenyRules
from sayso.cli.running import free_port, serving
from sayso.cli.saying import say
from sayso.config.source import SettingsRules
from sayso.core.address import DEFAULT_HOST, DEFAULT_PORT, is_loopback
from sayso.errors import SettingsInvalid
from sayso.front.assembly import open_broker, settings_rules

app = App(name="serve", help_format="plaintext")

MOST_PORT = 65_535


@dataclass(frozen=True, slots=True)
class Listening:
    """Where the server listens and who may reach it; `tls` is a certificate and its key."""

    host: str
    port: int
    allowed_hosts: tuple[str, ...]
    allowed_origins: tuple[str, ...]
    trusted_proxies: tuple[str, ...]
    tls: tuple[Path, Path] | None

    @property
    def url(self) -> str:
        """The address as a person opens it."""
        shown = "localhost" if self.host in ("0.0.0.0", "::", "") else self.host
        shown = f"[{shown}]" if ":" in shown and not shown.startswith("[") else shown
        return f"{'http' if self.tls is None else 'https'}://{shown}:{self.port}"


@app.default
def serve(
    *,
    host: Annotated[
        str | None,
        Parameter(help="The address to listen on; by default that of the settings, or 127.0.0.1."),
    ] = None,
    port: Annotated[
        int | None,
        Parameter(
            help="The port to listen on, 0 for any; by default that of the settings, or 8484."
        ),
    ] = None,
    allowed_host: Annotated[
        tuple[str, ...],
        Parameter(
            negative="",
            show_default=False,
            help="A further host name the server is reached by (repeatable).",
        ),
    ] = (),
    allowed_origin: Annotated[
        tuple[str, ...],
        Parameter(
            negative="",
            show_default=False,
            help="A further origin whose pages may talk to it, as https://name:port (repeatable).",
        ),
    ] = (),
    trusted_proxy: Annotated[
        tuple[str, ...],
        Parameter(
            negative="",
            show_default=False,
            help="The address or network of a proxy whose forwarded headers count (repeatable).",
        ),
    ] = (),
    tls_cert: Annotated[Path | None, Parameter(help="The certificate, to serve over TLS.")] = None,
    tls_key: Annotated[Path | None, Parameter(help="The certificate's key.")] = None,
    allow: AllowRules = (),
    ask: AskRules = (),
    deny: DenyRules = (),
    passphrase_stdin: PassphraseStdin = False,
) -> int:
    """Run the server and its page.

    The page is the inbox; gateways and programs use the API. At the first start
    on a terminal it lets you choose the passphrase that the page asks for. Rules
    given here count for every call until it ends, beside those of the settings.
    """
    from sayso.server.run import run

    if (tls_cert is None) != (tls_key is None):
        raise SettingsInvalid(
            "a certificate and its key go together", "give --tls-cert and --tls-key"
        )
    for file in (tls_cert, tls_key):
        if file is not None and not file.is_file():
            raise SettingsInvalid(f"there is no file `{file}`", "name the certificate and its key")
    flags = given_rules(flag_rules(allow=allow, ask=ask, deny=deny))
    lists = settings_rules(flags=flags)
    if lists.problem is not None:
        say("warning", lists.problem)
        say("warning", "until it is mended nothing is allowed and nothing can be approved")
    wanted = port if port is not None else lists.settings.port
    wanted = DEFAULT_PORT if wanted is None else wanted
    if not 0 <= wanted <= MOST_PORT:
        raise SettingsInvalid(f"`{wanted}` is not a port", f"give one from 0 to {MOST_PORT}")
    where = Listening(
        host=host or lists.settings.host or DEFAULT_HOST,
        port=wanted or free_port(),
        allowed_hosts=allowed_host,
        allowed_origins=allowed_origin,
        trusted_proxies=trusted_proxy,
        tls=None if tls_cert is None or tls_key is None else (tls_cert, tls_key),
    )
    return run(lambda: _serve(where, lists, passphrase_stdin))


async def _serve(where: Listening, lists: SettingsRules, passphrase_stdin: bool) -> int:
    from sayso.server.run import serve as serve_broker

    async with open_broker(notifier=WebInbox(), settings=lists, ports=[where.port]) as broker:
        if where.tls is None and not is_loopback(where.host):
            say("warning", "it talks clear text: passphrase and tokens can be read on the way")
            say("hint", "give --tls-cert and --tls-key, or let a proxy with TLS stand before it")
        with serving(where.url):
            if not await broker.access.has_passphrase() and (
                passphrase_stdin or sys.stdin.isatty()
            ):
                await choose_passphrase(broker, from_stdin=passphrase_stdin)
            if not await broker.access.has_passphrase():
                say("warning", "no passphrase is chosen, so nobody can log in or decide")
                say("hint", "choose one on a terminal: sayso passphrase set")
            await serve_broker(
                broker,
                host=where.host,
                port=where.port,
                allowed_hosts=where.allowed_hosts,
                allowed_origins=where.allowed_origins,
                trusted_proxies=where.trusted_proxies,
                tls=where.tls,
                announce=lambda: print(f"sayso is listening on {where.url}", flush=True),
            )
    return 0
