"""The wire: lines, strict JSON, and what is written."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.adapters.mcp_gateway.wire import (
    Lines,
    LineTooLong,
    NotJson,
    dumps,
    error_line,
    id_key,
    one_line,
    parse,
    progress_line,
    tool_text,
    twice_in,
)


def reader(*parts: bytes) -> asyncio.StreamReader:
    made = asyncio.StreamReader()
    for part in parts:
        made.feed_data(part)
    made.feed_eof()
    return made


async def all_lines(lines: Lines) -> list[bytes | str]:
    found: list[bytes | str] = []
    while True:
        try:
            line = await lines.next()
        except LineTooLong:
            found.append("too long")
            continue
        if line is None:
            return found
        found.append(line)


async def test_lines_are_split_at_newlines_and_nowhere_else() -> None:
    data = b'{"a":1}\n\r\n {"b":\r"\xe2\x80\xa8"} \nthe rest has no newline'
    assert await all_lines(Lines(reader(data))) == [b'{"a":1}', b"\r", b' {"b":\r"\xe2\x80\xa8"} ']


async def test_a_line_over_the_limit_is_skipped_and_the_next_is_read() -> None:
    data = b"a" * 11 + b"\n" + b"b" * 10 + b"\n" + b"c" * 300_000 + b"\nd\n"
    assert await all_lines(Lines(reader(data), 10)) == ["too long", b"b" * 10, "too long", b"d"]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"nonsense",
        b'{"a":1}{"b":2}',
        b'{"a":1}\r{"b":2}',
        b'\xef\xbb\xbf{"a":1}',
        b'{"a":"\xff"}',
        b'{"a":NaN}',
        b'{"a":-Infinity}',
        b"{'a':1}",
        b'{"a":1,}',
        b'{"a":1} // c',
        b'{"a":"\x0b"}',
        b'{"a":"tab\there"}',
        '{"a":1}'.encode("utf-16"),
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a":' + b"9" * 5000 + b"}",
        b'{"a":01}',
        b'{"a":\x0c1}',
    ],
)
def test_what_is_not_json_by_the_letter_is_not_json(line: bytes) -> None:
    with pytest.raises(NotJson):
        parse(line)


def test_a_key_that_stands_twice_is_remembered_at_any_depth() -> None:
    assert parse(b'{"a":1,"b":2,"a":3,"b":4}').twice == "a"
    assert parse(b'{"a":1}').twice is None
    assert twice_in(parse(b'{"x":[{"y":{"k":1,"k":2}}]}')) == "k"
    assert twice_in(parse(b'{"x":[{"y":{"k":1}}]}')) is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(json_values, st.sampled_from(["\r", "\r\n", " ", "\u2028", ""]))
def test_one_line_keeps_the_value_and_no_reader_splits_it(value: object, gap: str) -> None:
    spread = json.dumps({"v": value, "gap": gap}, ensure_ascii=False)
    line = (
        spread.replace(", ", f",{gap.strip(chr(0x2028))}")
        .replace("\n", "\\n")
        .encode("utf-8", "surrogatepass")
    )
    try:
        parse(line)
    except NotJson:
        return
    written = one_line(line)
    assert parse(written) == parse(line)
    assert len(written.decode().splitlines()) == 1


def test_one_line_leaves_an_ordinary_line_alone() -> None:
    for line in (b'{"a": 1}', b'{"a":1}\r', '{"ä":"日本"}'.encode()):
        assert one_line(line) == line


@given(json_values)
def test_what_is_written_is_one_line_of_ascii_that_reads_the_same(value: object) -> None:
    try:
        line = dumps(value)
    except ValueError:
        return
    assert line.isascii()
    assert len(line.decode().splitlines()) <= 1
    assert json.loads(line) == value


def test_numbers_that_json_has_not_are_not_written() -> None:
    with pytest.raises(ValueError, match="JSON"):
        dumps(float("inf"))
    assert dumps(float("inf"), strict=False) == b"Infinity"


@pytest.mark.parametrize(
    ("value", "key"),
    [
        (5, 5),
        (5.0, 5),
        ("5", 5),
        ("-5", -5),
        ("05", 5),
        ("x", "x"),
        ("", ""),
        (True, None),
        (None, None),
        (5.5, None),
        ([5], None),
        ("٥", "٥"),
        ("9" * 40, "9" * 40),
    ],
)
def test_ids_that_some_readers_take_for_one_are_one(value: object, key: object) -> None:
    found = id_key(value)
    assert found == key
    assert type(found) is type(key)


def test_answers_say_what_the_protocol_wants() -> None:
    assert json.loads(error_line(7, -32600, "no")) == {
        "jsonrpc": "2.0",
        "id": 7,
        "error": {"code": -32600, "message": "no"},
    }
    assert json.loads(error_line([], -32600, "no"))["id"] is None
    legacy = json.loads(tool_text("a", "no", modern=False))["result"]
    assert legacy == {"content": [{"type": "text", "text": "no"}], "isError": True}
    modern = json.loads(tool_text("a", "no", modern=True))["result"]
    assert modern == {**legacy, "resultType": "complete"}
    first = json.loads(progress_line("t", 1, "waiting"))["params"]
    second = json.loads(progress_line("t", 2, "waiting"))["params"]
    assert 0 < first["progress"] < second["progress"] < 0.001
