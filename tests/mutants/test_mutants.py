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
LEFT_OUT = shutil.ignore_patterns("vendor", "browser", "e2e", "snapshots", "*.patch")
SECONDS = 300

# A patched law may look longer, since it stops at the first example that fails; that example is not
# made smaller, for all that is asked is whether there is one. An unpatched one only has to show that
# it can run in the copy: the suite itself runs it in full.
PROFILES = """

from hypothesis import Phase

settings.register_profile(
    "patched",
    parent=settings.get_profile("ci"),
    max_examples=2000,
    phases=[Phase.explicit, Phase.generate],
)
settings.register_profile("unpatched", parent=settings.get_profile("ci"), max_examples=10)
settings.load_profile("patched" if "SAYSO_PATCHED" in os.environ else "unpatched")
"""


def law_of(patch: Path) -> str:
    found = re.search(r"^# law: (\S+)$", patch.read_text(encoding="utf-8"), re.MULTILINE)
    assert found, f"{patch.name} does not name its law: add a line `# law: FILE::TEST`"
    return found[1]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources, tests and made-up work that the laws need."""
    copy = tmp_path_factory.mktemp("copy")
    for folder in ("src", "tests", "bench"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=LEFT_OUT)
    shutil.copy(ROOT / "pyproject.toml", copy)
    with (copy / "tests" / "conftest.py").open("a", encoding="utf-8") as conftest:
        conftest.write(PROFILES)
    return copy


def run(place: Path, *tests: str, patched: bool) -> subprocess.CompletedProcess[str]:
    plain = [name for name in ("PATH", "HOME", "TMPDIR", "LANG") if name in os.environ]
    environment = {name: os.environ[name] for name in plain} | {"PYTHONPATH": str(place / "src")}
    if patched:
        environment["SAYSO_PATCHED"] = "1"
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-x",
            "-q",
            "-rs",
            "--no-header",
            "-p",
            "no:cacheprovider",
            *tests,
        ],
        cwd=place,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize("file", sorted({law_of(patch).partition("::")[0] for patch in PATCHES}))
def test_the_laws_hold_on_the_unpatched_copy(file: str, original: Path) -> None:
    laws = sorted({law for law in map(law_of, PATCHES) if law.startswith(f"{file}::")})
    done = run(original, *laws, patched=False)
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
    done = run(copy, law, patched=True)
    if done.returncode == 0 and "NO JAIL" in done.stdout:
        pytest.skip(f"{law} could not be run: it needs a jail, and none can be made here")
    assert done.returncode == 1, (
        f"{patch.name} breaks a promise and {law} does not fail (exit {done.returncode}):\n"
        f"{done.stdout[-3000:]}{done.stderr[-3000:]}"
    )
