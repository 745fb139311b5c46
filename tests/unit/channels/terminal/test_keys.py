from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.channels.terminal.keys import BACKSPACE, ENTER, ERASE_LINE, ESCAPE, KeyReader


@pytest.mark.parametrize(
    ("data", "keys"),
    [
        (b"a", ["a"]),
        ("ä漢".encode(), ["ä", "漢"]),
        (b"\r", [ENTER]),
        (b"\n", [ENTER]),
        (b"\x7f", [BACKSPACE]),
        (b"\x15", [ERASE_LINE]),
        (b"\x00\x01\x1a", []),
        (b"\x1b[A", []),
        (b"\x1b[1;5C", []),
        (b"\x1bOP", []),
        (b"\x1ba", []),
        (b"\x1b\x1b[A", []),
        (b"\x1b[12;34R", []),
        (b"\x1b]la\x1b\\", []),
        (b"\x1b]0;y\x07", []),
        (b"\x1bP1$ra\x1b\\", []),
        (b"\x1b_a\x1b\\\x1b^a\x1b\\\x1bXa\x1b\\", []),
        ("\x9ba".encode(), []),
        ("\x9da\x9c".encode(), []),
        (b"\x1b]la\x1b\\r", ["r"]),
        (b"\x1b]la\x1b[Ay", ["y"]),
    ],
)
def test_keys_are_what_a_person_pressed(data: bytes, keys: list[str]) -> None:
    assert KeyReader().feed(data) == keys
    reader = KeyReader()
    assert [key for byte in data for key in reader.feed(bytes([byte]))] == keys


def test_an_escape_alone_is_a_key_after_a_pause() -> None:
    reader = KeyReader()
    assert reader.feed(b"\x1b") == []
    assert reader.unfinished
    assert reader.pause() == [ESCAPE]
    assert not reader.unfinished


def test_an_unfinished_sequence_is_dropped_after_a_pause() -> None:
    reader = KeyReader()
    assert reader.feed(b"\x1b]la") == []
    assert reader.pause() == []
    assert reader.feed(b"r") == ["r"]


@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E)))
def test_no_report_of_a_title_is_ever_a_key(title: str) -> None:
    for start, end in (("\x1b]l", "\x1b\\"), ("\x1b]L", "\x07"), ("\x1bP", "\x1b\\")):
        assert KeyReader().feed(f"{start}{title}{end}".encode()) == []


@given(st.binary(max_size=60))
def test_any_bytes_are_read_without_an_error(data: bytes) -> None:
    reader = KeyReader()
    named = {ENTER, BACKSPACE, ERASE_LINE, ESCAPE}
    assert all(len(key) == 1 or key in named for key in reader.feed(data) + reader.pause())
