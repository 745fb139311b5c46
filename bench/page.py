"""docs/benchmarks.md, written from the last run (`python -m bench --write`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.harness import Options, Report

_HEAD = """# Benchmarks

<!-- Written by `python -m bench --write`; change bench/, not this page. -->

sayso beside its peers on the same seeded work, on one machine, in one run. Read the ratios: absolute times are those of
a small, shared virtual machine. None of this is a test; a goal that is missed is printed as missed.

```sh
make bench                       # installs the peers and runs everything
.venv/bin/python -m bench b1     # one of them
.venv/bin/python -m bench --write  # all, and write this page and benchmarks.json
```

How it is measured: contenders take turns within each round, in an order shuffled by a seed; a figure is the median over
rounds, floors are measured in the same run. Set-up (compiling rules, parsing policies, opening a database) is never
inside what is timed. Databases are written to `build/bench` on the disk of the checkout, with full synchronisation; a
PostgreSQL server is started there from a package, with its own settings, and removed afterwards. The goals are those
of [spec/bench.md](spec/bench.md).
"""


def page(reports: Sequence[Report], facts: Mapping[str, str], options: Options) -> str:
    """The page: how to repeat it, on what it ran, and the tables of each benchmark."""
    machine = "\n".join(f"| {name} | {value} |" for name, value in facts.items())
    parts = [
        _HEAD.rstrip(),
        f"| machine and versions | |\n| --- | --- |\n{machine}\n| seed | {options.seed} |",
        *(report.markdown() for report in reports),
    ]
    return "\n\n".join(parts) + "\n"
