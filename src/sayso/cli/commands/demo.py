"""`sayso demo`: the main job in a minute, with a throw-away store, server, page and a scripted agent."""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from sayso.broker.broker import Broker
from sayso.broker.ports import Page
from sayso.channels.web.channel import WebInbox
from sayso.cli.commands.audit import print_entries
from sayso.cli.demo.agent import RULES, Told, play, prepare
from sayso.cli.running import free_port, serving
from sayso.config.workspace import SETTINGS_NAME
from sayso.core.address import DEFAULT_HOST, DEFAULT_PORT
from sayso.core.code_words import code_of
from sayso.front.assembly import open_broker
from sayso.system.ids import SystemIds
from sayso.system.places import HOME_VARIABLE, private_directory

app = App(name="demo", help_format="plaintext")


@app.default
def demo(
    *,
    port: Annotated[
        int | None,
        Parameter(help="The page's port; by default 8484, or a free one if that is taken."),
    ] = None,
    once: Annotated[
        bool,
        Parameter(
            negative="",
            show_default=False,
            help="End when the agent is done instead of keeping the page open.",
        ),
    ] = False,
) -> int:
    """Start a throw-away server and let a scripted agent work through the gate.

    The agent has real file tools in a scratch folder and makes an allowed, a
    denied and an asked call. No key and no network are needed; everything is
    removed at the end.
    """
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_demo(port or free_port(DEFAULT_PORT if port is None else 0), once))
    print("The demo is over; its folder is removed.")
    return 0


async def _demo(port: int, once: bool) -> None:
    from sayso.server.run import serve as serve_broker

    with tempfile.TemporaryDirectory(prefix="sayso-demo-") as directory:
        home = private_directory(Path(directory) / "sayso")
        folder = Path(directory) / "scratch"
        prepare(folder)
        (home / SETTINGS_NAME).write_text(_settings())
        # The other commands of sayso find this installation by the same variable.
        os.environ[HOME_VARIABLE] = str(home)
        url = f"http://{DEFAULT_HOST}:{port}"
        async with open_broker(notifier=WebInbox(), ports=[port]) as broker:
            passphrase = code_of(SystemIds().secret().hex())
            await broker.access.choose_passphrase(passphrase, None, "terminal")
            with serving(url):
                ready = asyncio.Event()
                server = asyncio.create_task(
                    serve_broker(broker, host=DEFAULT_HOST, port=port, announce=ready.set)
                )
                work = asyncio.create_task(
                    _agent(broker, folder, ready, lambda: _say_where(url, passphrase, folder))
                )
                try:
                    await asyncio.wait({server, work}, return_when=asyncio.FIRST_COMPLETED)
                    if not once and not server.done():
                        print("\nThe page stays open. Ctrl+C ends the demo.", flush=True)
                        await server
                    for task in (server, work):
                        if task.done():
                            await task  # says why it ended early, if it did
                finally:
                    for task in (work, server):
                        task.cancel()
                    await asyncio.gather(work, server, return_exceptions=True)


async def _agent(
    broker: Broker, folder: Path, ready: asyncio.Event, say_where: Callable[[], None]
) -> None:
    await ready.wait()
    say_where()
    actor = await broker.access.embedded_agent("demo-agent")
    session = await broker.open_session(
        actor, source="api", workspace=str(folder), context_label="sayso demo"
    )

    here = f"{HOME_VARIABLE}={os.environ[HOME_VARIABLE]}"

    async def tell(told: Told) -> None:
        what = f"{told.step.tool} {told.step.arguments['path']}"
        print(f"  {told.word:8}  {what:24}  {told.text}", flush=True)
        if told.word == "asked":
            print(f"            decide on the page: the card with the code {told.code}", flush=True)
            print(f"            or here: {here} sayso approve {told.call_id}", flush=True)

    print("The agent starts to work:", flush=True)
    await play(broker.gate(session.session_id), folder, tell)
    print("\nWhat the audit log says:", flush=True)
    await print_entries(broker, Page(limit=30))


def _say_where(url: str, passphrase: str, folder: Path) -> None:
    print("sayso demo: nothing an agent does happens without your say-so\n")
    print(f"  page        {url}")
    print(f"  passphrase  {passphrase}")
    print(f"  folder      {folder}\n", flush=True)


def _settings() -> str:
    lines = ["[permissions]"]
    for effect in ("allow", "deny"):
        rules = ", ".join(f'"{text}"' for word, text in RULES if word == effect)
        lines.append(f"{effect} = [{rules}]")
    return "\n".join(lines) + "\n"
