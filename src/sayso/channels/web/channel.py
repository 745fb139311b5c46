"""The web inbox as a channel: it can always be asked, because people come to it (CH-5)."""

from __future__ import annotations

from sayso.channels.channel import Decide, Fidelity
from sayso.people.person import Person


class WebInbox:
    """A pull channel: the store holds the requests, the events tell the page to look again.

    It needs neither card nor request, so alone it can serve as the broker's Notifier too.
    """

    name = "web"
    fidelity = Fidelity()
    can_ask = True
    confirms = False

    async def check(self) -> None:
        """The page is part of the server: where the server runs, it works."""

    def reaches(self, person: Person) -> bool:
        """Whoever can log in; who can is known to the broker."""
        return True

    def ways(self, person: Person) -> tuple[str, ...]:
        """As the broker's only channel: the page."""
        return (self.name,)

    async def announce(self, what: object, asked: object = None) -> None:
        """Nothing to send: the request is in the inbox and the event is out."""

    async def update(self, what: object) -> None:
        """Nothing to send: the page has the event and reads the card again."""

    async def remind(self, what: object, asked: object = None) -> None:
        """Nothing to send: the page has the event."""

    async def announce_question(self, what: object, asked: object = None) -> None:
        """Nothing to send: the question is in the inbox and the event is out."""

    async def update_question(self, what: object) -> None:
        """Nothing to send: the page has the event."""

    async def listen(self, decide: Decide) -> None:
        """No votes come through here: the page hands them in over the HTTP API."""

    async def close(self) -> None:
        """Nothing is held."""
