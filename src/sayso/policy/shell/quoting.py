"""Quotes and escapes of a shell word, undone as bash undoes them."""

from __future__ import annotations

from collections.abc import Iterator

from sayso.policy.shell.syntax import Bare, Double, Piece, Quoted, Unclear, Word

SIGNS = frozenset("*?[{~")
"""Characters that, outside quotes, may make a word mean something else than itself."""

_SIMPLE = {
    "a": 7,
    "b": 8,
    "e": 27,
    "E": 27,
    "f": 12,
    "n": 10,
    "r": 13,
    "t": 9,
    "v": 11,
    "\\": 92,
    "'": 39,
    '"': 34,
    "?": 63,
}
_HEX = "0123456789abcdefABCDEF"
_OCTAL = "01234567"


def make_word(text: str, pieces: tuple[Piece, ...]) -> Word:
    """A word of pieces, literal where they plainly mean their characters."""
    value = ""
    for piece in pieces:
        if isinstance(piece, Quoted):
            value += piece.text
        elif isinstance(piece, Bare):
            if piece.text != "[" and not SIGNS.isdisjoint(piece.text):
                return Word(text, None, pieces)
            value += piece.text
        elif isinstance(piece, Double) and all(isinstance(inner, Quoted) for inner in piece.pieces):
            value += "".join(inner.text for inner in piece.pieces if isinstance(inner, Quoted))
        else:
            return Word(text, None, pieces)
    if len(pieces) > 1 and any(isinstance(piece, Bare) and piece.text == "[" for piece in pieces):
        return Word(text, None, pieces)
    return Word(text, value)


def bare(text: str) -> Iterator[Piece]:
    """The pieces of characters outside quotes, as written: what follows a backslash is quoted."""
    if "\\" not in text:
        if text:
            yield Bare(text)
        return
    start = position = 0
    while (position := text.find("\\", start)) >= 0:
        if position > start:
            yield Bare(text[start:position])
        escaped = text[position + 1 : position + 2]
        # A backslash before a newline joins two lines; one at the end of the text means itself.
        if escaped != "\n":
            yield Quoted(escaped or "\\")
        start = position + 2
    if start < len(text):
        yield Bare(text[start:])


def in_double_quotes(text: str, *, heredoc: bool = False) -> str:
    """The characters of text in double quotes, or in the body of a heredoc, where `\"` is not special."""
    if "\\" not in text:
        return text
    special = "$`\\" if heredoc else '$`\\"'
    found = ""
    start = 0
    while (position := text.find("\\", start)) >= 0:
        found += text[start:position]
        escaped = text[position + 1 : position + 2]
        if escaped == "\n":
            pass
        elif escaped and escaped in special:
            found += escaped
        else:
            found += "\\" + escaped
        start = position + 2
    return found + text[start:]


def ansi_c(text: str) -> Piece:
    """What `$'text'` stands for; not known where that depends on the character set of the shell."""
    found = bytearray()
    position = 0
    while position < len(text):
        letter = text[position]
        position += 1
        if letter != "\\" or position == len(text):
            found += letter.encode("utf-8", "surrogatepass")
            continue
        letter = text[position]
        position += 1
        if letter in _SIMPLE:
            found.append(_SIMPLE[letter])
            continue
        if letter in _OCTAL:
            digits = _digits(text, position - 1, _OCTAL, 3)
            position += len(digits) - 1
            code = int(digits, 8) & 0xFF
        elif letter == "x":
            digits = _digits(text, position, _HEX, 2)
            if not digits:
                if text[position : position + 1] == "{":
                    return Unclear()
                found += b"\\x"
                continue
            position += len(digits)
            code = int(digits, 16)
        elif letter in "uU":
            digits = _digits(text, position, _HEX, 4 if letter == "u" else 8)
            if not digits:
                found += b"\\" + letter.encode()
                continue
            position += len(digits)
            code = int(digits, 16)
            if code > 0x7F:
                return Unclear()
        elif letter == "c":
            return Unclear()
        else:
            found += b"\\" + letter.encode("utf-8", "surrogatepass")
            continue
        if code == 0:
            # The shell's text ends here, and what follows the quotes is joined to it.
            break
        found.append(code)
    try:
        return Quoted(found.decode())
    except UnicodeDecodeError:
        return Unclear()


def _digits(text: str, start: int, allowed: str, most: int) -> str:
    end = start
    while end < len(text) and end < start + most and text[end] in allowed:
        end += 1
    return text[start:end]
