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

import json
import os
import re
import select
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATCHES = sorted(Path(__file__).parent.glob("*.patch"))
LEFT_OUT = shutil.ignore_patterns("vendor", "browser", "e2e", "snapshots", "*.patch")
FORKS = Path(__file__).with_name("forks.py")
SECONDS = 240

# A patched law may look longer, since it stops at the first example that fails; that example is not
# made smaller, for all that is asked is whether there is one. An unpatched one only has to show that
# it can run in the copy, with the first of its parameters: the suite itself runs it in full.
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


def pytest_collection_modifyitems(items):
    if "SAYSO_PATCHED" not in os.environ:
        items[:] = {item.originalname: item for item in reversed(items)}.values()
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


class Forks:
    """The process that runs tests in forks of itself, and what the last of them printed."""

    def __init__(self, folder: Path) -> None:
        self.output = folder / "output"
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, place: Path, *tests: str, patched: bool) -> int:
        """Run tests in a folder; pytest's status."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, str(FORKS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        plain = [name for name in ("PATH", "HOME", "TMPDIR", "LANG") if name in os.environ]
        environment = {name: os.environ[name] for name in plain}
        environment["PYTHONPATH"] = str(place / "src")
        if patched:
            environment["SAYSO_PATCHED"] = "1"
        order = {
            "place": str(place),
            "environment": environment,
            "output": str(self.output),
            "arguments": ["-x", "-q", "-rs", "--no-header", "-p", "no:cacheprovider", *tests],
        }
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        self._process.stdin.flush()
        ready, _, _ = select.select([self._process.stdout], [], [], SECONDS)
        assert ready, f"it did not end within {SECONDS} s:\n{self.printed()}"
        return int(self._process.stdout.readline())

    def printed(self) -> str:
        """The end of what was printed."""
        return self.output.read_text(encoding="utf-8", errors="replace")[-6000:]

    def close(self) -> None:
        """End it, and whatever a law of its left behind."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()


@pytest.fixture(scope="module")
def forks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forks]:
    """The process that runs the laws, started when the first is run."""
    forks = Forks(tmp_path_factory.mktemp("forks"))
    yield forks
    forks.close()


@pytest.mark.slow
@pytest.mark.parametrize("file", sorted({law_of(patch).partition("::")[0] for patch in PATCHES}))
def test_the_laws_hold_on_the_unpatched_copy(file: str, original: Path, forks: Forks) -> None:
    laws = sorted({law for law in map(law_of, PATCHES) if law.startswith(f"{file}::")})
    assert forks.run(original, *laws, patched=False) == 0, forks.printed()


@pytest.mark.slow
@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_a_broken_promise_is_noticed(
    patch: Path, original: Path, forks: Forks, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(original, copy, copy_function=os.link)  # git writes a new file, and Python too
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
    status = forks.run(copy, law, patched=True)
    printed = forks.printed()
    if status == 0 and "NO JAIL" in printed:
        pytest.skip(f"{law} could not be run: it needs a jail, and none can be made here")
    assert status == 1, (
        f"{patch.name} breaks a promise and {law} does not fail (exit {status}):\n{printed}"
    )
