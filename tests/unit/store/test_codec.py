"""Values that cannot be stored or read are said, not guessed."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from sayso.core.approval_policy import ApprovalPolicy, parse_approval_policy
from sayso.errors import StoreCorrupt, StoreError
from sayso.store.codec import calls as codec
from sayso.store.queries import REQUEST_COLUMNS
from tests.contracts.store_values import asks, new
from tests.fakes.values import a_call, a_request, in_every_state


def test_a_text_that_is_not_unicode_is_refused() -> None:
    broken = a_call(diff="\ud800")
    with pytest.raises(StoreError, match="cannot be stored"):
        codec.new_rows(new(a_request(broken)))


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"call_id": 5}', '{"call_id": "c1"}', "\x00"], ids=repr
)
def test_a_damaged_document_is_damage(text: str) -> None:
    with pytest.raises(StoreCorrupt, match="a stored ToolCall cannot be read") as caught:
        codec.read_call(("c1", "d", "ask", "rule-ask", None, None, text))
    assert caught.value.hint


def test_documents_of_an_older_program_are_read() -> None:
    text = (
        '{"call_id":"c1","tool":"t","arguments":{},"session_id":"s","agent_id":"a","user_id":"u"}'
    )
    _, call = codec.read_call(("c1", "d", "ask", "rule-ask", None, None, text))
    assert (call.attended, call.server, call.parent) == (True, None, ())


@pytest.mark.parametrize("state", sorted(in_every_state()))
def test_a_request_goes_through_its_rows_unchanged(state: str) -> None:
    request = in_every_state()[state]
    rows = codec.new_rows(new(request))
    assert rows.request is not None
    both = {**rows.call, **rows.request}
    assert codec.read_request([both[column.name] for column in REQUEST_COLUMNS]) == request
    assert rows.request["closed"] == (state not in {"pending", "approved", "running", "unknown"})


def test_a_policy_is_stored_as_it_was_merged() -> None:
    policy = replace(
        parse_approval_policy({"timeout": 5, "severity": "high", "approvers": []}), quorum=3
    )
    request = a_request(policy=policy)
    rows = codec.new_rows(new(request))
    assert rows.request is not None
    both = {**rows.call, **rows.request}
    found = codec.read_request([both[column.name] for column in REQUEST_COLUMNS])
    assert found.policy == policy != ApprovalPolicy()


@pytest.mark.spec("REQ-2")
def test_a_request_that_an_older_program_wrote_has_no_dialogue() -> None:
    rows = codec.new_rows(new(a_request()))
    assert rows.request is not None
    assert "context" not in json.loads(rows.call["asked"])  # as those of before, which are read
    both = {**rows.call, **rows.request}
    assert codec.read_request([both[column.name] for column in REQUEST_COLUMNS]).context is None


def test_a_call_that_asks_again_leaves_the_external_id() -> None:
    made = asks("c2", external_id="toolu_1")
    assert codec.new_rows(made).call["external_id"] == "toolu_1"
