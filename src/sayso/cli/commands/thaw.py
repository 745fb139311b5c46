"""`sayso thaw`: end what was frozen (GATE-8)."""

from __future__ import annotations

import json

from cyclopts import App

from sayso.broker.access import Actor
from sayso.broker.broker import Broker
from sayso.broker.freezing import freeze_words
from sayso.channels.display import safe
from sayso.cli.acting import AsJson, PassphraseStdin, TokenStdin, acted
from sayso.cli.commands.freeze import Agent, freeze_json
from sayso.core.freeze import Freeze

app = App(name="thaw", help_format="plaintext")


@app.default
def thaw(
    *,
    agent: Agent = None,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
    as_json: AsJson = False,
) -> int:
    """End what was frozen.

    You end what you froze yourself; an admin ends anybody's. Without --agent only
    the freeze of every agent ends: what was frozen for one alone stays frozen.
    """

    async def work(broker: Broker, actor: Actor) -> list[Freeze]:
        await broker.freezing.thaw(actor, agent)
        return list(await broker.freezing.now(actor))

    left = acted(work, passphrase_stdin, token_stdin)
    if as_json:
        print(json.dumps([freeze_json(one) for one in left], indent=2))
    else:
        print("\n".join(f"still {safe(freeze_words(one))}" for one in left) or "Nothing is frozen.")
    return 0
