"""Hooks and models that answer as a test says."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sayso.broker.ports.advice import Told
from sayso.core.advice import Advice, Hook
from sayso.errors import AdviceFailed
from sayso.gate.answer import Answer, Decision
from sayso.gate.review_prompt import Prompt

ALLOW = '{"decision": "allow", "reason": "as the user asked"}'
DENY = '{"decision": "deny", "reason": "nobody asked for this"}'


@dataclass
class FakeAdvice:
    """Settings, hooks and a model in one; `takes` is how many seconds an answer takes.

    What a hook of that name answers is in `hooks_say`; an exception there is raised. `model_says` are the
    model's answers, in order, the last one again and again.
    """

    says: Advice = field(default_factory=Advice)
    hooks_say: dict[str, Answer | Exception] = field(default_factory=dict)
    model_says: list[str | Exception] = field(default_factory=lambda: [ALLOW])
    takes: float = 0.0
    asked: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    prompts: list[tuple[str, Prompt]] = field(default_factory=list)
    meanwhile: Any = None

    def advice(self, workspace: str | None = None) -> Advice:
        return self.says

    def with_hook(self, name: str, answer: Answer | Exception | None, **more: Any) -> None:
        """Name one more hook."""
        hook = Hook(name, command=(name,), **more)
        self.says = Advice((*self.says.hooks, hook), self.says.model, self.says.environment)
        if answer is not None:
            self.hooks_say[name] = answer

    async def ask(self, whom: Hook | str, about: Any) -> Any:
        """See Hooks and Model."""
        if isinstance(whom, Hook):
            self.asked.append((whom.name, about))
            found: Any = self.hooks_say.get(whom.name, Answer(Decision.PASS))
        else:
            self.prompts.append((whom, about))
            says = self.model_says
            found = says.pop(0) if len(says) > 1 else says[0]
        if self.takes:
            await asyncio.sleep(self.takes)
        if self.meanwhile is not None:
            await self.meanwhile()
        if isinstance(found, Exception):
            raise found
        return found if isinstance(found, Answer) else Told(found, 100, 10)


FAILED = AdviceFailed("it broke")
