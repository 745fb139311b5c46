"""The dialogue that a call came from: read, bounded, and only as much of it as a policy wants shown."""

from __future__ import annotations

from typing import Any

import pytest

from sayso.core.asking import MAX_TURNS, ContextWanted
from sayso.core.dialogue import MAX_WORDS, SLACK, Dialogue, Role, Said, read_dialogue, wanted_of
from sayso.errors import CallInvalid

TOLD: dict[str, Any] = {
    "user_request": "tidy up",
    "summary": "They tidy up.",
    "messages": [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": "hello, what shall I do?"},
        {"role": "user", "content": "tidy up"},
        {"role": "assistant", "content": "I look first"},
        {"role": "tool", "content": "a.tmp"},
    ],
}


def shown(wanted: ContextWanted, told: Any = TOLD) -> tuple[Any, Any, list[str]]:
    found = wanted_of(read_dialogue(told), wanted)
    if found is None:
        return None, None, []
    request, summary = found.user_request, found.summary
    return (
        request and request.content,
        summary and summary.content,
        [message.content for message in found.messages],
    )


@pytest.mark.spec("REQ-2", "CH-1")
@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (ContextWanted(), ("tidy up", None, ["hello, what shall I do?", "I look first", "a.tmp"])),
        (ContextWanted(recent_turns=1), ("tidy up", None, ["a.tmp"])),
        (ContextWanted(recent_turns=0), ("tidy up", None, [])),
        (
            ContextWanted(user_request=False, recent_turns=2),
            (None, None, ["I look first", "a.tmp"]),
        ),
        (ContextWanted(summary=True), ("tidy up", "They tidy up.", [])),
        (ContextWanted(user_request=False, recent_turns=0), (None, None, [])),
    ],
    ids=["by default", "one turn", "no turns", "no request", "a summary", "nothing"],
)
def test_the_policy_says_what_is_shown(wanted: ContextWanted, expected: Any) -> None:
    assert shown(wanted) == expected


def test_the_request_is_not_shown_twice_and_stands_in_its_place_where_it_is_not_wanted() -> None:
    assert shown(ContextWanted(recent_turns=20))[2].count("tidy up") == 0
    assert shown(ContextWanted(user_request=False, recent_turns=20))[2].count("tidy up") == 1


def test_without_a_named_request_it_is_the_last_thing_the_user_said() -> None:
    told = {"messages": TOLD["messages"]}
    assert shown(ContextWanted(recent_turns=1), told) == ("tidy up", None, ["a.tmp"])
    assert shown(ContextWanted(), {"messages": [{"role": "tool", "content": "x"}]})[0] is None


def test_without_a_summary_the_turns_stay() -> None:
    told = {"messages": [{"role": "tool", "content": "x"}]}
    assert shown(ContextWanted(summary=True), told) == (None, None, ["x"])


@pytest.mark.parametrize(
    "told",
    [None, {}, {"user_request": ""}, {"user_request": None, "messages": []},
     {"messages": [{"role": "user", "content": ""}]}],
)  # fmt: skip
def test_nothing_said_is_no_dialogue(told: Any) -> None:
    assert read_dialogue(told) is None
    assert wanted_of(None, ContextWanted()) is None


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ("words", "the context of the call is no dialogue"),
        ({"prompt": "x"}, "the context of the call is no dialogue"),
        ({"user_request": 5}, "`user_request` in the context of the call is no text"),
        ({"summary": ["x"]}, "`summary` in the context of the call is no text"),
        ({"summary": "\ud800"}, "`summary` in the context is not valid Unicode"),
        ({"messages": "hello"}, "the messages of the context are no list"),
        ({"messages": {"role": "user"}}, "the messages of the context are no list"),
        ({"messages": ["hello"]}, "not just a role and a content"),
        ({"messages": [{"role": "user"}]}, "not just a role and a content"),
        ({"messages": [{"role": "user", "content": "x", "name": "y"}]}, "not just a role"),
        ({"messages": [{"role": "root", "content": "x"}]}, "`root` is no role in a dialogue"),
        ({"messages": [{"role": ["user"], "content": "x"}]}, "is no role in a dialogue"),
        ({"messages": [{"role": "user", "content": None}]}, "`content` in the context of the call"),
    ],
)  # fmt: skip
def test_what_is_no_dialogue_is_refused(told: Any, why: str) -> None:
    with pytest.raises(CallInvalid) as caught:
        read_dialogue(told)
    assert why in caught.value.message


@pytest.mark.spec("REQ-2")
def test_what_is_too_long_is_cut_and_fails_no_call() -> None:
    found = read_dialogue({
        "user_request": "x" * 1_000_000,
        "summary": "y" * MAX_WORDS,
        "messages": [{"role": "tool", "content": str(n)} for n in range(10_000)],
    })  # fmt: skip
    assert found is not None
    assert found.user_request is not None
    assert found.summary is not None
    assert len(found.user_request.content) == MAX_WORDS + SLACK + 1
    assert (found.user_request.cut, found.summary.cut) == (True, False)
    assert [m.content for m in found.messages] == [str(n) for n in range(9979, 10_000)]
    assert len(found.messages) == MAX_TURNS + 1


def test_what_is_sent_on_is_read_as_the_same() -> None:
    found = read_dialogue({**TOLD, "user_request": "x" * 1_000_000})
    assert found is not None
    assert read_dialogue(found.to_json()) == found
    assert Dialogue(messages=(Said("x", Role.TOOL),)).to_json() == {
        "messages": [{"role": "tool", "content": "x"}]
    }
