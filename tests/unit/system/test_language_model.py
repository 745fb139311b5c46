"""The reviewer's model through Pydantic AI, with scripted models."""

from __future__ import annotations

import builtins
from typing import Any

import pytest
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from sayso.errors import AdviceFailed
from sayso.gate.review_prompt import Prompt
from sayso.system.language_model import MAX_TOKENS, MISSING, PydanticModel

PROMPT = Prompt("judge it", "<<<DATA>>>\n{}\n<<<END>>>")


@pytest.mark.spec("REV-3")
async def test_the_model_gets_instructions_and_data_apart_and_its_tokens_are_told() -> None:
    seen: list[tuple[list[ModelMessage], AgentInfo]] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append((messages, info))
        return ModelResponse(parts=[TextPart('{"decision": "deny"}')])

    model = PydanticModel({"some:model": FunctionModel(answer)})
    told = await model.ask("some:model", PROMPT)
    assert told.text == '{"decision": "deny"}'
    assert told.tokens_in > 0
    assert told.tokens_out > 0
    (((request,), info),) = seen
    assert isinstance(request, ModelRequest)
    assert request.instructions == "judge it"
    assert [part.content for part in request.parts] == [PROMPT.data]  # type: ignore[union-attr]
    assert info.model_settings == {"max_tokens": MAX_TOKENS}
    assert (info.function_tools, info.output_tools) == ([], [])


async def test_a_model_that_fails_gives_no_answer() -> None:
    def fails(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        raise RuntimeError("out of\nmoney")

    model = PydanticModel({"some:model": FunctionModel(fails), "test": TestModel()})
    with pytest.raises(AdviceFailed, match="the model failed: RuntimeError: out of money"):
        await model.ask("some:model", PROMPT)
    assert (await model.ask("test", PROMPT)).text == "success (no tool calls)"
    with pytest.raises(AdviceFailed, match="Unknown model: nonsense"):
        await PydanticModel().ask("nonsense", PROMPT)
    with pytest.raises(AdviceFailed, match="a further package"):
        await PydanticModel().ask("anthropic:claude", PROMPT)


async def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *args: Any, **more: Any) -> Any:
        if name.startswith("pydantic_ai"):
            raise ImportError(name)
        return real(name, *args, **more)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(AdviceFailed) as error:
        await PydanticModel().ask("openai:some", PROMPT)
    assert error.value.message == MISSING
