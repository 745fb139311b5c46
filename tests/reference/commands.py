"""What a rule for commands says of one command: each rule compared with each command, no index.

How an allow matches is written a second time here; how a deny reads options is not, since that is held
by its own tests and by the law that a deny sees through spelling.
"""

from __future__ import annotations

import re

from sayso.core.effect import Effect
from sayso.core.shell_command import Role, ShellCommand, ShellWord
from sayso.core.target import Target
from sayso.policy.facts import Facts
from sayso.policy.patterns.command import CommandPattern, compile_command
from sayso.policy.patterns.command_deny import Fit, fit
from sayso.policy.rule import Rule
from sayso.policy.shell.program_name import TRUSTED_FOLDERS, base_name
from sayso.policy.shell.reaching import UNSURE, is_known_program, reaches
from sayso.policy.shell.variables import is_harmless

SAME, ALIKE, OTHER = "same", "alike", "other"


def runs_nothing_of_its_own(target: Target) -> bool:
    """POL-32: a transparent wrapper, or a command without a program."""
    command = target.command
    return command is not None and (command.role is Role.TRANSPARENT or not command.words)


def names_a_program(rule: Rule) -> bool:
    if rule.kind not in ("shell", None) or rule.pattern is None:
        return False
    return not compile_command(rule.pattern).everything


def command_matches(rule: Rule, target: Target, line: str, facts: Facts) -> str:
    """POL-13, POL-38: an allow strictly, a deny or ask liberally."""
    pattern = compile_command(rule.pattern or "")
    if pattern.everything:
        return SAME
    command = target.command or ShellCommand(target.text, ())
    if rule.effect is Effect.ALLOW:
        return SAME if allowed(pattern, command) else OTHER
    ignores_case = facts.windows or bool(facts.ignores_case("/usr/bin"))
    how = fit(pattern, command, ignores_case=ignores_case)
    if pattern.expression is not None and pattern.expression.search(line):
        return SAME
    if how is Fit.YES:
        return SAME
    if how is not Fit.NO or later(pattern, command, ignores_case):
        return ALIKE
    return OTHER


def later(pattern: CommandPattern, command: ShellCommand, ignores_case: bool) -> bool:
    """POL-32: a program that is not known may run the words after it."""
    if not command.words or command.words[0].value is None or pattern.expression is not None:
        return False
    if is_known_program(base_name(command.words[0].value).lower()) or "*" in pattern.words[0]:
        return False
    for place, word in enumerate(command.words):
        if place and word.value and word.pattern is None and not word.splits:
            pieces = tuple(ShellWord(piece, piece, piece) for piece in word.value.split())
            words = (*(pieces or (word,)), *command.words[place + 1 :])
            inner = ShellCommand("", words)
            if fit(pattern, inner, ignores_case=ignores_case) in (Fit.YES, Fit.MAYBE):
                return True
    return False


def allowed(pattern: CommandPattern, command: ShellCommand) -> bool:
    words = command.words
    if not words or words[0].value is None or words[0].pattern is not None or words[0].splits:
        return False
    if command.inherited or not all(is_harmless(a.name) for a in command.assignments):
        return False
    if pattern.expression is not None:
        spelled = pattern.expression.text
        whole = re.fullmatch(spelled, command.text) is not None
        further = reaches(words)
        return whole and all(
            reach.name != UNSURE and words[reach.place].text.split("=")[0] in spelled
            for reach in further
        )
    tokens = list(pattern.words[: len(pattern.globs)])
    if len(words) < len(tokens) or (len(words) > len(tokens) and not pattern.open_end):
        return False
    for place, token in enumerate(tokens):
        last = place == len(tokens) - 1 and not pattern.open_end
        if not one_word(token, words[place], program=place == 0, last=last):
            return False
    if not pattern.open_end and not any("*" in token for token in tokens):
        return True
    named = reaches(tuple(ShellWord(t, None if "*" in t else t, t.split("*")[0]) for t in tokens))
    return all(reach.name != UNSURE and reach in named for reach in reaches(words))


def one_word(token: str, word: ShellWord, *, program: bool, last: bool) -> bool:
    expression = ".*".join(map(re.escape, token.split("*")))
    if program and "/" not in token:
        folder, slash, name = (word.value or "").rpartition("/")
        if slash and folder not in TRUSTED_FOLDERS:
            return False
        return re.fullmatch(expression, name, re.DOTALL) is not None
    if word.value is not None and word.pattern is None and not word.splits:
        if program and "*" in token and ".." in word.value.split("/"):
            return False
        return re.fullmatch(expression, word.value, re.DOTALL) is not None
    if word.splits or "*" not in token:
        return False
    if word.pattern is not None:
        if not last or "/." in word.pattern:
            return False
        if word.text == token:
            return True
        begins = re.split(r"(?<!\\)[*?\[]", word.pattern)[0].replace("\\", "")
    else:
        begins = word.start
    return token.endswith("*") and token.count("*") == 1 and begins.startswith(token[:-1])
