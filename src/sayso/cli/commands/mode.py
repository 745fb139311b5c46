"""`sayso mode`: the mode of a session, and switching it (MODE-1)."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated

import msgspec
from cyclopts import App, Parameter

from sayso.broker.access import Actor
from sayso.broker.broker import Broker
from sayso.broker.modes import ModeNow, mode_now
from sayso.broker.sessions import mode_named
from sayso.cli.acting import AsJson, PassphraseStdin, TokenStdin, acted
from sayso.errors import NotEligible
from sayso.front.assembly import open_broker
from sayso.server.run_context_bodies import mode_shown

CONFIGURED = "configured"
"""The word that takes a switch back."""

app = App(name="mode", help_format="plaintext")


@app.default
def mode(
    session: str,
    mode: Annotated[str | None, Parameter(show_default=False)] = None,
    /,
    *,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
    as_json: AsJson = False,
) -> int:
    """Show the mode of a session, or switch it.

    A switch counts from the session's next call on.

    Parameters
    ----------
    session
        The session's id, as cards and the audit log show it.
    mode
        default, accept-edits, auto, plan, dont-ask or bypass; `configured` takes the switch back.
    """
    if mode is None:
        return asyncio.run(_show(session, as_json))
    chosen = None if mode == CONFIGURED else mode_named(mode)

    async def work(broker: Broker, actor: Actor) -> int:
        _print(await broker.modes.switch(actor, session, chosen), as_json)
        return 0

    return acted(work, passphrase_stdin, token_stdin)


async def _show(session_id: str, as_json: bool) -> int:
    async with open_broker() as broker:
        session = await broker.world.store.session(session_id)
        if session is None:
            raise NotEligible("there is no session with that id", "cards and the audit log show it")
        _print(await mode_now(broker.world, session), as_json)
    return 0


def _print(now: ModeNow, as_json: bool) -> None:
    if as_json:
        print(json.dumps(msgspec.to_builtins(mode_shown(now)), indent=2))
        return
    switched = "" if now.switched_to is None else f", switched to {now.switched_to}"
    note = "" if now.note is None else f"\n{now.note}"
    print(f"{now.mode} (run context {now.run_context_id}{switched}){note}")
