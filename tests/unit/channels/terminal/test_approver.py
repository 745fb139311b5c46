from __future__ import annotations

import asyncio
import termios
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from sayso.channels.card import Card, card_of
from sayso.channels.channel import TOO_LONG, fitted
from sayso.channels.terminal import TerminalApprover
from sayso.channels.terminal.approver import MAX_LENGTH
from sayso.channels.terminal.dialogue import Dialogue
from sayso.channels.terminal.sheet import Look
from sayso.channels.terminal.tty import TerminalGone
from sayso.channels.terminal.unlocking import Lock
from sayso.core.approval_policy import ApprovalPolicy
from sayso.core.reason import Reason
from sayso.errors import RequestClosed, StoreUnavailable, Undeliverable
from sayso.requests.approval import ApprovalRequest, Vote
from sayso.requests.lifecycle import Rejected, apply
from tests.fakes.terminal import FakeKeyring, Person, a_terminal
from tests.fakes.values import a_call, a_request, a_review, approved, at, in_every_state, said

PASSPHRASE = "open sesame"


def card(request: ApprovalRequest | None = None, **options: Any) -> Card:
    request = a_request() if request is None else request
    return card_of(request, **{"now": at(10), **options})


class Votes:
    """Takes the votes; `fails` is raised instead, once."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, Vote, str, str | None]] = []
        self.fails: Exception | None = None
        self.arguments: Mapping[str, Any] | None = None

    async def __call__(
        self,
        request_id: str,
        vote: Vote,
        digest: str,
        comment: str | None,
        /,
        *,
        arguments: Mapping[str, Any] | None = None,
    ) -> None:
        self.arguments = arguments
        if self.fails is not None:
            error, self.fails = self.fails, None
            raise error
        self.taken.append((request_id, vote, digest, comment))


@pytest.fixture(autouse=True)
def _look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.fixture
def person() -> Iterator[Person]:
    with a_terminal() as somebody:
        yield somebody


@asynccontextmanager
async def listening(
    person: Person, votes: Votes, keyring: FakeKeyring | None = None, **options: Any
) -> AsyncIterator[TerminalApprover]:
    keyring = FakeKeyring() if keyring is None else keyring
    approver = TerminalApprover(
        keyring, lambda: at(130), path=person.path, **{"quiet_seconds": 0.05, **options}
    )
    task = asyncio.create_task(approver.listen(votes))
    try:
        yield approver
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def unlock(person: Person, times: int = 1) -> None:
    await person.sees("Passphrase", times)
    person.press(f"{PASSPHRASE}\n")


@pytest.mark.parametrize("key", ["a", "y"])
async def test_one_key_and_the_passphrase_approve_exactly_what_was_shown(
    person: Person, key: str
) -> None:
    votes = Votes()
    async with listening(person, votes) as approver:
        await approver.announce(card())
        await person.asked()
        person.press(key)
        await unlock(person)
        await wait_for(votes, 1)
    assert votes.taken == [("c1", Vote.APPROVE, card().digest, None)]
    assert PASSPHRASE not in person.screen


async def test_a_card_is_told_as_shown_once_all_that_would_run_is_on_the_screen(
    person: Person,
) -> None:
    told: list[tuple[str, str]] = []
    once = asyncio.Event()

    async def shown(*what: str) -> None:
        told.append(what)  # type: ignore[arg-type]
        once.set()

    async with listening(person, Votes(), shown=shown, diff_lines=4) as approver:
        long = card(a_request(a_call(arguments={"text": "x\n" * 400})))
        await approver.announce(long)
        await person.sees("f show all of it")
        await asyncio.sleep(0.1)
        assert told == []
        person.press("f")
        await asyncio.wait_for(once.wait(), 10)
    assert told == [(long.request_id, long.digest)]


async def test_a_card_that_did_not_reach_the_screen_was_not_shown() -> None:
    told: list[str] = []

    async def shown(*what: str) -> None:
        told.extend(what)

    class Gone:
        async def show(self, text: str) -> None:
            raise TerminalGone("the terminal has gone")

    dialogue = Dialogue(
        card(),
        Gone(),  # type: ignore[arg-type]
        Lock(FakeKeyring()),
        Votes(),
        lambda: at(0),
        width=80,
        diff_lines=9,
        look=Look.PLAIN,
        shown=shown,
    )
    with pytest.raises(TerminalGone):
        await dialogue.run()
    assert told == []


@pytest.mark.spec("REQ-14")
async def test_an_argument_can_be_edited_where_the_policy_allows_it(person: Person) -> None:
    votes = Votes()
    shown = card(a_request(policy=ApprovalPolicy(allow_edit=True)))
    async with listening(person, votes) as approver:
        await approver.announce(shown)
        await person.asked()
        assert "e edit, then approve" in person.screen
        person.press("e")
        await person.sees("Which argument?")
        person.press("nothing\n")
        await person.sees("no argument of that name")
        person.press("e")
        await person.sees("Which argument?", 2)
        person.press("to\n")
        await person.sees("Its new value?")
        person.press("bob@example.com\n")
        await person.sees('"to": "bob@example.com"')
        await person.sees("Type yes")
        person.press("yes\n")
        await unlock(person)
        await wait_for(votes, 1)
    assert votes.taken == [("c1", Vote.APPROVE, shown.digest, None)]
    assert votes.arguments == {"to": "bob@example.com"}


async def test_without_allow_edit_there_is_no_key_for_it(person: Person) -> None:
    votes = Votes()
    async with listening(person, votes) as approver:
        await approver.announce(card())
        await person.asked()
        assert "edit" not in person.screen
        person.press("a")
        await unlock(person)
        await wait_for(votes, 1)
    assert votes.arguments is None


async def wait_for(votes: Votes, number: int) -> None:
    for _ in range(500):
        if len(votes.taken) >= number:
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"{votes.taken}")


@pytest.mark.parametrize("key", ["r", "n"])
async def test_a_rejection_takes_a_comment(person: Person, key: str) -> None:
    votes = Votes()
    async with listening(person, votes) as approver:
        await approver.announce(card())
        await person.asked()
        person.press(key)
        await person.sees("Why?")
        person.press("wrong brü\x7fänch\x7f\x7f\x7f\x7fanch\n")
        await unlock(person)
        await wait_for(votes, 1)
    assert votes.taken == [("c1", Vote.REJECT, card().digest, "wrong branch")]


async def test_a_rejection_needs_no_comment_and_can_be_taken_back(person: Person) -> None:
    votes = Votes()
    async with listening(person, votes) as approver:
        await approver.announce(card())
        await person.asked()
        person.press("r")
        await person.sees("Why?")
        person.press("oops\x1b")
        await person.sees("? explain", 2)
        person.press("r")
        await person.sees("Why?", 2)
        person.press("\n")
        await unlock(person)
        await wait_for(votes, 1)
    assert votes.taken == [("c1", Vote.REJECT, card().digest, None)]


@pytest.mark.parametrize("keys", ["\n", " ", "A", "Y", "s", "N", "e", "x", "\x1b[A", "\x1bOP"])
async def test_other_keys_do_nothing(person: Person, keys: str) -> None:
    votes = Votes()
    async with listening(person, votes) as approver:
        await approver.announce(card())
        await person.asked()
        person.press(keys)
        await person.settle()
        assert "Passphrase" not in person.screen
        assert votes.taken == []


@pytest.mark.parametrize(
    "report", ["aa", "yes", "a\n", "\x1b]la\x1b\\", "\x1bP1$ra\x1b\\", "\x1b[12;34Ra\x1b[0n"]
)
async def test_pasted_text_and_what_the_terminal_reports_are_no_answer(
    person: Person, report: str
) -> None:
    votes = Votes()
    async with listening(person, votes) as approver:
        await approver._lock.opened(_passphrase, _nothing)
        await approver.announce(card())
        await person.asked()
        if report.endswith("a\x1b[0n"):
            report = report.replace("a\x1b[0n", "\x1b[0n")
        person.press(report)
        await person.settle()
    assert votes.taken == []


async def _passphrase(_: str) -> str:
    return PASSPHRASE


async def _nothing(_: str) -> None:
    return None


async def test_keys_pressed_before_the_card_could_be_read_are_forgotten(person: Person) -> None:
    votes = Votes()
    async with listening(person, votes, quiet_seconds=0.4) as approver:
        person.press("a")
        await approver.announce(card())
        await person.sees("? explain")
        person.press("y")
        await asyncio.sleep(0.2)
        person.press("a")
        await asyncio.sleep(0.4)
        assert "Passphrase" not in person.screen
        person.press("a")
        await person.sees("Passphrase")
    assert votes.taken == []


async def test_the_passphrase_is_asked_for_once(person: Person) -> None:
    votes = Votes()
    keyring = FakeKeyring()
    async with listening(person, votes, keyring) as approver:
        for number in (1, 2):
            request = a_request(a_call(call_id=f"c{number}"))
            await approver.announce(card(request))
            await person.asked(number)
            person.press("a")
            if number == 1:
                await unlock(person)
            await wait_for(votes, number)
            await person.settle()
    assert keyring.attempts == 1
    assert [vote[0] for vote in votes.taken] == ["c1", "c2"]


async def test_a_wrong_passphrase_decides_nothing(person: Person) -> None:
    votes = Votes()
    keyring = FakeKeyring()
    async with listening(person, votes, keyring) as approver:
        await approver.announce(card())
        await person.asked()
        person.press("a")
        for number in (1, 2, 3):
            await person.sees("Passphrase", number)
            person.press("guess\n")
        await person.sees("? explain", 2)
        await person.settle()
        assert votes.taken == []
        person.press("a")
        await person.sees("Passphrase", 4)
        person.press("\x1b")
        await person.sees("? explain", 3)
    assert votes.taken == []
    assert keyring.attempts == 3


async def test_at_first_use_a_passphrase_is_chosen_twice_the_same(person: Person) -> None:
    votes = Votes()
    keyring = FakeKeyring(None)
    async with listening(person, votes, keyring) as approver:
        await approver.announce(card())
        await person.asked()
        person.press("a")
        for number, (first, second) in enumerate(
            [("one thing!", "another one"), ("short", "short"), ("long enough", "long enough")], 1
        ):
            await person.sees("Choose one", number)
            person.press(f"{first}\n")
            await person.sees("The same again", number)
            person.press(f"{second}\n")
            if number < 3:
                await person.sees("? explain", number + 1)
                person.press("a")
        await wait_for(votes, 1)
    assert "The two are not the same" in person.screen
    assert "at least 8 characters" in person.screen
    assert keyring.passphrase == "long enough"


async def test_what_is_cut_has_to_be_seen_before_approving(person: Person) -> None:
    lines = "\n".join(f"line {number}" for number in range(60))
    request = a_request(a_call(arguments={"text": lines}, diff=lines.replace("line", "+line")))
    votes = Votes()
    async with listening(person, votes, diff_lines=10) as approver:
        await approver.announce(card(request))
        await person.asked()
        assert "hidden on 50 more lines" in person.screen
        assert "line 30" not in person.screen
        assert "a approve" not in person.screen
        person.press("a")
        await person.sees("press f to see all of it first")
        person.press("f")
        await person.asked(2)
        assert "+line 59" in person.screen
        person.press("a")
        await unlock(person)
        await wait_for(votes, 1)


async def test_what_is_too_long_for_a_terminal_can_only_be_rejected(person: Person) -> None:
    votes = Votes()
    request = a_request(a_call(arguments={"text": "x" * (MAX_LENGTH + 1)}))
    async with listening(person, votes) as approver:
        await approver.announce(fitted(card(request), approver.fidelity))
        await person.asked()
        assert TOO_LONG in person.screen
        person.press("a")
        await person.sees("cannot be approved here")
        person.press("r")
        await person.sees("Why?")
        person.press("\n")
        await unlock(person)
        await wait_for(votes, 1)
    assert votes.taken[0][1] is Vote.REJECT


async def test_it_is_explained_on_demand(person: Person) -> None:
    request = a_request()
    request = replace(request, why=replace(request.why, explain="ask: rule-ask\nwhat would change"))
    async with listening(person, Votes()) as approver:
        await approver.announce(card(request))
        await person.asked()
        person.press("?")
        await person.sees("what would change")
        await person.asked(2)


async def test_a_request_resolved_elsewhere_leaves_the_screen_and_says_by_whom(
    person: Person,
) -> None:
    votes = Votes()
    async with listening(person, votes) as approver:
        await approver.announce(card())
        await person.asked()
        person.press("r")
        await person.sees("Why?")
        rejected = apply(
            a_request(), Rejected(said(Reason.REJECTED, by="Ana"), a_review("Ana", Vote.REJECT))
        )
        await approver.update(card(rejected))
        await person.sees("No longer waiting for you.")
        await person.sees("Rejected by Ana.")
        person.press("a\n")
        await person.settle()
        assert "Passphrase" not in person.screen
    assert votes.taken == []


async def test_a_request_resolved_while_it_waits_its_turn_is_never_shown(person: Person) -> None:
    async with listening(person, Votes()) as approver:
        await approver.announce(card())
        await person.asked()
        other = a_request(a_call(call_id="c2", tool="another_tool"))
        await approver.announce(card(other))
        await approver.update(card(approved(other)))
        await approver.update(card(approved()))
        await person.settle()
    assert "another_tool" not in person.screen


async def test_an_update_that_still_waits_changes_nothing_on_the_screen(person: Person) -> None:
    votes = Votes()
    async with listening(person, votes) as approver:
        await approver.announce(card())
        await person.asked()
        await approver.update(card(replace(a_request(), version=2), rules_unavailable=True))
        person.press("a")
        await person.sees("cannot be approved here: rules cannot be loaded")
        await approver.update(card(replace(a_request(), version=3)))
        person.press("a")
        await unlock(person)
        await wait_for(votes, 1)


async def test_what_came_of_it_is_told_where_it_was_asked(person: Person) -> None:
    states = in_every_state()
    async with listening(person, Votes()) as approver:
        await approver.announce(card())
        await person.asked()
        await approver.update(card(states["approved"]))
        await approver.update(card(states["running"]))
        await approver.update(card(states["done"]))
        await person.sees("Approved by owner, ran in 0.5 s.")
    assert "running now" not in person.screen


async def test_somebody_else_was_first(person: Person) -> None:
    votes = Votes()
    votes.fails = RequestClosed("already resolved by Ana: rejected", status="rejected")
    async with listening(person, votes) as approver:
        await approver.announce(card())
        await person.asked()
        person.press("a")
        await unlock(person)
        await person.sees("already resolved by Ana: rejected.")
    assert votes.taken == []


async def test_a_vote_that_could_not_be_stored_can_be_given_again(person: Person) -> None:
    votes = Votes()
    votes.fails = StoreUnavailable("the database is busy", "try again")
    async with listening(person, votes) as approver:
        await approver.announce(card())
        await person.asked()
        person.press("a")
        await unlock(person)
        await person.sees("the database is busy")
        person.press("a")
        await wait_for(votes, 1)


async def test_what_others_decide_is_shown_and_takes_no_key(person: Person) -> None:
    async with listening(person, Votes()) as approver:
        await approver.announce(card(refusal="an operator decides this"))
        await person.sees("an operator decides this")
        await approver.announce(card(a_request(a_call(call_id="c2"))))
        await person.sees("r reject")


async def test_hostile_text_reaches_the_terminal_only_as_boxes(person: Person) -> None:
    hostile = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202eevil\u2066\r\x08\x00сору"
    call = a_call(
        tool=hostile,
        server=hostile,
        arguments={hostile: hostile, "deep": {"er": hostile}},
        agent_id=hostile,
        workspace=hostile,
        context_label=hostile,
        detail=hostile,
        diff=f"+{hostile}",
    )
    request = a_request(call, action=hostile)
    request = replace(request, why=replace(request.why, sentence=hostile, explain=hostile))
    async with listening(person, Votes()) as approver:
        await approver.announce(card(request))
        await person.asked()
        person.press("?")
        await person.asked(2)
    assert set(person.screen) & set("\x1b\x9b\u202e\u2066\r\x08\x00\x07") == set()
    assert "[U+202E]evil[U+2066]" in person.screen


async def test_it_ends_when_it_is_told_to_in_the_middle_of_a_vote(person: Person) -> None:
    votes = Votes()
    approver = TerminalApprover(
        FakeKeyring(), lambda: at(130), path=person.path, quiet_seconds=0.05
    )
    told = asyncio.Event()

    async def decide(*vote: Any) -> None:
        await votes(*vote)
        told.set()

    task = asyncio.create_task(approver.listen(decide))
    await approver.announce(card())
    await person.asked()
    person.press("a")
    await unlock(person)
    await told.wait()
    task.cancel()
    done, _ = await asyncio.wait({task}, timeout=5)
    assert done
    assert task.cancelled()


async def test_the_terminal_is_left_as_it_was(person: Person) -> None:
    import os

    fd = os.open(person.path, os.O_RDWR | os.O_NOCTTY)
    try:
        before = termios.tcgetattr(fd)
        async with listening(person, Votes()) as approver:
            await approver.announce(card())
            await person.asked()
            assert termios.tcgetattr(fd) != before
        assert termios.tcgetattr(fd) == before
    finally:
        os.close(fd)


async def test_without_a_terminal_nobody_can_be_asked(tmp_path: Any) -> None:
    plain = tmp_path / "file"
    plain.write_text("")
    for path in (str(plain), str(tmp_path / "nothing")):
        approver = TerminalApprover(FakeKeyring(), lambda: at(0), path=path)
        assert not approver.can_ask
        with pytest.raises(Undeliverable, match="no terminal"):
            await approver.announce(card())
