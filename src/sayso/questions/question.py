"""A question: what is asked of a person besides approvals, as it is stored (REQ-2, REQ-3).

It is a request like an approval: durable before anybody is told of it, in the inbox, with an id of the
same space. It decides nothing about any call.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sayso.core.approval_policy import ApprovalPolicy
from sayso.core.call import Owner, check_name
from sayso.core.moment import Moment, plus, to_rfc3339
from sayso.core.session import Session
from sayso.errors import QuestionInvalid
from sayso.questions.clarification import MAX_QUESTION, Item, Reply, checked
from sayso.questions.form import Form, read_form
from sayso.questions.plan import PlanAnswer, read_plan

MAX_URL = 2000
MAX_TIMEOUT = 30 * 86_400.0
TITLE_LENGTH = 120

WHO_MAY_ANSWER = ApprovalPolicy()
"""The session's user, an operator for that agent, an admin: as for approvals by `any` (REQ-11)."""


class Kind(StrEnum):
    """What kind of question it is."""

    CLARIFICATION = "clarification"
    ELICITATION = "elicitation"
    PLAN = "plan"


class Status(StrEnum):
    """How it stands; every status but the first is final."""

    PENDING = "pending"
    ANSWERED = "answered"
    DECLINED = "declined"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Ending:
    """How a question ended; `by` and `person_id` are None where sayso itself ended it."""

    at: Moment
    by: str | None = None
    person_id: str | None = None
    channel: str | None = None
    comment: str | None = None

    def to_json(self, status: Status) -> dict[str, Any]:
        """The ending as the API writes it."""
        return {
            "reason": status.value,
            "by": self.by,
            "channel": self.channel,
            "comment": self.comment,
            "at": to_rfc3339(self.at),
        }


@dataclass(frozen=True, slots=True)
class QuestionDraft:
    """What an agent's side asks: items, or a plan, or a message with a form or a URL.

    `answer_key` is the public key (base64) to which an answer with secrets is sealed; whoever asked has
    the other half in memory alone. `server` is the MCP server that asks. `timeout` is in seconds.
    """

    kind: Kind
    items: tuple[Item, ...] = ()
    plan: str | None = None
    message: str | None = None
    schema: Mapping[str, Any] | None = None
    url: str | None = None
    server: str | None = None
    external_id: str | None = None
    timeout: float | None = None
    answer_key: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it is stored; `version` counts its changes.

    `replies` are the answers to the items so far. `content` is the answer to a form, or `sealed` where
    that may hold a secret: only the side that asked can open it, and it is erased once that was told.
    `plan_answer` and the ending's comment (feedback) are the answer to a plan.
    """

    question_id: str
    kind: Kind
    session_id: str
    root_session_id: str
    user_id: str
    agent_id: str
    created_at: Moment
    caller_seen: Moment
    expires_at: Moment | None = None
    source: str = "api"
    agent_chain: tuple[str, ...] = ()
    context_label: str | None = None
    external_id: str | None = None
    server: str | None = None
    eligible: tuple[str, ...] = ()
    items: tuple[Item, ...] = ()
    plan: str | None = None
    message: str | None = None
    form: Form | None = None
    url: str | None = None
    answer_key: str | None = None
    status: Status = Status.PENDING
    version: int = 1
    replies: tuple[Reply, ...] = ()
    content: Mapping[str, Any] | None = None
    sealed: str | None = None
    plan_answer: PlanAnswer | None = None
    ending: Ending | None = None

    @property
    def owner(self) -> Owner:
        """The user, agent and session it belongs to."""
        return Owner(self.user_id, self.agent_id, self.session_id)

    @property
    def waits(self) -> bool:
        """Whether it still waits for a person."""
        return self.status is Status.PENDING

    @property
    def next_item(self) -> Item | None:
        """The question whose turn it is; None if all are answered, or it has none."""
        return self.items[len(self.replies)] if len(self.replies) < len(self.items) else None

    @property
    def title(self) -> str:
        """What it is about, in one short line of the agent's or server's words; hostile text."""
        text = self.items[0].question if self.items else self.message or self.plan or ""
        line = next((one.strip() for one in text.splitlines() if one.strip()), "")
        return line if len(line) <= TITLE_LENGTH else f"{line[: TITLE_LENGTH - 1]}…"


def question_of(
    draft: QuestionDraft, session: Session, question_id: str, eligible: tuple[str, ...], now: Moment
) -> Question:
    """The question that a draft asks in a session; raises QuestionInvalid for what cannot be asked."""
    if draft.timeout is not None and not 0 < draft.timeout <= MAX_TIMEOUT:
        raise QuestionInvalid(
            "the timeout is no number of seconds", f"from above 0 to {MAX_TIMEOUT:.0f}"
        )
    external_id = draft.external_id
    return Question(
        question_id=question_id,
        kind=draft.kind,
        session_id=session.session_id,
        root_session_id=session.parent[0] if session.parent else session.session_id,
        user_id=session.user_id,
        agent_id=session.agent_id,
        created_at=now,
        caller_seen=now,
        expires_at=None if draft.timeout is None else plus(now, draft.timeout),
        source=session.source,
        agent_chain=session.agent_chain,
        context_label=session.context_label,
        external_id=None if external_id is None else check_name("external id", external_id),
        server=None if draft.server is None else check_name("server name", draft.server),
        eligible=eligible,
        **_subject(draft),
    )


def subject_digest(question: Question) -> str:
    """SHA-256 in hex over everything that is asked: the audit log proves by it what was answered."""
    asked = {
        "version": 1,
        "kind": question.kind.value,
        "server": question.server,
        "items": [item.to_json() for item in question.items],
        "plan": question.plan,
        "message": question.message,
        "form": None if question.form is None else dict(question.form.schema),
        "url": question.url,
    }
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def same_subject(question: Question, draft: QuestionDraft) -> bool:
    """Whether a draft asks what the question asked: then it is the same, asked again by a retry."""
    subject = _subject(draft)
    subject.pop("answer_key", None)  # a new one each time: it belongs to the program that waits
    return question.kind is draft.kind and all(
        getattr(question, name) == value for name, value in subject.items()
    )


def _subject(draft: QuestionDraft) -> dict[str, Any]:
    match draft.kind:
        case Kind.CLARIFICATION:
            if not draft.items:
                raise QuestionInvalid("there is no question", "say what you want to know")
            return {"items": draft.items}
        case Kind.PLAN:
            return {"plan": read_plan(draft.plan)}
        case Kind.ELICITATION:
            return _elicitation(draft)


def _elicitation(draft: QuestionDraft) -> dict[str, Any]:
    if not isinstance(draft.message, str) or not draft.message.strip():
        raise QuestionInvalid("the message of the form is empty", "say what is asked, and why")
    message = checked(draft.message, "message", MAX_QUESTION)
    if (draft.schema is None) == (draft.url is None):
        raise QuestionInvalid("an elicitation has either a form or a URL")
    if draft.url is not None:
        if not draft.url.startswith(("https://", "http://")):
            raise QuestionInvalid("the URL is none of http or https")
        return {"message": message, "url": checked(draft.url, "URL", MAX_URL)}
    form = read_form(draft.schema)
    if form.has_secrets and not draft.answer_key:
        raise QuestionInvalid(
            "the form asks for a secret, and there is no key to seal the answer with",
            "send `answer_key`, the public half of a key that only you have",
        )
    if form.has_secrets and draft.external_id is not None:
        raise QuestionInvalid(
            "a form that asks for a secret has no external id",
            "it is asked anew: nobody else could open the answer",
        )
    key = draft.answer_key if form.has_secrets else None
    return {"message": message, "form": form, "answer_key": key}
