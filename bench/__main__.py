"""`python -m bench [b1 b2 …] [--write] [--quick] [--seed N] [--scratch DIR] [--json FILE]`."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.harness import ROOT, SCRATCH, SEED, Options, Report, machine
from bench.page import page

SCRIPTS = {
    "b1": "bench.b1_decide",
    "b2": "bench.b2_condition",
    "b3": "bench.b3_shell",
    "b4": "bench.b4_roundtrip",
    "b5": "bench.b5_postgres",
    "b6": "bench.b6_parked",
    "b7": "bench.b7_calls",
    "b8": "bench.b8_events",
    "b11": "bench.b11_audit",
}
PEERS = (
    "cedarpy",
    "casbin",
    "langgraph",
    "langgraph-checkpoint-sqlite",
    "langgraph-checkpoint-postgres",
    "dbos",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmarks that are named, or all; print tables, and write JSON and the page."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="sayso beside its peers")
    parser.add_argument(
        "which", nargs="*", metavar="|".join(SCRIPTS), help="which to run (default: all)"
    )
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md and .json")
    parser.add_argument("--quick", action="store_true", help="few rounds: to see that it works")
    parser.add_argument("--seed", type=int, default=SEED, help="the seed of the work")
    parser.add_argument(
        "--scratch", type=Path, default=SCRATCH, help="where databases go: a disk, not memory"
    )
    parser.add_argument("--json", type=Path, help="also write the numbers there")
    given = parser.parse_args(arguments)
    which = [name.lower().replace("-", "") for name in given.which] or list(SCRIPTS)
    unknown = [name for name in which if name not in SCRIPTS]
    if unknown:
        parser.error(f"no benchmark is called `{unknown[0]}`; there are {', '.join(SCRIPTS)}")

    options = Options(seed=given.seed, quick=given.quick, scratch=given.scratch)
    facts = machine(PEERS)
    print("\n".join(f"{name}: {value}" for name, value in facts.items()))
    reports: list[Report] = []
    for name in which:
        report: Report = importlib.import_module(SCRIPTS[name]).run(options)
        reports.append(report)
        print(f"\n{report.text()}")

    document = {
        "seed": options.seed,
        "quick": options.quick,
        "machine": facts,
        "benchmarks": {report.id: report.to_json() for report in reports},
    }
    encoded = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    if given.json is not None:
        given.json.write_text(encoded, encoding="utf-8")
    if given.write:
        if set(which) != set(SCRIPTS) or options.quick:
            parser.error("--write takes a full run: no names and no --quick")
        docs = ROOT / "docs"
        (docs / "benchmarks.json").write_text(encoded, encoding="utf-8")
        (docs / "benchmarks.md").write_text(page(reports, facts, options), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
