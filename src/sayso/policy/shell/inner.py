"""A command that another one runs, and the making of it from words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.shell_command import Assignment, ShellWord
from sayso.policy.shell.words import beginning, is_known

ANY_WORDS = ShellWord("…", None, splits=True)
"""Words that come from elsewhere, any number of them."""


class Inner(Struct, frozen=True):
    """A command that another one runs; exactly one of `words`, `text` and `unknown` is set.

    `words` is the command as it is run without a shell, `text` a command line for a shell of `dialect`
    (`bash`, `posix` or `zsh`; None = the one that is running), `unknown` says in words why the command
    cannot be known. `transparent` tells that an allow need not cover the outer command, `covered` that
    one of the outer command covers this too, so that only denies and asks are tried on it. `elsewhere`
    tells the same of what runs in a container, where files are others. `folder` is where it runs, like
    the operand of a `cd` before it; `assignments` are set for it.
    """

    words: tuple[ShellWord, ...] | None = None
    text: str | None = None
    transparent: bool = False
    unknown: str | None = None
    assignments: tuple[Assignment, ...] = ()
    dialect: str | None = None
    elsewhere: bool = False
    covered: bool = False
    folder: ShellWord | None = None


def text_of(words: Sequence[ShellWord]) -> Iterator[Inner]:
    """The words put together with blanks, as a shell reads them a second time."""
    if not words:
        return
    for word in words:
        if not is_known(word):
            yield Inner(
                unknown=f"`{word.text}` is read as commands, and what it will be is not known"
            )
            return
    yield Inner(text=" ".join(word.value or "" for word in words))


def unknown(name: str, why: str) -> Inner:
    """A command of which only this is known."""
    return Inner(unknown=f"what `{name}` runs is not known: {why}")


def is_word(words: Sequence[ShellWord], position: int, text: str) -> bool:
    """Whether this word will be exactly that text."""
    return position < len(words) and is_known(words[position]) and words[position].value == text


def filled(word: ShellWord, mark: str, inside: ShellWord) -> ShellWord:
    """The word with a mark in it replaced by what is not known."""
    text = beginning(word) if word.value is None else word.value
    if word.value == mark and word.pattern is None:
        return replace(inside, text=word.text)
    place = text.find(mark)
    if place < 0:
        return word
    start = text[:place] or inside.start
    return ShellWord(word.text, None, start, splits=word.splits)


def tried(words: Sequence[ShellWord], mark: str) -> Iterator[Inner]:
    """The texts in which a mark will be replaced, for denies and asks to be tried on what stands around it."""
    for word in words[1:]:
        text = word.value or ""
        if is_known(word) and mark in text and " " in text:
            yield Inner(text=text, elsewhere=True)
