"""A strict reader for plain lines, which are most: words, quotes, lists, pipes, plain redirections.

Whatever it does not know for certain is not its business: it gives None, and the real grammar reads
the line (POL-30). It never guesses, and it never skips a character.
"""

from __future__ import annotations

import re

from sayso.policy.shell import syntax as s
from sayso.policy.shell.quoting import bare, in_double_quotes, make_word

_PLAIN = r"[\w./:,@%+=^\]}!\-]"
_BARE = r"[\w./:,@%+=^\[\]{}!*?~#\-]"
_TOKEN = re.compile(
    rf"""[ \t]*(?:
      (?P<plain> (?:(?![!}}=^]){_PLAIN}) {_PLAIN}* (?=[ \t\n;|]|\Z) )
    | (?P<redirect> [0-9]? (?: >> | > (?![>|&]) | < (?![<>&]) ) (?!\() [ \t]* )
    | (?P<copy> [0-9]? >& [0-9] (?=[ \t\n;|]|\Z) )
    | (?P<word> (?!\#) (?: {_BARE} | '[^']*' | "(?:[^"\\$`]|\\[^\n])*" | \\[^\n] )+ )
    | (?P<sign> && | \|\| | \| (?!&) | ; (?![;&]) | \n )
    | (?P<end> \Z )
    )""",
    re.VERBOSE,
)
_PIECE = re.compile(
    r"""'(?P<single>[^']*)' | "(?P<double>(?:[^"\\]|\\.)*)" | (?P<bare>(?:[^'"\\]|\\.)+)""",
    re.VERBOSE | re.DOTALL,
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(?:\+?=|\[)", re.ASCII)

_ONE_COMMAND = re.compile(r"[\w./:,@%+-]+(?: [\w./:,@%+=-]+)*")
"""Words and single blanks, without any character that could mean something else, or an assignment."""

_RESERVED = (
    "if then else elif fi do done case esac while until for in function select time coproc "
    "{ } ! [[ ]] export declare typeset local readonly nameref let @test"
)
NOT_PLAIN = frozenset(_RESERVED.split())
"""Words that, where a command begins, belong to the real grammar."""


def read_plain(text: str) -> s.Script | None:
    """The script of a plain line; None where it is anything else."""
    if _ONE_COMMAND.fullmatch(text):
        written = text.split(" ")
        if written[0] in NOT_PLAIN:
            return None
        words = tuple([s.Word(word, word) for word in written])
        return s.Script((s.Statement(text, s.Simple(words)),))
    return read_tokens(text)


def read_tokens(text: str) -> s.Script | None:
    """The same, token by token, for lines with quotes, operators or redirections."""
    if "$" in text and not _only_quoted(text):
        return None
    match = _TOKEN.match
    position = 0
    body: list[s.Statement] = []
    chain: list[s.Statement] = []
    signs: list[str] = []
    pipe: list[s.Statement] = []
    words: list[s.Word] = []
    redirects: list[s.Redirect] = []
    first = last = 0
    starts: list[int] = []
    pending = ""
    while True:
        token = match(text, position)
        if token is None:
            return None
        kind = token.lastgroup
        if kind == "plain" or kind == "word":
            start, end = token.span(kind)
            raw = text[start:end]
            if not words and not redirects:
                first = start
            if not words and (raw in NOT_PLAIN or _ASSIGNMENT.match(raw)):
                return None
            if kind == "plain":
                words.append(s.Word(raw, raw))
            else:
                follows = text[end : end + 1]
                if follows in "<>" and follows and (raw.isdigit() or raw[0] == "{"):
                    return None
                if follows and follows not in " \t\n;|<>&":
                    return None
                words.append(_word(raw))
            position = last = end
            continue
        if kind == "redirect":
            start = token.start(kind)
            target = match(text, token.end())
            if target is None or target.lastgroup not in {"plain", "word"}:
                return None
            group = target.lastgroup
            raw = target[group]
            end = target.end()
            follows = text[end : end + 1]
            if follows and follows not in " \t\n;|&":
                return None
            if not words and not redirects:
                first = start
            sign = token[kind].strip()
            number = sign[:1] if sign[0].isdigit() else ""
            redirects.append(s.Redirect(text[start:end], sign[len(number) :], _word(raw), number))
            position = last = end
            continue
        if kind == "copy":
            start, end = token.span(kind)
            if not words and not redirects:
                first = start
            sign, _, number = token[kind].partition(">&")
            target_word = s.Word(number, number)
            redirects.append(s.Redirect(text[start:end], ">&", target_word, sign))
            position = last = end
            continue
        sign = token[kind] if kind == "sign" else ""
        position = token.end()
        if not words and not redirects:
            # A newline may follow any operator; nothing else may stand where a command begins.
            if sign == "\n":
                continue
            if sign or pending:
                return None
            break
        simple = s.Simple(tuple(words)) if words else None
        statement = s.Statement(text[first:last], simple, tuple(redirects))
        words, redirects = [], []
        starts.append(first)
        pipe.append(statement)
        if sign == "|":
            pending = sign
            continue
        if len(pipe) > 1:
            whole = text[starts[len(starts) - len(pipe)] : last]
            statement = s.Statement(whole, s.Pipeline(tuple(pipe)))
            starts = starts[: len(starts) - len(pipe) + 1]
        pipe = []
        chain.append(statement)
        if sign in {"&&", "||"}:
            signs.append(sign)
            pending = sign
            continue
        if len(chain) > 1:
            whole = text[starts[len(starts) - len(chain)] : last]
            statement = s.Statement(whole, s.Chain(tuple(chain), tuple(signs)))
        body.append(statement)
        chain, signs, starts, pending = [], [], [], ""
        if not sign:
            break
    return s.Script(tuple(body))


def _only_quoted(text: str) -> bool:
    """Whether a `$` can only stand in single quotes or behind a backslash."""
    return "'" in text or "\\$" in text


def _word(raw: str) -> s.Word:
    pieces: list[s.Piece] = []
    for part in _PIECE.finditer(raw):
        if part.lastgroup == "single":
            pieces.append(s.Quoted(part["single"]))
        elif part.lastgroup == "double":
            inner = part["double"]
            inside = (s.Quoted(in_double_quotes(inner)),) if inner else ()
            pieces.append(s.Double(inside))
        else:
            pieces += bare(part["bare"])
    return make_word(raw, tuple(pieces))
