"""`sayso policy check`: validate the rules, run their examples, and say what is odd about them (POL-70)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from sayso.channels.display import count_words, safe_line
from sayso.cli.acting import AsJson
from sayso.cli.commands.policy.looking import look
from sayso.cli.exit_codes import ExitCode
from sayso.errors import SettingsInvalid
from sayso.front.rules_in_force import faults_of_file, rules_of_file
from sayso.policy.facts import Facts
from sayso.policy.lint import Finding, Severity, invalid_settings, lint
from sayso.policy.rule import Origin, Rule
from sayso.policy.ruleset import RuleSet
from sayso.system.facts import LocalFacts


def check(
    *files: Annotated[Path, Parameter(help="Settings files; by default what is in force here.")],
    strict: Annotated[
        bool, Parameter(negative="", show_default=False, help="Warnings count as errors.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Validate the rules, run their examples, and say what is odd about them.

    Without files: the settings in force for this directory and the rule table.
    With files: those alone, together. Findings are errors, warnings and notes;
    the exit status is 1 if there is an error, with --strict also for a warning.
    """
    facts = LocalFacts()
    findings, rules = _of_files(files, facts) if files else _in_force(facts)
    written = sum(rule.origin is not Origin.BUILT_IN for rule in rules)
    if as_json:
        found = {"rules": written, "findings": [finding.to_json() for finding in findings]}
        print(json.dumps(found, indent=2))
    else:
        for finding in findings:
            print(safe_line(_line(finding)))
            print(f"  hint: {safe_line(finding.hint)}")
        print(f"{count_words(written, 'rule')}: {_counted(findings)}")
    worst = (Severity.ERROR, Severity.WARNING) if strict else (Severity.ERROR,)
    failed = any(finding.severity in worst for finding in findings)
    return ExitCode.FAILURE if failed else ExitCode.OK


def _in_force(facts: Facts) -> tuple[list[Finding], tuple[Rule, ...]]:
    """What is in force here; a file that cannot be used is a finding at its place."""
    found = look(str(Path.cwd()))
    broken = [invalid_settings(problem) for problem in found.problems]
    return [*broken, *_linted(found.rules, facts)], found.rules.rules


def _of_files(files: Iterable[Path], facts: Facts) -> tuple[list[Finding], tuple[Rule, ...]]:
    """The rules of the files together, as if one file held them."""
    broken: list[Finding] = []
    rules: list[Rule] = []
    read: RuleSet | None = None
    for file in files:
        try:
            read = rules_of_file(file, facts, rules)
        except SettingsInvalid as error:
            broken += map(invalid_settings, faults_of_file(file) or (str(error),))
        else:
            rules = [rule for rule in read.rules if rule.origin is not Origin.BUILT_IN]
    if read is None:
        return broken, ()
    return [*broken, *_linted(read, facts)], read.rules


def _linted(ruleset: RuleSet, facts: Facts) -> tuple[Finding, ...]:
    return lint(ruleset.rules, ruleset.descriptors, facts)


def _line(finding: Finding) -> str:
    place = finding.place or (f"rule {finding.rule_id}" if finding.rule_id else "rules")
    return f"{place}: {finding.severity.value}: {finding.message}"


def _counted(findings: Iterable[Finding]) -> str:
    counts = dict.fromkeys(Severity, 0)
    for finding in findings:
        counts[finding.severity] += 1
    told = [count_words(count, severity.value) for severity, count in counts.items() if count]
    return ", ".join(told) or "nothing to mend"
