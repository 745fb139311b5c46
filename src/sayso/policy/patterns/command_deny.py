"""How a deny or an ask matches a command: liberally, however the command is spelled (POL-38)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache

from sayso.core.plain_members import plain_members
from sayso.core.shell_command import ShellCommand, ShellWord
from sayso.policy.patterns.command import CommandPattern
from sayso.policy.patterns.glob import fold_glob, glob_matches
from sayso.policy.shell.options import Operand, Option, Reading, read
from sayso.policy.shell.program_name import base_name, trusted_name
from sayso.policy.shell.words import beginning, is_known, literal
from sayso.policy.spelling import fold, skeleton

_LONGEST_CLUSTER = 5
_SHORTEST_BEGINNING = 3


@plain_members
class Fit(IntEnum):
    """Whether a rule is about a command; it may be where a word is not known, or only look like it."""

    NO = 0
    LOOKS = 1
    MAYBE = 2
    YES = 3


def fit(pattern: CommandPattern, command: ShellCommand, *, ignores_case: bool) -> Fit:
    """Whether a deny or ask with this pattern is about the command."""
    found = _fit(pattern, command, ignores_case=ignores_case)
    if found is Fit.YES or pattern.spelled is None:
        return found
    # A `~` is also tried as the character it is, which the line may have in quotes.
    return max(found, _fit(pattern.spelled, command, ignores_case=ignores_case))


def _fit(pattern: CommandPattern, command: ShellCommand, *, ignores_case: bool) -> Fit:
    words = command.words
    if pattern.everything:
        return Fit.YES
    if pattern.expression is not None:
        known = " ".join(word.value or word.text for word in words)
        found = pattern.expression.search(command.text) or pattern.expression.search(known)
        return Fit.YES if found else Fit.NO
    if not words or not is_known(words[0]):
        return Fit.NO
    program = _program_fit(pattern, words[0].value or "", ignores_case=ignores_case)
    if program is Fit.NO:
        return Fit.NO
    return min(program, _words_fit(pattern, words))


def _program_fit(pattern: CommandPattern, called: str, *, ignores_case: bool) -> Fit:
    written, glob = pattern.words[0], pattern.globs[0]
    name = base_name(called)
    if "/" in written:
        if trusted_name(written) is None and "/" not in called:
            return Fit.NO
        if len(glob) > 1:
            return Fit.YES if glob_matches(glob, called) else Fit.NO
        glob = (base_name(written),)
    elif len(glob) == 1:
        glob = (base_name(written),)
    if glob_matches(glob, name):
        return Fit.YES
    if ignores_case and glob_matches(fold_glob(glob, str.casefold), name.casefold()):
        return Fit.YES
    return Fit.LOOKS if glob_matches(fold_glob(glob, fold), skeleton(name)) else Fit.NO


def _words_fit(pattern: CommandPattern, words: tuple[ShellWord, ...]) -> Fit:
    if len(pattern.globs) == 1:
        if pattern.open_end or len(words) == 1:
            return Fit.YES
        return Fit.MAYBE if all(word.splits for word in words[1:]) else Fit.NO
    if _word_by_word(pattern, words):
        return Fit.YES
    found = read(words)
    if "--" in pattern.words and not found.loose and all(word.value != "--" for word in words):
        return Fit.NO
    wanted = _wanted(pattern, base_name(words[0].value or ""))
    options = _options_fit(pattern, wanted, found, words)
    if options is Fit.NO:
        return Fit.NO
    globs = [pattern.globs[operand.place] for operand in wanted.operands]
    several = any(operand.word.splits for operand in found.loose)
    return min(options, _operands_fit(globs, found.operands, pattern.open_end, several))


def _word_by_word(pattern: CommandPattern, words: tuple[ShellWord, ...]) -> bool:
    count = len(pattern.globs)
    if len(words) < count or (len(words) > count and not pattern.open_end):
        return False
    return all(
        is_known(word) and glob_matches(glob, word.value or "")
        for glob, word in zip(pattern.globs[1:], words[1:], strict=False)
    )


def first_operands(words: tuple[ShellWord, ...]) -> set[str] | None:
    """What a pattern's first operand can be, so that it is about the words; None = anything.

    It is the command's first operand, or one before that which may be the value of an option.
    """
    found = {words[1].value or ""} if len(words) > 1 else set()
    reading = read(words)
    for operand in reading.operands:
        if not is_known(operand.word) or any(o.place < operand.place for o in reading.loose):
            return None
        found.add(operand.word.value or "")
        if not operand.maybe:
            break
    return found


def begins_with_an_operand(pattern: CommandPattern) -> bool:
    """Whether the word after the program is one and the same operand, however it is read."""
    if len(pattern.globs) < 2 or len(pattern.globs[1]) > 1 or pattern.program is None:
        return False
    if pattern.spelled is not None:
        return False  # there are two of it
    wanted = _wanted(pattern, pattern.program)
    return bool(wanted.operands) and wanted.operands[0].place == 1


@lru_cache(maxsize=8192)
def _wanted(pattern: CommandPattern, program: str) -> Reading:
    """The words of a pattern, read as those of the program."""
    words = [literal(program)]
    for text, glob in zip(pattern.words[1:], pattern.globs[1:], strict=False):
        words.append(literal(text) if len(glob) == 1 else ShellWord(text, None, glob[0]))
    return read(tuple(words))


# -- options ------------------------------------------------------------------------------------


def _options_fit(
    pattern: CommandPattern, wanted: Reading, found: Reading, words: Sequence[ShellWord]
) -> Fit:
    fits = Fit.YES
    for option in wanted.options:
        fits = min(fits, _option_fit(pattern, option, found, words))
    if not pattern.open_end and fits is not Fit.NO:
        names = {option.name for option in wanted.options}
        further = [
            option
            for option in found.options
            if option.name not in names and not option.name.startswith("git ")
        ]
        if further:
            return Fit.NO
    return fits


def _option_fit(
    pattern: CommandPattern, wanted: Option, found: Reading, words: Sequence[ShellWord]
) -> Fit:
    glob = pattern.globs[wanted.place]
    if len(glob) > 1 and wanted.value is None:
        named = any(
            is_known(words[option.place]) and glob_matches(glob, words[option.place].value or "")
            for option in found.options
        )
        return Fit.YES if named else Fit.MAYBE if found.loose else Fit.NO
    best = Fit.NO
    for option in found.options:
        if option.name == wanted.name:
            best = max(best, _value_fit(pattern, wanted, option))
        elif _is_beginning(option, wanted):
            best = max(best, Fit.YES if found.grammar.known else Fit.MAYBE)
    if best is Fit.NO and not found.grammar.known and _in_clusters(wanted, found.options):
        best = Fit.MAYBE
    return Fit.MAYBE if best is Fit.NO and found.loose else best


def _value_fit(pattern: CommandPattern, wanted: Option, option: Option) -> Fit:
    if wanted.value is None:
        return Fit.YES
    if option.value is None:
        return Fit.NO
    text = wanted.value.value
    if text is None:  # a pattern with a star, which stands in a word of its own or behind a `=`
        written = pattern.words[wanted.place]
        if wanted.value.text != written:
            written = wanted.value.text
        else:
            written = written.partition("=")[2] if "=" in written else written[2:]
        glob = tuple(written.split("*"))
    else:
        glob = (text,)
    if not is_known(option.value):
        begins = beginning(option.value)
        return Fit.MAYBE if _compatible(glob, begins) else Fit.NO
    return Fit.YES if glob_matches(glob, option.value.value or "") else Fit.NO


def _is_beginning(option: Option, wanted: Option) -> bool:
    """Whether a long option may be a shortened one: it is not known itself and begins the other."""
    return (
        not option.known
        and option.spelling.startswith("--")
        and len(option.spelling) >= _SHORTEST_BEGINNING
        and wanted.spelling.startswith(option.spelling)
        and option.spelling != wanted.spelling
    )


def _in_clusters(wanted: Option, options: Sequence[Option]) -> bool:
    """Whether short options of a program that is not known hold those letters among them."""
    letters = wanted.spelling[1:]
    if (
        wanted.spelling.startswith("--")
        or not letters.isalnum()
        or len(letters) >= _LONGEST_CLUSTER
    ):
        return False
    given = {
        letter
        for option in options
        if not option.spelling.startswith("--") and len(option.spelling) <= _LONGEST_CLUSTER + 1
        for letter in option.spelling[1:]
    }
    return set(letters) <= given


# -- operands -----------------------------------------------------------------------------------


def _operands_fit(
    globs: Sequence[tuple[str, ...]],
    operands: Sequence[Operand],
    open_end: bool,
    several: bool,
) -> Fit:
    """Whether the operands begin with those of the pattern; what may be an option's value is passed over."""
    reached = {0: Fit.YES}  # how many globs have been met so far, each with how surely
    done = Fit.NO
    for operand in operands:
        following: dict[int, Fit] = {}
        for count, sure in reached.items():
            if count == len(globs):
                if open_end:
                    done = max(done, sure)
                elif operand.maybe:
                    following[count] = max(following.get(count, Fit.NO), sure)
                continue
            met = min(sure, _operand_fit(globs[count], operand.word))
            if met is not Fit.NO:
                following[count + 1] = max(following.get(count + 1, Fit.NO), met)
            if operand.maybe:
                passed = sure if is_known(operand.word) else min(sure, Fit.MAYBE)
                following[count] = max(following.get(count, Fit.NO), passed)
        reached = following
    done = max(done, reached.get(len(globs), Fit.NO))
    if done is Fit.NO and several and reached:
        return Fit.MAYBE
    return done


def _operand_fit(glob: tuple[str, ...], word: ShellWord) -> Fit:
    if is_known(word):
        return Fit.YES if glob_matches(glob, word.value or "") else Fit.NO
    if glob == ("", ""):
        return Fit.YES
    return Fit.MAYBE if _compatible(glob, beginning(word)) else Fit.NO


def _compatible(glob: tuple[str, ...], begins: str) -> bool:
    """Whether a word that begins so can fit."""
    first = glob[0]
    if len(glob) == 1:
        return first.startswith(begins)
    return first.startswith(begins) or begins.startswith(first)
