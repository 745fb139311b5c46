"""`sayso policy cases FILE`: a table of cases through policy alone, and the ones that differ (POL-75)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from sayso.channels.display import count_words, safe_line
from sayso.cli.acting import AsJson
from sayso.cli.exit_codes import ExitCode
from sayso.errors import CasesInvalid
from sayso.policy.cases import CaseResult, differing, read_cases, run_case
from sayso.policy.rule import Rule
from sayso.system import shell_parser

MAX_BYTES = 64 * 1024 * 1024


def cases(
    file: Annotated[Path, Parameter(help="The table: tab-separated, see docs/reference/cases.md.")],
    /,
    *,
    as_json: AsJson = False,
) -> int:
    """Run a table of cases through policy alone and print the ones that differ.

    Each case has its own rules and a made-up machine: neither your settings nor
    the rule table count. The exit status is 1 if any differs, 3 if the table
    cannot be read.
    """
    found = read_cases(_text(file), str(file))
    results = [run_case(case, shell_parser.syntax_tree, f"{file}:{case.line}") for case in found]
    differ = differing(results)
    if as_json:
        print(json.dumps({"cases": len(results), "differ": [_json(r) for r in differ]}, indent=2))
    else:
        for result in differ:
            print("\n".join(map(safe_line, _lines(file, result))), end="\n\n")
        print(f"{count_words(len(results), 'case')}: {_counted(len(differ))}")
    return ExitCode.FAILURE if differ else ExitCode.OK


def _text(file: Path) -> str:
    try:
        data = file.read_bytes()
    except OSError as error:
        raise CasesInvalid(
            f"{file}: the table cannot be read: {error.strerror or error}", "name a table of cases"
        ) from error
    if len(data) > MAX_BYTES:
        raise CasesInvalid(f"{file}: the file is larger than {MAX_BYTES} bytes")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CasesInvalid(f"{file}:{line}: the file is not UTF-8", "save it as UTF-8") from error


def _counted(differ: int) -> str:
    if not differ:
        return "all as expected"
    return "1 differs" if differ == 1 else f"{differ:,} differ"


def _lines(file: Path, result: CaseResult) -> list[str]:
    case, rule = result.case, result.outcome.rule
    return [
        f"{file}:{case.line}: {case.id}: expected {case.expected.word}, got {result.effect.word}",
        f"  rules    {case.rules}",
        f"  input    {case.input}",
        f"  why      {case.why}",
        f"  decided  {result.outcome.reason.value}{'' if rule is None else f', {_words(rule)}'}",
        *[f"  target   {result.outcome.target.kind.value} {result.outcome.target.text}"],
        *[f"  refused  {text}" for text in result.refused],
    ]


def _words(rule: Rule) -> str:
    return f"{rule.effect.word} {rule.text} ({rule.origin.value})"


def _json(result: CaseResult) -> dict[str, Any]:
    case, outcome = result.case, result.outcome
    return {
        "id": case.id,
        "line": case.line,
        "expected": case.expected.word,
        "accepted": sorted(effect.word for effect in case.accepted),
        "effect": result.effect.word,
        "reason": outcome.reason.value,
        "rule": None if outcome.rule is None else outcome.rule.to_json(),
        "target": outcome.target.to_json(),
        "refused": list(result.refused),
        "rules": case.rules,
        "input": case.input,
        "why": case.why,
    }
