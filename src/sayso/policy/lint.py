"""What is odd about rules that can each be read: dead, doubled, contradicting or too broad (POL-70)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sayso.core.effect import Effect
from sayso.errors import PolicyError
from sayso.policy.broadness import too_broad
from sayso.policy.compiled import CompiledRule, is_catch_all
from sayso.policy.covering import covers
from sayso.policy.defaults import hiding_catch_alls
from sayso.policy.descriptors import Descriptors
from sayso.policy.examples import failing_examples
from sayso.policy.facts import Facts
from sayso.policy.patterns.command import compile_command
from sayso.policy.rule import Origin, Rule
from sayso.policy.samples import SampleKind, kind_of_sample
from sayso.policy.text_rule import check_rule

_OPERATORS = frozenset({"&&", "||", ";", "|", "&", "|&", ">", ">>", "<", "2>", "2>&1", "&>", "<<"})

_QUOTED = re.compile(r"""'[^']*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)
_PLACE = re.compile(r"^(?P<place>.+?:\d+:\d+): (?P<message>.*)$", re.DOTALL)


class Severity(StrEnum):
    """How bad a finding is: an error is wrong for certain, a warning most likely, a note may be meant."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


_RANK = {severity: rank for rank, severity in enumerate(Severity)}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is odd: `code` names its sort, `place` is `file:line:column` where known."""

    severity: Severity
    code: str
    rule_id: str
    message: str
    hint: str
    place: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The finding as the API carries it."""
        return {
            "severity": self.severity.value,
            "code": self.code,
            "rule_id": self.rule_id,
            "place": self.place,
            "message": self.message,
            "hint": self.hint,
        }


def lint(rules: Iterable[Rule], descriptors: Descriptors, facts: Facts) -> tuple[Finding, ...]:
    """What is odd about the rules in force, the worst first.

    `rules` are those of permission lists and of the rule table, the built-in ones among them; nothing
    is said about built-in rules and untouched defaults. Facts are those that the rules are compiled with.
    """
    compiled = [CompiledRule(rule, facts) for rule in rules]
    found: list[Finding] = []
    for rule in compiled:
        if _is_theirs(rule.rule):
            found += _alone(rule, descriptors, facts)
    sound = [rule for rule in compiled if rule.problem is None]
    lists = [rule for rule in sound if rule.is_list]
    rows = [rule for rule in sound if not rule.is_list]
    found += _duplicates(sound)
    found += _contradictions(lists)
    found += _unreachable(rows)
    found += _hiding(rows)
    return tuple(sorted(found, key=lambda one: _RANK[one.severity]))


def invalid_settings(problem: str) -> Finding:
    """The finding for a settings file that cannot be used; `problem` is its error, hint and all."""
    said, _, hint = problem.partition("\nhint: ")
    found = _PLACE.match(said)
    place, message = (found["place"], found["message"]) if found else (None, said)
    hint = (
        hint
        or "mend it: see docs/reference/settings.md, for rules and conditions docs/reference/rules.md"
    )
    return Finding(Severity.ERROR, "invalid", "", message, hint, place)


def _is_theirs(rule: Rule) -> bool:
    """Whether a person wrote the rule."""
    return rule.origin is not Origin.BUILT_IN and not rule.seeded


def _finding(severity: Severity, code: str, rule: Rule, message: str, hint: str) -> Finding:
    return Finding(severity, code, rule.id, message, hint, rule.place)


def _alone(compiled: CompiledRule, descriptors: Descriptors, facts: Facts) -> Iterator[Finding]:
    """What is odd about one rule by itself."""
    rule = compiled.rule
    if compiled.problem is not None:
        message = compiled.problem
        yield _finding(Severity.ERROR, "unreadable", rule, message, "mend its pattern")
        return
    try:
        check_rule(rule)
        for failure in failing_examples(rule, facts, descriptors):
            hint = "mend the rule, or the example"
            yield _finding(Severity.ERROR, "example", rule, failure, hint)
    except PolicyError as error:
        hint = error.hint or "mend the rule"
        yield _finding(Severity.ERROR, "unreadable", rule, error.message, hint)
        return
    if compiled.never is not None:
        hint = "take it out, or write what it is to match"
        yield _finding(Severity.WARNING, "never", rule, compiled.never, hint)
    operator = _operator(rule, descriptors)
    if operator is not None:
        message = (
            f"`{_said(rule)}` can hardly match: a rule is about one command, "
            f"and `{operator}` stands between commands"
        )
        hint = "write a rule for each command; a redirection is covered by write(…)"
        yield _finding(Severity.WARNING, "never", rule, message, hint)
    if rule.kind == "tool" and len(rule.tool_pattern.split()) > 1:
        message = f"`{_said(rule)}` is about a tool of that name, and hardly any name holds a blank"
        hint = f"a command line is shell({rule.tool_pattern} *)"
        yield _finding(Severity.WARNING, "never", rule, message, hint)
    if rule.effect is Effect.ALLOW:
        broad = too_broad(rule, descriptors)
        if broad is not None:
            how = "dangerously broad" if broad.code == "broad" else "broader than it seems"
            message = f"`{_said(rule)}` is {how}: {broad.why}"
            yield _finding(Severity.WARNING, broad.code, rule, message, broad.hint)


def _operator(rule: Rule, descriptors: Descriptors) -> str | None:
    """A word of a command pattern that a shell takes for an operator, unless it is quoted."""
    text = rule.pattern
    if text is None or kind_of_sample(rule, descriptors) is not SampleKind.COMMAND:
        return None
    written = _QUOTED.sub("quoted", text).split()
    if compile_command(text).expression is not None:
        return None
    return next((word for word in written if word in _OPERATORS), None)


def _duplicates(rules: Sequence[CompiledRule]) -> Iterator[Finding]:
    seen: dict[object, Rule] = {}
    for compiled in rules:
        rule = compiled.rule
        first = seen.setdefault(_key(compiled), rule)
        if first is rule or not _is_theirs(rule):
            continue
        message = f"`{_said(rule)}` says the same as {_where(first)}"
        yield _finding(Severity.WARNING, "duplicate", rule, message, "take one of them out")


def _key(compiled: CompiledRule) -> object:
    """What a rule says, the same for two that say the same."""
    rule = compiled.rule
    return (
        *(compiled.is_list, None if compiled.is_list else rule.group_id),
        *(rule.effect, rule.kind, rule.tool_pattern, rule.path_pattern, _meant(rule)),
        *(rule.agent_id, rule.source, rule.user_id, rule.when, rule.unless),
        *(rule.must_ask, rule.approval, rule.exceptions),
    )


def _meant(rule: Rule) -> object:
    """The pattern of a rule, the same for every spelling of one command."""
    return compile_command(rule.pattern or "") if rule.kind == "shell" else rule.pattern


def _contradictions(lists: Sequence[CompiledRule]) -> Iterator[Finding]:
    """Rules of lists that another one with a stricter effect leaves nothing to say."""
    firm = [
        r for r in lists if not r.guarded and r.effect is not Effect.ALLOW and not r.rule.exceptions
    ]
    for compiled in lists:
        rule = compiled.rule
        if not _is_theirs(rule) or rule.effect is Effect.DENY:
            continue
        for other in firm:
            if other.effect > compiled.effect and covers(other, compiled):
                does = "denied" if other.denies else "asked about"
                message = f"`{_said(rule)}` changes nothing: all it matches is {does} by {_where(other.rule)}"
                hint = (
                    "in lists the strictest rule wins, whichever is narrower; take one of them out"
                )
                yield _finding(Severity.WARNING, "contradiction", rule, message, hint)
                break


def _unreachable(rows: Sequence[CompiledRule]) -> Iterator[Finding]:
    """Rows of the table that an earlier one of their group always comes before."""
    groups: dict[str, list[CompiledRule]] = {}
    for row in sorted(rows, key=lambda row: row.order):
        groups.setdefault(row.rule.group_id, []).append(row)
    for group in groups.values():
        for place, row in enumerate(group):
            if not _is_theirs(row.rule):
                continue
            first = next(
                (other for other in group[:place] if not other.guarded and covers(other, row)), None
            )
            if first is None or _key(first) == _key(row):
                continue
            code = "shadowed" if first.effect is not row.effect else "redundant"
            severity = Severity.WARNING if code == "shadowed" else Severity.NOTE
            message = (
                f"the row `{_said(row.rule)}` is never reached: {_where(first.rule)} is tried before "
                "it and matches whatever it is about"
            )
            hint = f"give it a priority below {first.rule.priority}, or take it out"
            yield _finding(severity, code, row.rule, message, hint)


def _hiding(rows: Sequence[CompiledRule]) -> Iterator[Finding]:
    """Catch-alls of groups that hide the denies of the default group (POL-41a)."""
    by_id = {row.rule.id: row.rule for row in rows}
    for row in by_id.values():
        others = [rule for rule in by_id.values() if rule is row or not is_catch_all(rule)]
        for message in hiding_catch_alls(others) if is_catch_all(row) else ():
            hint = "repeat those denies in the group, or leave the `*` row out"
            yield _finding(Severity.WARNING, "hides", row, message, hint)


def _said(rule: Rule) -> str:
    return f"{rule.effect.word} {rule.text}"


def _where(rule: Rule) -> str:
    if rule.origin is Origin.BUILT_IN:
        return f"the built-in protection, `{_said(rule)}`"
    place = f" ({rule.place})" if rule.place else f" ({rule.id})"
    return f"`{_said(rule)}`{place}"
