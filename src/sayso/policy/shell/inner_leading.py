"""Wrappers whose options come first, then the command they run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from msgspec.structs import replace

from sayso.core.shell_command import Assignment, ShellWord
from sayso.policy.shell.inner import Inner, is_word, text_of, unknown
from sayso.policy.shell.option_syntax import Leading, leading_options, syntax
from sayso.policy.shell.variables import sets_harmless
from sayso.policy.shell.words import after, beginning, is_known, literal
from sayso.policy.shell.wrapper_table import WRAPPERS, Wrapper

_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=")


def of_plain(
    name: str, wrapper: Wrapper, words: tuple[ShellWord, ...], start: int
) -> Iterator[Inner]:
    """A wrapper whose options come first, then its operands, then the inner command."""
    read = leading_options(
        words,
        start,
        syntax(wrapper.options),
        one_dash=wrapper.one_dash,
        whole_values=wrapper.elsewhere,
    )
    if isinstance(read, str):
        yield unknown(name, read)
        return
    if read.names & wrapper.idle:
        return
    position = read.rest
    for _ in range(wrapper.operands):
        if position < len(words) and (
            words[position].splits or words[position].pattern is not None
        ):
            yield unknown(name, f"`{words[position].text}` may be several words")
            return
        position += 1
    assignments: tuple[Assignment, ...] = ()
    if wrapper.assigns:
        assignments, position = _assignments(words, position)
        if (
            position < len(words)
            and not is_known(words[position])
            and not beginning(words[position])
        ):
            yield unknown(name, f"`{words[position].text}` may be an assignment")
            return
    rest = words[position:]
    named = read.values(wrapper.program) if wrapper.program is not None else []
    if named and named[-1].value:
        rest = (named[-1], *rest)
    if not rest:
        return
    folders = read.values(wrapper.folder) if wrapper.folder is not None else []
    inner = Inner(
        rest,
        transparent=_is_transparent(wrapper, read, assignments),
        assignments=assignments,
        elsewhere=wrapper.elsewhere,
        folder=folders[-1] if folders else None,
    )
    if wrapper.joined and "exec" not in read.names:
        yield from (
            replace(inner, words=None, text=found.text, unknown=found.unknown)
            for found in text_of(rest)
        )
    else:
        yield inner


def _is_transparent(wrapper: Wrapper, read: Leading, assignments: tuple[Assignment, ...]) -> bool:
    return (
        wrapper.transparent is not None
        and read.names <= wrapper.transparent
        and all(sets_harmless(assignment) for assignment in assignments)
    )


def _assignments(words: tuple[ShellWord, ...], position: int) -> tuple[tuple[Assignment, ...], int]:
    found = []
    while position < len(words):
        word = words[position]
        begins = beginning(word)
        equals = begins.find("=")
        if equals < 0 or word.splits:
            break
        match = _ASSIGNMENT.match(begins)
        value = after(word, equals + 1)
        # env takes every word with a `=` for an assignment, also one that no shell would.
        found.append(Assignment(match[1] if match else begins[:equals], value))
        position += 1
    return tuple(found), position


def of_nice(words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    """The command of `nice`, which also takes its number as an option."""
    if len(words) > 1 and is_known(words[1]) and re.fullmatch(r"-[-+]?\d+", words[1].value or ""):
        words = (words[0], *words[2:])
    yield from of_plain(
        "nice", Wrapper("n/adjustment= help version", 0, frozenset({"adjustment"})), words, 1
    )


def of_env(words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    """The command of `env`, or the text of `-S`."""
    wrapper = WRAPPERS["env"]
    read = leading_options(words, 1, syntax(wrapper.options))
    if isinstance(read, str):
        yield unknown("env", read)
        return
    texts = read.values("split-string")
    position = read.rest
    if is_word(words, position, "-"):
        yield from (
            replace(i, transparent=False) for i in of_plain("env", wrapper, words, position + 1)
        )
        return
    if not texts:
        yield from of_plain("env", wrapper, words, 1)
        return
    text = texts[-1].value
    if len(texts) > 1 or text is None or not is_known(texts[-1]) or re.search(r"[\\$#]", text):
        yield unknown("env", "the text of `-S` cannot be taken apart")
        return
    try:
        pieces = tuple(literal(piece) for piece in shlex.split(text))
    except ValueError:
        yield unknown("env", "the text of `-S` cannot be taken apart")
        return
    folder = next(iter(read.values("chdir")[-1:]), None)
    again = of_plain("env", wrapper, (words[0], *pieces, *words[position:]), 1)
    for inner in again:
        yield replace(inner, transparent=False, folder=inner.folder or folder)


def of_flock(words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    """The command of `flock`, which may be a text."""
    for inner in of_plain("flock", WRAPPERS["flock"], words, 1):
        rest = inner.words
        if rest is not None and is_known(rest[0]) and rest[0].value in ("-c", "--command"):
            yield from text_of(rest[1:2])
        else:
            yield inner
