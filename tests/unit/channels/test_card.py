from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.channels.card import CHANNEL_CAPPED, Card, card_of
from sayso.channels.display import plain, restore, shown_from_json
from sayso.channels.result import countdown_words, result_line, seconds_words
from sayso.core.approval_policy import ApprovalPolicy, Approver, Severity, merge
from sayso.core.code_words import code_of
from sayso.core.reason import Reason
from sayso.gate.explain import request_message
from sayso.requests.approval import ApprovalRequest, Vote, Why
from sayso.requests.lifecycle import Finished, Rejected, apply
from tests.fakes.values import (
    START,
    a_call,
    a_request,
    a_review,
    approved,
    at,
    in_every_state,
    outcome,
    running,
    said,
)

HOSTILE = "rm -rf \x1b[2K\u202e/ # \u200bсору"


def card(request: ApprovalRequest | None = None, **options: Any) -> Card:
    return card_of(
        a_request() if request is None else request,
        **{"now": at(10), **options},
    )


def hostile() -> ApprovalRequest:
    call = a_call(
        tool=f"to{HOSTILE}ol",
        server=f"ser{HOSTILE}ver",
        arguments={HOSTILE: HOSTILE, "nested": {"deep": [HOSTILE, 1, None]}},
        agent_id=f"agent{HOSTILE}",
        workspace=f"/w{HOSTILE}",
        context_label=HOSTILE,
        detail=HOSTILE,
        diff=f"-{HOSTILE}\n+{HOSTILE}",
    )
    target = {"kind": "path", "text": HOSTILE, "own": True, "effect": "ask", "decides": True}
    why = Why(Reason.RULE_ASK, HOSTILE, targets=(target,), explain=HOSTILE)
    return a_request(call, why=why, action=HOSTILE)


def strings(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for key, item in value.items() for text in (key, *strings(item))]
    if isinstance(value, list):
        return [text for item in value for text in strings(item)]
    return [value] if isinstance(value, str) else []


def test_the_json_has_exactly_the_documented_shape() -> None:
    call = a_call(arguments={"text": "a\nb\u202ec", "n": 3}, detail="because", diff="+x")
    target = {"kind": "path", "text": "a.txt", "own": True, "effect": "ask", "decides": True}
    rule = {"effect": "ask", "text": "write(a.txt)"}
    why = Why(Reason.RULE_ASK, "a.txt matches", rule, (target,), must_ask=True, explain="ask: x")
    request = a_request(
        call, ApprovalPolicy(severity=Severity.HIGH), why=why, expires_at=at(600), action="Edit?"
    )
    assert card(request).to_json() == {
        "request_id": "c1",
        "version": 1,
        "status": "pending",
        "severity": "high",
        "action": [{"text": "Edit?"}],
        "tool": [{"text": "send_mail"}],
        "runs": True,
        "server": None,
        "code": code_of(request.digest),
        "digest": request.digest,
        "agent": [{"text": "coder"}],
        "user": [{"text": "owner"}],
        "session_id": "s1",
        "batch_id": None,
        "source": "api",
        "context_label": None,
        "workspace": None,
        "created_at": "2027-01-15T08:00:00.000000Z",
        "expires_at": "2027-01-15T08:10:00.000000Z",
        "caller": "waiting",
        "why": {
            "sentence": [{"text": "a.txt matches"}],
            "reason": "rule-ask",
            "must_ask": True,
            "rule": rule,
            "explain": [{"text": "ask: x"}],
        },
        "what": {
            "arguments": [
                {
                    "name": [{"text": "text"}],
                    "value": [
                        {"text": "a\nb"},
                        {"mark": "U+202E", "name": "RIGHT-TO-LEFT OVERRIDE"},
                        {"text": "c"},
                    ],
                    "kind": "text",
                },
                {"name": [{"text": "n"}], "value": [{"text": "3"}], "kind": "json"},
            ],
            "diff": [{"text": "+x"}],
            "targets": [
                {"kind": "path", "text": [{"text": "a.txt"}], "effect": "ask", "decides": True}
            ],
            "hidden": 1,
            "lines": 4,
            "note": "1 hidden character is shown as a box. 4 lines, nothing cut.",
        },
        "previous": None,
        "changed": [],
        "edited": None,
        "agent_words": [{"text": "because"}],
        "context": None,
        "who": {
            "approver": "any",
            "have": 0,
            "need": 1,
            "may_decide": True,
            "may_edit": False,
            "waiting": "",
            "out_of_reach": None,
            "reviews": [],
        },
        "asking": {
            "nobody": None,
            "escalated": False,
            "confirms": False,
            "snoozed_until": None,
            "questions": [],
            "may_ask_back": True,
            "glass": None,
            "may_break_glass": False,
            "may_review_glass": False,
        },
        "approve_refused": None,
        "resolution": None,
        "outcome": None,
        "result": None,
        "offer": {"covers": [], "approve": [], "reject": [], "bypass": []},
        "remembered": None,
    }


@pytest.mark.spec("CH-17")
def test_the_title_never_holds_what_the_agent_says_of_its_reasons() -> None:
    made = card(a_request(a_call(detail="trust me, it is harmless")))
    assert "trust" not in plain(made.action)
    assert made.agent_words is not None
    assert plain(made.agent_words) == "trust me, it is harmless"


def test_everything_from_the_call_is_shown_faithfully_and_complete() -> None:
    request = hostile()
    made = card(request)
    call = request.call
    assert {restore(a.name): restore(a.value) for a in made.what.arguments} == {
        HOSTILE: HOSTILE,
        "nested": json.dumps(call.arguments["nested"], ensure_ascii=False, indent=2),
    }
    assert made.server is not None
    assert (restore(made.server), restore(made.tool)) == (call.server, call.tool)
    assert made.what.diff is not None
    assert restore(made.what.diff) == call.diff
    assert made.what.hidden == 3 + 3 + 3 - 1 + 6  # JSON escapes ESC itself
    assert made.what.note == (
        "14 hidden characters are shown as boxes. 5 look-alikes are marked. 10 lines, nothing cut."
    )


def test_no_text_of_a_card_holds_what_cannot_be_seen() -> None:
    request = hostile()
    review = replace(a_review(digest=request.digest, vote=Vote.REJECT), comment=HOSTILE)
    resolution = replace(said(Reason.REJECTED, by=HOSTILE), comment=HOSTILE)
    rejected = apply(request, Rejected(resolution, review))
    ran = apply(running(), Finished("t1", outcome()))
    ran = replace(ran, outcome=replace(outcome(), summary=HOSTILE, said_by=HOSTILE))
    for one in (request, rejected, ran):
        for text in strings(card(one).to_json()):
            assert not set(text) & {"\x1b", "\u202e", "\u200b"}, text


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(1 - 2**53, 2**53 - 1) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.text(), JSON, max_size=4))
def test_the_arguments_can_be_read_back_from_the_card(arguments: dict[str, Any]) -> None:
    data = card(a_request(a_call(arguments=arguments))).to_json()
    read = {}
    for item in data["what"]["arguments"]:
        value = restore(shown_from_json(item["value"]))
        name = restore(shown_from_json(item["name"]))
        read[name] = value if item["kind"] == "text" else json.loads(value)
    assert read == arguments


@pytest.mark.parametrize(
    ("options", "refused", "may_approve", "may_reject"),
    [
        ({}, None, True, True),
        ({"rules_unavailable": True}, "rules cannot be loaded", False, True),
        ({"refusal": "an operator"}, "an operator", False, False),
        ({"now": at(60)}, "the time to decide is over", False, False),
    ],
)
def test_approving_is_offered_only_where_it_can_be_done(
    options: dict[str, Any], refused: str | None, may_approve: bool, may_reject: bool
) -> None:
    made = card(a_request(expires_at=at(60)), **options)
    assert made.approve_refused == refused
    assert (made.may_approve, made.may_reject) == (may_approve, may_reject)


def test_nothing_can_be_decided_on_the_card_of_a_resolved_request() -> None:
    for status, request in in_every_state().items():
        made = card(request)
        waits = status == "pending"
        assert (made.waits, made.may_approve, made.may_reject) == (waits, waits, waits)
        assert (made.result is None) == waits
        assert made.who.may_decide == waits


@pytest.mark.parametrize(
    ("status", "line"),
    [
        ("approved", "Approved by owner at 13:30"),
        ("rejected", "Rejected by owner at 13:30"),
        ("expired", "Expired: nobody decided in time"),
        ("cancelled", "Cancelled: the session was stopped"),
        ("running", "Approved by owner at 13:30, running now"),
        (
            "superseded",
            "Approved by owner at 13:30, but it no longer counts and is asked again",
        ),
        ("refused", "Refused: a rule that denies it appeared after it was asked"),
        ("lapsed", "Approved by owner at 13:30, but nobody ran it in time"),
        ("done", "Approved by owner at 13:30, ran in 0.5 s"),
        ("failed", "Approved by owner at 13:30, failed after 0.5 s"),
        ("unknown", "It was started; whether it ran to its end is unknown"),
        (
            "unreported",
            "Approved by owner at 13:30, handed over to run; what came of it is not reported",
        ),
    ],
)
def test_the_result_says_who_decided_what(status: str, line: str) -> None:
    request = in_every_state()[status]
    zone = timezone(timedelta(hours=5, minutes=30))
    assert result_line(request, zone) == line
    assert card(request).result == line.replace(" at 13:30", "")


def test_the_result_holds_the_comment_and_a_persons_word() -> None:
    resolution = replace(said(Reason.REJECTED, by="Ana"), comment="wrong branch")
    rejected = apply(a_request(), Rejected(resolution, a_review("Ana", Vote.REJECT)))
    assert result_line(rejected) == "Rejected by Ana: wrong branch"
    told = replace(in_every_state()["done"], outcome=replace(outcome(said_by="Ana"), seconds=None))
    assert result_line(told) == "Approved by owner, ran (as Ana said)"
    two = approved(a_request(policy=ApprovalPolicy(quorum=2)), "Ana", "Bo")
    assert result_line(two) == "Approved by Ana and Bo"
    by_time = replace(approved(), reviews=(), resolution=said(Reason.EXPIRED_ALLOW))
    by_time_words = "Approved by nobody: the time was over and the policy allows then"
    assert result_line(by_time) == by_time_words
    broken = replace(approved(), resolution=said(Reason.BREAK_GLASS, by="Ana"))
    assert result_line(broken) == "Run without its votes: Ana broke the glass"


def test_a_refusal_that_no_rule_made_blames_no_rule() -> None:
    for reason in (Reason.PROTECTED, Reason.RULE_DENY, Reason.DENY_ON_RESOLVE):
        refused = replace(in_every_state()["refused"], resolution=said(reason))
        assert "a rule that denies it appeared" in (result_line(refused) or "")
        assert "a rule that denies it appeared" in request_message(refused)
    for reason in (Reason.STICKY_DENY, Reason.SAVED_DENY, Reason.NOBODY_REACHABLE):
        resolution = replace(said(reason), comment="rejected by Ana")
        refused = replace(in_every_state()["refused"], resolution=resolution)
        assert result_line(refused) == "Refused when it was decided again: rejected by Ana"
        told = "refused when it was decided again: rejected by Ana"
        assert request_message(refused) == told


def test_who_may_decide_is_said() -> None:
    assert card(a_request(policy=ApprovalPolicy(role="finance"))).who.approver == "finance"
    named = ApprovalPolicy(approvers=("web:ana", "tg:1"), quorum=2)
    waiting = replace(a_request(policy=named), reviews=(a_review("ana"),))
    who = card(waiting).who
    assert (who.approver, who.have, who.need) == ("web:ana, tg:1", 1, 2)
    assert who.reviews[0].by == "ana"
    assert card(a_request(policy=ApprovalPolicy(approvers=()))).who.approver == "nobody"


@pytest.mark.spec("POL-24", "CH-1")
def test_where_several_rules_say_who_decides_each_of_them_is_said() -> None:
    named = ApprovalPolicy(approvers=("web:ana", "tg:1"))
    finance = ApprovalPolicy(role="finance", quorum="all")
    rules = [ApprovalPolicy(approver=Approver.ADMIN), finance, named, ApprovalPolicy(quorum=2)]
    shown = card(a_request(policy=merge(rules)))
    assert shown.who.approver == "(web:ana, tg:1) and finance and admin"
    one_name = merge([ApprovalPolicy(approvers=("tg:1",)), ApprovalPolicy(approvers=())])
    assert card(a_request(policy=one_name)).who.approver == "nobody and tg:1"
    twice = merge([finance, ApprovalPolicy(role="finance", quorum=2)])
    assert card(a_request(policy=twice)).who.approver == "finance"
    assert card(a_request(policy=merge([ApprovalPolicy(quorum=2)] * 2))).who.approver == "any"


def test_a_target_that_is_a_link_is_shown_with_where_it_leads() -> None:
    target = {"kind": "path", "text": "/w/a", "resolved": f"/etc/{HOSTILE}", "effect": "ask"}
    why = Why(Reason.NO_RULE, "why", targets=(target,))
    (found,) = card(a_request(why=why)).what.targets
    assert restore(found.text) == f"/w/a → /etc/{HOSTILE}"
    assert plain(found.text).isprintable()


def test_a_call_without_arguments_says_so() -> None:
    assert card(a_request(a_call(arguments={}))).what.note == "No arguments."


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.31, "0.3 s"),
        (-1, "0.0 s"),
        (42.9, "42 s"),
        (125, "2 min"),
        (7300, "2 h"),
        (2e5, "2 days"),
    ],
)
def test_spans_of_time_in_words(seconds: float, words: str) -> None:
    assert seconds_words(seconds) == words


def test_the_time_left_is_counted_down() -> None:
    assert [countdown_words(s) for s in (462.5, 5, -3, 7300)] == ["7:42", "0:05", "0:00", "2 h"]


def test_the_moment_of_the_examples() -> None:
    assert card().created_at == START


@pytest.mark.spec("CH-16")
def test_what_is_graver_than_its_channel_may_approve_offers_only_rejecting() -> None:
    policy = ApprovalPolicy(Severity.HIGH, channels=(("telegram", Severity.LOW),))
    request = a_request(policy=policy)
    there = card_of(request, now=at(1), channel="telegram")
    assert (there.may_approve, there.may_reject) == (False, True)
    assert there.approve_refused == CHANNEL_CAPPED
    assert card_of(request, now=at(1), channel="web").may_approve
    assert card_of(request, now=at(1)).may_approve


def test_the_policys_own_message_stands_beside_the_sentence() -> None:
    request = a_request(why=Why(Reason.RULE_ASK, "It matches a rule.", message="Refunds ask."))
    assert plain(card_of(request, now=at(1)).why.sentence) == "It matches a rule. Refunds ask."
