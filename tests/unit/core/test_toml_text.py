from __future__ import annotations

import time

import pytest

from sayso.core.toml_text import MAX_PARTS, deep_key


@pytest.mark.parametrize(
    "text",
    [
        "a" + ".b" * 200 + " = 1",
        '"a b"' + ' . \'c.d\' . "e\\"" . f' * 40 + " = 1",
        "x = { a" + ".b" * 200 + " = 1 }",
    ],
    ids=["plain", "quoted", "inline"],
)
def test_a_key_of_very_many_parts_is_found(text: str) -> None:
    assert deep_key(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "a" + ".b" * (MAX_PARTS - 1) + " = 1",
        'x = "' + "One sentence. Another one. " * 500 + '"',
        "x = 1\n" * 500,
    ],
    ids=["few parts", "sentences", "lines"],
)
def test_what_else_a_file_holds_is_none(text: str) -> None:
    assert deep_key(text) is None


@pytest.mark.parametrize(
    "text", ["a" * 200_000, '"' * 199_999, "'" * 199_999, ". " * 100_000, '\\"' * 100_000]
)
def test_looking_takes_a_moment(text: str) -> None:
    begin = time.perf_counter()
    deep_key(text)
    assert time.perf_counter() - begin < 1
