"""The value of a word as the shell computes it, or as much of it as is sure (POL-30, POL-31)."""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from sayso.core.shell_command import ShellWord
from sayso.policy.shell import syntax as s
from sayso.policy.shell.braces import expand_braces
from sayso.policy.shell.parts import BARE, ONE, QUOTED, SPLITS, Part

_GLOB = re.compile(r"[*?]|\[.*\]", re.DOTALL)
_GLOB_SIGN = re.compile(r"[*?\[\]\\]")
_SAFE_HOME = re.compile(r"[/\w.@%+=:,~-]+", re.ASCII)
_NAME_BEFORE_VALUE: Final = re.compile(r"[A-Za-z_]\w*\+?=", re.ASCII)


class Surroundings(Struct, frozen=True):
    """What the value of a word depends on: the home directory (None = not known), its owner, the shell.

    `known` are variables whose value the line itself shows: `PWD`, and those of loops over literal words.
    """

    home: str | None
    dialect: str = "bash"
    user: str | None = None
    known: tuple[tuple[str, str], ...] = ()


def values(word: s.Word, around: Surroundings) -> tuple[ShellWord, ...]:
    """The words that a word becomes: several where braces say so, none for braces that are empty."""
    literal = word.literal
    if literal is not None:
        return (ShellWord(word.text, literal, literal),)
    parts = _parts(word.pieces, around)
    if any(kind == BARE and "{" in text for kind, text in parts):
        expanded = expand_braces(parts)
        if expanded is None or (around.dialect == "posix" and len(expanded) != 1):
            # In a shell without brace expansion it is one word, in bash it is several.
            return (ShellWord(word.text, None, "", None, splits=True),)
        # What braces leave empty, without quotes, is no word at all.
        return tuple(_value(word.text, found, around) for found in expanded if found)
    return (_value(word.text, parts, around),)


def value_of_assignment(word: s.Word, around: Surroundings) -> ShellWord:
    """The value of a word after `=`, where nothing is split, globbed or expanded from braces."""
    if word.literal is not None:
        return ShellWord(word.text, word.literal, word.literal)
    found = _tilde(_parts(word.pieces, around), around, assignment=True)
    known = _leading(found)
    if len(known) < len(found):
        return ShellWord(word.text, None, "".join(text for _, text in known))
    whole = "".join(text for _, text in found)
    return ShellWord(word.text, whole, whole)


def quoted_value(word: s.Word, around: Surroundings) -> str | None:
    """The text of a word in which nothing is split or globbed, such as a here-string; None = unknown."""
    return value_of_assignment(word, around).value


def one(word: s.Word, around: Surroundings) -> ShellWord:
    """The word where exactly one is asked for, as after `>`; not known where braces make several."""
    found = values(word, around)
    if len(found) == 1:
        return found[0]
    return ShellWord(word.text, None, "", None, splits=True)


def _parts(pieces: tuple[s.Piece, ...], around: Surroundings) -> list[Part]:
    found: list[Part] = []
    for piece in pieces:
        if isinstance(piece, s.Bare):
            found.append((BARE, piece.text))
        elif isinstance(piece, s.Quoted):
            found.append((QUOTED, piece.text))
        elif isinstance(piece, s.Double):
            found.append((QUOTED, ""))
            for kind, text in _parts(piece.pieces, around):
                found.append((ONE if kind == SPLITS and text != "@" else kind, text))
        elif isinstance(piece, s.Parameter):
            value = None if piece.form else _known_value(piece.name, around)
            if value is not None:
                # Outside quotes it would be split and globbed, were there anything to split or glob.
                plain = is_plain(value)
                found.append((QUOTED if plain else SPLITS, value if plain else ""))
            else:
                found.append((SPLITS, "@" if piece.many else ""))
        elif isinstance(piece, s.Substitution) and piece.process and piece.body:
            found.append((ONE, ""))
        else:
            found.append((SPLITS, ""))
    return found


def is_plain(value: str) -> bool:
    """Whether the value of a variable stays one word, and the same, outside quotes."""
    return _SAFE_HOME.fullmatch(value) is not None


def _known_value(name: str, around: Surroundings) -> str | None:
    if name == "HOME":
        return around.home
    for known, value in reversed(around.known):
        if known == name:
            return value
    return None


def _value(text: str, parts: list[Part], around: Surroundings) -> ShellWord:
    found = _tilde(parts, around)
    known = _leading(found)
    globs = _globs(found)
    if len(known) == len(found):
        value = "".join(piece for _, piece in found)
        if not globs:
            return ShellWord(text, value, value)
        pattern = "".join(
            piece if kind == BARE else _GLOB_SIGN.sub(r"\\\g<0>", piece) for kind, piece in found
        )
        return ShellWord(text, value, _before_glob(found), pattern)
    splits = globs or any(kind == SPLITS for kind, _ in found)
    return ShellWord(text, None, _before_glob(known), None, splits)


def _leading(parts: list[Part]) -> list[Part]:
    for position, (kind, _) in enumerate(parts):
        if kind in (ONE, SPLITS):
            return parts[:position]
    return parts


def _globs(parts: list[Part]) -> bool:
    """Whether names of files may take the word's place."""
    bare = "".join(text if kind == BARE else "\0" for kind, text in parts)
    return _GLOB.search(bare) is not None


def _before_glob(parts: list[Part]) -> str:
    found = ""
    for kind, text in parts:
        if kind == BARE and (sign := re.search(r"[*?\[]", text)):
            return found + text[: sign.start()]
        found += text
    return found


def _tilde(parts: list[Part], around: Surroundings, *, assignment: bool = False) -> list[Part]:
    """With `~` replaced by the home directory at the start, and after `=` and `:` of an assignment."""
    if not any(kind == BARE and "~" in text for kind, text in parts):
        return parts
    found: list[Part] = []
    before = _NAME_BEFORE_VALUE.match(parts[0][1]) if parts[0][0] == BARE else None
    for position, (kind, text) in enumerate(parts):
        if kind != BARE or "~" not in text:
            found.append((kind, text))
            continue
        done = 0
        for sign in re.finditer("~", text):
            at = sign.start()
            begins = position == 0 and at == 0
            if not begins:
                lead = text[at - 1] if at else ""
                in_value = assignment or before is not None
                first_of_value = before is not None and position == 0 and at == before.end()
                begins = in_value and (lead == ":" or first_of_value)
                if not begins:
                    continue
            # In zsh such a name may have been given to another folder.
            user = around.user if around.dialect != "zsh" else None
            named = len(user) if user and text.startswith(user, at + 1) else 0
            follows = text[at + 1 + named : at + 2 + named]
            last = position == len(parts) - 1
            ends = follows in {"/", ":"} or (not follows and last)
            found.append((BARE, text[done:at]))
            done = at + 1 + (named if ends else 0)
            if ends and around.home is not None and (assignment or at == 0):
                found.append((QUOTED, around.home))
            else:
                # Somebody else's home, a directory of the stack, or one that only some shells expand.
                found.append((ONE, ""))
        found.append((BARE, text[done:]))
    return [part for part in found if part[1] or part[0] != BARE]
