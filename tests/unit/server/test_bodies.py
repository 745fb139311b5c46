"""Bodies are read strictly, and what cannot be read never becomes a 500."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sayso.core.call import MAX_ARGUMENT_BYTES, MAX_INTEGER
from sayso.server.config import MAX_BODY, MAX_CALL_BODY
from tests.fakes.site import Site, open_session, problem_of

JSON = {"Content-Type": "application/json"}


async def send_call(site: Site, text: str | bytes) -> Any:
    agent = await site.agent()
    session = await open_session(agent)
    text = text if isinstance(text, bytes) else text.encode()
    return await agent.post(
        "/api/calls", content=text.replace(b"SESSION", session.encode()), headers=JSON
    )


@pytest.mark.spec("SRV-1")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ('{"a": 1, "a": 2}', "`a` stands twice"),
        ('{"a": {"b": 1, "b": 1}}', "`b` stands twice"),
        ('{"a": [{"b": 1, "b": 1}]}', "`b` stands twice"),
        ('{"a": NaN}', "`NaN`"),
        ('{"a": -Infinity}', "`-Infinity`"),
        ('{"a": 1e999}', "`inf`"),
        (f'{{"a": {MAX_INTEGER + 1}}}', "below 2^53"),
        ('{"a": ' + "9" * 5000 + "}", ""),
        ('{"a": "\\ud800"}', "Unicode"),
        ("[]", "object"),
        ('"text"', "object"),
        ("null", "object"),
        ('{"a": ' + "[" * 100 + "]" * 100 + "}", "nested"),
        ('{"a": ' + "[" * 900 + "]" * 900 + "}", "nested"),
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested"),
        ('{"a": ' + '{"a":' * 100_000 + "1" + "}" * 100_001, "nested"),
        ("{'a': 1}", "not JSON"),
        ('{"a": 1,}', "not JSON"),
        ("{}}", "not JSON"),
    ],
)
async def test_arguments_that_two_readers_could_read_differently_are_refused(
    site: Site, arguments: str, said: str
) -> None:
    text = '{"session_id": "SESSION", "tool": "t", "arguments": ' + arguments + "}"
    answer = await send_call(site, text)
    assert answer.status_code == 400, answer.text
    assert problem_of(answer) in ("call-invalid", "body-invalid")
    assert said in answer.json()["detail"]
    assert await site.scene.store.pending() == []


async def test_a_key_twice_at_the_top_is_refused(site: Site) -> None:
    text = '{"session_id": "SESSION", "tool": "ls", "tool": "rm", "arguments": {}}'
    answer = await send_call(site, text)
    assert (answer.status_code, problem_of(answer)) == (400, "call-invalid")
    text = '{"session_id": "SESSION", "tool": "ls", "arguments": {}, "\\u0074ool": "rm"}'
    assert "`tool` stands twice" in (await send_call(site, text)).json()["detail"]


@pytest.mark.spec("SRV-1")
async def test_unknown_fields_and_wrong_types_are_refused(site: Site) -> None:
    good = {"session_id": "SESSION", "tool": "t", "arguments": {}}
    for change, said in (
        ({"argument": {}}, "`argument`"),
        ({"tool": 7}, "expected `str`"),
        ({"tool": None}, "expected `str`"),
        ({"arguments": None}, "expected `object`"),
        ({"external_id": 7}, "expected `str"),
        ({"tool": "x" * 513}, "length"),
    ):
        answer = await send_call(site, json.dumps({**good, **change}))
        assert (answer.status_code, problem_of(answer)) == (400, "body-invalid")
        assert said in answer.json()["detail"]
        assert answer.json()["hint"]
    missing = await send_call(site, '{"session_id": "SESSION", "arguments": {}}')
    assert "missing required field `tool`" in missing.json()["detail"]
    strict = await send_call(site, json.dumps({**good, "tool": "\x00"}))
    assert (strict.status_code, problem_of(strict)) == (400, "call-invalid")


@pytest.mark.spec("SRV-1")
async def test_arguments_of_one_mebibyte_are_taken_and_one_byte_more_is_not(site: Site) -> None:
    around = len('{"text":""}')
    for extra, status in ((0, 200), (1, 400)):
        text = "é" * 1000 + "x" * (MAX_ARGUMENT_BYTES - around - 2000 + extra)
        body = {"session_id": "SESSION", "tool": "t", "arguments": {"text": text}, "detail": "d"}
        answer = await send_call(site, json.dumps(body, ensure_ascii=False))
        assert answer.status_code == status
    assert problem_of(answer) == "call-invalid"


@pytest.mark.spec("SRV-1")
async def test_bodies_are_bounded(site: Site) -> None:
    agent, page = await site.agent(), await site.page()
    for client, path, limit in (
        (agent, "/api/calls", MAX_CALL_BODY),
        (agent, "/api/sessions", MAX_BODY),
        (page, "/api/approval/rules", MAX_BODY),
        (site.client(), "/api/login", MAX_BODY),
    ):
        for content in (b" " * (limit + 1), chunks(limit + 1)):
            answer = await client.post(path, content=content, headers=JSON)
            assert (answer.status_code, problem_of(answer)) == (413, "body-too-large"), path
        answer = await client.post(path, content=b" " * limit, headers=JSON)
        assert answer.status_code == 400


async def chunks(length: int) -> Any:
    """A body whose length is not said before."""
    for start in range(0, length, 65536):
        yield b" " * min(65536, length - start)


async def test_a_body_is_json_and_is_there(site: Site) -> None:
    agent = await site.agent()
    text = await agent.post("/api/sessions", content=b"{}", headers={"Content-Type": "text/plain"})
    assert (text.status_code, problem_of(text)) == (415, "media-type")
    form = await agent.post("/api/sessions", data={"source": "api"})
    assert (form.status_code, problem_of(form)) == (415, "media-type")
    nothing = await agent.post("/api/sessions")
    assert (nothing.status_code, problem_of(nothing)) == (400, "request-invalid")
    assert nothing.json()["detail"] == "a body is required"
    charset = {"Content-Type": "application/json; charset=utf-8"}
    assert (await agent.post("/api/sessions", content=b"{}", headers=charset)).status_code == 201
    latin = await agent.post("/api/sessions", content=b'{"source": "\xff"}', headers=JSON)
    assert "UTF-8" in latin.json()["detail"]
