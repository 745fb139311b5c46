"""The floor plan that the house tests walk: where things stand, and how to read them."""

from __future__ import annotations

import ast
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src" / "sayso"
SPEC = ROOT / "docs" / "spec"
TESTS = ROOT / "tests"

# Rooms below the waterline: no I/O, no clock, no chance.
PURE = ("audit", "core", "errors", "gate", "people", "policy", "questions", "requests")


@cache
def rooms() -> tuple[Path, ...]:
    """Every room of the house, by name."""
    return tuple(
        sorted(p for p in SRC.iterdir() if p.is_dir() and not p.name.startswith(("_", ".")))
    )


@cache
def modules() -> tuple[Path, ...]:
    """Every Python module of the house."""
    return tuple(sorted(SRC.rglob("*.py")))


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def place(path: Path) -> str:
    """How a path is written in a message: from the root of the project."""
    return path.relative_to(ROOT).as_posix()


def dotted(path: Path) -> str:
    """The name under which a module of the house is imported."""
    parts = path.relative_to(SRC.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def project_files() -> tuple[Path, ...]:
    """Every file that belongs to the project: tracked, or new and not ignored."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout.decode()
    files = (ROOT / name for name in listed.split("\0") if name)
    return tuple(sorted(path for path in files if path.is_file()))


def text_of(path: Path) -> str | None:
    """A file's text, or None where it is not text."""
    data = path.read_bytes()
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None
