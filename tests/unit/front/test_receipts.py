"""Receipts: single use, for one audience, checked with no server (REQ-38)."""

from __future__ import annotations

import base64
import contextlib
import os
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sayso.broker.ports import Claim
from sayso.broker.receipts import public_key
from sayso.core.moment import plus
from sayso.core.receipt import Receipt, public_key_of, read_receipt, what_runs, write_receipt
from sayso.errors import CallInvalid, ReceiptRefused, SettingsInvalid
from sayso.front.receipts import KEPT_SECONDS, FileNonces, ReceiptVerifier
from sayso.requests.approval import Vote
from sayso.system.clock import SystemClock
from sayso.system.receipt_key import KEY_NAME, KEY_VARIABLE, ReceiptKey
from tests.fakes.world import START, draft, make_scene, rule

pytestmark = pytest.mark.spec("REQ-38")

SECRET = bytes(range(32))
ARGUMENTS = {"to": "alice@example.com"}


def receipt(**changes: Any) -> Receipt:
    return replace(
        Receipt(
            "c1", "d1", what_runs("send", ARGUMENTS), "mail", "n1", plus(SystemClock().now(), 60)
        ),
        **changes,
    )


@pytest.fixture
def verifier(tmp_path: Path) -> ReceiptVerifier:
    return ReceiptVerifier(public_key_of(SECRET).hex(), "mail", FileNonces(tmp_path / "spent.db"))


def test_it_is_good_for_one_run_also_for_another_process(tmp_path: Path) -> None:
    key = public_key_of(SECRET)
    text = write_receipt(receipt(), SECRET)
    nonces = [FileNonces(tmp_path / "spent.db") for _ in range(2)]
    one, other = (ReceiptVerifier(key, "mail", spent) for spent in nonces)
    assert one.verify(text, "send", ARGUMENTS).call_id == "c1"
    for again in (one, other):
        with pytest.raises(ReceiptRefused, match="used already"):
            again.verify(text, "send", ARGUMENTS)
    for spent in nonces:
        spent.close()


def test_it_is_used_once_whatever_others_and_clocks_do_meanwhile(tmp_path: Path) -> None:
    """Who waits for the file has read the clock before, and a clock can be set back."""
    spent = FileNonces(tmp_path / "spent.db")
    until = START
    assert spent.spend("n1", until, plus(until, -1))
    assert spent.spend("n2", plus(until, 120), plus(until, 60))
    assert not spent.spend("n1", until, plus(until, -1))
    spent.close()


def test_what_was_forgotten_is_not_used_again_by_a_clock_that_was_set_back(tmp_path: Path) -> None:
    """The file does not grow for ever, and what it no longer knows is not taken for new."""
    file = tmp_path / "spent.db"
    spent, until = FileNonces(file), START
    for number in range(3):
        assert spent.spend(f"n{number}", plus(until, number), until)
    later = plus(until, KEPT_SECONDS + 60)
    assert spent.spend("late", plus(later, 60), later)
    with contextlib.closing(sqlite3.connect(file)) as database:
        assert database.execute("SELECT nonce FROM spent").fetchall() == [("late",)]
    for number in range(3):
        assert not spent.spend(f"n{number}", plus(until, number), until)
    assert spent.spend("new", plus(until, 3), until)  # it ends after all that were forgotten
    with contextlib.closing(sqlite3.connect(file)) as database:
        assert database.execute("SELECT count(*) FROM forgotten").fetchone() == (1,)
    spent.close()


@pytest.mark.parametrize(
    ("changes", "arguments", "said"),
    [
        ({"audience": "bank"}, ARGUMENTS, "somebody else"),
        ({}, {"to": "eve@example.com"}, "another call"),
        ({"expires_at": plus(SystemClock().now(), -1)}, ARGUMENTS, "expired"),
    ],
)
def test_it_is_for_exactly_this_call_here_and_now(
    verifier: ReceiptVerifier, changes: dict[str, Any], arguments: dict[str, Any], said: str
) -> None:
    with pytest.raises(ReceiptRefused, match=said):
        verifier.verify(write_receipt(receipt(**changes), SECRET), "send", arguments)


def test_nothing_but_what_was_signed_is_taken(verifier: ReceiptVerifier) -> None:
    text = write_receipt(receipt(), SECRET)
    version, payload, signature = text.split(".")
    forged = base64.urlsafe_b64encode(b"{}").rstrip(b"=").decode()
    other = ("B" if signature[0] == "A" else "A") + signature[1:]
    for bad in (
        "", "x", "v2." + payload + "." + signature, f"{version}.{payload}",
        f"{version}.{forged}.{signature}", f"{version}.{payload}.{signature}==",
        f"{version}.{payload}.{other}", text + " ", "v1." + "A" * 5000,
        write_receipt(receipt(), bytes(32)),
    ):  # fmt: skip
        with pytest.raises(ReceiptRefused):
            verifier.verify(bad, "send", ARGUMENTS)
    assert verifier.verify(text, "send", ARGUMENTS)


def test_every_changed_bit_is_noticed() -> None:
    text = write_receipt(receipt(), SECRET)
    key = public_key_of(SECRET)
    for at in range(3, len(text), 7):
        changed = text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1 :]
        with pytest.raises(ReceiptRefused):
            read_receipt(changed, key)


async def test_a_claim_carries_one_on_request(verifier: ReceiptVerifier, tmp_path: Path) -> None:
    scene = make_scene(rule("ask"))
    gate = await scene.gate()
    standing = await gate.submit(draft("send"))
    person = await scene.actor()
    await scene.broker.review(person, standing.call_id, Vote.APPROVE, digest=standing.digest)
    with pytest.raises(CallInvalid, match="writes no receipts"):
        await gate.claim(standing.call_id, standing.digest, "mail")
    object.__setattr__(scene.world, "receipt_key", ReceiptKey(tmp_path))
    claim = await gate.claim(standing.call_id, standing.digest, "mail")
    assert isinstance(claim, Claim)
    assert claim.receipt is not None
    told = read_receipt(claim.receipt, bytes.fromhex(public_key(scene.world)))
    assert (told.digest, told.audience) == (standing.digest, "mail")
    assert told.what == what_runs("send", dict(draft("send").arguments))


def test_the_key_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    made = ReceiptKey(tmp_path).secret()
    assert len(made) == 32
    assert ReceiptKey(tmp_path).secret() == made
    if os.name == "posix":
        assert (tmp_path / KEY_NAME).stat().st_mode & 0o077 == 0


def test_replicas_share_a_key_by_a_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, SECRET.hex())
    assert ReceiptKey(tmp_path).secret() == SECRET
    for wrong in ("00", "zz" * 32):
        monkeypatch.setenv(KEY_VARIABLE, wrong)
        with pytest.raises(SettingsInvalid, match="no key for receipts"):
            ReceiptKey(tmp_path).secret()
