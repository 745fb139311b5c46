"""`approvals.json`: written sorted, read strictly."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from sayso.errors import ApprovalsInvalid
from sayso.requests.approvals_file import Approval, read_approvals, write_approvals
from sayso.requests.key import Key, KeyKind
from sayso.requests.standing_grant import KeyGrant
from tests.fakes.values import at

WRITE = KeyGrant("g1", Key(KeyKind.WRITE, ("/w",)), "owner", None, "owner", "owner", at(1))
RUN = replace(WRITE, key=Key(KeyKind.COMMAND, ("/w", "npm test", "read:/w/é")), given_at=at(2))


@pytest.mark.spec("REQ-53")
def test_what_is_written_is_sorted_and_read_back() -> None:
    text = write_approvals([WRITE, RUN])
    document = json.loads(text)
    assert document["version"] == 1
    assert document["rules"] == [
        {
            "key": "cmd:/w\0npm test\0read:/w/é",
            "label": "run exactly `npm test` in /w (touching read:/w/é)",
            "added": "2027-01-15T08:00:02.000000Z",
        },
        {"key": "write:/w", "label": "edit any file in /w", "added": "2027-01-15T08:00:01.000000Z"},
    ]
    assert text == write_approvals([RUN, WRITE])
    assert read_approvals(text.encode()) == (
        Approval(RUN.key, at(2)),
        Approval(WRITE.key, at(1)),
    )
    assert json.loads(write_approvals([])) == {"version": 1, "rules": []}


@pytest.mark.spec("REQ-53")
def test_vetoes_and_what_is_for_a_session_are_left_out() -> None:
    text = write_approvals([replace(WRITE, veto=True), replace(RUN, session_id="s1")])
    assert json.loads(text)["rules"] == []


RULE = {"key": "write:/w", "label": "x", "added": "2030-01-02T03:04:05Z"}


@pytest.mark.spec("REQ-53")
@pytest.mark.parametrize(
    ("document", "why"),
    [
        (b"", "is not JSON"),
        (b"\xff", "not valid UTF-8"),
        (b"[]", "not an object with `version` and `rules`"),
        (b'{"version":1,"version":1,"rules":[]}', "stands twice"),
        ({"version": 2, "rules": []}, "version is not 1"),
        ({"version": True, "rules": []}, "version is not 1"),
        ({"version": 1, "rules": {}}, "not a list"),
        ({"version": 1, "rules": [], "more": 1}, "not an object with"),
        ({"version": 1, "rules": [{**RULE, "effect": "deny"}]}, "rule 1 is not an object"),
        ({"version": 1, "rules": [RULE, "x"]}, "rule 2 is not an object"),
        ({"version": 1, "rules": [{**RULE, "key": 7}]}, "a field that is no text"),
        ({"version": 1, "rules": [{**RULE, "key": "everything"}]}, "not the key of a grant"),
        ({"version": 1, "rules": [{**RULE, "key": "cmd:/w"}]}, "not a whole key"),
        ({"version": 1, "rules": [{**RULE, "added": "yesterday"}]}, "is not a time"),
        ({"version": 1, "rules": [{**RULE, "added": "2030-01-02T03:04:05"}]}, "is not a time"),
    ],
)
def test_a_corrupt_file_is_a_clear_error(document: Any, why: str) -> None:
    raw = document if isinstance(document, bytes) else json.dumps(document).encode()
    with pytest.raises(ApprovalsInvalid, match=why):
        read_approvals(raw)


def test_a_label_is_never_believed() -> None:
    raw = json.dumps({"version": 1, "rules": [{**RULE, "label": "harmless"}] * 2}).encode()
    (approval,) = read_approvals(raw)
    assert approval.key.label == "edit any file in /w"


@pytest.mark.spec("REQ-53")
def test_what_is_bound_to_a_tool_that_its_key_does_not_name_is_left_out() -> None:
    tool = replace(WRITE, key=Key(KeyKind.MCP, ("mail", "send")), definition="d")
    text = write_approvals([replace(WRITE, definition="d"), tool])
    assert [rule["key"] for rule in json.loads(text)["rules"]] == ["mcp:mail:send"]
