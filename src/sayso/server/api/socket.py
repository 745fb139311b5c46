"""The socket's route."""

from __future__ import annotations

from typing import Any

from litestar import WebSocket, websocket

from sayso.server.auth import Who
from sayso.server.injected import TheBroker, TheCards, TheClosing, TheTogether
from sayso.server.live.socket import Conversation


# whoever it is says so in the first message, where the conversation proves it
@websocket("/ws", opt={"who": Who.EVERYBODY})
async def converse(
    socket: WebSocket[Any, Any, Any],
    broker: TheBroker,
    cards: TheCards,
    together: TheTogether,
    closing: TheClosing,
) -> None:
    """Events and commands over one connection; docs/reference/http-api.md says how."""
    await Conversation(socket, broker, cards, together, closing).hold()
