"""Brace expansion: `{a,b}` becomes two words before anything else of a word is looked at."""

from __future__ import annotations

import re
from typing import Final

from sayso.policy.shell.parts import BARE, Part

_MOST: Final = 1000
_DEEPEST: Final = 16
_NUMBERS = re.compile(r"(0|-?[1-9]\d{0,8})\.\.(0|-?[1-9]\d{0,8})", re.ASCII)
_SIGN = re.compile(r"[{},]")


def expand_braces(parts: list[Part]) -> list[list[Part]] | None:
    """The words that a word with braces becomes; None where that is not certain.

    Certain are lists (`{a,b}`, nested too), small ranges of numbers (`{1..3}`), and braces that bash
    leaves alone (`{}`, `{a}`, `@{0}`). Unbalanced braces are not.
    """
    level = 0
    for kind, text in parts:
        for sign in _SIGN.findall(text) if kind == BARE else ():
            level += {"{": 1, "}": -1}.get(sign, 0)
            if level < 0:
                return None
    return _expand(parts, 0) if level == 0 else None


def _expand(parts: list[Part], depth: int) -> list[list[Part]] | None:
    signs = [
        (position, sign.start(), sign[0])
        for position, (kind, text) in enumerate(parts)
        if kind == BARE
        for sign in _SIGN.finditer(text)
    ]
    if depth > _DEEPEST:
        return None
    for number, (position, at, sign) in enumerate(signs):
        if sign != "{":
            continue
        level = 0
        commas: list[tuple[int, int]] = []
        for other, start, what in signs[number:]:
            if what == "{":
                level += 1
            elif what == "}":
                level -= 1
                if level == 0:
                    end = (other, start)
                    break
            elif level == 1:
                commas.append((other, start))
        else:
            return None
        inside = _between(parts, (position, at + 1), end)
        if commas:
            choices: list[list[Part]] = []
            begin = (position, at + 1)
            for stop in [*commas, end]:
                choices.append(_between(parts, begin, stop))
                begin = (stop[0], stop[1] + 1)
        else:
            text = inside[0][1] if len(inside) == 1 and inside[0][0] == BARE else ""
            numbers = _NUMBERS.fullmatch(text)
            if numbers is None:
                if ".." in "".join(piece for kind, piece in inside if kind == BARE):
                    return None
                if "{" in "".join(piece for kind, piece in inside if kind == BARE):
                    return None
                continue
            first, last = int(numbers[1]), int(numbers[2])
            if abs(last - first) >= _MOST:
                return None
            step = 1 if last >= first else -1
            choices = [[(BARE, str(value))] for value in range(first, last + step, step)]
        before = _between(parts, (0, 0), (position, at))
        after = _between(parts, (end[0], end[1] + 1), (len(parts), 0))
        endings = _expand(after, depth + 1)
        if endings is None:
            return None
        found: list[list[Part]] = []
        for choice in choices:
            inner = _expand(choice, depth + 1)
            if inner is None or len(found) + len(inner) * len(endings) > _MOST:
                return None
            found += [[*before, *middle, *ending] for middle in inner for ending in endings]
        return found
    return [parts]


def _between(parts: list[Part], start: tuple[int, int], end: tuple[int, int]) -> list[Part]:
    found: list[Part] = []
    for position in range(start[0], min(end[0] + 1, len(parts))):
        kind, text = parts[position]
        first = start[1] if position == start[0] else 0
        last = end[1] if position == end[0] else len(text)
        # Both ends lie in bare text, so that every other part is whole.
        if kind != BARE or text[first:last]:
            found.append((kind, text[first:last]))
    return found
