"""What every surface shows of a question: the one model for terminal, command line, page and API (CH-1).

All texts came from an agent or a server and go through `display.show`. A secret is never in it: what
was answered to a form is not shown again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from sayso.channels.display import Shown, Text, show, shown_json
from sayso.core.moment import Moment, to_rfc3339
from sayso.policy.web_address import displayed_host, read_url
from sayso.questions.clarification import Item, Reply
from sayso.questions.form import Field
from sayso.questions.plan import WORDS
from sayso.questions.question import Kind, Question

_CONSTRAINTS = ("minLength", "maxLength", "pattern", "minimum", "maximum", "minItems", "maxItems")
_UP_TO_HOST = re.compile(r"[^/?#]*://[^/?#]*")


@dataclass(frozen=True, slots=True)
class CardItem:
    """One question of a clarification, with its answer if it has one."""

    question: Shown
    options: tuple[Shown, ...]
    multi_select: bool
    answer: Shown | None

    def to_json(self) -> dict[str, Any]:
        """The item as the API carries it."""
        return {
            "question": shown_json(self.question),
            "options": [shown_json(option) for option in self.options],
            "multi_select": self.multi_select,
            "answer": _json(self.answer),
        }


@dataclass(frozen=True, slots=True)
class CardField:
    """One field of a form; `field` is what an answer is read by, the rest is to be looked at."""

    field: Field
    label: Shown
    description: Shown | None
    choices: tuple[Shown, ...]
    constraints: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """The field as the API carries it."""
        return {
            "name": self.field.name,
            "kind": self.field.kind,
            "label": shown_json(self.label),
            "description": _json(self.description),
            "required": self.field.required,
            "secret": self.field.secret,
            "format": self.field.format,
            "choices": [
                {"value": choice.value, "label": shown_json(label)}
                for choice, label in zip(self.field.choices, self.choices, strict=True)
            ],
            "default": None if _is_odd(self.field.default) else self.field.default,
            "constraints": self.constraints,
        }


@dataclass(frozen=True, slots=True)
class CardUrl:
    """A URL to be opened by a person, never by sayso; `href` is None where it is no plain one.

    `doubt` says why it is none: programs may read it in different ways, or people misread it.
    """

    text: Shown
    host: Shown
    href: str | None
    doubt: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The URL as the API carries it."""
        return {"text": shown_json(self.text), "host": shown_json(self.host), "href": self.href}


@dataclass(frozen=True, slots=True)
class QuestionCard:
    """A question as it stands; `refused` is why the one who looks may not answer, None if they may."""

    request_id: str
    kind: Kind
    version: int
    status: str
    title: Shown
    agent: Shown
    user: Shown
    session_id: str
    source: str
    context_label: Shown | None
    created_at: Moment
    expires_at: Moment | None
    refused: str | None
    ending: dict[str, Any] | None
    items: tuple[CardItem, ...] = ()
    plan: Shown | None = None
    message: Shown | None = None
    server: Shown | None = None
    fields: tuple[CardField, ...] | None = None
    url: CardUrl | None = None
    plan_answer: str | None = None

    @property
    def waits(self) -> bool:
        """Whether it still waits for a person."""
        return self.status == "pending"

    @property
    def next_item(self) -> int | None:
        """The place of the question whose turn it is; None if there is none."""
        return next((n for n, item in enumerate(self.items) if item.answer is None), None)

    def to_json(self) -> dict[str, Any]:
        """The card as the API carries it: what all kinds have, and what this one has."""
        told: dict[str, Any] = {
            "request_id": self.request_id,
            "kind": self.kind.value,
            "version": self.version,
            "status": self.status,
            "title": shown_json(self.title),
            "agent": shown_json(self.agent),
            "user": shown_json(self.user),
            "session_id": self.session_id,
            "source": self.source,
            "context_label": _json(self.context_label),
            "created_at": to_rfc3339(self.created_at),
            "expires_at": None if self.expires_at is None else to_rfc3339(self.expires_at),
            "may_answer": self.waits and self.refused is None,
            "refused": self.refused,
            "resolution": self.ending,
        }
        match self.kind:
            case Kind.CLARIFICATION:
                told["items"] = [item.to_json() for item in self.items]
            case Kind.PLAN:
                told["plan"] = _json(self.plan)
                told["answers"] = [
                    {"answer": answer.value, "label": label} for answer, label in WORDS.items()
                ]
                told["answer"] = self.plan_answer
            case Kind.ELICITATION:
                told["message"] = _json(self.message)
                told["server"] = _json(self.server)
                told["mode"] = "form" if self.url is None else "url"
                told["fields"] = [field.to_json() for field in self.fields or ()]
                told["url"] = None if self.url is None else self.url.to_json()
        return told


def question_card(question: Question, refused: str | None) -> QuestionCard:
    """The card of a question for somebody; `refused` is why they may not answer, None if they may."""
    replies: list[Reply | None] = [*question.replies]
    replies += [None] * (len(question.items) - len(replies))
    form = question.form
    return QuestionCard(
        request_id=question.question_id,
        kind=question.kind,
        version=question.version,
        status=question.status.value,
        title=show(question.title),
        agent=show(" › ".join(question.agent_chain) or question.agent_id),
        user=show(question.user_id),
        session_id=question.session_id,
        source=question.source,
        context_label=_shown(question.context_label),
        created_at=question.created_at,
        expires_at=question.expires_at,
        refused=refused,
        ending=None if question.ending is None else question.ending.to_json(question.status),
        items=tuple(
            _item(item, reply) for item, reply in zip(question.items, replies, strict=True)
        ),
        plan=_shown(question.plan),
        message=_shown(question.message),
        server=_shown(question.server),
        fields=None if form is None else tuple(_field(f, form.schema) for f in form.fields),
        url=None if question.url is None else _url(question.url),
        plan_answer=None if question.plan_answer is None else question.plan_answer.value,
    )


def _item(item: Item, reply: Reply | None) -> CardItem:
    return CardItem(
        show(item.question),
        tuple(show(option) for option in item.options),
        item.multi_select,
        None if reply is None else show(reply.answer),
    )


def _field(field: Field, schema: Any) -> CardField:
    own = schema["properties"][field.name]
    return CardField(
        field,
        show(field.title or field.name),
        _shown(field.description),
        tuple(show(choice.label) for choice in field.choices),
        {name: own[name] for name in _CONSTRAINTS if name in own},
    )


def _url(url: str) -> CardUrl:
    """The address with the host that all clients find in it; where they differ, all that some would."""
    found = _UP_TO_HOST.match(url)
    start = url if found is None else found[0]
    address, whole = read_url(start), read_url(url)
    if address.host is None or address.doubt is not None:
        places = dict.fromkeys(
            filter(None, (address.host, *whole.alternatives, *address.alternatives))
        )
        host = " or ".join(places) or "no host that can be told"
        return CardUrl(show(url), show(host), None, address.doubt)
    written = address.host in start.lower()
    host = address.host if written else displayed_host(address.host)
    doubt = whole.doubt
    if "@" in start:
        doubt = "a user name stands before the host"
    elif doubt is None and not (written and url.isascii()):
        doubt = "it is written in characters or numbers that stand for others"
    return CardUrl(show(url), show(host, host=True), url if doubt is None else None, doubt)


def _is_odd(default: object) -> bool:
    """Whether a default holds what an input would not show as it is: a hidden or misleading letter."""
    if not isinstance(default, str):
        return False
    return any(not isinstance(run, Text) or run.warn is not None for run in show(default))


def _shown(text: str | None) -> Shown | None:
    return None if text is None else show(text)


def _json(shown: Shown | None) -> list[dict[str, Any]] | None:
    return None if shown is None else shown_json(shown)
