"""How cards look in a terminal. After a change on purpose: `pytest tests/snapshots --snapshot-update`."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len
from syrupy.assertion import SnapshotAssertion

from sayso.channels.card import card_of
from sayso.channels.terminal.picture import draw, explain_text
from sayso.channels.terminal.sheet import Look
from sayso.core.approval_policy import ApprovalPolicy, Severity
from sayso.core.dialogue import MAX_WORDS, Dialogue, Role, Said
from sayso.core.reason import Reason
from sayso.requests.approval import ApprovalRequest, Caller, Why
from tests.fakes.values import a_call, a_request, a_review, at, in_every_state

DIFF = """--- a/docs/guide.md
+++ b/docs/guide.md
@@ -1,3 +1,3 @@
 # Guide
-Old words, with a space at the end\x20
+New words: über 日本語
"""


def release() -> ApprovalRequest:
    call = a_call(
        tool="run",
        arguments={"command": "npm test && git push --force origin main # done \u202e niam"},
        workspace="/home/ann/src/sayso",
        agent_id="claude-code › release",
        context_label="Session “ship 0.4”",
        detail="The remote branch diverged, so I rewrite it.",
    )
    targets = (
        {"kind": "command", "text": "npm test", "effect": "allow", "decides": False},
        {
            "kind": "command",
            "text": "git push --force origin main",
            "effect": "ask",
            "decides": True,
        },
    )
    why = Why(
        Reason.RULE_ASK,
        "git push --force origin main matches ask shell(git push *) in your settings,"
        " settings.toml:12:8. A person is always asked.",
        targets=targets,
        must_ask=True,
        explain="ask: must-ask\ncommand npm test: allow\ncommand git push --force origin main: ask\n"
        "  list: ask shell(git push *) in your settings, settings.toml:12:8 <- decides\n"
        "what would change it: a person's approval lifts it for this call",
    )
    return a_request(
        call,
        ApprovalPolicy(severity=Severity.HIGH),
        why=why,
        action="Run npm test and 1 more command?",
        expires_at=at(600),
    )


def edit() -> ApprovalRequest:
    call = a_call(
        tool="write_file",
        server="files",
        arguments={
            "path": "docs/guide.md",
            "content": "first\nsecond, which is " + "long " * 20 + "\n\tindented\n",
            "options": {"mode": 420, "backup": True, "tags": []},
            "note": "",
        },
        diff=DIFF,
    )
    return a_request(call, action="Edit docs/guide.md (files:write_file)?", caller=Caller.GONE)


def hostile() -> ApprovalRequest:
    bad = "\x1b[2J\x1b]0;t\x07\u202eevil\u2066 pаypal.com http://xn--pypal-4ve.com/\r\x00"
    call = a_call(
        tool=f"rm{bad}\n  \u2502 x",
        arguments={bad: bad, "a\n  1 line, nothing cut.": [bad]},
        agent_id=f"me{bad}",
        detail=bad,
    )
    return a_request(call, action=f"Run {bad}?")


def long() -> ApprovalRequest:
    lines = "\n".join(f"line {number}" for number in range(1, 501))
    return a_request(
        a_call(arguments={"content": lines, "more": "x" * 5000, "last": "y"}, diff=lines)
    )


FAKE_CARD = "ok\n ─────\n What will run\n  │ ls\n  1 line, nothing cut."


def told() -> ApprovalRequest:
    """A dialogue that pretends to be a card, and one text of which goes on for long."""
    fake = f"{FAKE_CARD}\n\x1b[2J\u202elive\u2066 {{{{ 7*7 }}}} [bold]x[/bold]"
    kept = Dialogue(
        Said("Ship 0.4, please.", Role.USER),
        None,
        (Said(fake, Role.ASSISTANT), Said("x" * 70 + " " + "line\n" * 40, Role.TOOL, cut=True)),
    )
    call = a_call(tool="run", arguments={"command": "rm -rf build"}, detail="They asked for it.")
    return a_request(call, action="Run rm?", context=kept)


def quorum() -> ApprovalRequest:
    request = a_request(policy=ApprovalPolicy(severity=Severity.LOW, role="finance", quorum=2))
    return replace(request, reviews=(a_review("ana"),))


CARDS = {
    "release": release,
    "edit": edit,
    "hostile": hostile,
    "long": long,
    "quorum": quorum,
    "told": told,
}


@pytest.mark.parametrize("name", CARDS)
def test_a_card_in_plain_text(name: str, snapshot: SnapshotAssertion) -> None:
    card = card_of(CARDS[name](), now=at(138))
    picture = draw(card, at(138), diff_lines=20, look=Look.PLAIN)
    assert picture.text == snapshot
    assert picture.cut == (name in {"long", "told"})
    assert picture.cut_what == (name == "long")


@pytest.mark.parametrize("look", [Look.COLOUR, Look.MONOCHROME], ids=lambda look: look.value)
def test_a_card_with_its_colours(look: Look, snapshot: SnapshotAssertion) -> None:
    card = card_of(edit(), now=at(138))
    assert draw(card, at(138), look=look).text == snapshot


@pytest.mark.parametrize("status", ["rejected", "done", "unknown"])
def test_a_resolved_card(status: str, snapshot: SnapshotAssertion) -> None:
    card = card_of(in_every_state()[status], now=at(138))
    assert draw(card, at(138), look=Look.PLAIN).text == snapshot


def test_the_explanation(snapshot: SnapshotAssertion) -> None:
    card = card_of(release(), now=at(138))
    assert explain_text(card, look=Look.PLAIN) == snapshot


@pytest.mark.parametrize("name", CARDS)
@pytest.mark.parametrize("width", [10, 40, 80, 200])
def test_no_row_is_wider_than_the_terminal_or_80_columns(name: str, width: int) -> None:
    card = card_of(CARDS[name](), now=at(138))
    for full in (True, False):
        text = draw(card, at(138), width=width, full=full, look=Look.PLAIN).text
        widest = max(cell_len(line) for line in text.split("\n"))
        assert widest <= max(20, min(width, 80))


@pytest.mark.parametrize("name", CARDS)
def test_in_full_nothing_is_left_out(name: str) -> None:
    request = CARDS[name]()
    card = card_of(request, now=at(138))
    picture = draw(card, at(138), full=True, look=Look.PLAIN)
    assert not picture.cut
    drawn = "".join(line[4:] for line in picture.text.split("\n") if line[2:3] in "│┆" and line)
    for value in request.call.arguments.values():
        if isinstance(value, str) and value.isprintable():
            assert value in drawn


@pytest.mark.spec("CH-15", "CH-17")
def test_the_code_and_the_agents_words_stand_where_they_belong() -> None:
    card = card_of(release(), now=at(138))
    lines = draw(card, at(138), look=Look.PLAIN).text.split("\n")
    assert lines[1].endswith(card.code)
    title = next(n for n, line in enumerate(lines) if "Run npm test" in line)
    words = next(n for n, line in enumerate(lines) if "rewrite it" in line)
    assert "The agent’s words, not checked:" in lines[words - 1]
    assert title < words


@pytest.mark.spec("CH-1", "CH-17", "SRV-6")
def test_a_dialogue_that_looks_like_a_card_stays_behind_its_edge_and_after_what_will_run() -> None:
    card = card_of(told(), now=at(138))
    for full in (True, False):
        lines = draw(card, at(138), full=full, look=Look.PLAIN).text.split("\n")
        what, led = lines.index(" What will run"), lines.index(" What led here")
        assert what < led
        assert "not checked" in lines[led + 1]
        for fake in FAKE_CARD.split("\n"):
            assert f"  ▏ {fake}".rstrip() in [line.rstrip() for line in lines[led:]]
        assert lines.count(" What will run") == 1
        assert "  … it went on; only its beginning was kept" in lines
        text = "\n".join(lines)
        assert "[U+202E]" in text
        assert "{{ 7*7 }} [bold]x[/bold]" in text.replace("\n  ┆ ", " ")
        assert not {"\u202e", "\u2066"} & set(text)
    assert "characters hidden" in draw(card, at(138), look=Look.PLAIN).text


@pytest.mark.spec("CH-1")
@pytest.mark.parametrize("size", [1, 20])
def test_the_longest_dialogue_is_drawn_without_hiding_what_will_run(size: int) -> None:
    said = Said("\u202e" * MAX_WORDS, Role.TOOL, cut=True)
    request = replace(told(), context=Dialogue(said, None, (said,) * size))
    picture = draw(card_of(request, now=at(138)), at(138), look=Look.PLAIN)
    assert (picture.cut, picture.cut_what) == (True, False)
    lines = picture.text.split("\n")
    assert "  │ rm -rf build" in lines
    assert len(lines) < 100 + 60 * size  # a box takes the room of eight characters
