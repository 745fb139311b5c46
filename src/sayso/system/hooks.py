"""Permission hooks of both kinds, each in a thread that nobody waits for longer than its time."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import inspect
import json
import threading
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from sayso.core.advice import Hook
from sayso.errors import AdviceFailed
from sayso.gate.answer import Answer, Decision, as_answer, read_answer
from sayso.system.hook_commands import HookCommand

T = TypeVar("T")

MOST_AT_ONCE = 32
"""So many hooks run at once; a Python function that never returns keeps its place for good."""

SLACK_SECONDS = 5.0
"""How much longer than its time a command is waited for: the thread that ends it may be late."""

NO_ANSWER = 'it answered something else than {"decision": "allow" | "deny" | "pass", "reason": "…"}'


class LocalHooks:
    """Runs hooks on this machine: commands as processes, functions in this one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running = 0

    async def ask(self, hook: Hook, question: Mapping[str, Any]) -> Answer:
        """See Hooks."""
        if hook.command:
            text = json.dumps(question, ensure_ascii=False).encode("utf-8", "surrogatepass")
            command = HookCommand(hook)
            try:
                said = await self._within(
                    hook.timeout + SLACK_SECONDS, hook, lambda: command.run(text)
                )
            finally:
                command.stop()
            answer = read_answer(said)
        else:
            # A copy of its own: what a function makes of it is nobody else's.
            given = json.loads(json.dumps(question))
            answer = await self._within(
                hook.timeout, hook, lambda: _called(hook.entry_point, given)
            )
        if answer is None:
            raise AdviceFailed(NO_ANSWER)
        return answer

    async def _within(self, seconds: float, hook: Hook, run: Callable[[], T]) -> T:
        with self._lock:
            if self._running >= MOST_AT_ONCE:
                raise AdviceFailed(f"{MOST_AT_ONCE} hooks run already and do not end")
            self._running += 1
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()

        def work() -> None:
            try:
                result: T | BaseException = run()
            except (
                BaseException
            ) as error:  # a function may raise what it likes; nothing of it allows
                result = error
            with self._lock:
                self._running -= 1
            with contextlib.suppress(RuntimeError):  # a closed loop: nobody waits
                loop.call_soon_threadsafe(_hand_over, done, result)

        # Not one of a pool: the program must end also while a function does not return.
        threading.Thread(target=work, name="sayso-hook", daemon=True).start()
        try:
            async with asyncio.timeout(seconds):
                return await done
        except TimeoutError:
            raise AdviceFailed(f"it did not answer within {hook.timeout:g} s") from None


def _hand_over(done: asyncio.Future[Any], result: object) -> None:
    if done.done():
        return
    if isinstance(result, AdviceFailed):
        done.set_exception(result)
    elif isinstance(result, BaseException):
        failed = AdviceFailed(f"it failed: {type(result).__name__}: {str(result)[:200]}")
        done.set_exception(failed)
    else:
        done.set_result(result)


def _called(entry_point: str, question: dict[str, Any]) -> Answer | None:
    """What a function answers: a mapping as a command writes it, or None to pass."""
    module, _, path = entry_point.partition(":")
    function: Any = importlib.import_module(module)
    for name in path.split("."):
        function = getattr(function, name)
    found = function(question)
    if inspect.iscoroutine(found):
        found.close()
        raise AdviceFailed("it is an async function; write a plain one")
    return Answer(Decision.PASS) if found is None else as_answer(found)
