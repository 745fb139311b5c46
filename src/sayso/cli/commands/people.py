"""`sayso people`: who can decide, and who stands in for whom (REQ-60, REQ-66)."""

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
from sayso.core.moment import plus
from sayso.errors import CallInvalid
from sayso.front.assembly import open_broker
from sayso.server.people_documents import people_listed, person_listed

app = App(
    name="people",
    help="List, add, change and remove the people who can decide.",
    help_format="plaintext",
)

DAY_SECONDS = 86_400.0
MOST_DAYS = 3650

Agents = Annotated[
    list[str] | None,
    Parameter(name="--agent", help="An operator for this agent only; may be given several times."),
]
Identities = Annotated[
    list[str] | None,
    Parameter(
        name="--identity", help="tg:NUMBER, vk:NUMBER, ym:LOGIN or mail:ADDRESS; several times."
    ),
]


@app.command(name="list")
def list_(*, as_json: AsJson = False) -> int:
    """List the people, what they may do, and under which identities they are known."""
    return asyncio.run(_list(as_json))


async def _list(as_json: bool) -> int:
    async with open_broker() as broker:
        found = people_listed(await broker.world.store.directory())
    if as_json:
        print(json.dumps(msgspec.to_builtins(found), indent=2))
        return 0
    rows = []
    for person in found:
        rights = [word for word in ("admin", "operator") if getattr(person, word)] or ["user"]
        if person.agents is not None:
            rights.append(f"for {', '.join(person.agents) or 'no agent'}")
        away = ", ".join(link.substitute for link in person.stand_ins)
        rows.append(
            (
                person.name,
                " ".join(rights) if person.enabled else "disabled",
                ", ".join(person.identities),
                ", ".join(person.roles),
                away,
            )
        )
    print(table(("name", "rights", "identities", "roles", "stood in by"), rows))
    return 0


@app.command
def add(
    name: str,
    /,
    *,
    admin: Annotated[bool, Parameter(negative="", help="May also configure.")] = False,
    operator: Annotated[bool, Parameter(negative="", help="Decides for agents' users.")] = False,
    agent: Agents = None,
    identity: Identities = None,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
    as_json: AsJson = False,
) -> int:
    """Add somebody, and print the code with which they choose a passphrase, this once.

    They give the code at the page's login, or to `sayso passphrase enrol`. It
    counts once, for three days, and opens nothing else.

    Parameters
    ----------
    name
        The name to log in with, as rules and the audit log write it; it never changes.
    """

    async def work(broker: Broker, actor: Actor) -> int:
        person, code = await broker.people.add(
            actor, name, admin=admin, operator=operator, agents=agent, identities=identity or ()
        )
        there = await broker.world.store.directory()
        shown = msgspec.to_builtins(person_listed(person, there))
        print(json.dumps({"code": code, "person": shown}, indent=2) if as_json else code)
        return 0

    return acted(work, passphrase_stdin, token_stdin)


@app.command
def change(
    name: str,
    /,
    *,
    admin: bool | None = None,
    operator: bool | None = None,
    enable: Annotated[
        bool | None,
        Parameter(name="--enable", negative="--disable", help="Disabled: neither in nor counted."),
    ] = None,
    agent: Agents = None,
    all_agents: Annotated[bool, Parameter(negative="", help="An operator for all agents.")] = False,
    identity: Annotated[
        list[str] | None, Parameter(name="--identity", help="Add an identity; several times.")
    ] = None,
    no_identity: Annotated[
        list[str] | None, Parameter(name="--no-identity", help="Take an identity away.")
    ] = None,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
) -> int:
    """Change what somebody may do, their identities, or whether they are enabled.

    Parameters
    ----------
    name
        The name, or any identity.
    """
    what: dict[str, Any] = {"admin": admin, "operator": operator, "enabled": enable}
    what = {key: value for key, value in what.items() if value is not None}
    if agent is not None or all_agents:
        what["agents"] = None if all_agents else tuple(agent or ())

    if identity:
        what["add_identities"] = tuple(identity)
    if no_identity:
        what["drop_identities"] = tuple(no_identity)

    async def work(broker: Broker, actor: Actor) -> int:
        if not what:
            raise CallInvalid("nothing is to change", "see: sayso people change --help")
        person = await broker.people.change(actor, name, **what)
        print(f"changed: {person.name}")
        return 0

    return acted(work, passphrase_stdin, token_stdin)


@app.command
def remove(
    name: str, /, *, passphrase_stdin: PassphraseStdin = False, token_stdin: TokenStdin = False
) -> int:
    """Remove somebody for good: every login, token, role and stand-in; the name is never given anew.

    Parameters
    ----------
    name
        The name, or any identity.
    """

    async def work(broker: Broker, actor: Actor) -> int:
        await broker.people.remove(actor, name)
        print(f"removed: {name}")
        return 0

    return acted(work, passphrase_stdin, token_stdin)


@app.command
def code(
    name: str, /, *, passphrase_stdin: PassphraseStdin = False, token_stdin: TokenStdin = False
) -> int:
    """Print a code with which somebody chooses a new passphrase, this once.

    Parameters
    ----------
    name
        The name, or any identity.
    """

    async def work(broker: Broker, actor: Actor) -> int:
        print(await broker.people.new_code(actor, name))
        return 0

    return acted(work, passphrase_stdin, token_stdin)


@app.command(name="stand-in")
def stand_in(
    absent: str,
    substitute: str,
    /,
    *,
    days: Annotated[float, Parameter(help="For how many days.")] = 7.0,
    after: Annotated[float, Parameter(help="Beginning after how many days.")] = 0.0,
    end: Annotated[bool, Parameter(negative="", help="Let them not stand in any more.")] = False,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
) -> int:
    """Let somebody stand in for somebody who is away; yourself, or as an admin anybody.

    Parameters
    ----------
    absent
        Who is away.
    substitute
        Who decides for them; never the one whose agent asks.
    """
    if not (0 < days <= MOST_DAYS and 0 <= after <= MOST_DAYS):
        raise CallInvalid("these are not numbers of days", f"give them above 0, up to {MOST_DAYS}")

    async def work(broker: Broker, actor: Actor) -> int:
        if end:
            await broker.people.end_stand_in(actor, absent, substitute)
            print(f"no stand-in any more: {substitute} for {absent}")
            return 0
        since = plus(broker.world.clock.now(), after * DAY_SECONDS)
        until = plus(since, days * DAY_SECONDS)
        await broker.people.stand_in(actor, absent, substitute, since, until)
        print(f"stands in: {substitute} for {absent}, {days:g} days")
        return 0

    return acted(work, passphrase_stdin, token_stdin)
