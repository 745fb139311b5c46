"""Keys: their text tells them apart, and their words say what they cover."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.errors import KeyInvalid
from sayso.requests.key import MAX_KEY, Key, KeyKind, parse_key

words = st.text(
    st.characters(exclude_characters="\0", exclude_categories=("Cs",)), min_size=1, max_size=8
)
tricky = st.sampled_from([":", "a:b", "%3A", "a%", "mcp:", " x", "/w", "é"])
names = words | tricky
COUNTS = {KeyKind.MCP: 2, KeyKind.TOOL: 2}

keys = st.one_of(
    *(
        st.builds(lambda *parts, kind=kind: Key(kind, parts), *[names] * COUNTS.get(kind, 1))
        for kind in KeyKind
        if kind is not KeyKind.COMMAND
    ),
    st.builds(
        lambda place, line, more: Key(KeyKind.COMMAND, (place, line, *more)),
        names,
        names.filter(lambda name: bool(name.strip())),
        st.lists(names, max_size=2),
    ),
)


@pytest.mark.spec("REQ-50")
@given(keys)
def test_the_text_of_a_key_is_read_back_as_the_key(key: Key) -> None:
    assert parse_key(key.text) == key


@pytest.mark.spec("REQ-50")
@given(keys, keys)
def test_two_keys_never_have_one_text(one: Key, other: Key) -> None:
    assert (one.text == other.text) == (one == other)


@pytest.mark.parametrize(
    "text",
    [
        "", "write", "write:", "nothing:x", "mcp:a", "mcp::b", "mcp:a:", "cmd:/w", "cmd:/w\0 ",
        "tool:x", "WRITE:/w", "tool:%61:x", "web:" + "x" * MAX_KEY,
    ],
)  # fmt: skip
def test_what_is_not_a_key_is_refused(text: str) -> None:
    with pytest.raises(KeyInvalid, match="key"):
        parse_key(text)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("write:/w", "edit any file in /w"),
        ("delete:/w", "delete any file in /w"),
        ("cmd:/w\0npm test", "run exactly `npm test` in /w"),
        ("cmd:\0npm test", "run exactly `npm test`"),
        ("cmd:/w\0cat a\0read:/w/a", "run exactly `cat a` in /w (touching read:/w/a)"),
        ("web:example.com", "fetch anything from example.com"),
        ("search:WebSearch", "search for anything with WebSearch"),
        (
            "mcp:github:create_issue",
            "use create_issue of the server github, whatever its arguments",
        ),
        ("forged:count", "use the generated tool count, whatever its arguments"),
        ("tool:send_mail:", "use send_mail, whatever its arguments"),
        (
            "tool:read_file:read:/etc/x",
            "use read_file for exactly read:/etc/x, whatever its other arguments",
        ),
    ],
)
def test_a_key_says_in_words_what_it_covers(text: str, label: str) -> None:
    assert parse_key(text).label == label
