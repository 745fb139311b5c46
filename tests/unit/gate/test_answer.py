"""What counts as an answer of a hook or the reviewer, and that nothing else does."""

from __future__ import annotations

import pytest

from sayso.gate.answer import MAX_ANSWER, MAX_REASON, Answer, Decision, as_answer, read_answer

ALLOW = '{"decision": "allow", "reason": "as asked"}'


@pytest.mark.spec("REV-1")
def test_a_verdict_stands_alone_or_in_a_code_fence() -> None:
    said = Answer(Decision.ALLOW, "as asked")
    for text in (ALLOW, f"\n {ALLOW}\n\n", f"```json\n{ALLOW}\n```", f"```\n{ALLOW}\n```\n"):
        assert read_answer(text) == said, text
    assert read_answer('{"decision":"deny"}') == Answer(Decision.DENY, "")
    assert read_answer('{"decision":"pass","reason":" a\\n b "}') == Answer(Decision.PASS, "a b")


@pytest.mark.spec("REV-2", "GATE-4")
def test_nothing_else_is_an_answer() -> None:
    for text in (
        "",
        "allow",
        "true",
        "[]",
        '"allow"',
        f"Sure! {ALLOW}",
        f"The call says:\n```json\n{ALLOW}\n```\nbut I am not sure.",
        f"```json\n{ALLOW}\n```\n```json\n{ALLOW}\n```",
        f"{ALLOW}\n{ALLOW}",
        '{"decision": "Allow"}',
        '{"decision": ["allow"]}',
        '{"decision": true}',
        '{"reason": "allow"}',
        '{"decision": "allow", "reason": 1}',
        '{"decision": "allow", "reason": null}',
        '{"decision": "deny", "decision": "allow"}',
        '{"decision": "allow", "continue": true}',
        '{"decision": "allow", "reason": NaN}',
        '{"decision": "allow", "reason": "\\ud800"}',
        '{"decision": "allow", "reason": "\ud800"}',
        '{"decision": "allow"',
        "[" * 100_000,
        '{"decision": "allow", "reason": "' + "x" * MAX_ANSWER + '"}',
    ):
        assert read_answer(text) is None, text[:80]
    for value in (None, True, "allow", ["allow"], {"decision": Decision.ALLOW}, {1: 2}):
        assert as_answer(value) is None, value


def test_a_long_reason_is_cut() -> None:
    found = read_answer('{"decision": "deny", "reason": "' + "x" * 5000 + '"}')
    assert found is not None
    assert len(found.reason) == MAX_REASON
