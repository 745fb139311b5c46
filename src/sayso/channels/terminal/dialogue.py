"""The conversation about one card: what the keys do, and what has to be seen before approving."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from typing import Any

from sayso.channels.card import Card
from sayso.channels.channel import Decide
from sayso.channels.display import one_line, plain, safe
from sayso.channels.editing import arguments_of, new_value
from sayso.channels.terminal.picture import Picture, draw, explain_text
from sayso.channels.terminal.prompt import Prompt
from sayso.channels.terminal.sheet import Look
from sayso.channels.terminal.unlocking import Lock
from sayso.core.moment import Moment
from sayso.errors import CallInvalid, RequestClosed, RequestNotFound, SaysoError
from sayso.requests.approval import Vote

APPROVE_KEYS = ("a", "y")
REJECT_KEYS = ("r", "n")
FULL_KEY = "f"
EDIT_KEY = "e"
EXPLAIN_KEY = "?"
KEPT_KEYS = {"s": "session", "A": "always"}
"""Approve, and keep it so: the keys and for how long."""

NEVER_KEY = "N"


class Dialogue:
    """One card on the screen until it is decided, here or elsewhere."""

    def __init__(
        self,
        card: Card,
        prompt: Prompt,
        lock: Lock,
        decide: Decide,
        now: Callable[[], Moment],
        *,
        width: int,
        diff_lines: int,
        look: Look,
        shown: Callable[[str, str], Awaitable[object]] | None = None,
    ) -> None:
        """`shown` is told the request and digest of the card, once all that would run stands on the screen."""
        self._shown = shown
        self._card = card
        self._prompt = prompt
        self._lock = lock
        self._decide = decide
        self._now = now
        self._width = width
        self._diff_lines = diff_lines
        self._look = look
        self._deciding = False
        self._closed_meanwhile = False
        self._over = asyncio.Event()
        self._must_see = False
        self._hides = False

    @property
    def request_id(self) -> str:
        """The request that is on the screen."""
        return self._card.request_id

    def update(self, card: Card) -> None:
        """Take the newest state; the dialogue is over once the request no longer waits.

        A card of another digest is another question: it is never decided by keys for this one.
        """
        if card.waits and card.digest == self._card.digest:
            self._card = card
        elif self._deciding:
            self._closed_meanwhile = True
        else:
            self._over.set()

    async def resolved(self) -> None:
        """Wait until the request was resolved elsewhere."""
        await self._over.wait()

    async def run(self) -> None:
        """Show the card and take keys until the person has decided."""
        await self._show(full=False)
        while self._card.may_reject:
            key = await self._prompt.key()
            if key in APPROVE_KEYS:
                done = await self._approve()
            elif key in REJECT_KEYS:
                done = await self._reject()
            elif key in KEPT_KEYS and KEPT_KEYS[key] in self._card.offer.approve:
                done = await self._approve(KEPT_KEYS[key])
            elif key == NEVER_KEY and "always" in self._card.offer.reject:
                done = await self._reject("always")
            elif key == EDIT_KEY and self._card.who.may_edit:
                done = await self._edit()
            else:
                done = False
                if key == FULL_KEY and self._hides:
                    await self._show(full=True)
                elif key == EXPLAIN_KEY:
                    said = explain_text(self._card, width=self._width, look=self._look)
                    await self._prompt.show(said + self._choices())
            if done:
                return

    async def _show(self, *, full: bool) -> None:
        picture: Picture = draw(
            self._card,
            self._now(),
            width=self._width,
            diff_lines=self._diff_lines,
            full=full,
            look=self._look,
        )
        self._must_see, self._hides = picture.cut_what, picture.cut
        await self._prompt.show(picture.text + self._choices())
        if self._shown is not None and not self._must_see:
            tell, self._shown = self._shown, None
            with contextlib.suppress(SaysoError):  # a delivery that is not noted counts as none
                await tell(self._card.request_id, self._card.digest)

    def _choices(self) -> str:
        """The line that says what each key grants; only what is offered stands there."""
        card = self._card
        said = []
        if card.offer.covers and (card.offer.reject or (card.offer.approve and card.may_approve)):
            # All that a grant or a veto would cover stands beside the keys that give it.
            said.append(" For the session, always and never mean:\n")
            said += [f"   - {plain(one_line(label))}\n" for label in card.offer.covers]
        if card.approve_refused is not None:
            said.append(f" Approving is not offered: {card.approve_refused}.\n")
        keys = []
        if self._hides:
            keys.append("f show all of it")
        if card.may_approve and not self._must_see:
            keys.append("a approve once, exactly this")
            words = {"session": "s for this session", "always": "A always"}
            keys += [words[kept] for kept in card.offer.approve if kept in words]
            if card.who.may_edit:
                keys.append("e edit, then approve")
        if card.may_reject:
            keys.append("r reject")
            if "always" in card.offer.reject:
                keys.append("N never")
        keys.append("? explain")
        return "".join(said) + " " + "   ".join(keys) + "\n"

    async def _approve(self, remember: str = "once") -> bool:
        card = self._card
        if not card.may_approve:
            await self._prompt.say(f" It cannot be approved here: {card.approve_refused}.")
            return False
        if self._must_see:
            await self._prompt.say(" Some of it is hidden: press f to see all of it first.")
            return False
        return await self._vote(Vote.APPROVE, None, remember=remember)

    async def _edit(self) -> bool:
        """Take another value of one argument, show what would run then, and approve that."""
        if not self._card.may_approve or self._must_see:
            return await self._approve()  # which says why not
        name = await self._prompt.line(" Which argument? (Esc: go back) ")
        arguments = arguments_of(self._card)
        if name is None or name not in arguments:
            said = (
                self._choices()
                if name is None
                else f" There is no argument of that name.\n{self._choices()}"
            )
            await self._prompt.say(said.rstrip("\n"))
            return False
        typed = await self._prompt.line(" Its new value? (Esc: go back) ")
        try:
            value = None if typed is None else new_value(arguments[name], typed)
        except CallInvalid as error:
            await self._prompt.say(f" {error.message}.\n{self._choices()}".rstrip("\n"))
            return False
        if typed is None:
            await self._prompt.say(self._choices().rstrip("\n"))
            return False
        arguments[name] = value
        shown = safe(json.dumps(arguments, ensure_ascii=False, indent=2)).replace("\n", "\n  │ ")
        asked = f" It will run with:\n  │ {shown}\n Approve exactly this, once? Type yes: "
        if ((await self._prompt.line(asked)) or "").strip().lower() not in ("y", "yes"):
            await self._prompt.say(self._choices().rstrip("\n"))
            return False
        return await self._vote(Vote.APPROVE, None, arguments)

    async def _reject(self, remember: str = "once") -> bool:
        if not self._card.may_reject:
            await self._prompt.say(f" It is not yours to decide: {self._card.approve_refused}.")
            return False
        comment = await self._prompt.line(" Why? (Enter: no comment, Esc: go back) ")
        if comment is None:
            await self._prompt.say(self._choices().rstrip("\n"))
            return False
        return await self._vote(Vote.REJECT, comment.strip() or None, remember=remember)

    async def _vote(
        self,
        vote: Vote,
        comment: str | None,
        arguments: dict[str, Any] | None = None,
        remember: str = "once",
    ) -> bool:
        """Hand the vote in for exactly the digest on the screen; whether the dialogue is over."""
        digest = self._card.digest
        if not await self._lock.opened(self._hidden_line, self._say):
            await self._prompt.say(self._choices().rstrip("\n"))
            return False
        self._deciding = True
        try:
            more: dict[str, Any] = {} if arguments is None else {"arguments": arguments}
            if remember != "once":
                more["remember"] = remember
            problem = await self._decide(self.request_id, vote, digest, comment, **more)
            if problem:
                await self._prompt.say(f" {safe(problem)}.")
        except (RequestClosed, RequestNotFound) as error:
            await self._prompt.say(f" {error.message}.")
            return True
        except SaysoError as error:
            await self._prompt.say(f" {error}\n{self._choices()}".rstrip("\n"))
            return self._closed_meanwhile
        finally:
            self._deciding = False
        return True

    async def _hidden_line(self, question: str) -> str | None:
        return await self._prompt.line(f" {question}", hidden=True)

    async def _say(self, text: str) -> None:
        await self._prompt.say(f" {text}")
