"""The reviewer's model behind the broker's port: one question, without tools, through Pydantic AI (REV-3).

The library is an optional part of sayso (`sayso[auto]`) and takes a second to load, so it is loaded when the
first question is asked, in a thread.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sayso.broker.ports.advice import Told
from sayso.errors import AdviceFailed
from sayso.gate.review_prompt import Prompt

if TYPE_CHECKING:
    from pydantic_ai.models import Model

MAX_TOKENS = 8000
"""An answer is a sentence; but what a model thinks before it answers is counted, too."""

MISSING = "the reviewer needs a further package; install sayso[auto]"


class PydanticModel:
    """Asks a model of any provider that Pydantic AI knows, by its name `provider:model`.

    Where the name is one of `given`, that model is asked.
    """

    def __init__(self, given: dict[str, Model] | None = None) -> None:
        self._known: dict[str, Model] = dict(given or {})

    async def ask(self, model: str, prompt: Prompt) -> Told:
        """See Model."""
        try:
            found = self._known.get(model)
            if found is None:
                found = self._known[model] = await asyncio.to_thread(_named, model)
            return await _asked(found, prompt)
        except AdviceFailed:
            raise
        except Exception as error:  # whatever a provider's library raises: no answer is none
            words = " ".join(str(error).split())[:300]
            raise AdviceFailed(f"the model failed: {type(error).__name__}: {words}") from error


def fault_of(model: str) -> str | None:
    """Why a model cannot be asked from here, as far as that is known without asking it; None if it can."""
    try:
        _named(model)
    except AdviceFailed as error:
        return error.message
    except Exception as error:  # a name that nobody knows, a key that is not there
        return " ".join(str(error).split())[:300]
    return None


def _named(model: str) -> Model:
    try:
        from pydantic_ai.models import infer_model
    except ImportError as error:
        raise AdviceFailed(MISSING) from error
    try:
        return infer_model(model)
    except ImportError as error:  # it names the package that this provider needs
        raise AdviceFailed(f"the provider of `{model}` needs a further package: {error}") from error


async def _asked(model: Model, prompt: Prompt) -> Told:
    from pydantic_ai.direct import model_request
    from pydantic_ai.messages import ModelRequest

    request = ModelRequest.user_text_prompt(prompt.data, instructions=prompt.instructions)
    # What is shown goes to the model that the user named, and to no tracing that a program set up.
    answer = await model_request(
        model, [request], model_settings={"max_tokens": MAX_TOKENS}, instrument=False
    )
    usage = answer.usage
    return Told(answer.text or "", usage.input_tokens, usage.output_tokens)
