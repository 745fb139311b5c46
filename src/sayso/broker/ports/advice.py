"""What the broker needs to ask somebody else before a person: the user's settings for it, hooks, a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from sayso.core.advice import Advice, Hook
from sayso.gate.answer import Answer
from sayso.gate.review_prompt import Prompt


@dataclass(frozen=True, slots=True)
class Told:
    """What a model answered, and the tokens that it took."""

    text: str
    tokens_in: int = 0
    tokens_out: int = 0


class AdviceSource(Protocol):
    """Where it stands whom to ask; read anew for each call that asks (GATE-5)."""

    def advice(self, workspace: str | None = None) -> Advice:
        """What the user's own settings say now for calls of a workspace."""


class Hooks(Protocol):
    """Runs permission hooks."""

    async def ask(self, hook: Hook, question: Mapping[str, Any]) -> Answer:
        """What a hook answers within its time; raises AdviceFailed for anything that is no answer."""


class Model(Protocol):
    """Asks a language model, once, without tools."""

    async def ask(self, model: str, prompt: Prompt) -> Told:
        """What the model `provider:name` answers; raises AdviceFailed if it cannot be asked."""
