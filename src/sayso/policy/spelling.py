"""How names are spelled: one normal form, characters that cannot be seen, and look-alikes (POL-40a)."""

from __future__ import annotations

import itertools
import unicodedata
from functools import lru_cache

# Printable by Unicode's own account, yet nothing is seen of them: fillers, joiners, selectors.
_INVISIBLE = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
    + "".join(map(chr, range(0xFE00, 0xFE10)))
    + "".join(map(chr, range(0xE0100, 0xE01F0)))
)

# Letters of other scripts that are drawn like a Latin one, as pairs. Capitals come first, because
# case folding turns some of them (Cyrillic VE) into letters that no longer look alike.
_CAPITALS = (
    "АA ВB ЕE ЅS ІI ЈJ КK МM НH ОO РP СC ТT ҮY ХX ԌG ԚQ ԜW "
    "ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX "
    "ᎪA ᏴB ᏟC ᎬE ᎻH ᎥI ᎫJ ᏦK ᏞL ᎷM ᎾO ᏢP ᎡR ᏚS ᎢT ᏙV ᏔW ᏃZ"
)
_SMALL = (
    "аa еe оo рp сc уy хx іi јj ѕs һh ԁd ԛq ԝw ӏl кk ѵv "
    "αa οo ιi κk νv ρp υu τt ωw χx "
    "ɑa ɡg ıi ɩi օo սu հh ոn ցg"
)


def _pairs(text: str) -> dict[int, str]:
    return {ord(pair[0]): pair[1] for pair in text.split()}


_CAPITAL_LETTERS = _pairs(_CAPITALS)
_SMALL_LETTERS = _pairs(_SMALL)
_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u02d7", "-"))


def normal(text: str) -> str:
    """The text in the one normal form in which names are compared (NFC)."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def spelled_one_way(text: str) -> bool:
    """Whether a text in normal form is the only spelling of it: no letter is made of several."""
    return text.isascii() or any_spelling(text) == text


@lru_cache(maxsize=1024)
def any_spelling(text: str) -> str:
    """A shell's glob for every spelling of a text in normal form; it may stand for more.

    Not for the twins that Unicode keeps of single letters for the sake of old character sets (the Kelvin
    sign of `K`): nobody's keyboard writes them.
    """
    found: list[str] = []
    for letter, after in itertools.zip_longest(text, text[1:], fillvalue=""):
        made = _is_mark(letter) or unicodedata.normalize("NFD", letter) != letter
        marked = not letter.isascii() and after != "" and _is_mark(after)
        if not (made or marked):
            found.append(letter)
        elif found[-1:] != ["*"]:
            found.append("*")
    return "".join(found)


def _is_mark(letter: str) -> bool:
    return unicodedata.category(letter).startswith("M")


def hidden_character(text: str, *, line: bool = False) -> str | None:
    """The first character that is not seen as what it is, as `U+200B`; None if there is none.

    Control, invisible, bidirectional, private and unassigned characters and all blanks but the
    space count. In a command line (`line`) tab and newline are ordinary.
    """
    if text.isprintable() and text.isascii():
        return None
    for character in text:
        if line and character in "\t\n":
            continue
        if not character.isprintable() or character in _INVISIBLE:
            return f"U+{ord(character):04X}"
    return None


def fold(text: str) -> str:
    """What the text looks like: look-alike letters and case are one, hidden characters are left out.

    Letter by letter, so that the fold of two texts joined is their folds joined.
    """
    if text.isascii() and text.isprintable():
        return text.lower()
    return "".join(map(_fold_letter, text))


def skeleton(text: str) -> str:
    """What a whole name looks like: its fold without outer blanks."""
    if text.isascii() and text.isalnum():
        return text.lower()  # most are
    return fold(text).strip()


@lru_cache(maxsize=8192)
def _fold_letter(letter: str) -> str:
    seen = unicodedata.normalize("NFKC", letter).translate(_DASHES).translate(_CAPITAL_LETTERS)
    seen = seen.casefold().translate(_SMALL_LETTERS)
    return "".join(c for c in seen if c.isprintable() and c not in _INVISIBLE)
