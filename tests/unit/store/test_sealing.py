from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.store.sealing import NO_KEYS, CallKeys

ONE, TWO = b"1" * 32, b"2" * 32
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@pytest.mark.spec("AUD-1a")
@given(TEXTS, TEXTS, TEXTS)
def test_what_was_sealed_is_opened_for_the_same_call_and_no_other(
    text: str, one: str, other: str
) -> None:
    keys = CallKeys([ONE])
    sealed = keys.seal(text, "c1", one)
    assert keys.open(sealed, "c1", one) == text
    assert keys.open(sealed, "c2", one) is None
    assert keys.open(sealed, "c1", one, other) is None
    if other != one:
        assert keys.open(sealed, "c1", other) is None


@pytest.mark.spec("AUD-1a")
def test_two_seals_of_one_text_differ_and_hide_it() -> None:
    keys = CallKeys([ONE])
    first, second = keys.seal("hunter2", "c1"), keys.seal("hunter2", "c1")
    assert first != second
    assert "hunter2" not in first
    assert first.split(".")[:2] == second.split(".")[:2], "the key is named"


@pytest.mark.spec("AUD-1a")
def test_the_first_key_seals_and_each_opens() -> None:
    old, both, new = CallKeys([ONE]), CallKeys([TWO, ONE]), CallKeys([TWO])
    assert both.open(old.seal("a", "c1"), "c1") == "a"
    assert new.open(both.seal("a", "c1"), "c1") == "a"
    assert new.open(old.seal("a", "c1"), "c1") is None
    assert old.open(both.seal("a", "c1"), "c1") is None


@pytest.mark.spec("AUD-1a")
def test_without_a_key_nothing_is_sealed_or_opened() -> None:
    assert not NO_KEYS.seals
    assert NO_KEYS.open(CallKeys([ONE]).seal("a", "c1"), "c1") is None
    with pytest.raises(ValueError, match="no key"):
        NO_KEYS.seal("a", "c1")


@pytest.mark.spec("AUD-1a")
@pytest.mark.parametrize("damage", ["", "1", "1.x", "2", "short", "letters"])
def test_what_is_damaged_is_not_opened(damage: str) -> None:
    keys = CallKeys([ONE])
    form, name, data = keys.seal("hunter2", "c1").split(".")
    damaged = {
        "2": f"2.{name}.{data}",
        "short": f"{form}.{name}.{data[:8]}",
        "letters": f"{form}.{name}.{data[:-6]}ÄÖÜ",
    }.get(damage, damage)
    assert keys.open(damaged, "c1") is None
