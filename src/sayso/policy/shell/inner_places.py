"""Commands in the midst of another one's words: those of find, fd, xargs and parallel."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from sayso.core.shell_command import ShellWord
from sayso.policy.shell.inner import ANY_WORDS, Inner, filled, is_word, text_of, tried, unknown
from sayso.policy.shell.option_syntax import leading_options, syntax
from sayso.policy.shell.options import grammars
from sayso.policy.shell.words import after, beginning, is_known
from sayso.policy.shell.wrapper_table import EXEC_ACTIONS, FD_ACTIONS, WRAPPERS

_SHELL_META = re.compile(r"[\s;&|<>()$`\\\"'*?\[\]#~!{}]")


def of_find(words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    """The commands of `-exec` and its kin, with what they are run on."""
    starts = []
    for word in words[1:]:
        if beginning(word).startswith(("-", "(", "!", ",")):
            break
        starts.append(beginning(word))
    found = ShellWord("{}", None, _common(starts or ["."]))
    if any(beginning(word).startswith("-files0") for word in words):
        found = ShellWord("{}", None)
    position = 1
    while position < len(words):
        word = words[position]
        position += 1
        if not is_known(word) or word.value not in EXEC_ACTIONS:
            if word.splits:
                yield unknown("find", f"`{word.text}` may be `-exec` and a command")
            continue
        end = position
        while end < len(words) and not is_word(words, end, ";"):
            if is_word(words, end, "+") and is_word(words, end - 1, "{}"):
                break
            end += 1
        command, several = words[position:end], is_word(words, end, "+")
        inside = word.value in ("-execdir", "-okdir")
        here = ShellWord("{}", None, "./") if inside else found
        here = replace(here, splits=several)
        if command:
            yield from tried(command, "{}")
            yield Inner(
                tuple(filled(each, "{}", here) for each in command),
                folder=ShellWord("{}", None) if inside else None,
            )
        position = end + 1


def _common(texts: Sequence[str]) -> str:
    shortest = min(texts, key=len)
    for place, character in enumerate(shortest):
        if any(text[place] != character for text in texts):
            return shortest[:place]
    return shortest


def of_fd(words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    """The commands of `-x` and `-X`."""
    known = grammars()["fd"].syntax
    position = 1
    while position < len(words):
        word = words[position]
        begins = beginning(word)
        if not is_known(word) and (word.splits or not begins):
            yield unknown("fd", f"`{word.text}` may be an option")
            return
        if begins == "--":
            return
        if not begins.startswith("-") or begins == "-":
            position += 1
            continue
        glued: list[ShellWord] = []
        if begins.startswith("--"):
            name, equals, _ = begins[2:].partition("=")
            option = known.find_long(name)
            if option is None:
                yield unknown("fd", f"the option `{word.text}` is not known")
                return
            if equals:
                glued = [after(word, begins.index("=") + 1)]
        else:
            option = None
            for place, letter in enumerate(begins[1:], start=2):
                option = known.short.get(letter)
                if option is None:
                    yield unknown("fd", f"the option `{word.text}` is not known")
                    return
                if option[0] in FD_ACTIONS or option[1].value == "=":
                    glued = [after(word, place)] if len(begins) > place else []
                    break
        position += 1
        assert option is not None
        if option[0] in FD_ACTIONS:
            end = position
            while end < len(words) and not is_word(words, end, ";"):
                end += 1
            yield _fd_command((*glued, *words[position:end]))
            position = end + 1
        elif option[1].value == "=" and not glued:
            position += 1


def _fd_command(command: tuple[ShellWord, ...]) -> Inner:
    if not command:
        return unknown("fd", "it names no program")
    found = ShellWord("{}", None, "./")
    named = command
    for mark in ("{}", "{/}", "{//}", "{.}", "{/.}"):
        named = tuple(filled(word, mark, found) for word in named)
    return Inner(named if named != command else (*command, replace(found, splits=True)))


def of_xargs(words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    """The command of xargs, which takes further words from its input."""
    wrapper = WRAPPERS["xargs"]
    read = leading_options(words, 1, syntax(wrapper.options))
    if isinstance(read, str):
        yield unknown("xargs", read)
        return
    command = words[read.rest :]
    if not command or read.names & wrapper.idle:
        return
    marks = [value.value or "" for value in (*read.values("replace"), *read.values("i"))]
    if not marks and read.names & {"replace", "i"}:
        marks = ["{}"]
    if any(not mark for mark in marks):
        yield unknown("xargs", "what it replaces is not known")
        return
    if marks:
        yield from tried(command, marks[-1])
        command = tuple(filled(word, marks[-1], ShellWord("", None)) for word in command)
    else:
        command = (*command, ANY_WORDS)
    yield Inner(command, transparent=not read.options)


def of_parallel(words: tuple[ShellWord, ...]) -> Iterator[Inner]:
    """The command of GNU parallel, as far as no shell reads it a second time."""
    read = leading_options(words, 1, syntax(WRAPPERS["parallel"].options))
    if isinstance(read, str):
        yield unknown("parallel", read)
        return
    if read.names & {"help", "version"}:
        return
    command = []
    for word in words[read.rest :]:
        if is_known(word) and re.fullmatch(r":::\+?|::::\+?", word.value or ""):
            break
        command.append(word)
    if not command:
        yield unknown("parallel", "its input is read as commands")
        return
    plain = all(
        is_known(word) and not _SHELL_META.search(re.sub(r"\{[-0-9./#%]*\}", "", word.value or ""))
        for word in command
    )
    if not plain:
        yield from (found for found in text_of(command) if found.text is not None)
        yield unknown("parallel", "what it puts together is read by a shell")
        return
    marked = [re.search(r"\{[-0-9./#%]*\}", word.value or "") for word in command]
    command = [
        word if found is None else filled(word, found[0], ShellWord("", None))
        for word, found in zip(command, marked, strict=True)
    ]
    yield Inner((*command, *(() if any(marked) else (ANY_WORDS,))))
