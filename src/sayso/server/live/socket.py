"""The socket: events as they happen, and what a person decides, over one connection (SRV-2, SRV-3).

The first message says who it is: a page cannot send the half of its login as a header here. Nothing is
sent before it, and each command is proven anew, so that a revoked credential decides nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import msgspec
import structlog
from litestar import WebSocket
from litestar.exceptions import WebSocketDisconnect

from sayso.broker.broker import Broker
from sayso.errors import NotAuthenticated, NotEligible, SaysoError
from sayso.server.auth import Who, presented, prove
from sayso.server.cards import Cards
from sayso.server.live.closing import Closing
from sayso.server.live.commands import carry_out, read_command, read_hello
from sayso.server.live.events import Events, Together
from sayso.server.live.sse import SLOW_SECONDS
from sayso.server.problems import Refusal, describe, describe_refusal, problem

_log = structlog.get_logger("sayso.server")

HELLO_SECONDS = 10.0
"""Who has not said who it is by then is disconnected."""

RESTARTING = 1012
FAILED = 1011
LATER = 1013
UNPROVEN = 4401
REFUSED = 4403
MALFORMED = 4400


class Conversation:
    """One connection, from its opening to its end."""

    def __init__(
        self,
        socket: WebSocket[Any, Any, Any],
        broker: Broker,
        cards: Cards,
        together: Together,
        closing: Closing,
    ) -> None:
        self._socket = socket
        self._broker = broker
        self._cards = cards
        self._together = together
        self._closing = closing

    async def hold(self) -> None:
        """Hold it until the client goes, may no longer, is too slow, or the server closes."""
        await self._socket.accept()
        talking = asyncio.create_task(self._talk())
        try:
            with self._closing.ending(talking):
                await asyncio.wait({talking})
        finally:
            talking.cancel()
        code = RESTARTING if talking.cancelled() else talking.result()
        if code is not None:
            with contextlib.suppress(Exception):  # it may have gone meanwhile
                async with asyncio.timeout(1):
                    await self._socket.close(code=code)

    async def _talk(self) -> int | None:
        """The talk; the code to close with, None if there is nobody to tell it to."""
        try:
            async with asyncio.timeout(HELLO_SECONDS):
                hello = read_hello(await self._socket.receive_text())
            token, by_cookie = presented(self._socket, hello.csrf, hello.token)
            actor = await prove(self._broker.access, token, by_cookie, Who.PERSON)
            events = Events(self._broker, self._cards, self._together, actor, token)
            await self._both(events, hello.last_event_id, token, by_cookie)
        except TimeoutError:  # goes before OSError, whose kind it is
            return REFUSED
        except (WebSocketDisconnect, OSError):
            return None
        except Refusal as error:
            return await self._last_word(describe_refusal(error), MALFORMED)
        except NotAuthenticated as error:
            return await self._last_word(describe(error), UNPROVEN)
        except NotEligible as error:
            return await self._last_word(describe(error), REFUSED)
        except SaysoError as error:
            document = describe(error)
            return await self._last_word(
                document, LATER if document["status"] >= 500 else MALFORMED
            )
        except Exception:
            _log.exception("a socket failed inside")
            return FAILED
        return None

    async def _both(self, events: Events, after: int | None, token: str, by_cookie: bool) -> None:
        """Tell events and hear commands, until one of them ends; raises what ended it."""
        tasks = {
            asyncio.create_task(self._tell(events, after)),
            asyncio.create_task(self._hear(token, by_cookie)),
        }
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _tell(self, events: Events, after: int | None) -> None:
        async with contextlib.aclosing(events.told(after)) as all_told:
            async for told in all_told:
                await self._send(told.message)

    async def _hear(self, token: str, by_cookie: bool) -> None:
        while True:
            text = await self._socket.receive_text()
            ref: str | None = None
            try:
                command = read_command(text)
                ref = command.ref
                actor = await prove(self._broker.access, token, by_cookie, Who.PERSON)
                result = await carry_out(command, actor, self._broker, self._cards)
            except NotAuthenticated:
                raise
            except Refusal as error:
                await self._reply(ref, problem=describe_refusal(error))
            except SaysoError as error:
                await self._reply(ref, problem=describe(error))
            except Exception:
                _log.exception("a command failed inside")
                failed = problem(500, "internal", "something went wrong inside the server")
                await self._reply(ref, problem=failed)
            else:
                await self._reply(ref, result=result)

    async def _reply(self, ref: str | None, **what: Any) -> None:
        document = {"event": "reply", "ref": ref, "ok": "problem" not in what, **what}
        await self._send(msgspec.json.encode(document).decode())

    async def _last_word(self, document: dict[str, Any], code: int) -> int | None:
        try:
            await self._send(
                msgspec.json.encode({"event": "problem", "problem": document}).decode()
            )
        except (OSError, TimeoutError):
            return None
        return code

    async def _send(self, text: str) -> None:
        async with asyncio.timeout(SLOW_SECONDS):
            await self._socket.send_text(text)
