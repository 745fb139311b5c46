"""What a glob stands for, and that what may not be looked at is not taken for nothing."""

from __future__ import annotations

import glob
import os
from pathlib import Path

import pytest

from sayso.system import globs
from sayso.system.facts import MAX_NAMES, LocalFacts
from tests.unit.policy.worlds import call, effect

pytestmark = pytest.mark.skipif(os.name != "posix", reason="paths of POSIX")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("src/a.py", "src/b.py", "src/.env", "src/deep/c.py", "lib/a.py", ".hidden/x"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "link").symlink_to("src")
    (tmp_path / "nowhere").symlink_to("gone")
    return tmp_path


def refuse(monkeypatch: pytest.MonkeyPatch, call: str, name: str, number: int) -> None:
    real = getattr(os, call)

    def either(path: str) -> object:
        if f"{path}/".endswith(f"/{name}/"):
            raise OSError(number, os.strerror(number), path)
        return real(path)

    monkeypatch.setattr(globs.os, call, either)


@pytest.mark.parametrize(
    "pattern",
    [
        "*", ".*", "*.py", "src/*", "src/.*", "*/a.py", "*/*", "*/*/*.py", "src/a.py", "src/?.py", "none", "none/*",
        "src/a.py/*", "link/*", "*/", "src/", "./src/../lib/*", "nowhere", "nowhere/*", "s*c/deep/*", "**/a.py", "..",
        "src//a*",
    ],
)  # fmt: skip
def test_it_stands_for_what_it_stands_for_elsewhere(tree: Path, pattern: str) -> None:
    expected = glob.glob(f"{glob.escape(str(tree))}/{pattern}")  # noqa: PTH207 the one to agree with
    found = LocalFacts().glob(pattern, str(tree))
    assert found is not None
    assert sorted(map(os.path.normpath, found)) == sorted(map(os.path.normpath, expected))


@pytest.mark.parametrize("number", [13, 5, 40])
@pytest.mark.parametrize("pattern", ["*", "src/*", "src/*.py", "*/*", "s*/*"])
def test_a_folder_that_cannot_be_listed_is_not_empty(
    tree: Path, monkeypatch: pytest.MonkeyPatch, pattern: str, number: int
) -> None:
    refuse(monkeypatch, "scandir", tree.name if pattern == "*" else "src", number)
    assert LocalFacts().glob(pattern, str(tree)) is None


@pytest.mark.parametrize("number", [2, 20])
def test_what_is_gone_meanwhile_holds_nothing(
    tree: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    refuse(monkeypatch, "scandir", "src", number)
    assert LocalFacts().glob("src/*", str(tree)) == ()
    assert LocalFacts().glob("*/a.py", str(tree)) is not None


@pytest.mark.parametrize("pattern", ["src/a.py", "*/a.py"])
def test_a_name_that_may_not_be_looked_at_is_not_missing(
    tree: Path, monkeypatch: pytest.MonkeyPatch, pattern: str
) -> None:
    refuse(monkeypatch, "lstat", "src/a.py", 13)
    assert LocalFacts().glob(pattern, str(tree)) is None


def test_what_may_be_a_folder_is_not_left_out(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert LocalFacts().glob("*/", str(tree)) is not None
    refuse(monkeypatch, "stat", "link", 13)
    assert LocalFacts().glob("*/", str(tree)) is None


def test_a_pattern_from_the_root_is_not_below_the_folder(tree: Path) -> None:
    assert LocalFacts().glob(f"{tree}/lib/*", "/nowhere") == (f"{tree}/lib/a.py",)
    assert LocalFacts().glob("/", str(tree)) == ("/",)


def test_what_cannot_be_a_name_and_what_is_too_much_is_not_known(tree: Path) -> None:
    facts = LocalFacts()
    for pattern in ("\ud800", "x\0", "[ab]", "a\\b", "*/" * 65, "x" * 300):
        assert facts.glob(pattern, str(tree)) is None, pattern
    assert facts.glob("a/" * 1000 + "*", str(tree)) == ()
    for number in range(MAX_NAMES + 1):
        (tree / "lib" / f"{number}").write_text("")
    assert facts.glob("lib/*", str(tree)) is None
    assert facts.glob("*", "not/absolute") is None


@pytest.mark.spec("POL-36")
def test_a_walk_below_a_folder_that_cannot_be_listed_asks(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = ("allow shell(*)", f"deny read({tree}/lib/keys/**)")
    walk = call("execute_cmd", command=f"grep -r x {tree}/lib")
    facts = LocalFacts()
    assert effect(walk, *rules, facts=facts) == "allow"
    refuse(monkeypatch, "scandir", "lib", 13)
    refuse(monkeypatch, "lstat", "lib/keys", 13)
    assert effect(walk, *rules, facts=facts) == "ask"
