"""What every channel has to hold to, whatever it talks to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

import pytest

from sayso.broker.ports import Notifier
from sayso.channels.card import Card, card_of
from sayso.channels.channel import Channel
from sayso.channels.notifier import Channels
from sayso.channels.terminal import TerminalApprover
from sayso.channels.web import WebInbox
from sayso.people.person import owner
from sayso.requests.approval import ApprovalRequest, Vote
from tests.fakes.terminal import FakeKeyring, Person, a_terminal
from tests.fakes.values import a_call, a_request, approved, at, in_every_state


class Somebody(Protocol):
    """The person at the other end of a channel."""

    async def sees(self, card: Card) -> None:
        """Wait until the card is shown with its buttons."""

    async def approves(self) -> None:
        """Do what approves a card, as far as the channel still lets one."""


class AtATerminal:
    """Presses the key and gives the passphrase, if asked."""

    def __init__(self, person: Person) -> None:
        self._person = person

    async def sees(self, card: Card) -> None:
        """The choices stand under the card."""
        await self._person.asked()

    async def approves(self) -> None:
        """The key, and the passphrase where it is asked for."""
        self._person.press("a")
        await self._person.settle()
        if "Passphrase" in self._person.screen:
            self._person.press("open sesame\n")
        await self._person.settle()


class AtThePage:
    """Looks at the page, which takes its votes over the HTTP API and not through the channel."""

    async def sees(self, card: Card) -> None:
        """Nothing was pushed."""

    async def approves(self) -> None:
        """Nothing goes through the channel."""


@dataclass(frozen=True)
class Setting:
    """A channel with a person at its other end; `takes_votes` if votes come through it."""

    channel: Channel
    somebody: Somebody
    takes_votes: bool


@pytest.fixture(params=["web", "terminal"])
def setting(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Setting]:
    monkeypatch.setenv("TERM", "xterm")
    with ExitStack() as stack:
        if request.param == "web":
            yield Setting(WebInbox(), AtThePage(), takes_votes=False)
            return
        person = stack.enter_context(a_terminal())
        approver = TerminalApprover(
            FakeKeyring(), lambda: at(10), path=person.path, quiet_seconds=0.05
        )
        yield Setting(approver, AtATerminal(person), takes_votes=True)


class Votes:
    def __init__(self) -> None:
        self.taken: list[tuple[str, Vote, str, str | None]] = []

    async def __call__(self, request_id: str, vote: Vote, digest: str, comment: str | None) -> None:
        self.taken.append((request_id, vote, digest, comment))


@asynccontextmanager
async def listening(channel: Channel, votes: Votes) -> AsyncIterator[None]:
    task = asyncio.create_task(channel.listen(votes))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await channel.close()


def card(request: ApprovalRequest | None = None) -> Card:
    return card_of(a_request() if request is None else request, now=at(10))


async def picture(request: ApprovalRequest) -> Card:
    return card(request)


async def test_it_has_a_name_says_what_it_can_show_and_works(setting: Setting) -> None:
    assert setting.channel.name.isidentifier()
    assert setting.channel.fidelity.max_length is None or setting.channel.fidelity.max_length > 0
    assert setting.channel.can_ask
    await setting.channel.check()


@pytest.mark.spec("CH-15")
async def test_an_approval_carries_the_digest_of_what_was_shown(setting: Setting) -> None:
    votes = Votes()
    async with listening(setting.channel, votes):
        await setting.channel.announce(card())
        await setting.somebody.sees(card())
        await setting.somebody.approves()
    expected = [("c1", Vote.APPROVE, card().digest, None)] if setting.takes_votes else []
    assert votes.taken == expected


@pytest.mark.parametrize("status", [s for s in in_every_state() if s != "pending"])
async def test_an_update_after_the_resolution_takes_the_decision_away(
    setting: Setting, status: str
) -> None:
    votes = Votes()
    async with listening(setting.channel, votes):
        await setting.channel.announce(card())
        await setting.somebody.sees(card())
        await setting.channel.update(card(in_every_state()[status]))
        await asyncio.sleep(0.05)
        await setting.somebody.approves()
    assert votes.taken == []


async def test_updates_of_what_it_never_showed_do_no_harm(setting: Setting) -> None:
    votes = Votes()
    async with listening(setting.channel, votes):
        for request in in_every_state().values():
            await setting.channel.update(card(request))
        await setting.somebody.approves()
    assert votes.taken == []


async def test_behind_the_notifier_nothing_it_does_reaches_the_broker(setting: Setting) -> None:
    class Breaking:
        """The channel, all of whose deliveries fail."""

        name = setting.channel.name
        fidelity = setting.channel.fidelity
        can_ask = True
        confirms = True

        def reaches(self, person: object) -> bool:
            return True

        async def remind(self, card: Card) -> None:
            raise RuntimeError("broken")

        async def check(self) -> None:
            raise RuntimeError("broken")

        async def announce(self, card: Card) -> None:
            await setting.channel.announce(card)
            raise RuntimeError("broken")

        async def update(self, card: Card) -> None:
            await setting.channel.update(card)
            raise RuntimeError("broken")

        async def listen(self, decide: object) -> None:
            raise RuntimeError("broken")

        async def close(self) -> None:
            await setting.channel.close()
            raise RuntimeError("broken")

    async def at_once(_: float) -> None:
        await asyncio.sleep(0)

    notifier = Channels([Breaking()], picture, sleep=at_once, retry_seconds=(0.0,))
    port: Notifier = notifier
    for request in (a_request(), a_request(a_call(call_id="c2"))):
        await port.announce(request, [owner()])
        await notifier.settled()
        await port.update(approved(request))
        await notifier.settled()
        assert all(d.problem == "broken" for d in notifier.deliveries(request.request_id))
    await notifier.close()
