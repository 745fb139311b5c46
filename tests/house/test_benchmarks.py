"""Every benchmark that `python -m bench` knows measures a row of docs/spec/bench.md, on locked versions."""

from __future__ import annotations

import re

from bench.__main__ import PEERS, SCRIPTS
from tests.house.plan import ROOT


def test_every_script_is_there_and_measures_a_row_of_the_plan() -> None:
    rows = re.findall(
        r"^\| B-(\d+) \|", (ROOT / "docs/spec/bench.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert [name for name in SCRIPTS if name.removeprefix("b") not in rows] == []
    missing = [m for m in SCRIPTS.values() if not (ROOT / f"{m.replace('.', '/')}.py").is_file()]
    assert missing == []


def test_every_script_is_named_like_the_row_it_measures() -> None:
    for name, module in SCRIPTS.items():
        source = (ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")
        row = f"B-{name.removeprefix('b')}"
        assert source.startswith(f'"""{row}: '), module
        assert f'id="{row}"' in source, module


def test_every_peer_has_a_locked_version() -> None:
    lock = (ROOT / "requirements/bench.lock").read_text(encoding="utf-8")
    assert [peer for peer in PEERS if f"\n{peer}==" not in lock] == []
