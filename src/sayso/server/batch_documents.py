"""What the API answers about batches: the calls of a turn, what a session left open, ordered sets."""

from __future__ import annotations

from typing import Any

from sayso.server.card_documents import Card
from sayso.server.documents import Code, Digest, Document, Id, Standing


class BatchMade(Document):
    """A batch of calls, and how each stands, in their order."""

    batch_id: Id
    standings: list[Standing]


class TurnAnswer(Document):
    """The right to continue the turn, or null where it is not free."""

    token: str | None


class CallTold(Document):
    """A call as its agent made it."""

    tool: str
    arguments: dict[str, Any]
    server: str | None
    external_id: str | None
    detail: str | None
    diff: str | None
    definition: str | None
    batch_id: str | None


class UnfinishedCall(Document):
    """A call that waits for people, or that they approved and nobody ran."""

    call: CallTold
    standing: Standing
    pre_approved: bool


class Unfinished(Document):
    """What a session left open, oldest first, decided again."""

    calls: list[UnfinishedCall]


class SetShown(Document):
    """The calls of a batch as one exact, ordered set, with the digest and the code of all of them."""

    batch_id: Id
    digest: Digest
    code: Code
    waits: bool
    cards: list[Card]
