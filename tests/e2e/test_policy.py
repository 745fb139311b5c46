"""The real `sayso policy`, as a person and as CI run it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.fakes.processes import PATIENCE, SAYSO
from tests.house.plan import ROOT

pytestmark = pytest.mark.slow

SETTINGS = """
[permissions]
allow = ["shell(git status *)", "shell(npm test)"]
deny = ["path(secrets)"]

[[rule]]
effect = "deny"
rule = "shell(git push --force *)"
examples = ["git push -f"]
"""


def run(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("SAYSO_")}
    ended = subprocess.run(
        [SAYSO, "policy", *words],
        env={**kept, "SAYSO_HOME": str(home), "NO_COLOR": "1"},
        cwd=home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert "Traceback" not in ended.stderr
    return ended


@pytest.mark.spec("POL-75")
def test_the_table_of_cases_is_as_expected(tmp_path: Path) -> None:
    ended = run(tmp_path, "cases", str(ROOT / "tests" / "cases" / "policy.tsv"))
    assert (ended.returncode, ended.stdout) == (0, "438 cases: all as expected\n"), ended.stdout


@pytest.mark.spec("POL-70", "POL-71")
def test_a_policy_is_checked_explained_and_listed(tmp_path: Path) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text(SETTINGS)
    checked = run(tmp_path, "check", "--strict", "--json")
    assert (checked.returncode, json.loads(checked.stdout)["findings"]) == (0, [])
    explained = run(tmp_path, "explain", "--", "git status && git push -f")
    assert explained.stdout.startswith("deny: rule-deny\ncommand git status: allow\n")
    assert f"shell(git push --force *) in your settings, {settings}:8:8" in explained.stdout
    listed = json.loads(run(tmp_path, "list", "--json").stdout)
    assert [rule["text"] for rule in listed if rule["origin"] == "global"] == [
        "shell(git status *)",
        "shell(npm test)",
        "path(secrets)",
        "shell(git push --force *)",
    ]

    settings.write_text(SETTINGS.replace('["git push -f"]', '["git pull"]'))
    broken = run(tmp_path, "check")
    assert broken.returncode == 1
    assert (
        f"{settings}:8:8: error: the rule `shell(git push --force *)` does not match `git pull`"
        in broken.stdout
    )
