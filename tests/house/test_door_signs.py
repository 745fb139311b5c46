"""Each room has a door sign: three sentences and what it offers, sorted."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest

import sayso
from tests.house.plan import parsed, place, rooms

FRONT_DOOR_AT_MOST = 20
SENTENCE_END = re.compile(r"[.!?](?=\s|$)")
QUOTED = re.compile(r"`[^`]*`")


def by_kind(name: str) -> tuple[int, str]:
    """How exported names are sorted: constants, then classes, then functions."""
    return (0 if name.isupper() else 1 if name[:1].isupper() else 2, name)


def exported(sign: Path) -> list[str]:
    """The `__all__` of a module, which has to be written out."""
    for node in parsed(sign).body:
        if isinstance(node, ast.AnnAssign):
            targets: list[ast.expr] = [node.target]
        elif isinstance(node, ast.Assign):
            targets = node.targets
        else:
            continue
        if ast.unparse(targets[0]) == "__all__" and node.value is not None:
            value = ast.literal_eval(node.value)
            assert isinstance(value, list)
            return value
    raise AssertionError(f"{place(sign)} has no __all__")


@pytest.mark.parametrize("room", rooms(), ids=lambda room: room.name)
def test_a_room_has_a_door_sign(room: Path) -> None:
    sign = room / "__init__.py"
    assert sign.is_file(), f"{place(room)} has no door sign"
    words = QUOTED.sub("it", ast.get_docstring(parsed(sign)) or "")
    assert len(SENTENCE_END.findall(words)) == 3, (
        f"{place(sign)} has to say in three sentences what lives here, what never does, "
        "and which file to read first"
    )


@pytest.mark.parametrize("room", rooms(), ids=lambda room: room.name)
def test_a_door_sign_says_what_to_read_first(room: Path) -> None:
    words = ast.get_docstring(parsed(room / "__init__.py")) or ""
    last = re.split(r"\bRead\s", words)[-1]
    named = re.findall(r"`([\w/.]+)`", last)
    assert named, f"{place(room)} has to say which file to read first"
    furnished = any(path.suffix in {".py", ".js"} for path in room.rglob("[!_]*.*"))
    missing = [name for name in named if not (room / name).exists()]
    assert not furnished or missing == [], f"{place(room)} says to read what is not there"


@pytest.mark.parametrize("room", rooms(), ids=lambda room: room.name)
def test_what_a_room_offers_is_sorted_and_there(room: Path) -> None:
    names = exported(room / "__init__.py")
    assert names == sorted(set(names), key=by_kind)
    module = importlib.import_module(f"sayso.{room.name}")
    assert [name for name in names if not hasattr(module, name)] == []


def test_the_front_door_is_small_sorted_and_documented() -> None:
    names = sayso.__all__
    assert names == sorted(set(names), key=by_kind)
    assert len(names) <= FRONT_DOOR_AT_MOST
    things = {name: getattr(sayso, name) for name in names}
    silent = [
        name
        for name, thing in things.items()
        if (inspect.isclass(thing) or inspect.isroutine(thing)) and not inspect.getdoc(thing)
    ]
    assert silent == []
