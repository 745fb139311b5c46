"""Every promise can be broken, and its law notices.

Each `*.patch` beside this file breaks one promise on purpose. Its first lines say why and which law
must fail:

    # breaks: nothing matches, and the call is allowed
    # law: tests/laws/test_policy_verdict.py::test_silence_is_ask

Then follows a unified diff against the root of the project. One line of context is enough, and its
line numbers need not be right: the hunk is searched for. The law is run in a copy of the sources and
tests, first unchanged (it passes), then patched (it must fail, not merely break).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATCHES = sorted(Path(__file__).parent.glob("*.patch"))
LEFT_OUT = shutil.ignore_patterns("__pycache__", "vendor", "browser", "e2e", "snapshots", "*.patch")
SECONDS = 300

# Failing examples are not made smaller: that the law fails is all that is asked.
QUICK = """

from hypothesis import Phase

settings.register_profile(
    "mutants", parent=settings.get_profile("ci"), phases=[Phase.explicit, Phase.generate]
)
settings.load_profile("mutants")
"""


def law_of(patch: Path) -> str:
    found = re.search(r"^# law: (\S+)$", patch.read_text(encoding="utf-8"), re.MULTILINE)
    assert found, f"{patch.name} does not name its law: add a line `# law: FILE::TEST`"
    return found[1]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources and tests that the laws need."""
    copy = tmp_path_factory.mktemp("copy")
    shutil.copytree(ROOT / "src", copy / "src", ignore=LEFT_OUT)
    shutil.copytree(ROOT / "tests", copy / "tests", ignore=LEFT_OUT)
    shutil.copy(ROOT / "pyproject.toml", copy)
    with (copy / "tests" / "conftest.py").open("a", encoding="utf-8") as conftest:
        conftest.write(QUICK)
    return copy


def run(place: Path, *tests: str) -> subprocess.CompletedProcess[str]:
    plain = [name for name in ("PATH", "HOME", "TMPDIR", "LANG") if name in os.environ]
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-x",
            "-q",
            "--no-header",
            "-p",
            "no:cacheprovider",
            *tests,
        ],
        cwd=place,
        env={name: os.environ[name] for name in plain} | {"PYTHONPATH": str(place / "src")},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


@pytest.mark.slow
def test_the_laws_hold_on_the_unpatched_copy(original: Path) -> None:
    laws = sorted({law_of(patch) for patch in PATCHES})
    done = run(original, *laws)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_a_broken_promise_is_noticed(patch: Path, original: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(original, copy)
    applied = subprocess.run(
        ["git", "apply", "--recount", "-C1", str(patch)],
        cwd=copy,
        env=dict(os.environ, GIT_CEILING_DIRECTORIES=str(copy.parent)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert applied.returncode == 0, f"{patch.name} no longer applies: {applied.stderr}"
    law = law_of(patch)
    done = run(copy, law)
    assert done.returncode == 1, (
        f"{patch.name} breaks a promise and {law} does not fail (exit {done.returncode}):\n"
        f"{done.stdout[-3000:]}{done.stderr[-3000:]}"
    )
