"""The words of shfmt's syntax tree: quotes, expansions, substitutions and arithmetic."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from sayso.policy.shell import syntax as s
from sayso.policy.shell.quoting import ansi_c, bare, in_double_quotes, make_word

Node: TypeAlias = Mapping[str, Any]

_ASSIGNING = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="})


class WordReader(ABC):
    """Reads words; `bashisms` collects what other shells may read in another way."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._bytes = None if text.isascii() else text.encode("utf-8", "surrogatepass")
        self.bashisms: list[str] = []
        self.depth = 0

    @abstractmethod
    def statements(self, nodes: Sequence[Node] | None) -> s.Statements:
        """A list of statements; read by the class that reads statements."""

    def slice(self, node: Node) -> str:
        """The part of the line that a node stands for."""
        return self.between(node["Pos"]["Offset"], node["End"]["Offset"])

    def between(self, start: int, end: int) -> str:
        """The part of the line between two offsets in bytes."""
        if self._bytes is None:
            return self._text[start:end]
        return self._bytes[start:end].decode("utf-8", "replace")

    def words(self, nodes: Sequence[Node] | None) -> tuple[s.Word, ...]:
        """Several words."""
        return tuple(self.word(node) for node in nodes or ())

    def word(self, node: Node) -> s.Word:
        """One word."""
        return make_word(self.slice(node), tuple(self._pieces(node.get("Parts"), quoted=False)))

    def heredoc(self, node: Node, delimiter: Node) -> s.Word:
        """The body of a heredoc, which is plain text where any part of its delimiter is quoted."""
        text = self.slice(node)
        parts = node.get("Parts")
        marks = delimiter.get("Parts") or ()
        if any(mark["Type"] != "Lit" or "\\" in mark.get("Value", "") for mark in marks):
            value = "".join(part.get("Value", "") for part in parts or ())
            return s.Word(text, value)
        found: list[s.Piece] = []
        for part in parts or ():
            if part["Type"] == "Lit":
                found.append(s.Quoted(in_double_quotes(part.get("Value", ""), heredoc=True)))
            else:
                found.append(s.Double(tuple(self._pieces([part], quoted=True))))
        return make_word(text, tuple(found))

    def _pieces(self, parts: Sequence[Node] | None, *, quoted: bool) -> list[s.Piece]:
        found: list[s.Piece] = []
        dollar = False
        for part in parts or ():
            kind = part["Type"]
            if kind in {"SglQuoted", "DblQuoted"} and dollar:
                # A POSIX shell keeps the `$`; where `sh` is bash, it does not.
                self.bashisms.append("`$'…'`")
            dollar = kind == "Lit" and part.get("Value", "").endswith("$")
            if kind == "Lit":
                if quoted:
                    found.append(s.Quoted(in_double_quotes(part.get("Value", ""))))
                else:
                    for piece in bare(part.get("Value", "")):
                        if isinstance(piece, s.Bare) and found and isinstance(found[-1], s.Bare):
                            found[-1] = s.Bare(found[-1].text + piece.text)
                        else:
                            found.append(piece)
            elif kind == "SglQuoted":
                if part.get("Dollar"):
                    self.bashisms.append("`$'…'`")
                    found.append(ansi_c(part.get("Value", "")))
                else:
                    found.append(s.Quoted(part.get("Value", "")))
            elif kind == "DblQuoted":
                if part.get("Dollar"):
                    # Bash looks it up among its translations, which the line does not show.
                    self.bashisms.append('`$"…"`')
                found.append(s.Double(tuple(self._pieces(part.get("Parts"), quoted=True))))
            else:
                found.append(self._expansion(part))
        return found

    def _expansion(self, node: Node) -> s.Piece:
        kind = node["Type"]
        if kind == "ParamExp":
            return self._parameter(node)
        if kind == "CmdSubst":
            if node.get("TempFile") or node.get("ReplyVar"):
                return s.Unclear("a substitution of another shell")
            return s.Substitution(self.statements(node.get("Stmts")))
        if kind == "ProcSubst":
            self.bashisms.append(f"`{node['Op']}`")
            return s.Substitution(self.statements(node.get("Stmts")), process=True)
        if kind == "ArithmExp":
            if node.get("Bracket"):
                self.bashisms.append("`$[`")
            return s.Arithmetic(self.sum(node["X"])) if node.get("X") else s.Unclear()
        if kind == "ExtGlob":
            return s.Unclear("an extended glob")
        return s.Unclear(f"an unknown construct ({kind})")

    def _parameter(self, node: Node) -> s.Piece:
        if node.get("Param") is None or node.get("Flags") or node.get("NestedParam"):
            return s.Unclear("an expansion of another shell")
        name = node["Param"]["Value"]
        known = {"Type", "Pos", "End", "Dollar", "Rbrace", "Param", "Short", *_FORMS}
        strange = [key for key, value in node.items() if value and key not in known]
        if strange:
            return s.Unclear(f"an unknown expansion ({strange[0]})")
        forms = [key for key in _FORMS if node.get(key)]
        words: list[s.Word] = []
        sums: list[s.Sum] = []
        form = ""
        many = name in {"@", "*"}
        index = node.get("Index")
        if index is not None:
            self.bashisms.append("an array")
            signs: Sequence[Node] = index.get("Parts") or ()
            if len(signs) == 1 and signs[0].get("Value") in {"@", "*"}:
                many = True
            else:
                sums.append(self.sum(index))
            form = "["
        if node.get("Length") or node.get("Width") or node.get("IsSet"):
            form = "#"
        if node.get("Excl"):
            self.bashisms.append("`${!`")
            # `${!prefix*}` and `${!array[@]}` give names; anything else looks a name up in a value.
            form = "names" if node.get("Names") or (many and index is not None) else "!"
            many = True
        if node.get("Slice"):
            self.bashisms.append("`${x:1}`")
            cut = node["Slice"]
            sums += [self.sum(cut[part]) for part in ("Offset", "Length") if cut.get(part)]
            form = form or ":"
        if node.get("Repl"):
            self.bashisms.append("`${x/y}`")
            change = node["Repl"]
            words += [self.word(change[part]) for part in ("Orig", "With") if change.get(part)]
            form = form or "/"
        if node.get("Exp"):
            change = node["Exp"]
            words += [self.word(change["Word"])] if change.get("Word") else []
            sign = change["Op"]
            if sign == "@":
                self.bashisms.append("`${x@…}`")
                sign += words[0].text if words else ""
            elif sign[0] in "^,":
                self.bashisms.append(f"`${{x{sign}`")
            form = sign if form in {"", "["} else form
        if not forms:
            form = ""
        return s.Parameter(name, form, tuple(words), tuple(sums), many)

    def sum(self, node: Node) -> s.Sum:
        """An arithmetic expression."""
        operands: list[s.Word] = []
        assigned: list[str] = []
        todo = [node]
        while todo:
            part = todo.pop()
            kind = part["Type"]
            if kind == "Word":
                operands.append(self.word(part))
            elif kind in {"ParenArithm", "UnaryArithm", "FlagsArithm"}:
                todo.append(part["X"])
                if kind == "UnaryArithm" and part.get("Op") in {"++", "--"}:
                    assigned += _name(part["X"])
                elif kind == "FlagsArithm":
                    operands.append(s.Word("", None, (s.Unclear("arithmetic of another shell"),)))
            elif kind == "BinaryArithm":
                if part.get("Op") in _ASSIGNING:
                    assigned += _name(part["X"])
                todo += [part["Y"], part["X"]]
            else:
                why = f"an unknown construct ({kind})"
                operands.append(s.Word("", None, (s.Unclear(why),)))
        return s.Sum(tuple(operands), tuple(assigned))


_FORMS = ("Excl", "Length", "Width", "IsSet", "Index", "Slice", "Repl", "Names", "Exp")


def _name(node: Node) -> list[str]:
    parts: Sequence[Node] = node.get("Parts") or ()
    if len(parts) == 1:
        value = parts[0].get("Value") or parts[0].get("Param", {}).get("Value")
        return [value] if value else []
    return []
