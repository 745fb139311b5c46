from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.core.call import (
    MAX_ARGUMENT_BYTES,
    MAX_DEPTH,
    MAX_INTEGER,
    MAX_NAME,
    Owner,
    ToolCall,
    canonical,
    check_arguments,
    check_name,
    digest_of,
    parse_arguments,
)
from sayso.errors import CallInvalid

CALL = ToolCall(
    "c1", "send", {"to": "ann", "amount": 3}, "s1", "a1", "u1", workspace="/w", server="mail"
)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(1 - 2**53, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.spec("POL-1")
def test_the_digest_is_sha_256_over_the_canonical_form() -> None:
    assert digest_of(CALL) == digest_of(replace(CALL, arguments={"amount": 3, "to": "ann"}))
    assert len(digest_of(CALL)) == 64
    assert int(digest_of(CALL), 16)


@pytest.mark.spec("POL-1", "POL-2")
@pytest.mark.parametrize(
    "change",
    [
        {"tool": "send2"},
        {"server": None},
        {"server": "mail2"},
        {"server": "mail__x", "tool": "send"},
        {"arguments": {"to": "ann", "amount": 4}},
        {"arguments": {"to": "ann", "amount": 3, "cc": None}},
        {"user_id": "u2"},
        {"agent_id": "a2"},
        {"session_id": "s2"},
        {"workspace": "/w2"},
        {"workspace": None},
        {"detail": "only a small one"},
    ],
)
def test_every_part_of_a_call_is_in_its_digest(change: dict[str, Any]) -> None:
    assert digest_of(replace(CALL, **change)) != digest_of(CALL)


@pytest.mark.spec("POL-1")
@pytest.mark.parametrize("change", [{"call_id": "c2"}, {"external_id": "x"}, {"diff": "-a\n+b"}])
def test_what_names_or_shows_a_call_is_not_in_its_digest(change: dict[str, Any]) -> None:
    assert digest_of(replace(CALL, **change)) == digest_of(CALL)


@pytest.mark.spec("POL-2")
def test_a_pair_is_not_the_same_call_as_its_joined_name() -> None:
    first = replace(CALL, server="a__b", tool="c")
    second = replace(CALL, server="a", tool="b__c")
    assert first.written_name == second.written_name == "mcp__a__b__c"
    assert digest_of(first) != digest_of(second)


def test_the_owner_is_user_agent_and_session() -> None:
    assert CALL.owner == Owner("u1", "a1", "s1")


def test_two_arguments_with_one_digest_are_one_to_whoever_runs_them() -> None:
    assert str(parse_arguments('{"n": [-0.0]}')) == str(parse_arguments('{"n": [0.0]}'))


def test_the_canonical_form_sorts_keys_and_writes_numbers_one_way() -> None:
    assert canonical({"b": 1.0, "a": "é"}) == '{"a":"é","b":1}'.encode()
    with pytest.raises(CallInvalid, match="no canonical form"):
        canonical({"a": float("nan")})


@given(value=st.dictionaries(st.text(), json_values, max_size=5))
def test_plain_data_comes_back_as_it_went(value: dict[str, Any]) -> None:
    assert check_arguments(value) == value
    assert parse_arguments(json.dumps(value)) == value


@pytest.mark.spec("POL-1")
@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b'{"a": 1, "a": 2}', "`a` stands twice"),
        (b'{"a": {"b": 1, "b": 1}}', "`b` stands twice"),
        (b'{"a": 9007199254740993}', "below 2"),
        (b'{"a": -9007199254740993}', "below 2"),
        (b'{"a": NaN}', "not a JSON number"),
        (b'{"a": -Infinity}', "not a JSON number"),
        (b'{"a": 1e999}', "not a JSON number"),
        (b'{"a": "\xff"}', "not valid UTF-8"),
        (b'{"a": "\\ud800"}', "not valid Unicode"),
        (b'{"\\ud800": 1}', "not valid Unicode"),
        (b"[1]", "not a JSON object"),
        (b"{", "not JSON"),
        (b'{"a": ' + b"[" * 80 + b"]" * 80 + b"}", "nested deeper"),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
        (b'{"a": "' + b"x" * MAX_ARGUMENT_BYTES + b'"}', "more than"),
    ],
)
def test_arguments_that_cannot_be_carried_exactly_are_refused(raw: bytes, why: str) -> None:
    with pytest.raises(CallInvalid, match=why):
        parse_arguments(raw)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({"a": object()}, "not JSON data"),
        ({"a": {1: 2}}, "not text"),
        ({"a": {1, 2}}, "not JSON data"),
        ({"a": "x" * MAX_ARGUMENT_BYTES}, "more than"),
        ([], "not a JSON object"),
    ],
)
def test_python_values_that_are_not_json_are_refused(value: object, why: str) -> None:
    with pytest.raises(CallInvalid, match=why):
        check_arguments(value)


def test_nesting_up_to_the_limit_is_accepted() -> None:
    value: Any = 1
    for _ in range(MAX_DEPTH - 1):
        value = [value]
    assert check_arguments({"a": value}) == {"a": value}


@pytest.mark.parametrize("name", [7, None, "x" * (MAX_NAME + 1), "a\x00b", "\ud800"])
def test_a_name_that_cannot_be_stored_is_refused(name: object) -> None:
    with pytest.raises(CallInvalid, match="the tool"):
        check_name("tool", name)


def test_odd_names_are_left_to_policy() -> None:
    assert check_name("tool", "a\u200bb") == "a\u200bb"
    assert check_name("tool", "") == ""


@pytest.mark.spec("POL-1")
@settings(max_examples=500)
@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-MAX_INTEGER, MAX_INTEGER)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=20,
    )
)
def test_the_fast_canonical_form_is_that_of_the_standard(value: object) -> None:
    try:
        expected = rfc8785.dumps(value)  # type: ignore[arg-type]
    except (ValueError, UnicodeError):
        with pytest.raises(CallInvalid):
            canonical(value)
    else:
        assert canonical(value) == expected
