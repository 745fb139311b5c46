"""`sayso freeze`: refuse every call of every agent, or of one, at once (GATE-8)."""

from __future__ import annotations

import json
from typing import Annotated, Any

from cyclopts import App, Parameter

from sayso.broker.access import Actor
from sayso.broker.broker import Broker
from sayso.broker.freezing import freeze_words
from sayso.channels.display import safe
from sayso.cli.acting import AsJson, PassphraseStdin, TokenStdin, acted
from sayso.cli.freezes import thaw_command
from sayso.cli.saying import say
from sayso.core.freeze import Freeze
from sayso.core.moment import to_rfc3339

app = App(name="freeze", help_format="plaintext")

Agent = Annotated[str | None, Parameter(name="--agent", help="Only this agent and its sub-agents.")]


@app.default
def freeze(
    *,
    agent: Agent = None,
    reason: Annotated[
        str | None, Parameter(name=["--reason", "-m"], help="Why; people and agents are told.")
    ] = None,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
    as_json: AsJson = False,
) -> int:
    """Refuse every call of every agent, or of one, at once.

    It counts from the next call on, in every process. What waits goes on waiting,
    and nothing that was approved runs meanwhile; an approval lapses in its own
    time. A call that runs already is not stopped. Who may decide may freeze.
    """

    async def work(broker: Broker, actor: Actor) -> tuple[bool, list[Freeze], bool]:
        put_on = await broker.freezing.freeze(actor, agent, reason)
        tokens = await broker.world.store.credentials()
        known = agent is None or any(token.agent_id == agent for token in tokens)
        return put_on, list(await broker.freezing.now(actor)), known

    put_on, found, known = acted(work, passphrase_stdin, token_stdin)
    if not known:
        say("warning", f"no token names an agent `{agent}`; see: sayso tokens list")
    if as_json:
        print(json.dumps([freeze_json(one) for one in found], indent=2))
        return 0
    if not put_on:
        say("hint", "you had frozen it before, which stays as it was")
    print("\n".join(safe(freeze_words(one)) for one in found))
    print(f"To end it: {thaw_command(agent)}")
    return 0


def freeze_json(freeze: Freeze) -> dict[str, Any]:
    """A brake that is on, for programs."""
    return {
        "agent_id": freeze.agent_id,
        "by": freeze.by,
        "channel": freeze.channel,
        "at": to_rfc3339(freeze.at),
        "reason": freeze.reason,
    }
