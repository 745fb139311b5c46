"""`sayso tokens`: the credentials of agents, approvers and admins; their kinds are disjoint (REQ-62, REQ-64)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from cyclopts import App, Parameter

from sayso.channels.display import one_line, plain, show
from sayso.cli.acting import AsJson, PassphraseStdin, TokenStdin, acting
from sayso.cli.table import table
from sayso.core.moment import Moment, to_rfc3339
from sayso.errors import CallInvalid
from sayso.front.assembly import open_broker
from sayso.people.token import Credential, CredentialKind

app = App(
    name="tokens",
    help="Make, list and revoke the tokens of agents, approvers and admins.",
    help_format="plaintext",
)

DAY_SECONDS = 86_400.0
MOST_DAYS = 36_500


@app.command
def create(
    *,
    kind: Annotated[
        Literal["agent", "approver", "admin"],
        Parameter(
            help="agent: makes calls, never decides; approver: decides; admin: also configures."
        ),
    ],
    agent: Annotated[
        str | None, Parameter(help="The agent's name, as rules and cards show it (kind agent).")
    ] = None,
    name: Annotated[str, Parameter(show_default=False, help="What the token is for.")] = "",
    run_context: Annotated[
        list[str] | None,
        Parameter(
            name="--run-context",
            help="A run context that its sessions may name (kind agent); several times.",
        ),
    ] = None,
    days: Annotated[
        float | None, Parameter(help="After how many days it ends; never by default.")
    ] = None,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
    as_json: AsJson = False,
) -> int:
    """Make a token and print it, this once: only its hash is kept."""
    if kind == "agent" and not agent:
        agent = name or "agent"
    if days is not None and not 0 < days <= MOST_DAYS:
        raise CallInvalid(
            f"`{days:g}` is not a number of days", f"give one above 0 and up to {MOST_DAYS}"
        )
    return asyncio.run(
        _create(
            CredentialKind(kind),
            agent,
            name,
            days,
            run_context or (),
            passphrase_stdin,
            token_stdin,
            as_json,
        )
    )


async def _create(
    kind: CredentialKind,
    agent: str | None,
    name: str,
    days: float | None,
    run_contexts: Sequence[str],
    passphrase_stdin: bool,
    token_stdin: bool,
    as_json: bool,
) -> int:
    async with acting(passphrase_stdin=passphrase_stdin, token_stdin=token_stdin) as (
        broker,
        actor,
    ):
        known = {context.run_context_id for context in await broker.world.store.run_contexts()}
        for unknown in sorted(set(run_contexts) - known):
            raise CallInvalid(
                f"no run context has the id `{unknown[:64]}`", "see: sayso contexts list"
            )
        token, credential = await broker.access.create_token(
            actor,
            kind,
            agent_id=agent,
            name=name,
            lifetime=None if days is None else days * DAY_SECONDS,
            run_contexts=run_contexts,
        )
        now = broker.world.clock.now()
    print(json.dumps({"token": token, **_row(credential, now)}, indent=2) if as_json else token)
    return 0


@app.command(name="list")
def list_(
    *,
    every: Annotated[
        bool, Parameter(name="--all", negative="", show_default=False, help="Also ended ones.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """List the tokens that count; their secrets are not kept anywhere."""
    return asyncio.run(_list(every, as_json))


async def _list(every: bool, as_json: bool) -> int:
    async with open_broker() as broker:
        now = broker.world.clock.now()
        found = await broker.world.store.credentials()
    rows = [
        _row(credential, now)
        for credential in found
        if credential.kind is not CredentialKind.SESSION and (every or credential.live(now))
    ]
    if as_json:
        print(json.dumps(rows, indent=2))
    elif rows:
        print(table(("id", "kind", "until", "agent", "name"), [_columns(row) for row in rows]))
    else:
        print("There are no tokens. Make one: sayso tokens create --kind agent --agent NAME")
    return 0


@app.command
def revoke(
    token_id: str, /, *, passphrase_stdin: PassphraseStdin = False, token_stdin: TokenStdin = False
) -> int:
    """Revoke a token: from the next call on it opens nothing.

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
            raise CallInvalid(
                f"no token that counts has the id `{token_id[:64]}`", "see: sayso tokens list"
            )
    print(f"revoked: {token_id}")
    return 0


def _row(credential: Credential, now: Moment) -> dict[str, Any]:
    ends = credential.expires_at
    return {
        "id": credential.credential_id,
        "kind": credential.kind.value,
        "person": credential.person_id,
        "agent": credential.agent_id,
        "name": credential.name,
        "run_contexts": list(credential.run_contexts),
        "created_at": to_rfc3339(credential.created_at),
        "expires_at": None if ends is None else to_rfc3339(ends),
        "live": credential.live(now),
    }


def _columns(row: dict[str, Any]) -> tuple[str, ...]:
    until = (row["expires_at"] or "no end")[:10] if row["live"] else "ended"
    agent, name = (plain(one_line(show(row[key] or ""))) for key in ("agent", "name"))
    return row["id"], row["kind"], until, agent, name
