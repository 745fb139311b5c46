"""`sayso roles`: named sets of people, with a quorum of their own (REQ-61)."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated, Any

import msgspec
from cyclopts import App, Parameter

from sayso.broker.access import Actor
from sayso.broker.broker import Broker
from sayso.cli.acting import AsJson, PassphraseStdin, TokenStdin, acted
from sayso.cli.table import table
from sayso.core.deciders import Quorum, parse_quorum
from sayso.errors import CallInvalid
from sayso.front.assembly import open_broker
from sayso.server.people_documents import roles_shown

app = App(name="roles", help="List, add, change and remove roles.", help_format="plaintext")

QuorumOption = Annotated[
    str | None,
    Parameter(name="--quorum", help="How many distinct members decide: any, all or a number."),
]


@app.command(name="list")
def list_(*, as_json: AsJson = False) -> int:
    """List the roles with their members."""
    return asyncio.run(_list(as_json))


async def _list(as_json: bool) -> int:
    async with open_broker() as broker:
        found = roles_shown(await broker.world.store.directory())
    if as_json:
        print(json.dumps(msgspec.to_builtins(found), indent=2))
    elif found:
        rows = [
            (r.name, str(r.quorum) if r.enabled else "disabled", ", ".join(r.members))
            for r in found
        ]
        print(table(("name", "quorum", "members"), rows))
    else:
        print("There are no roles. Make one: sayso roles add NAME --member NAME")
    return 0


@app.command
def add(
    name: str,
    /,
    *,
    quorum: QuorumOption = None,
    member: Annotated[
        list[str] | None, Parameter(name="--member", help="A name or identity; several times.")
    ] = None,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
) -> int:
    """Add a role.

    Parameters
    ----------
    name
        The name, as rules write it in `role`.
    """
    wanted = _quorum(quorum or "any")

    async def work(broker: Broker, actor: Actor) -> int:
        role = await broker.people.add_role(actor, name, wanted, member or ())
        print(f"added: {role.name}")
        return 0

    return acted(work, passphrase_stdin, token_stdin)


@app.command
def change(
    name: str,
    /,
    *,
    quorum: QuorumOption = None,
    enable: Annotated[
        bool | None,
        Parameter(name="--enable", negative="--disable", help="A disabled role decides nothing."),
    ] = None,
    join: Annotated[
        list[str] | None, Parameter(name="--join", help="Who becomes a member; several times.")
    ] = None,
    leave: Annotated[
        list[str] | None, Parameter(name="--leave", help="Who is one no more; several times.")
    ] = None,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
) -> int:
    """Change a role: its quorum, its members, whether it is enabled. It counts at once.

    Parameters
    ----------
    name
        The role's name.
    """
    what: dict[str, Any] = {} if quorum is None else {"quorum": _quorum(quorum)}
    if enable is not None:
        what["enabled"] = enable
    if not (what or join or leave):
        raise CallInvalid("nothing is to change", "see: sayso roles change --help")

    async def work(broker: Broker, actor: Actor) -> int:
        if what:
            await broker.people.change_role(actor, name, **what)
        for person in join or ():
            await broker.people.add_member(actor, name, person)
        for person in leave or ():
            await broker.people.remove_member(actor, name, person)
        print(f"changed: {name}")
        return 0

    return acted(work, passphrase_stdin, token_stdin)


@app.command
def remove(
    name: str, /, *, passphrase_stdin: PassphraseStdin = False, token_stdin: TokenStdin = False
) -> int:
    """Remove a role: what a rule sends to it can be decided by nobody.

    Parameters
    ----------
    name
        The role's name.
    """

    async def work(broker: Broker, actor: Actor) -> int:
        await broker.people.remove_role(actor, name)
        print(f"removed: {name}")
        return 0

    return acted(work, passphrase_stdin, token_stdin)


def _quorum(written: str) -> Quorum:
    try:
        return parse_quorum(int(written) if written.isdecimal() else written)
    except ValueError as error:
        raise CallInvalid(str(error), "give any, all, or a number") from error
