"""Imports go one way, and below the waterline nothing touches the world."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.plan import PURE, ROOT, SRC, modules, parsed, place

# Built-ins that reach out of the program; no import gives them away.
REACHING_OUT = {"breakpoint", "eval", "exec", "input", "open", "print"}


def lint_imports(root: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter on the house that stands under a folder."""
    return subprocess.run(
        [
            *(sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()"),
            *("--no-cache", "--no-logo", str(ROOT / "pyproject.toml")),
        ],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root / "src")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def pure_modules() -> list[Path]:
    """The modules below the waterline."""
    return [
        path for path in modules() if path.relative_to(SRC).parts[0].removesuffix(".py") in PURE
    ]


def test_the_house_is_one_way() -> None:
    result = lint_imports(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("where", "line", "complaint"),
    [
        ("gate/broken.py", "import sayso.broker", "sayso.gate is not allowed to import sayso.bro"),
        ("policy/broken.py", "import sayso.people", "sayso.policy is not allowed to import sayso."),
        ("core/broken.py", "import time", "sayso.core is not allowed to import time"),
        ("audit/broken.py", "from os import path", "sayso.audit is not allowed to import os"),
        ("newroom/__init__.py", "import sayso.core", "newroom"),
        ("broken.py", "import sayso.cli", "broken"),
    ],
)
def test_the_fence_holds(tmp_path: Path, where: str, line: str, complaint: str) -> None:
    house = tmp_path / "src" / "sayso"
    shutil.copytree(SRC, house, ignore=shutil.ignore_patterns("__pycache__", "*.js", "*.css"))
    intruder = house / where
    intruder.parent.mkdir(exist_ok=True)
    intruder.write_text(f'"""An intruder."""\n\n{line}\n', encoding="utf-8")
    result = lint_imports(tmp_path)
    assert result.returncode == 1, f"{where} may not say `{line}`, and did\n{result.stdout}"
    assert complaint in result.stdout


@pytest.mark.parametrize(
    "line",
    [
        "from datetime import datetime; datetime.now()",
        "import datetime; datetime.datetime.utcnow()",
        "import datetime; datetime.date.today()",
        "import uuid; uuid.uuid4()",
        "from uuid import uuid1; uuid1()",
        "from pathlib import Path",
    ],
)
@pytest.mark.parametrize(("room", "banned"), [("core", True), ("broker", True), ("system", False)])
def test_hidden_clocks_and_chance_are_banned(line: str, room: str, banned: bool) -> None:
    result = subprocess.run(
        [
            *(sys.executable, "-m", "ruff", "check", "--select", "TID251", "--no-cache"),
            *("--stdin-filename", f"src/sayso/{room}/probe.py", "-"),
        ],
        cwd=ROOT,
        input=line + "\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == (1 if banned else 0), result.stdout + result.stderr


@pytest.mark.parametrize("path", pure_modules(), ids=place)
def test_no_builtin_reaches_out_below_the_waterline(path: Path) -> None:
    calls = [
        f"{place(path)}:{node.lineno}: {node.func.id}"
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in REACHING_OUT
    ]
    assert calls == []
