"""Words that look like others: mixed scripts, letters in disguise, hosts that read as other hosts.

Ordinary text in any language is left alone. Warned about are a word that mixes scripts which are
not written together, a letter that stands in for an ASCII one, a word all of whose letters could
pass for Latin ones in a text without others of their script, and a host that is not plain ASCII or
hides behind a user name (CH-1). The rule for mixing is UTS 39's "highly restrictive" level.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Set
from functools import lru_cache

import idna

Span = tuple[int, int, str]
"""Where a warning begins and ends in the text, and what it says."""

MAX_HOST = 253
MAX_LABEL = 63

_EAST_ASIAN = frozenset({"Han", "Hiragana", "Katakana", "Hangul", "Bopomofo"})
_WRITTEN_TOGETHER = (
    frozenset({"Latin", "Han", "Hiragana", "Katakana"}),
    frozenset({"Latin", "Han", "Bopomofo"}),
    frozenset({"Latin", "Han", "Hangul"}),
)
_COMMON = ""
_FIRST_WORDS = {
    "CJK": "Han",
    "IDEOGRAPHIC": "Han",
    "KATAKANA-HIRAGANA": _COMMON,
    "MODIFIER": _COMMON,
    "MICRO": _COMMON,
    "FEMININE": _COMMON,
    "MASCULINE": _COMMON,
    "SUPERSCRIPT": _COMMON,
    "SUBSCRIPT": _COMMON,
}

# Letters of other scripts that can pass for an ASCII letter.
_PASS_FOR_LATIN = frozenset("асеорхуѕіјһԁԛԝѵӏАВЕКМНОРСТУХЅІЈԌԚԜοορνυιακχγΑΒΕΖΗΙΚΜΝΟΡΤΥΧօսոցհոՍՕ")
# Characters, of any script, that stand in for an ASCII one and have next to no other use in text.
_STAND_INS = {
    **dict.fromkeys("∕⁄⧸╱", "/"),
    **dict.fromkeys("․﹒", "."),
    **dict.fromkeys("꞉∶ː", ":"),
    **dict.fromkeys("\u037e", ";"),
    **dict.fromkeys("ǃ", "!"),
    **dict.fromkeys("ǀ∣", "|"),
    **dict.fromkeys("\u2010\u2011−", "-"),
    **dict.fromkeys("ɑ", "a"),
    **dict.fromkeys("ɡ", "g"),
    **dict.fromkeys("ɩ", "i"),
}

_TOKEN = re.compile(r"\S+")
_URL_HOST = re.compile(
    r"(?<![A-Za-z0-9+.-])[A-Za-z0-9+.-]+://(?P<user>[^\s/?#\\]*@)?(?P<host>[^\s/?#@\\:]+)"
)
_PUNYCODE = re.compile(
    r"(?<![\w.-])(?:[A-Za-z0-9-]+\.)*xn--[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*", re.I
)


def warnings_in(text: str) -> list[Span]:
    """What looks like something else in a text, in order, no two overlapping."""
    found: list[Span] = []
    if "://" in text or "xn--" in text.lower():
        found += _hosts(text)
    if not text.isascii():
        unmistakable = {_script(char) for char in set(text) if char not in _PASS_FOR_LATIN}
        for token in _TOKEN.finditer(text):
            if not token.group().isascii():
                found += _words(token.group(), token.start(), unmistakable)
    found.sort(key=lambda span: (span[0], -span[1]))
    apart: list[Span] = []
    for span in found:
        if not apart or span[0] >= apart[-1][1]:
            apart.append(span)
    return apart


def host_warning(host: str) -> str | None:
    """What is odd about a host name; None for plain ASCII without punycode."""
    if not host.isascii():
        if len(host) > MAX_HOST:
            return "this host is not plain ASCII and longer than a host name can be"
        try:
            real = idna.encode(host, uts46=True).decode("ascii")
        except (idna.IDNAError, UnicodeError):
            return f"this host is not plain ASCII and has no valid form: {_letters_of(host)}"
        return f"this host is not plain ASCII: it is really {real}: {_letters_of(host)}"
    if "xn--" in host.lower():
        labels = [_decoded(label) for label in host.split(".")]
        if None in labels:
            return "this host is written in punycode that cannot be read"
        reads = ".".join(label or "" for label in labels)
        return f"this host is written in punycode: it reads {reads}: {_letters_of(reads)}"
    return None


def _hosts(text: str) -> list[Span]:
    found: list[Span] = []
    for match in _URL_HOST.finditer(text):
        start, end = match.span("host")
        if (warn := host_warning(match.group("host"))) is not None:
            found.append((start, end, warn))
        elif match.group("user") is not None and "." in match.group("user"):
            warn = f"the host is {match.group('host')}; what stands before it is a user name"
            found.append((match.start("user"), end, warn))
    for match in _PUNYCODE.finditer(text):
        if (warn := host_warning(match.group())) is not None:
            found.append((match.start(), match.end(), warn))
    return found


def _decoded(label: str) -> str | None:
    if not label.lower().startswith("xn--"):
        return label
    if len(label) > MAX_LABEL:
        return None
    try:
        read = label[4:].encode("ascii").decode("punycode")
    except UnicodeError:
        return None
    return read if read.isprintable() and read else None


def _letters_of(host: str) -> str:
    """The scripts of a host's letters, or the first odd letter by name."""
    odd = sorted({_named(char) for char in host if not char.isascii() and char.isprintable()})
    more = f" and {len(odd) - 2} more" if len(odd) > 2 else ""
    return ", ".join(odd[:2]) + more if odd else "it holds characters that cannot be seen"


def _words(token: str, offset: int, unmistakable: Set[str | None]) -> list[Span]:
    """The warnings about one stretch of text without spaces that is not all ASCII."""
    found: list[Span] = []
    scripts = {_script(char) for char in token}
    for at, char in enumerate(token):
        stands_for = _stands_for(char)
        if stands_for is None or (not stands_for.isalnum() and scripts & _EAST_ASIAN):
            continue
        if found and offset + at < found[-1][1]:
            continue
        start, end = _word_around(token, at) if stands_for.isalnum() else (at, at + 1)
        warn = f"{_named(char)}, not the ASCII {stands_for}"
        found.append((offset + start, offset + end, warn))
    at = 0
    while at < len(token):
        if not _in_word(token[at]):
            at += 1
            continue
        start, end = _word_around(token, at)
        word = token[start:end]
        odd = None if word.isascii() else _word_warning(word, unmistakable)
        if odd is not None:
            found.append((offset + start, offset + end, odd))
        at = max(end, at + 1)
    return found


def _word_warning(word: str, unmistakable: Set[str | None]) -> str | None:
    scripts = set(filter(None, map(_script, word)))
    if len(scripts) > 1 and not any(scripts <= together for together in _WRITTEN_TOGETHER):
        return f"mixes {' and '.join(sorted(scripts))} letters: {_named(_rarest(word))}"
    letters = [char for char in word if _script(char)]
    if len(scripts) == 1 and all(char in _PASS_FOR_LATIN for char in letters):
        if scripts == {"Greek"} and len(letters) == 1:
            return None  # a lone Greek letter is a symbol of its trade
        if not scripts & unmistakable:
            return f"every letter is {scripts.pop()} and could pass for a Latin one"
    return None


def _rarest(word: str) -> str:
    """The letter to name: one of the script with the fewest letters, an ASCII one last."""
    letters = [char for char in word if _script(char)]
    counts = Counter(map(_script, letters))
    return min(letters, key=lambda char: (char.isascii(), counts[_script(char)]))


def _named(char: str) -> str:
    return f"`{char}` is {unicodedata.name(char, f'U+{ord(char):04X}')}"


def _in_word(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char).startswith("M")


def _word_around(token: str, at: int) -> tuple[int, int]:
    start = end = at
    while start > 0 and _in_word(token[start - 1]):
        start -= 1
    while end < len(token) and _in_word(token[end]):
        end += 1
    return start, max(end, at + 1)


@lru_cache(maxsize=8192)
def _stands_for(char: str) -> str | None:
    """The ASCII character that this one stands in for: full-width, mathematical, or by its looks."""
    if char.isascii():
        return None
    if char in _STAND_INS:
        return _STAND_INS[char]
    decomposition = unicodedata.decomposition(char)
    if decomposition.startswith(("<font>", "<wide>", "<small>")) or (
        decomposition and not decomposition.startswith("<") and " " not in decomposition
    ):
        same = unicodedata.normalize("NFKC", char)
        return same if len(same) == 1 and same.isascii() else None
    return None


@lru_cache(maxsize=8192)
def _script(char: str) -> str | None:
    """The script of a letter, by its Unicode name; empty for what all share, None for no letter."""
    if not unicodedata.category(char).startswith("L"):
        return None
    words = unicodedata.name(char, "").split(" ")
    first = words[1] if words[0] in ("FULLWIDTH", "HALFWIDTH") and len(words) > 1 else words[0]
    if _stands_for(char) is not None and first not in ("LATIN", "CYRILLIC", "GREEK"):
        return _COMMON
    return _FIRST_WORDS.get(first, first.capitalize())
