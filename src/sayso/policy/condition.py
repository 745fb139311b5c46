"""Conditions of rules (`when`, `unless`), compiled once to type-checked closures (POL-14).

The grammar, over `input` (the call's arguments), `tool`, `agent`, `source` and `user`:

    or       = and ("or" and)*
    and      = not ("and" not)*
    not      = "not" not | compare
    compare  = value [("==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not" "in") value]
    value    = path | literal | "(" or ")" | "{{" or "}}"
    path     = name ("." name | "[" (number | text) "]")*
    literal  = number | text | "true" | "false" | "none" | "[" literal, … "]"

A missing argument, or a comparison of different types, is a failure and never a silent answer.
"""

from __future__ import annotations

import re
from typing import Any

from sayso.errors import RuleSyntaxError
from sayso.policy.comparison import (
    COMPARISONS,
    Condition,
    Literal,
    Value,
    argument,
    compare_values,
    every,
    member,
    negate,
    some,
    truth,
)

MAX_LENGTH = 4096
MAX_DEPTH = 32

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
      | (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
      | (?P<name>[A-Za-z_]\w*)
      | (?P<sign>\{\{|\}\}|==|!=|<=|>=|[<>()\[\].,])
    )""",
    re.VERBOSE,
)
_ROOTS: dict[str, Value] = {
    "tool": lambda call: call.written_name,
    "agent": lambda call: call.agent_id,
    "source": lambda call: call.source,
    "user": lambda call: call.user_id,
}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def compile_condition(text: str) -> Condition:
    """Compile a condition; raises RuleSyntaxError with the column of what cannot be read."""
    if len(text) > MAX_LENGTH:
        raise RuleSyntaxError(f"the condition is longer than {MAX_LENGTH} characters")
    parser = _Parser(text)
    value = parser.alternatives(0)
    parser.expect_end()
    return truth(value)


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str, int]] = []
        position = 0
        while text[position:].strip():
            found = _TOKEN.match(text, position)
            if found is None:
                place = position + len(text[position:]) - len(text[position:].lstrip())
                raise _unsupported(text[place], place)
            kind = str(found.lastgroup)
            self.tokens.append((kind, found[kind], found.start(kind)))
            position = found.end()
        self.at = 0

    def peek(self) -> tuple[str, str, int]:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "", len(self.text))

    def take(self, *words: str) -> str | None:
        kind, word, _ = self.peek()
        if kind in ("name", "sign") and word in words:
            self.at += 1
            return word
        return None

    def need(self, word: str) -> None:
        if self.take(word) is None:
            _, found, place = self.peek()
            shown = f"`{found}`" if found else "the end"
            raise RuleSyntaxError(
                f"expected `{word}` instead of {shown} in the condition", column=place + 1
            )

    def expect_end(self) -> None:
        kind, word, place = self.peek()
        if kind != "end":
            raise _unsupported(word, place)

    def alternatives(self, depth: int) -> Value:
        if depth > MAX_DEPTH:
            raise RuleSyntaxError(f"the condition is nested deeper than {MAX_DEPTH}")
        values = [self.conjunction(depth)]
        while self.take("or"):
            values.append(self.conjunction(depth))
        return values[0] if len(values) == 1 else some([truth(value) for value in values])

    def conjunction(self, depth: int) -> Value:
        values = [self.negation(depth)]
        while self.take("and"):
            values.append(self.negation(depth))
        return values[0] if len(values) == 1 else every([truth(value) for value in values])

    def negation(self, depth: int) -> Value:
        if self.take("not"):
            if depth > MAX_DEPTH:
                raise RuleSyntaxError(f"the condition is nested deeper than {MAX_DEPTH}")
            return negate(truth(self.negation(depth + 1)))
        return self.comparison(depth)

    def comparison(self, depth: int) -> Value:
        left = self.value(depth)
        word = self.take("==", "!=", "<", "<=", ">", ">=", "in")
        if word is None and self.peek()[1] == "not":
            self.at += 1
            self.need("in")
            word = "not in"
        if word is None:
            return left
        right = self.value(depth)
        if self.peek()[1] in COMPARISONS:
            raise RuleSyntaxError(
                "a chain of comparisons is not supported in a condition",
                "join two comparisons with `and`",
                column=self.peek()[2] + 1,
            )
        if word == "in":
            return member(left, right)
        if word == "not in":
            return negate(member(left, right))
        return compare_values(left, right, word)

    def value(self, depth: int) -> Value:
        kind, word, place = self.peek()
        closing = {"(": ")", "{{": "}}"}.get(word) if kind == "sign" else None
        if closing is not None:
            self.at += 1
            inner = self.alternatives(depth + 1)
            self.need(closing)
            return inner
        if kind == "name" and (word == "input" or word in _ROOTS):
            self.at += 1
            return self.path(word)
        if kind in ("number", "text") or word in ("[", "true", "false", "none", "null"):
            return Literal(self.literal(depth))
        if kind == "end":
            raise RuleSyntaxError("the condition ends too early", column=place + 1)
        if kind == "name":
            raise RuleSyntaxError(
                f"`{word}` is not known in a condition",
                "conditions see `input`, `tool`, `agent`, `source` and `user`",
                column=place + 1,
            )
        raise _unsupported(word, place)

    def path(self, root: str) -> Value:
        steps: list[str | int] = []
        while True:
            if self.take("."):
                kind, word, place = self.peek()
                if kind != "name":
                    raise _unsupported(word or ".", place)
                self.at += 1
                steps.append(word)
            elif self.take("["):
                kind, _, place = self.peek()
                step = self.literal(0)
                if isinstance(step, bool) or not isinstance(step, (str, int)):
                    raise RuleSyntaxError("an index is a number or a text", column=place + 1)
                steps.append(step)
                self.need("]")
            else:
                break
        if self.peek()[1] == "(":
            raise _unsupported("(", self.peek()[2])
        if root != "input":
            if steps:
                raise RuleSyntaxError(f"`{root}` is a text and has no parts")
            return _ROOTS[root]
        return argument(steps)

    def literal(self, depth: int) -> Any:
        kind, word, place = self.peek()
        self.at += 1
        if kind == "number":
            return int(word) if re.fullmatch(r"-?\d+", word) else float(word)
        if kind == "text":
            if "{{" in word or "{%" in word:
                raise RuleSyntaxError(
                    "a template inside a text is not supported in a condition",
                    'compare the argument itself, such as `input.currency == "EUR"`',
                    column=place + 1,
                )
            return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), word[1:-1])
        if word in ("true", "false"):
            return word == "true"
        if word in ("none", "null"):
            return None
        if word == "[" and depth <= MAX_DEPTH:
            items: list[Any] = []
            while not self.take("]"):
                if items:
                    self.need(",")
                items.append(self.literal(depth + 1))
            return items
        raise _unsupported(word or "the end", place)


def _unsupported(word: str, place: int) -> RuleSyntaxError:
    return RuleSyntaxError(
        f"`{word}` is not supported in a condition",
        "use comparisons, `and`, `or`, `not`, `in` and paths into `input`",
        column=place + 1,
    )
