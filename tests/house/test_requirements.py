"""Every requirement is proved by a test that names it, or stands in `docs/spec/not-yet.md`."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from tests.house.plan import SPEC, TESTS, parsed, place

# The list may only shrink: lower this number with it, never raise it.
NOT_YET_AT_MOST = 82

NOT_YET = SPEC / "not-yet.md"
ITEM = re.compile(r"^- ([A-Z]+-\d+[a-z]?)\b(.*)$", re.MULTILINE)


def required() -> Counter[str]:
    """The requirement ids of the specification, each with how often it is given."""
    files = sorted(path for path in SPEC.glob("*.md") if path != NOT_YET)
    return Counter(name for path in files for name, _ in ITEM.findall(path.read_text("utf-8")))


def not_yet() -> list[tuple[str, str]]:
    """The ids that no test names yet, each with what is written beside it."""
    return ITEM.findall(NOT_YET.read_text("utf-8"))


def marks(tree: ast.Module) -> Iterator[tuple[int, str | None]]:
    """Line and id of each argument of a `mark.spec(...)`; None where it is no plain text."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        owner = node.func.value
        owner_name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", None)
        if node.func.attr != "spec" or owner_name != "mark":
            continue
        for argument in node.args:
            plain = isinstance(argument, ast.Constant) and isinstance(argument.value, str)
            yield argument.lineno, argument.value if plain else None  # type: ignore[attr-defined]


def named() -> dict[str, list[str]]:
    """Each id that a test mark names, with the places where it does."""
    found: dict[str, list[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        for line, name in marks(parsed(path)):
            where = f"{place(path)}:{line}"
            assert name is not None, f"{where}: write requirement ids out as plain text"
            found.setdefault(name, []).append(where)
    return found


def lines(names: set[str]) -> str:
    """Ids as they stand in a message, in the order of the specification."""
    order = list(required())
    return "\n  ".join(sorted(names, key=lambda n: order.index(n) if n in order else -1))


def test_an_id_is_given_once() -> None:
    assert [name for name, times in required().items() if times > 1] == []
    assert [n for n, times in Counter(n for n, _ in not_yet()).items() if times > 1] == []


def test_a_mark_names_a_requirement_that_exists() -> None:
    known = required()
    unknown = [
        f"{at}: {name}" for name, places in named().items() if name not in known for at in places
    ]
    assert unknown == [], "no such requirement in docs/spec:\n  " + "\n  ".join(unknown)


def test_every_requirement_is_proved_or_stands_in_not_yet() -> None:
    missing = set(required()) - set(named()) - {name for name, _ in not_yet()}
    assert not missing, (
        "no test mark names these; write the test (the list of not-yet.md may not grow):\n  "
        + lines(missing)
    )


def test_what_is_proved_leaves_not_yet() -> None:
    # a line that says after a colon what is left stands beside the tests that prove the rest
    proved = set(named()) & {name for name, words in not_yet() if ":" not in words}
    assert not proved, (
        f"remove these lines from docs/spec/not-yet.md, and lower NOT_YET_AT_MOST to "
        f"{len(not_yet()) - len(proved)}:\n  {lines(proved)}"
    )


def test_not_yet_holds_requirements_each_with_its_milestone() -> None:
    unknown = {name for name, _ in not_yet()} - set(required())
    assert not unknown, f"not-yet.md names what docs/spec does not:\n  {lines(unknown)}"
    silent = {name for name, words in not_yet() if not words.strip()}
    assert not silent, f"not-yet.md has to say which milestone proves:\n  {lines(silent)}"


def test_not_yet_only_shrinks() -> None:
    length = len(not_yet())
    assert length <= NOT_YET_AT_MOST, "not-yet.md may only shrink: it has grown"
    assert length == NOT_YET_AT_MOST, f"well done: now lower NOT_YET_AT_MOST to {length}"


def test_marks_are_read_wherever_they_stand() -> None:
    source = """
import pytest
from pytest import mark

pytestmark = [pytest.mark.slow, pytest.mark.spec("A-1")]

@pytest.mark.spec("A-2", "A-3")
def test_one(): ...

@pytest.mark.parametrize("x", [pytest.param(1, marks=mark.spec("A-4"))])
class TestTwo:
    @mark.spec("A-5")
    def test_two(self, x): ...
"""
    assert {name for _, name in marks(ast.parse(source))} == {"A-1", "A-2", "A-3", "A-4", "A-5"}
    assert [name for _, name in marks(ast.parse("mark.spec(f'A-{6}')"))] == [None]
