"""What commands say of the kill switch."""

from __future__ import annotations

import shlex

from sayso.broker.broker import Broker
from sayso.broker.freezing import freeze_words
from sayso.channels.display import safe_line
from sayso.cli.saying import say
from sayso.core.freeze import Freeze


async def say_frozen(broker: Broker) -> None:
    """Say what is frozen, where nobody may overlook it."""
    for freeze in await broker.world.store.freezes():
        say("warning", f"{freeze_words(freeze)}; to end it: {thaw_command(freeze.agent_id)}")


def thaw_hint(freeze: Freeze) -> str:
    """What to do where something is frozen."""
    return f"calls are refused until somebody ends it: {thaw_command(freeze.agent_id)}"


def thaw_command(agent_id: str | None) -> str:
    """The command that ends it."""
    name = "" if agent_id is None else f" --agent {shlex.quote(safe_line(agent_id))}"
    return f"sayso thaw{name}"
