"""`@gate.guard`: what a function is called with is what was judged, and nothing else (GATE-6)."""

from __future__ import annotations

import enum
import functools
import inspect
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from sayso.core.call import check_arguments
from sayso.core.observed_tool import ObservedTool
from sayso.errors import CallDenied, CallInvalid
from sayso.front.gate import Gate

pytestmark = pytest.mark.spec("GATE-6")


class Asking:
    """Stands for a gate: it remembers what it was asked, and lets it pass unless told otherwise."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any], str | None]] = []
        self.offered: list[ObservedTool] = []
        self.denies = False

    def offer(self, tool: ObservedTool) -> None:
        self.offered.append(tool)

    async def run(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        execute: Callable[[Mapping[str, Any]], Awaitable[Any]],
        server: str | None = None,
    ) -> Any:
        return await execute(self._judged(tool, arguments, server))

    def run_sync(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        execute: Callable[[Mapping[str, Any]], Any],
        server: str | None = None,
    ) -> Any:
        return execute(self._judged(tool, arguments, server))

    def guard(self, *args: Any, **more: Any) -> Any:
        return Gate.guard(cast("Gate", self), *args, **more)

    def _judged(self, tool: str, arguments: Mapping[str, Any], server: str | None) -> Any:
        judged = check_arguments(arguments)
        self.asked.append((tool, judged, server))
        if self.denies:
            raise CallDenied("no", reason="rule-deny", request_id="1")
        return judged


@pytest.fixture
def gate() -> Asking:
    return Asking()


def test_a_function_is_asked_about_and_then_called(gate: Asking) -> None:
    @gate.guard
    def send(to: str, subject: str = "hello") -> str:
        """Sends."""
        return f"{subject} to {to}"

    assert send("alice") == "hello to alice"
    assert gate.asked == [("send", {"to": "alice", "subject": "hello"}, None)]
    assert (send.__name__, send.__doc__) == ("send", "Sends.")
    assert list(inspect.signature(send).parameters) == ["to", "subject"]


async def test_an_async_function_stays_one(gate: Asking) -> None:
    @gate.guard
    async def send(to: str, *, twice: bool = False) -> str:
        return f"{to} {twice}"

    assert inspect.iscoroutinefunction(send)
    assert await send("alice", twice=True) == "alice True"
    assert gate.asked == [("send", {"to": "alice", "twice": True}, None)]


def test_rules_may_see_another_name(gate: Asking) -> None:
    @gate.guard(tool="create_issue", server="tracker")
    def create(title: str) -> str:
        return title

    create("broken")
    assert gate.asked == [("create_issue", {"title": "broken"}, "tracker")]


def test_every_kind_of_parameter_arrives_where_it_belongs(gate: Asking) -> None:
    @gate.guard
    def odd(a: int, b: int = 2, /, c: int = 3, *rest: int, d: int, e: int = 5, **more: int) -> Any:
        return a, b, c, rest, d, e, more

    assert odd(1, d=4) == (1, 2, 3, (), 4, 5, {})
    assert odd(1, 20, 30, 40, 50, d=4, z=6) == (1, 20, 30, (40, 50), 4, 5, {"z": 6})
    assert odd(1, c=30, d=4) == (1, 2, 30, (), 4, 5, {})
    assert [asked for _, asked, _ in gate.asked] == [
        {"a": 1, "b": 2, "c": 3, "rest": [], "d": 4, "e": 5},
        {"a": 1, "b": 20, "c": 30, "rest": [40, 50], "d": 4, "e": 5, "z": 6},
        {"a": 1, "b": 2, "c": 30, "rest": [], "d": 4, "e": 5},
    ]


def test_a_name_that_stands_for_two_arguments_is_refused(gate: Asking) -> None:
    @gate.guard
    def one(path: str, /, **more: str) -> None:
        pytest.fail("it ran")

    with pytest.raises(CallInvalid, match="the argument `path` is given twice"):
        one("a", path="b")

    @gate.guard
    def many(*names: str, **more: str) -> None:
        pytest.fail("it ran")

    with pytest.raises(CallInvalid, match="the argument `names` is given twice"):
        many("a", names="b")
    assert gate.asked == []


def test_arguments_that_do_not_fit_are_pythons_own_error_and_ask_nobody(gate: Asking) -> None:
    @gate.guard
    def send(to: str) -> None:
        pytest.fail("it ran")

    with pytest.raises(TypeError, match="missing a required argument: 'to'"):
        send()
    with pytest.raises(TypeError, match="unexpected keyword argument 'cc'"):
        send("alice", cc="bob")
    assert gate.asked == []


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (Path("x"), "pass text, numbers, lists or objects, such as str(path)"),
        ({1, 2}, "pass text, numbers, lists or objects, such as str(path)"),
        (2**53, "send it as text"),
        (float("nan"), "pass text, numbers, lists or objects, such as str(path)"),
    ],
)
def test_what_cannot_be_shown_is_named(gate: Asking, value: object, hint: str) -> None:
    @gate.guard
    def write(content: str, where: object) -> None:
        pytest.fail("it ran")

    with pytest.raises(CallInvalid, match="the argument `where` cannot be shown to a person") as e:
        write("x", value)
    assert e.value.hint == hint
    assert gate.asked == []


def test_arguments_that_are_only_together_too_large_are_refused(gate: Asking) -> None:
    @gate.guard
    def join(a: str, b: str) -> None:
        pytest.fail("it ran")

    with pytest.raises(CallInvalid, match="more than 1048576 bytes"):
        join("x" * 600_000, "x" * 600_000)


def test_a_function_gets_plain_data_and_never_the_callers_objects(gate: Asking) -> None:
    class Colour(enum.StrEnum):
        RED = "red"

    class Hidden(dict[str, Any]):
        def items(self) -> Any:
            return {"shown": 1}.items()

    got: list[Any] = []

    @gate.guard
    def take(colour: str, names: Any, more: Any) -> None:
        got.extend((colour, names, more))

    names = ("a", "b")
    take(Colour.RED, names, Hidden(secret=2))
    assert [type(value) for value in got] == [str, list, dict]
    assert got == ["red", ["a", "b"], {"shown": 1}]


def test_what_arguments_become_meanwhile_does_not_matter(gate: Asking) -> None:
    names = ["a"]

    def changed(tool: str, arguments: Mapping[str, Any], server: str | None) -> Any:
        names.append("b")
        names[0] = "z"
        return arguments

    gate._judged = changed  # type: ignore[method-assign]

    @gate.guard
    def take(names: list[str]) -> list[str]:
        return list(names)

    assert take(names) == ["a"]


def test_of_a_method_self_is_no_argument(gate: Asking) -> None:
    class Mailer:
        def __init__(self, sender: str) -> None:
            self.sender = sender

        @gate.guard
        def send(self, to: str) -> str:
            return f"{self.sender} to {to}"

        @gate.guard
        async def send_later(self, to: str) -> str:
            return f"{self.sender} to {to}"

        @classmethod
        @gate.guard
        def count(cls, of: str) -> str:
            return f"{cls.__name__} {of}"

        @staticmethod
        @gate.guard
        def ping(host: str) -> str:
            return host

    mailer = Mailer("bob")
    assert mailer.send("alice") == "bob to alice"
    assert mailer.send(to="alice") == "bob to alice"
    assert Mailer.count("mails") == "Mailer mails"
    assert mailer.ping("h") == Mailer.ping("h") == "h"
    assert gate.guard(mailer.send)("eve") == "bob to eve"
    assert [asked for _, asked, _ in gate.asked[:4]] == [
        {"to": "alice"},
        {"to": "alice"},
        {"of": "mails"},
        {"host": "h"},
    ]


async def test_an_async_method_too(gate: Asking) -> None:
    class Mailer:
        @gate.guard
        async def send(self, to: str) -> str:
            return f"{type(self).__name__} to {to}"

    assert await Mailer().send("alice") == "Mailer to alice"
    assert gate.asked == [("send", {"to": "alice"}, None)]


def test_a_plain_function_may_have_an_argument_called_self(gate: Asking) -> None:
    @gate.guard
    def call(self: str) -> str:
        return self

    assert call("me") == "me"
    assert gate.asked == [("call", {"self": "me"}, None)]


async def test_what_is_called_like_a_function_is_guarded_like_one(gate: Asking) -> None:
    class Tool:
        async def __call__(self, a: int) -> int:
            return a + 1

    def add(a: int, b: int) -> int:
        return a + b

    assert await gate.guard(tool="inc")(Tool())(1) == 2
    assert gate.guard(tool="add")(functools.partial(add, b=2))(1) == 3
    assert [asked for _, asked, _ in gate.asked] == [{"a": 1}, {"a": 1, "b": 2}]
    with pytest.raises(CallInvalid, match="has no name that rules could see") as caught:
        gate.guard(Tool())
    assert caught.value.hint == 'write guard(tool="name")'


def test_what_cannot_be_guarded_is_refused_at_once(gate: Asking) -> None:
    def numbers() -> Iterator[int]:
        yield 1

    async def later() -> Any:
        yield 1

    for generator in (numbers, later):
        with pytest.raises(CallInvalid, match="is a generator"):
            gate.guard(generator)
    for kind in (classmethod, staticmethod):
        with pytest.raises(CallInvalid, match=f"`numbers` is a {kind.__name__}") as caught:
            gate.guard(kind(numbers))
        assert caught.value.hint == f"write @gate.guard below @{kind.__name__}"
    with pytest.raises(CallInvalid, match="`'send'` is not a function"):
        gate.guard("send")


def test_what_is_denied_is_not_called(gate: Asking) -> None:
    gate.denies = True

    @gate.guard
    def send(to: str) -> None:
        pytest.fail("it ran")

    with pytest.raises(CallDenied):
        send("alice")


@pytest.mark.spec("POL-51")
def test_a_guarded_function_is_offered_once_as_it_describes_itself() -> None:
    gate = Asking()

    @gate.guard
    def send(to: str, body: str = "", *rest: str) -> None:
        """Send a mail.

        What stands here is for people who read code.
        """

    @gate.guard(tool="pay", server="bank")
    def other() -> None:
        """A server's tools are described by the server."""

    send("ann")
    send("bob")
    names: dict[str, Any] = {"to": {}, "body": {}, "rest": {}}
    schema = {"type": "object", "properties": names}
    assert gate.offered == [ObservedTool(None, "send", "Send a mail.", schema)]
