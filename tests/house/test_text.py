"""What the project's files say: nothing of one machine, and links that lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.house.plan import ROOT, place, project_files, text_of

# In pieces, so that this file does not find itself.
OF_ONE_MACHINE = {
    "an absolute path": "/" + "work" + "/",
    "a package registry": "pypi" + ".org",
    "a package registry's files": "files.python" + "hosted.org",
    "the npm registry": "registry." + "npmjs.org",
}
LINK = re.compile(
    r"(?<!!)\[[^\]]*\]\((?!https?:|mailto:|#)([^)#\s]+)[^)]*\)|!\[[^\]]*\]\(([^)\s]+)\)"
)
MAKE_TARGET = re.compile(r"`make ([a-z]+)`|^make ([a-z]+)", re.MULTILINE)
ADR = re.compile(r"^(\d{4})-[a-z0-9-]+\.md$")


def documents() -> list[Path]:
    """The project's Markdown files."""
    return [path for path in project_files() if path.suffix == ".md"]


@pytest.mark.parametrize("what", OF_ONE_MACHINE)
def test_no_file_speaks_of_one_machine(what: str) -> None:
    needle = OF_ONE_MACHINE[what]
    found = [place(path) for path in project_files() if needle in (text_of(path) or "")]
    assert found == [], f"these files name {what}"


@pytest.mark.parametrize("path", documents(), ids=place)
def test_links_lead_somewhere(path: Path) -> None:
    targets = [a or b for a, b in LINK.findall(path.read_text(encoding="utf-8"))]
    broken = [target for target in targets if not (path.parent / target).exists()]
    assert broken == []


@pytest.mark.parametrize("path", documents(), ids=place)
def test_make_targets_that_are_told_of_exist(path: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    told = {a or b for a, b in MAKE_TARGET.findall(path.read_text(encoding="utf-8"))}
    there = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    planned = {"fuzz"} if path.parent.name == "spec" else set()
    assert told - there - planned == set()


def test_every_make_target_says_what_it_does() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^\.PHONY: ([a-z]+)$", makefile, re.MULTILINE)) - {"help"}
    described = set(re.findall(r"^([a-z]+):.* ## \S", makefile, re.MULTILINE))
    assert targets == described


def test_continuous_integration_runs_make_test_and_nothing_else() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    lines = [line for line in script.splitlines() if line and not line.startswith("#")]
    assert lines[0] == "set -euo pipefail"
    assert lines[-1] == "exec make test"
    assert all(line.startswith(("cd ", "export ")) for line in lines[1:-1])


def test_decisions_are_numbered_and_tell_context_decision_and_consequences() -> None:
    records = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    numbers = [int(found[1]) for path in records if (found := ADR.match(path.name))]
    assert numbers == list(range(len(records)))
    for path in records:
        heads = re.findall(r"^## (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert heads[:3] == ["Context", "Decision", "Consequences"], place(path)


def test_lock_files_name_versions_and_hashes() -> None:
    for path in sorted((ROOT / "requirements").glob("*.lock")):
        text = path.read_text(encoding="utf-8")
        entries = re.split(r"^(?=[A-Za-z0-9])", text, flags=re.MULTILINE)[1:]
        assert entries, place(path)
        bare = [e.split()[0] for e in entries if "==" not in e or "--hash=sha256:" not in e]
        assert bare == [], place(path)


def test_the_benchmarks_run_on_the_versions_that_are_tested() -> None:
    def versions(name: str) -> dict[str, str]:
        text = (ROOT / "requirements" / name).read_text(encoding="utf-8")
        return dict(re.findall(r"^([A-Za-z0-9._-]+)==(\S+)", text, re.MULTILINE))

    tested, measured = versions("dev.lock"), versions("bench.lock")
    assert {name: measured.get(name) for name in tested} == tested
