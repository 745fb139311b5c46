"""Every exception is drawn in the tree of `errors.py`, documented, and met by a test."""

from __future__ import annotations

import inspect
import re

from sayso import errors
from tests.house.plan import TESTS, text_of

BRANCH = re.compile(r"^(?P<lead>[\s│├└]*)(?P<name>[A-Z]\w+)(\s|$)")


def raised() -> dict[str, type[Exception]]:
    """The exceptions that `errors.py` defines, by name."""
    return {
        name: thing
        for name, thing in vars(errors).items()
        if inspect.isclass(thing)
        and issubclass(thing, Exception)
        and thing.__module__ == errors.__name__
    }


def drawn() -> dict[str, str | None]:
    """The tree in the module's docstring: each name with the one it hangs on."""
    tree: dict[str, str | None] = {}
    trail: list[tuple[int, str]] = []
    for line in (errors.__doc__ or "").splitlines():
        found = BRANCH.match(line)
        if not found or not (
            (trail and any(mark in line for mark in "├└")) or line.startswith("    ")
        ):
            continue
        depth = len(found["lead"])
        while trail and trail[-1][0] >= depth:
            trail.pop()
        tree[found["name"]] = trail[-1][1] if trail else None
        trail.append((depth, found["name"]))
    return tree


def test_the_tree_is_drawn_as_it_is() -> None:
    real = {
        name: next((base.__name__ for base in kind.__bases__ if base.__name__ in raised()), None)
        for name, kind in raised().items()
    }
    assert drawn() == real


def test_every_exception_says_what_it_means() -> None:
    assert [name for name, kind in raised().items() if not vars(kind).get("__doc__")] == []


def test_every_exception_is_met_by_a_test() -> None:
    files = [path for path in TESTS.rglob("*.py") if "house" not in path.parts]
    words = set(re.findall(r"\w+", "\n".join(text_of(path) or "" for path in files)))
    parents = {base.__name__ for kind in raised().values() for base in kind.__bases__}
    unmet = sorted(set(raised()) - words - parents)
    assert unmet == [], "no test names these exceptions"
