"""Cards back from the JSON of the API, for surfaces that are clients of a server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sayso.channels.card import Card
from sayso.channels.card_asking import CardAsking, CardGlass, CardQuestion
from sayso.channels.card_offer import NOTHING, CardBypass, CardOffer
from sayso.channels.card_parts import (
    CardArgument,
    CardChange,
    CardEdit,
    CardReview,
    CardTarget,
    CardWhat,
    CardWho,
    CardWhy,
)
from sayso.channels.display import Shown, shown_from_json
from sayso.core.moment import Moment, from_rfc3339
from sayso.core.reason import Reason
from sayso.errors import ChannelError
from sayso.requests.approval import Outcome, Resolution


def card_from_json(data: Mapping[str, Any]) -> Card:
    """The card that a server sent; raises ChannelError for what is no card."""
    try:
        return _card(data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ChannelError(
            f"this is not a card: {error!r}", "the server and this program may differ in version"
        ) from error


def _card(data: Mapping[str, Any]) -> Card:
    why, what, who = data["why"], data["what"], data["who"]
    return Card(
        request_id=str(data["request_id"]),
        version=int(data["version"]),
        status=str(data["status"]),
        severity=str(data["severity"]),
        action=shown_from_json(data["action"]),
        tool=shown_from_json(data["tool"]),
        server=_optional(data["server"]),
        code=str(data["code"]),
        digest=str(data["digest"]),
        agent=shown_from_json(data["agent"]),
        user=shown_from_json(data["user"]),
        session_id=str(data["session_id"]),
        source=str(data["source"]),
        context_label=_optional(data["context_label"]),
        workspace=_optional(data["workspace"]),
        created_at=from_rfc3339(data["created_at"]),
        expires_at=_moment(data["expires_at"]),
        caller=str(data["caller"]),
        why=CardWhy(
            shown_from_json(why["sentence"]),
            str(why["reason"]),
            bool(why["must_ask"]),
            why["rule"],
            shown_from_json(why["explain"]),
        ),
        what=CardWhat(
            _arguments(what["arguments"]),
            _optional(what["diff"]),
            tuple(
                CardTarget(
                    str(item["kind"]),
                    shown_from_json(item["text"]),
                    str(item["effect"]),
                    bool(item["decides"]),
                )
                for item in what["targets"]
            ),
            int(what["hidden"]),
            int(what["lines"]),
            str(what["note"]),
        ),
        previous=data.get("previous"),
        changed=tuple(
            CardChange(str(item["kind"]), shown_from_json(item["text"]))
            for item in data.get("changed", ())
        ),
        edited=_edited(data.get("edited")),
        agent_words=_optional(data["agent_words"]),
        who=CardWho(
            str(who["approver"]),
            int(who["have"]),
            int(who["need"]),
            bool(who["may_decide"]),
            tuple(
                CardReview(
                    str(item["by"]),
                    str(item["channel"]),
                    str(item["vote"]),
                    item["comment"],
                    from_rfc3339(item["at"]),
                )
                for item in who["reviews"]
            ),
            bool(who.get("may_edit", False)),
        ),
        asking=_asking(data.get("asking")),
        approve_refused=data["approve_refused"],
        resolution=_resolution(data["resolution"]),
        outcome=_outcome(data["outcome"]),
        result=data["result"],
        offer=_offer(data.get("offer")),
    )


def _offer(data: Mapping[str, Any] | None) -> CardOffer:
    """What can be remembered; nothing where a server of an older version does not say."""
    if data is None:
        return NOTHING
    return CardOffer(
        tuple(map(shown_from_json, data["covers"])),
        tuple(map(str, data["approve"])),
        tuple(map(str, data["reject"])),
        tuple(CardBypass(str(b["scope"]), shown_from_json(b["label"])) for b in data["bypass"]),
    )


def _arguments(data: list[dict[str, Any]]) -> tuple[CardArgument, ...]:
    return tuple(
        CardArgument(
            shown_from_json(item["name"]), shown_from_json(item["value"]), str(item["kind"])
        )
        for item in data
    )


def _edited(data: Mapping[str, Any] | None) -> CardEdit | None:
    if data is None:
        return None
    return CardEdit(
        shown_from_json(data["by"]), from_rfc3339(data["at"]), _arguments(data["arguments"])
    )


def _resolution(data: Mapping[str, Any] | None) -> Resolution | None:
    if data is None:
        return None
    return Resolution(
        Reason(data["reason"]),
        from_rfc3339(data["at"]),
        data["by"],
        data["channel"],
        data["comment"],
    )


def _outcome(data: Mapping[str, Any] | None) -> Outcome | None:
    if data is None:
        return None
    return Outcome(
        bool(data["ok"]),
        str(data["summary"]),
        from_rfc3339(data["at"]),
        data["seconds"],
        data["said_by"],
    )


def _asking(data: Mapping[str, Any] | None) -> CardAsking:
    """The part about asking; a server of an older version says nothing of it."""
    if data is None:
        return CardAsking(None, False, False, None, (), False, None, False, False)
    glass = data["glass"]
    return CardAsking(
        nobody=data["nobody"],
        escalated=bool(data["escalated"]),
        confirms=bool(data["confirms"]),
        snoozed_until=_moment(data["snoozed_until"]),
        questions=tuple(
            CardQuestion(
                str(item["by"]),
                shown_from_json(item["text"]),
                from_rfc3339(item["at"]),
                _optional(item["answer"]),
                _moment(item["answered_at"]),
            )
            for item in data["questions"]
        ),
        may_ask_back=bool(data["may_ask_back"]),
        glass=None
        if glass is None
        else CardGlass(
            str(glass["by"]),
            shown_from_json(glass["why"]),
            from_rfc3339(glass["at"]),
            from_rfc3339(glass["review_by"]),
            glass["reviewed_by"],
            glass["justified"],
            _optional(glass["comment"]),
        ),
        may_break_glass=bool(data["may_break_glass"]),
        may_review_glass=bool(data["may_review_glass"]),
    )


def _optional(data: list[dict[str, Any]] | None) -> Shown | None:
    return None if data is None else shown_from_json(data)


def _moment(text: str | None) -> Moment | None:
    return None if text is None else from_rfc3339(text)
