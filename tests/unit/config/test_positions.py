from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.config.positions import Path, find_positions

TEXT = '''# a comment [x]
top = 1
"quo.ted" = 'v' # trailing
[permissions]
allow = [
  "read(a)", # one
  'shell(x "y")',
  """multi
line""",
]
dotted.key = { a = 1, "b c" = [true, {d = 2}] }
[[rule]]
effect = "ask"
[rule.policy]
severity = "high"
[[rule]]
effect = "deny"
[tools."my tool"]
paths = [{ name = "p" }, { name = "q" }]
'''


@pytest.mark.parametrize(
    ("path", "key", "value"),
    [
        (("top",), (2, 1), (2, 7)),
        (("quo.ted",), (3, 1), (3, 13)),
        (("permissions",), (4, 1), (4, 1)),
        (("permissions", "allow"), (5, 1), (5, 9)),
        (("permissions", "allow", 0), (5, 1), (6, 3)),
        (("permissions", "allow", 1), (5, 1), (7, 3)),
        (("permissions", "allow", 2), (5, 1), (8, 3)),
        (("permissions", "dotted", "key"), (11, 1), (11, 14)),
        (("permissions", "dotted", "key", "a"), (11, 16), (11, 20)),
        (("permissions", "dotted", "key", "b c", 1, "d"), (11, 39), (11, 43)),
        (("rule", 0, "effect"), (13, 1), (13, 10)),
        (("rule", 0, "policy"), (14, 1), (14, 1)),
        (("rule", 0, "policy", "severity"), (15, 1), (15, 12)),
        (("rule", 1), (16, 1), (16, 1)),
        (("rule", 1, "effect"), (17, 1), (17, 10)),
        (("rule", 1, "nothing", "here"), (16, 1), (16, 1)),
        (("tools", "my tool", "paths", 1, "name"), (19, 28), (19, 35)),
        (("nowhere",), (1, 1), (1, 1)),
    ],
)
def test_keys_and_values_have_their_places(
    path: Path, key: tuple[int, int], value: tuple[int, int]
) -> None:
    found = find_positions(TEXT)
    assert found.of_key(path) == key
    assert found.of_value(path) == value


@pytest.mark.parametrize(
    ("line", "column", "place"),
    [
        ('a = "shell(x)"', 3, (1, 8)),
        ("a = 'shell(x)'", 3, (1, 8)),
        ("a = 'x'", 99, (1, 7)),
        ('a = "x\\ty"', 3, (1, 5)),
        ('a = """x"""', 3, (1, 5)),
        ("a = '''x'''", 3, (1, 5)),
        ("b = 1", 3, (1, 1)),
    ],
)
def test_a_character_inside_a_text_has_its_place(
    line: str, column: int, place: tuple[int, int]
) -> None:
    assert find_positions(line).inside(("a",), column) == place


def paths_of(value: Any, path: Path = ()) -> list[Path]:
    found = [path] if path else []
    if isinstance(value, dict):
        for key, item in value.items():
            found += paths_of(item, (*path, key))
    if isinstance(value, list):
        for number, item in enumerate(value):
            found += paths_of(item, (*path, number))
    return found


PIECES = st.lists(
    st.sampled_from(
        [*TEXT.splitlines(keepends=True), "[a]\n", "[a.b]\n", "[[a.c]]\n", "x.y = 1979-05-27\n"]
    ),
    max_size=12,
)


@given(PIECES | st.just([TEXT]))
def test_every_value_of_a_valid_text_has_a_place(pieces: list[str]) -> None:
    text = "".join(pieces)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    found = find_positions(text)
    for path in paths_of(data):
        assert found.of_value(path) != (0, 0)
        assert path in found.keys or path in found.values
