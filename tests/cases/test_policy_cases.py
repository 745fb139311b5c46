"""The tables of cases in policy.tsv and more.tsv, run through policy alone; see README.md beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from sayso.policy.cases import Case, read_cases, run_case
from sayso.system import shell_parser

TABLE = Path(__file__).with_name("policy.tsv")
CASES = read_cases(TABLE.read_text(encoding="utf-8"), TABLE.name)
MORE = TABLE.with_name("more.tsv")
OWN_CASES = read_cases(MORE.read_text(encoding="utf-8"), MORE.name)


@pytest.mark.parametrize("case", CASES + OWN_CASES, ids=lambda c: c.id)
@pytest.mark.spec("POL-12", "POL-13", "POL-20", "POL-22", "POL-31", "POL-32", "POL-33", "POL-34")
@pytest.mark.spec("POL-36", "POL-38", "POL-39", "POL-40", "POL-40a", "POL-44", "POL-45", "POL-46")
def test_the_case_gets_its_verdict(case: Case) -> None:
    result = run_case(case, shell_parser.syntax_tree)
    assert result.effect in case.accepted, (
        f"{case.why}; rules refused at load: {result.refused or 'none'}"
    )


def test_the_table_is_whole() -> None:
    assert len(CASES) == 438
