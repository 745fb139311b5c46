"""Conditions of rules (`when`, `unless`), read once and turned into type-checked closures (POL-14).

The grammar is that of MiniJinja's expressions, over `input` (the call's arguments), `tool`, `agent`,
`source` and `user`, without what could not be checked soundly:

    choice   = or ["if" or "else" choice]
    or       = and ("or" and)*
    and      = not ("and" not)*
    not      = "not" not | compare
    compare  = sum [("==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not" "in") sum]
    sum      = joined (("+" | "-") joined)*
    joined   = product ("~" product)*
    product  = power (("*" | "/" | "//" | "%") power)*
    power    = unary ["**" unary]
    unary    = value ("|" filter | "is" ["not"] test)*
    value    = "-" value | (root | literal | "(" choice ")" | "{{" choice "}}") part*
    part     = "." name | "[" choice "]" | "[" [choice] ":" [choice] [":" [choice]] "]" | "." method
    literal  = number | text | "true" | "false" | "none" | "[" choice, … "]"

Comparisons, `and`, `or`, `not`, `in`, choices and paths are closures; all else is one MiniJinja
operation over values that the closures have computed (`minijinja_operations.py`). A missing argument,
or a comparison of different types, is a failure and never a silent answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sayso.errors import RuleSyntaxError
from sayso.policy.comparison import (
    COMPARISONS,
    Argument,
    Condition,
    Literal,
    Part,
    Path,
    Value,
    choice,
    compare_values,
    every,
    member,
    negate,
    some,
    truth,
)
from sayso.policy.condition_operations import (
    apply,
    called,
    default,
    filtered,
    is_there,
    listed,
    tested,
    wrong_arguments,
)
from sayso.policy.condition_tokens import (
    KEYWORDS,
    LITERAL_NAMES,
    Token,
    Words,
    number,
    plain_text,
    unsupported,
)
from sayso.policy.minijinja_operations import ARITHMETIC, AS_TEXT, NEGATIVE, SLICE, add

MAX_LENGTH = 4096
MAX_DEPTH = 32

_ROOTS: dict[str, Value] = {
    "tool": lambda call: call.written_name,
    "agent": lambda call: call.agent_id,
    "source": lambda call: call.source,
    "user": lambda call: call.user_id,
}
_IN_TEXT = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)


def compile_condition(text: str) -> Condition:
    """Compile a condition; raises RuleSyntaxError with the column of what cannot be read."""
    if len(text) > MAX_LENGTH:
        raise RuleSyntaxError(f"the condition is longer than {MAX_LENGTH} characters")
    parser = _Parser(text)
    value = parser.whole(0)
    return truth(value)


class _Parser(Words):
    """One condition, or one that stands in a text of another and counts its operations with it."""

    def whole(self, depth: int) -> Value:
        value = self.choice(depth)
        kind, word, place = self.peek()
        if kind != "end":
            raise unsupported(word, place)
        return value

    # ── what is true or false ──────────────────────────────────────────────────────────────────

    def choice(self, depth: int) -> Value:
        if depth > MAX_DEPTH:
            raise RuleSyntaxError(f"the condition is nested deeper than {MAX_DEPTH}")
        value = self.alternatives(depth)
        if self.take("if") is None:
            return value
        condition = truth(self.alternatives(depth))
        self.need("else")
        return choice(condition, value, self.choice(depth + 1))

    def alternatives(self, depth: int) -> Value:
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
        left = self.sum(depth)
        word = self.comparing_word()
        if word is None:
            return left
        right = self.sum(depth)
        place = self.peek().place
        if self.comparing_word() is not None:
            raise RuleSyntaxError(
                "a chain of comparisons is not supported in a condition",
                "join two comparisons with `and`",
                column=place + 1,
            )
        if word == "in":
            return member(left, right)
        if word == "not in":
            return negate(member(left, right))
        return compare_values(left, right, word)

    def comparing_word(self) -> str | None:
        word = self.take(*COMPARISONS, "in")
        if word is None and self.take("not"):
            self.need("in")
            word = "not in"
        return word

    # ── what is calculated ─────────────────────────────────────────────────────────────────────

    def sum(self, depth: int) -> Value:
        return self.calculated(self.joined, ("+", "-"), depth)

    def joined(self, depth: int) -> Value:
        return self.calculated(self.product, ("~",), depth)

    def product(self, depth: int) -> Value:
        return self.calculated(self.power, ("*", "/", "//", "%"), depth)

    def calculated(
        self, inner: Callable[[int], Value], signs: tuple[str, ...], depth: int
    ) -> Value:
        value = inner(depth)
        while (sign := self.take(*signs)) is not None:
            self.count()
            value = apply(add if sign == "+" else ARITHMETIC[sign], value, inner(depth))
        return value

    def power(self, depth: int) -> Value:
        value = self.unary(depth)
        if self.take("**") is None:
            return value
        self.count()
        value = apply(ARITHMETIC["**"], value, self.unary(depth))
        if self.peek().word == "**":
            raise RuleSyntaxError(
                "a chain of powers is not supported in a condition",
                "write brackets",
                column=self.peek().place + 1,
            )
        return value

    def unary(self, depth: int) -> Value:
        value = self.value(depth)
        while True:
            if self.take("|"):
                self.count()
                value = self.filter(value, depth)
            elif self.take("is"):
                self.count()
                negative = self.take("not") is not None
                test = self.test(value, depth)
                value = negate(test) if negative else test
            else:
                return value

    def filter(self, value: Value, depth: int) -> Value:
        _, name, place = self.name()
        given, named = self.arguments(depth) if self.peek().word == "(" else ([], {})
        if name in ("default", "d"):
            if len(given) != 1 or named:
                raise wrong_arguments(name, place, "one value")
            return default(self.could_miss(value, name, place), given[0])
        return filtered(name, value, given, named, place)

    def test(self, value: Value, depth: int) -> Condition:
        name, place = self.peek().word, self.peek().place
        if self.take("in") is None:
            self.name()
        if name in ("defined", "undefined"):
            there = is_there(self.could_miss(value, name, place))
            return there if name == "defined" else negate(there)
        kind, word, _ = self.peek()
        given: list[Value] = []
        if word == "(":
            given, named = self.arguments(depth)
            if named:
                raise wrong_arguments(name, place, "values without names")
        elif word in ("[", "input", *_ROOTS) or kind in ("number", "text"):
            given = [self.value(depth + 1)]
        return tested(name, value, given, place)

    def could_miss(self, value: Value, name: str, place: int) -> Value:
        if isinstance(value, (Argument, Path, Part)):
            return value
        raise RuleSyntaxError(
            f"`{name}` stands after something that is never missing",
            f"write it after a path, such as `input.amount | {name}`",
            column=place + 1,
        )

    # ── values ─────────────────────────────────────────────────────────────────────────────────

    def value(self, depth: int) -> Value:
        kind, word, place = self.peek()
        if depth > MAX_DEPTH:
            raise RuleSyntaxError(f"the condition is nested deeper than {MAX_DEPTH}")
        if self.take("-"):
            value = self.value(depth + 1)
            if isinstance(value, Literal) and type(value.value) in (int, float):
                return Literal(-value.value)
            self.count()
            return apply(NEGATIVE, value)
        closing = {"(": ")", "{{": "}}"}.get(word) if kind == "sign" else None
        if closing is not None:
            self.at += 1
            inner = self.choice(depth + 1)
            self.need(closing)
            return self.parts(inner, depth)
        if kind == "name" and (word == "input" or word in _ROOTS):
            self.at += 1
            if word in _ROOTS and self.peek().word == "." and self.peek(2).word != "(":
                raise RuleSyntaxError(f"`{word}` is a text and has no parts", column=place + 1)
            return self.parts(_ROOTS.get(word, Path(())), depth)
        return self.parts(self.literal(depth), depth)

    def parts(self, value: Value, depth: int) -> Value:
        """What follows a value: its parts, slices of it, methods."""
        while True:
            place = self.peek().place
            if self.take("."):
                name = self.name()
                if self.peek().word == "(":
                    value = self.method(value, name, depth)
                else:
                    value = self.part(value, Literal(name.word), place)
            elif self.take("["):
                value = self.subscript(value, depth, place)
            elif self.peek().word == "(":
                raise unsupported("(", place)
            else:
                return value

    def part(self, value: Value, step: Value, place: int) -> Value:
        if isinstance(step, Literal):
            if isinstance(step.value, bool) or not isinstance(step.value, (str, int)):
                raise RuleSyntaxError("an index is a number or a text", column=place + 2)
            if isinstance(value, (Argument, Path)):
                return value.part(step.value)
        self.count()
        return Part(value, step, self.text[: self.peek().place].strip())

    def subscript(self, value: Value, depth: int, place: int) -> Value:
        bounds: list[Value] = []
        while True:
            word = self.peek().word
            bounds.append(Literal(None) if word in (":", "]") else self.choice(depth + 1))
            if self.take(":") is None:
                break
        if len(bounds) > 3:
            raise unsupported(":", self.peek().place)
        self.need("]")
        if len(bounds) == 1:
            return self.part(value, bounds[0], place)
        self.count()
        return apply(SLICE, value, *bounds, *[Literal(None)] * (3 - len(bounds)))

    def method(self, value: Value, name: Token, depth: int) -> Value:
        self.count()
        given, named = self.arguments(depth)
        return called(name.word, value, given, named, name.place)

    def arguments(self, depth: int) -> tuple[list[Value], dict[str, Value]]:
        """What stands between brackets after a filter, test or method: values, and values with names."""
        self.need("(")
        given: list[Value] = []
        named: dict[str, Value] = {}
        while not self.take(")"):
            if given or named:
                self.need(",")
            if self.peek().kind == "name" and self.peek(1).word == "=":
                name = self.name().word
                self.need("=")
                named[name] = self.choice(depth + 1)
            else:
                given.append(self.choice(depth + 1))
        return given, named

    # ── literals ───────────────────────────────────────────────────────────────────────────────

    def literal(self, depth: int) -> Value:
        kind, word, place = self.peek()
        self.at += 1
        if kind == "number":
            return Literal(number(word))
        if kind == "text":
            return self.quoted(word, place, depth)
        if kind == "name" and word in LITERAL_NAMES:
            return Literal(LITERAL_NAMES[word])
        if word == "[":
            items: list[Value] = []
            while not self.take("]"):
                if items:
                    self.need(",")
                    if self.take("]"):
                        break
                items.append(self.choice(depth + 1))
            return listed(items)
        if kind == "end":
            raise RuleSyntaxError("the condition ends too early", column=place + 1)
        if kind == "name" and word not in KEYWORDS:
            raise RuleSyntaxError(
                f"`{word}` is not known in a condition",
                "conditions see `input`, `tool`, `agent`, `source` and `user`",
                column=place + 1,
            )
        raise unsupported(word, place)

    def quoted(self, word: str, place: int, depth: int) -> Value:
        """A text; what stands in it as `{{ … }}` is computed and joined to it, as data."""
        if "{%" in word or "{#" in word:
            raise unsupported("{%" if "{%" in word else "{#", place)
        pieces = _IN_TEXT.split(word[1:-1])
        if len(pieces) == 1:
            return Literal(plain_text(word[1:-1], place))
        value: Value | None = None
        for index, piece in enumerate(pieces):
            if index % 2 == 0 and not piece:
                continue
            self.count()
            if index % 2:
                try:
                    inner = _Parser(plain_text(piece, place), self.counted).whole(depth + 1)
                except RuleSyntaxError as error:
                    raise RuleSyntaxError(error.message, error.hint, column=place + 1) from None
                one = apply(AS_TEXT, inner)
            else:
                one = Literal(plain_text(piece, place))
            value = one if value is None else apply(ARITHMETIC["~"], value, one)
        return value if value is not None else Literal("")
