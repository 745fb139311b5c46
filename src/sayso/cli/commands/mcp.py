"""`sayso mcp -- COMMAND …`: the MCP gateway over stdio, a client of the running server (MCP-1, MCP-6)."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from sayso.adapters.mcp_gateway import serve
from sayso.broker.session_rules import flag_rules
from sayso.broker.sessions import mode_named
from sayso.cli.flags import AskRules, DenyRules
from sayso.cli.running import server_url
from sayso.client.remote_gate import TOKEN_VARIABLE, URL_VARIABLE, RemoteGate
from sayso.errors import CallInvalid, NotAuthenticated, NotEligible

LAUNCHERS = {"npx": (), "bunx": (), "uvx": (), "pipx": ("run",), "pnpm": ("dlx",), "yarn": ("dlx",)}
"""Programs that fetch a package and start it, and the words before its name."""

VALUED = ("--python", "--with", "--index", "--index-url", "--registry", "--cache")
"""Their options whose value is the next word, and no package."""

app = App(name="mcp", help_format="plaintext")


@app.default
def mcp(
    *command: Annotated[str, Parameter(allow_leading_hyphen=True)],
    name: Annotated[
        str | None,
        Parameter(
            help="The server's name, as rules write it: mcp(NAME:TOOL); by default its package's "
            "or command's."
        ),
    ] = None,
    url: Annotated[
        str | None,
        Parameter(
            help="Where sayso serve listens; by default this installation's.", env_var=URL_VARIABLE
        ),
    ] = None,
    allow: Annotated[tuple[str, ...], Parameter(name="--allow", negative="", show=False)] = (),
    ask: AskRules = (),
    deny: DenyRules = (),
    run_context: Annotated[
        str | None,
        Parameter(help="The run context of its session: one that the token may name."),
    ] = None,
    mode: Annotated[
        str | None, Parameter(help="The mode of its session: default, plan or dont-ask.")
    ] = None,
    hold: Annotated[
        float | None,
        Parameter(help="How many seconds a call is held before the client is told to retry."),
    ] = None,
) -> int:
    """Start an MCP server with sayso in front of it: each tool call passes the gate.

    The gateway needs a running server (sayso serve) and an agent's token in
    SAYSO_AGENT_TOKEN. Its own rules can only tighten: what is to be allowed
    stands in the settings, or at sayso serve --allow.

    Parameters
    ----------
    command
        The command that starts the MCP server, with its arguments, after --.
    """
    if not command:
        raise CallInvalid(
            "no server command is given", "write it after --: sayso mcp -- npx some-server"
        )
    token = os.environ.get(TOKEN_VARIABLE)
    if not token:
        raise NotAuthenticated(
            f"the gateway needs an agent's token in {TOKEN_VARIABLE}",
            "make one: sayso tokens create --kind agent --agent NAME",
        )
    if hold is not None and not 0 < hold < 86_400:
        raise CallInvalid(f"`{hold:g}` is not a number of seconds", "give one above 0, up to a day")
    if allow:
        raise NotEligible(
            "a gateway holds an agent's token, which cannot allow its own session anything",
            "put the rule into your settings (sayso policy add), or start: sayso serve --allow RULE",
        )
    rules = flag_rules(ask=ask, deny=deny)
    server_name = name or named_by(command)
    opening = RemoteGate.open(
        url or server_url(),
        token,
        source="mcp",
        workspace=str(Path.cwd()),
        context_label=f"MCP: {server_name}",
        ask=[rule.text for rule in rules if rule.effect == "ask"],
        deny=[rule.text for rule in rules if rule.effect == "deny"],
        run_context=run_context,
        mode=None if mode is None else mode_named(mode),
    )
    return asyncio.run(_mcp(opening, list(command), server_name, hold))


def named_by(command: Sequence[str]) -> str:
    """The name of a server without one: its package's where a launcher starts it, else its command's.

    A package loses its scope and version: `npx -y @acme/notes@2 DIR` is `notes`.
    """
    program, *rest = (Path(command[0]).name, *command[1:])
    if program not in LAUNCHERS:
        return program
    while rest and (rest[0].startswith("-") or rest[0] in LAUNCHERS[program]):
        if rest[0] in VALUED:
            rest = rest[1:]
        rest = rest[1:]
    if not rest:
        return program
    package = rest[0].rpartition("/")[2]
    return re.split(r"[@=<>~!\[]", package, maxsplit=1)[0] or program


async def _mcp(
    opening: Coroutine[None, None, RemoteGate], command: list[str], name: str, hold: float | None
) -> int:
    gate = await opening
    try:
        return await serve(gate, command, server_name=name, hold_seconds=hold)
    finally:
        await gate.close()
