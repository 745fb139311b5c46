"""`@gate.guard`: a plain function becomes a gated tool (GATE-6)."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from sayso.errors import CallInvalid

if TYPE_CHECKING:
    from sayso.front.gate import Gate

P = ParamSpec("P")
T = TypeVar("T")


def guarded(gate: Gate, function: Callable[P, T], tool: str, server: str | None) -> Callable[P, T]:
    """The function behind the gate; it is called with the judged arguments and nothing else.

    Raises CallInvalid at once if its arguments have no JSON form, for then they cannot be shown.
    """
    signature = inspect.signature(function)
    if inspect.iscoroutinefunction(function):
        target = cast("Callable[..., Awaitable[Any]]", function)

        @functools.wraps(function)
        async def async_wrapper(*args: P.args, **kwargs: P.kwargs) -> Any:
            async def execute(judged: Mapping[str, Any]) -> Any:
                positional, named = _call_args(signature, judged)
                return await target(*positional, **named)

            arguments = _arguments(signature, args, kwargs)
            return await gate.run(tool, arguments, execute, server=server)

        return cast("Callable[P, T]", async_wrapper)

    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> T:
        def execute(judged: Mapping[str, Any]) -> T:
            positional, named = _call_args(signature, judged)
            return function(*positional, **named)

        return gate.run_sync(tool, _arguments(signature, args, kwargs), execute, server=server)

    return wrapper


def _arguments(
    signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """The call's arguments by name, defaults filled in, so that what is judged is what would run."""
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    arguments = dict(bound.arguments)
    for name, parameter in signature.parameters.items():
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            arguments[name] = list(arguments[name])
        elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
            extra = arguments.pop(name)
            clash = sorted(set(extra) & set(arguments))
            if clash:
                raise CallInvalid(f"the argument `{clash[0]}` is given twice")
            arguments.update(extra)
    return arguments


def _call_args(
    signature: inspect.Signature, judged: Mapping[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The judged arguments as the function takes them."""
    left = dict(judged)
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for name, parameter in signature.parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            continue
        value = left.pop(name)
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            positional.extend(value)
        elif parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            named[name] = value
        else:
            positional.append(value)
    return positional, {**named, **left}
