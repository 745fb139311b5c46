"""`@gate.guard`: a plain function becomes a gated tool (GATE-6)."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from sayso.core.call import check_arguments
from sayso.core.observed_tool import ObservedTool
from sayso.errors import CallInvalid

if TYPE_CHECKING:
    from sayso.front.gate import Gate

P = ParamSpec("P")
T = TypeVar("T")

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def guarded(
    gate: Gate, function: Callable[P, T], tool: str | None, server: str | None
) -> Callable[P, T]:
    """The function behind the gate; it is called with the judged arguments and nothing else.

    Raises CallInvalid for what cannot be guarded; calling it does so for arguments without a JSON
    form, which cannot be shown.
    """
    _check_can_guard(function)
    tool = tool or _name_of(function)
    shape = _shape_of(function)
    if server is None:  # a server's tools are described by the server
        names: dict[str, Any] = {parameter.name: {} for parameter in shape.parameters}
        description = (inspect.getdoc(function) or "").partition("\n\n")[0]
        gate.offer(ObservedTool(None, tool, description, {"type": "object", "properties": names}))
    if _is_async(function):
        target = cast("Callable[..., Awaitable[Any]]", function)

        @functools.wraps(function)
        async def async_wrapper(*args: P.args, **kwargs: P.kwargs) -> Any:
            owner, arguments = shape.read(args, kwargs)

            async def execute(judged: Mapping[str, Any]) -> Any:
                positional, named = shape.write(judged)
                return await target(*owner, *positional, **named)

            return await gate.run(tool, arguments, execute, server=server)

        return cast("Callable[P, T]", async_wrapper)

    plain = cast("Callable[..., T]", function)

    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> T:
        owner, arguments = shape.read(args, kwargs)

        def execute(judged: Mapping[str, Any]) -> T:
            positional, named = shape.write(judged)
            return plain(*owner, *positional, **named)

        return gate.run_sync(tool, arguments, execute, server=server)

    return wrapper


def _name_of(function: object) -> str:
    """The name that rules see unless another is given."""
    name = getattr(function, "__name__", None)
    if not isinstance(name, str):
        raise CallInvalid(
            f"{_shown(function)} has no name that rules could see", 'write guard(tool="name")'
        )
    return name


@dataclass(frozen=True, slots=True)
class _Shape:
    """How a function takes its arguments; `owned` says that the first one is `self` or `cls`."""

    signature: inspect.Signature
    owned: bool

    @property
    def parameters(self) -> list[inspect.Parameter]:
        """The parameters that are arguments of the call."""
        return list(self.signature.parameters.values())[1 if self.owned else 0 :]

    def read(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """`self` if there is one, and the arguments by name, defaults filled in, as they are judged."""
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        arguments = dict(bound.arguments)
        owner = (arguments.pop(next(iter(self.signature.parameters))),) if self.owned else ()
        for parameter in self.parameters:
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                arguments[parameter.name] = list(arguments[parameter.name])
            elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
                extra = arguments.pop(parameter.name)
                clash = sorted(set(extra) & set(arguments))
                if clash:
                    raise CallInvalid(
                        f"the argument `{clash[0]}` is given twice", "give it another name"
                    )
                arguments.update(extra)
        return owner, _checked(arguments)

    def write(self, judged: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The judged arguments as the function takes them."""
        left = dict(judged)
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for parameter in self.parameters:
            if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                continue
            value = left.pop(parameter.name)
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                positional.extend(value)
            elif parameter.kind in _POSITIONAL:
                positional.append(value)
            else:
                named[parameter.name] = value
        return positional, {**named, **left}


def _shape_of(function: Callable[..., Any]) -> _Shape:
    signature = inspect.signature(function)
    first = next(iter(signature.parameters.values()), None)
    inside = getattr(function, "__qualname__", "").rpartition(".")[0]
    owned = (
        first is not None
        and first.name in ("self", "cls")
        and first.kind in _POSITIONAL
        and inside != ""
        and not inside.endswith("<locals>")
        and inspect.isfunction(function)
    )
    return _Shape(signature, owned)


def _checked(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments as plain JSON data of their own; the error names the one that is none."""
    try:
        return check_arguments(arguments)
    except CallInvalid:
        for name, value in arguments.items():
            try:
                check_arguments({name: value})
            except CallInvalid as error:
                raise CallInvalid(
                    f"the argument `{name}` cannot be shown to a person: {error.message}",
                    error.hint or "pass text, numbers, lists or objects, such as str(path)",
                ) from error
        raise


def _check_can_guard(function: object) -> None:
    if isinstance(function, (classmethod, staticmethod)):
        kind = type(function).__name__
        raise CallInvalid(f"{_shown(function)} is a {kind}", f"write @gate.guard below @{kind}")
    if not callable(function):
        raise CallInvalid(
            f"{_shown(function)} is not a function", 'write @gate.guard or @gate.guard(tool="name")'
        )
    called = _called(function)
    if inspect.isgeneratorfunction(called) or inspect.isasyncgenfunction(called):
        raise CallInvalid(
            f"{_shown(function)} is a generator: it would run after the gate has noted that it ran",
            "guard a function that returns when its work is done",
        )


def _called(function: object) -> Any:
    """The function that runs: of an object that is called like one, its `__call__`."""
    while isinstance(function, functools.partial):
        function = function.func
    plain = inspect.isroutine(function) or isinstance(function, type)
    return function if plain else type(function).__call__


def _is_async(function: object) -> bool:
    return inspect.iscoroutinefunction(_called(function))


def _shown(function: object) -> str:
    return f"`{getattr(function, '__name__', None) or repr(function)[:80]}`"
