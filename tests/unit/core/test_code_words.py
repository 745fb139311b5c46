from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core import code_words
from sayso.core.code_words import code_of


def test_the_list_is_the_one_that_was_chosen() -> None:
    words = code_words._WORDS
    assert len(words) == 2048
    assert len({word[:4] for word in words}) == 2048
    assert all(word.isascii() and word.islower() and 3 <= len(word) <= 8 for word in words)
    text = "\n".join(words) + "\n"
    assert hashlib.sha256(text.encode()).hexdigest() == (
        "2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda"
    )


@pytest.mark.parametrize(
    ("digest", "code"),
    [
        ("00" * 32, "abandon abandon abandon abandon"),
        ("ff" * 32, "zoo zoo zoo zoo"),
        (hashlib.sha256(b"sayso").hexdigest(), "plunge awkward polar document"),
    ],
)
def test_known_codes(digest: str, code: str) -> None:
    assert code_of(digest) == code


@given(st.binary(min_size=32, max_size=32))
def test_the_code_is_the_first_44_bits(digest: bytes) -> None:
    number = 0
    for word in code_of(digest.hex()).split():
        number = number << 11 | code_words._WORDS.index(word)
    assert number == int.from_bytes(digest, "big") >> 212


@pytest.mark.parametrize(
    "wrong", ["", "abc", "0123456789", "g" * 64, "-1234567890ab", "0x12ghi6789ab"]
)
def test_what_is_no_digest_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"digest|invalid literal"):
        code_of(wrong)
