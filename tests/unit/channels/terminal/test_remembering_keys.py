"""Keys that have an answer remembered stand only where they are offered, beside what they would grant."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sayso.channels.card import card_of
from sayso.channels.card_offer import offer_of
from sayso.channels.terminal.dialogue import Dialogue
from sayso.core.approval_policy import ApprovalPolicy
from sayso.core.reason import Reason
from sayso.requests.approval import Vote, Why
from sayso.requests.key import Key, KeyKind
from tests.fakes.values import a_call, a_request, at

KEY = Key(KeyKind.COMMAND, ("/w", "echo \u202e\n - everything"))


def dialogue(**changes: Any) -> Dialogue:
    """A dialogue that is not begun: only its line of choices is looked at."""
    request = replace(a_request(), keys=(KEY,), **changes)
    made = Dialogue.__new__(Dialogue)
    made._card = card_of(request, now=at(0))
    made._must_see = made._hides = False
    return made


@pytest.mark.spec("REQ-55")
def test_the_keys_say_what_they_would_grant_and_hostile_text_begins_no_line() -> None:
    said = dialogue()._choices()
    head, label, keys = said.splitlines()
    assert head == " For the session, always and never mean:"
    assert label.startswith("   - run exactly `echo [U+202E]")
    assert (
        keys
        == " a approve once, exactly this   s for this session   A always   r reject   N never   ? explain"
    )


@pytest.mark.spec("REQ-55")
@pytest.mark.parametrize(
    ("changes", "offered"),
    [
        ({"why": Why(Reason.MUST_ASK, "x", must_ask=True)}, "N"),
        ({"policy": ApprovalPolicy(quorum=2)}, "N"),
        ({"policy": ApprovalPolicy(remember=("once", "session"))}, "s"),
        ({"policy": ApprovalPolicy(remember=("once",))}, ""),
        ({"keys": ()}, ""),
        ({"call": a_call(attended=False)}, ""),
        ({}, "sAN"),
    ],
)
def test_only_what_would_lift_just_this_is_offered(changes: dict[str, Any], offered: str) -> None:
    changes = {"keys": (KEY,), **changes}
    made = Dialogue.__new__(Dialogue)
    made._card = card_of(replace(a_request(), **changes), now=at(0))
    made._must_see = made._hides = False
    keys = made._choices().splitlines()[-1].split("   ")
    letters = "".join(key.strip()[0] for key in keys)
    assert "".join(letter for letter in letters if letter in "sAN") == offered


def test_the_bypasses_offered_are_the_narrow_one_first() -> None:
    plain = replace(a_request(), keys=(KEY,))
    may = {"may_approve": True, "may_reject": True, "need": 1}
    assert [b.scope for b in offer_of(plain, **may).bypass] == ["all"]  # type: ignore[arg-type]
    shell = replace(plain, tool_category="shell")
    assert [b.scope for b in offer_of(shell, **may).bypass] == ["category", "all"]  # type: ignore[arg-type]
    server = replace(plain, call=a_call(server="mail"))
    assert [b.scope for b in offer_of(server, **may).bypass] == ["mcp_server", "all"]  # type: ignore[arg-type]


async def test_a_vote_says_for_how_long_and_a_failed_save_is_shown() -> None:
    told: list[Any] = []
    shown: list[str] = []

    class Spoken:
        async def say(self, text: str) -> None:
            shown.append(text)

        async def line(self, question: str) -> str:
            return "never do that"

    class Open:
        async def opened(self, *_: object) -> bool:
            return True

    async def decide(*words: Any, **more: Any) -> str | None:
        told.append((words[1], words[3], more))
        return "approved, but saving the grant failed: full" if more else None

    made = dialogue()
    made._prompt, made._lock, made._decide = Spoken(), Open(), decide  # type: ignore[assignment]
    assert await made._approve("always")
    assert await made._reject("always")
    assert await made._approve()
    assert told == [
        (Vote.APPROVE, None, {"remember": "always"}),
        (Vote.REJECT, "never do that", {"remember": "always"}),
        (Vote.APPROVE, None, {}),
    ]
    assert shown[0] == " approved, but saving the grant failed: full."
