"""`sayso tokens`: the credentials of agents, approvers and admins; their kinds are disjoint (REQ-62, REQ-64)."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated, Literal

from cyclopts import App, Parameter

from sayso.cli.acting import AsJson, PassphraseStdin, TokenStdin, acting
from sayso.core.moment import to_rfc3339
from sayso.errors import CallInvalid
from sayso.front.assembly import open_broker
from sayso.people.token import CredentialKind

app = App(name="tokens", help="Make, list and revoke tokens.", help_format="plaintext")

DAY_SECONDS = 86_400.0


@app.command
def create(
    *,
    kind: Annotated[
        Literal["agent", "approver", "admin"],
        Parameter(
            help="agent: makes calls, never decides. approver: decides. admin: also configures."
        ),
    ],
    agent: Annotated[
        str | None, Parameter(help="The agent's name, as rules and cards show it (kind agent).")
    ] = None,
    name: Annotated[str, Parameter(help="What the token is for.")] = "",
    days: Annotated[
        float | None, Parameter(help="After how many days it ends; never by default.")
    ] = None,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
) -> int:
    """Make a token and print it once; only its hash is kept."""
    if kind == "agent" and not agent:
        agent = name or "agent"
    if days is not None and not days > 0:
        raise CallInvalid(f"`{days}` days is not a time to come", "give a number above 0")
    return asyncio.run(
        _create(CredentialKind(kind), agent, name, days, passphrase_stdin, token_stdin)
    )


async def _create(
    kind: CredentialKind,
    agent: str | None,
    name: str,
    days: float | None,
    passphrase_stdin: bool,
    token_stdin: bool,
) -> int:
    async with acting(passphrase_stdin=passphrase_stdin, token_stdin=token_stdin) as (
        broker,
        actor,
    ):
        token, _ = await broker.access.create_token(
            actor,
            kind,
            agent_id=agent,
            name=name,
            lifetime=None if days is None else days * DAY_SECONDS,
        )
    print(token)
    return 0


@app.command(name="list")
def list_(*, as_json: AsJson = False) -> int:
    """List the tokens; their secrets are not kept anywhere."""
    return asyncio.run(_list(as_json))


async def _list(as_json: bool) -> int:
    async with open_broker() as broker:
        now = broker.world.clock.now()
        rows = [
            {
                "id": credential.credential_id,
                "kind": credential.kind.value,
                "person": credential.person_id,
                "agent": credential.agent_id,
                "name": credential.name,
                "created_at": to_rfc3339(credential.created_at),
                "expires_at": None
                if credential.expires_at is None
                else to_rfc3339(credential.expires_at),
                "live": credential.live(now),
            }
            for credential in await broker.world.store.credentials()
            if credential.kind is not CredentialKind.SESSION
        ]
    if as_json:
        print(json.dumps(rows, indent=2))
        return 0
    for row in rows:
        state = "live" if row["live"] else "ended"
        print(
            f"{row['id']}  {row['kind']:8}  {state:5}  {row['agent'] or ''}  {row['name']}".rstrip()
        )
    if not rows:
        print("There are no tokens. Make one: sayso tokens create --kind agent --agent NAME")
    return 0


@app.command
def revoke(
    token_id: str, *, passphrase_stdin: PassphraseStdin = False, token_stdin: TokenStdin = False
) -> int:
    """Revoke a token at once.

    Parameters
    ----------
    token_id
        The token's id, as `sayso tokens list` shows it.
    """
    return asyncio.run(_revoke(token_id, passphrase_stdin, token_stdin))


async def _revoke(token_id: str, passphrase_stdin: bool, token_stdin: bool) -> int:
    async with acting(passphrase_stdin=passphrase_stdin, token_stdin=token_stdin) as (
        broker,
        actor,
    ):
        if not await broker.access.revoke(actor, token_id):
            raise CallInvalid(f"no live token has the id `{token_id[:64]}`", "sayso tokens list")
    print("revoked")
    return 0
