"""From the syntax tree that shfmt gives to the one of `syntax.py`; the typed nodes are those of mvdan/sh."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sayso.policy.shell import syntax as s
from sayso.policy.shell.tree_words import Node, WordReader


def read_tree(tree: Mapping[str, Any], text: str) -> s.Script:
    """The script of a syntax tree; `text` is the line it was made from."""
    reader = _Reader(text)
    body = reader.statements(tree.get("Stmts"))
    return s.Script(body, tuple(dict.fromkeys(reader.bashisms)))


class _Reader(WordReader):
    """Reads statements; words are read by the class above."""

    def statements(self, nodes: Sequence[Node] | None) -> s.Statements:
        """A list of statements, one level deeper."""
        if not nodes:
            return ()
        if self.depth >= s.MAX_DEPTH:
            return (s.Statement("", s.Strange(f"it is nested deeper than {s.MAX_DEPTH} levels")),)
        self.depth += 1
        found = tuple(self._statement(node) for node in nodes)
        self.depth -= 1
        return found

    def _statement(self, node: Node) -> s.Statement:
        command = node.get("Cmd")
        redirects = tuple(self._redirect(redirect) for redirect in node.get("Redirs", ()))
        # The node itself reaches over a `;` or `&`, and over the lines up to the end of a heredoc.
        ends = [redirect["Word"] for redirect in node.get("Redirs", ())]
        ends += [command] if command is not None else []
        end = max((part["End"]["Offset"] for part in ends), default=node["End"]["Offset"])
        text = self.between(node["Pos"]["Offset"], end)
        if node.get("Disown"):
            return s.Statement(text, s.Strange("a disowned command"))
        return s.Statement(
            text,
            None if command is None else self._command(command),
            redirects,
            bool(node.get("Negated")),
            bool(node.get("Background")),
        )

    def _redirect(self, node: Node) -> s.Redirect:
        sign = node["Op"]
        descriptor = node["N"]["Value"] if node.get("N") else ""
        if sign in {"&>", "&>>", "<<<"} or descriptor.startswith("{"):
            self.bashisms.append(f"`{descriptor}{sign}`")
        body = None
        if node.get("Hdoc") is not None:
            body = self.heredoc(node["Hdoc"], node["Word"])
        target = self.word(node["Word"])
        end = node["Word"]["End"]["Offset"]
        text = self.between(node["Pos"]["Offset"], end)
        return s.Redirect(text, sign, target, descriptor, body)

    def _command(self, node: Node) -> s.Command:
        read = _COMMANDS.get(node["Type"])
        if read is None:
            return s.Strange(f"an unknown construct ({node['Type']})")
        if self.depth >= s.MAX_DEPTH:
            return s.Strange(f"it is nested deeper than {s.MAX_DEPTH} levels")
        self.depth += 1
        found = read(self, node)
        self.depth -= 1
        return found

    def _call(self, node: Node) -> s.Command:
        assigns = tuple(self._assign(assign) for assign in node.get("Assigns", ()))
        return s.Simple(self.words(node.get("Args")), assigns)

    def _assign(self, node: Node) -> s.Assign:
        value = node.get("Value")
        array = node.get("Array")
        sums = [self.sum(node["Index"])] if node.get("Index") else []
        items: list[s.Word] | None = None
        if array is not None:
            self.bashisms.append("an array")
            items = []
            for element in array.get("Elems", ()):
                if element.get("Index"):
                    sums.append(self.sum(element["Index"]))
                if element.get("Value"):
                    items.append(self.word(element["Value"]))
        return s.Assign(
            self.slice(node),
            node["Name"]["Value"],
            None if value is None else self.word(value),
            None if items is None else tuple(items),
            tuple(sums),
            bool(node.get("Append")),
            bool(node.get("Naked")),
        )

    def _declare(self, node: Node) -> s.Command:
        operands: list[s.Word | s.Assign] = []
        for argument in node.get("Args", ()):
            if argument.get("Name") is None:
                operands.append(self.word(argument["Value"]))
            else:
                operands.append(self._assign(argument))
        return s.Declare(node["Variant"]["Value"], tuple(operands))

    def _binary(self, node: Node) -> s.Command:
        """A chain or a pipeline: its left side is unrolled, so that length is not depth."""
        piped = node["Op"] in {"|", "|&"}
        signs: list[str] = []
        right: list[Node] = []
        while True:
            if node["Op"] == "|&":
                self.bashisms.append("`|&`")
            signs.append(node["Op"])
            right.append(node["Y"])
            left = node["X"]
            inner = left.get("Cmd")
            if (
                inner is None
                or inner["Type"] != "BinaryCmd"
                or (inner["Op"] in {"|", "|&"}) != piped
                or left.get("Redirs")
                or left.get("Negated")
                or left.get("Background")
            ):
                break
            node = inner
        parts = tuple(self._statement(part) for part in [left, *reversed(right)])
        return s.Pipeline(parts) if piped else s.Chain(parts, tuple(reversed(signs)))

    def _group(self, node: Node) -> s.Command:
        return s.Group(self.statements(node.get("Stmts")), node["Type"] == "Subshell")

    def _if(self, node: Node) -> s.Command:
        branches = [node]
        while branches[-1].get("Else"):
            branches.append(branches[-1]["Else"])
        otherwise: s.Statements = ()
        for branch in reversed(branches):
            then = self.statements(branch.get("Then"))
            if branch.get("Cond"):
                condition = self.statements(branch["Cond"])
                command = s.If(condition, then, otherwise)
                otherwise = (s.Statement(self.slice(branch), command),)
            else:
                otherwise = then
        return command

    def _while(self, node: Node) -> s.Command:
        condition = self.statements(node.get("Cond"))
        return s.While(condition, self.statements(node.get("Do")), bool(node.get("Until")))

    def _for(self, node: Node) -> s.Command:
        loop = node["Loop"]
        if node.get("Select"):
            self.bashisms.append("`select`")
        if loop["Type"] == "WordIter":
            items = loop.get("Items")
            over = self.words(items) if items or loop.get("InPos") else None
            return s.For(loop["Name"]["Value"], over, self.statements(node.get("Do")))
        if loop["Type"] != "CStyleLoop":
            return s.Strange(f"an unknown construct ({loop['Type']})")
        self.bashisms.append("`for ((`")
        sums = tuple(self.sum(loop[part]) for part in ("Init", "Cond", "Post") if loop.get(part))
        return s.Count(sums, self.statements(node.get("Do")))

    def _case(self, node: Node) -> s.Command:
        arms = [
            (self.words(item.get("Patterns")), self.statements(item.get("Stmts")))
            for item in node.get("Items", ())
        ]
        return s.Case(self.word(node["Word"]), tuple(arms))

    def _check(self, node: Node) -> s.Command:
        self.bashisms.append("`[[`")
        words: list[s.Word] = [s.Word("[[", "[[")]
        comparisons: list[tuple[str, tuple[s.Word, ...]]] = []
        self._comparisons(node["X"], words, comparisons)
        words.append(s.Word("]]", "]]"))
        return s.Check(tuple(words), tuple(comparisons))

    def _comparisons(
        self,
        node: Node,
        words: list[s.Word],
        comparisons: list[tuple[str, tuple[s.Word, ...]]],
    ) -> None:
        kind = node["Type"]
        if kind == "Word":
            words.append(self.word(node))
            comparisons.append(("", (words[-1],)))
        elif kind == "ParenTest":
            words.append(s.Word("(", "("))
            self._deeper(node["X"], words, comparisons)
            words.append(s.Word(")", ")"))
        elif kind == "UnaryTest":
            words.append(s.Word(node["Op"], node["Op"]))
            if node["Op"] == "!":
                self._deeper(node["X"], words, comparisons)
            else:
                words.append(self.word(node["X"]))
                comparisons.append((node["Op"], (words[-1],)))
        elif node["Op"] in {"&&", "||"}:
            self._deeper(node["X"], words, comparisons)
            words.append(s.Word(node["Op"], node["Op"]))
            self._deeper(node["Y"], words, comparisons)
        else:
            left = self.word(node["X"])
            right = self.word(node["Y"])
            words += [left, s.Word(node["Op"], node["Op"]), right]
            comparisons.append((node["Op"], (left, right)))

    def _deeper(
        self,
        node: Node,
        words: list[s.Word],
        comparisons: list[tuple[str, tuple[s.Word, ...]]],
    ) -> None:
        if self.depth >= s.MAX_DEPTH:
            why = f"it is nested deeper than {s.MAX_DEPTH} levels"
            words.append(s.Word("", None, (s.Unclear(why),)))
            comparisons.append(("", (words[-1],)))
            return
        self.depth += 1
        self._comparisons(node, words, comparisons)
        self.depth -= 1

    def _compute(self, node: Node) -> s.Command:
        self.bashisms.append("`((`")
        return s.Compute((self.sum(node["X"]),))

    def _let(self, node: Node) -> s.Command:
        self.bashisms.append("`let`")
        sums = [self.sum(expression) for expression in node.get("Exprs", ())]
        if any(_has_operator(expression) for expression in node.get("Exprs", ())):
            # Outside quotes bash takes it for a redirection or the end of the command.
            unclear = s.Unclear("`let` with an operator outside quotes")
            sums.append(s.Sum((s.Word("", None, (unclear,)),)))
        return s.Compute(tuple(sums), let=True)

    def _function(self, node: Node) -> s.Command:
        if node.get("RsrvWord"):
            self.bashisms.append("`function`")
        if node.get("Name") is None:
            return s.Strange("a function of several names, or of none")
        return s.Function(node["Name"]["Value"], self._statement(node["Body"]))

    def _coprocess(self, node: Node) -> s.Command:
        self.bashisms.append("`coproc`")
        name = self.word(node["Name"]) if node.get("Name") else None
        return s.Coprocess(name, self._statement(node["Stmt"]))

    def _time(self, node: Node) -> s.Command:
        self.bashisms.append("`time`")
        body = self._statement(node["Stmt"]) if node.get("Stmt") else None
        return s.Timed(body, bool(node.get("PosixFormat")))


def _has_operator(expression: Node) -> bool:
    """Whether an expression holds a character, outside quotes, that ends a word for the shell."""
    todo = [expression]
    while todo:
        node = todo.pop()
        if node["Type"] == "ParenArithm" or set(node.get("Op", "")) & set("<>|&"):
            return True
        todo += [node[side] for side in ("X", "Y") if node["Type"] != "Word" and node.get(side)]
    return False


_COMMANDS: Mapping[str, Callable[[_Reader, Node], s.Command]] = {
    "CallExpr": _Reader._call,
    "DeclClause": _Reader._declare,
    "BinaryCmd": _Reader._binary,
    "Block": _Reader._group,
    "Subshell": _Reader._group,
    "IfClause": _Reader._if,
    "WhileClause": _Reader._while,
    "ForClause": _Reader._for,
    "CaseClause": _Reader._case,
    "TestClause": _Reader._check,
    "ArithmCmd": _Reader._compute,
    "LetClause": _Reader._let,
    "FuncDecl": _Reader._function,
    "CoprocClause": _Reader._coprocess,
    "TimeClause": _Reader._time,
}
