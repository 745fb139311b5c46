"""What a client's message is taken for, and that nothing like a tool call is passed on as it came."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sayso.adapters.mcp_gateway.judge import (
    Batch,
    Cancel,
    Refused,
    Through,
    ToolCallMessage,
    ToolList,
    Whole,
    judge,
)
from tests.fakes.mcp import call, cancelled


def line(message: object) -> bytes:
    return json.dumps(message).encode()


def judged(message: object) -> object:
    return judge(message if isinstance(message, bytes) else line(message), "files")


def code(refused: object) -> int | None:
    assert isinstance(refused, Refused)
    return None if refused.answer is None else json.loads(refused.answer)["error"]["code"]


PASSES = [
    b"",
    b"  \t\r",
    b'{"jsonrpc":"2.0","id":1,"method":"ping"}',
    b' {"jsonrpc": "2.0", "id": "a", "method": "resources/read", "params": {"uri": "x"}} \r',
    b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
    b'{"jsonrpc":"2.0","id":3,"result":{"action":"accept"}}',
    b'{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"tools/call"}}',
    b'{"method":"acme/tools/call","id":1}',
    b'{"jsonrpc":"1.0","id":1,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"k":1,"k":2}}',
    b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"big":99999999999999999999}}',
    '{"jsonrpc":"2.0","id":1,"method":"x","params":"日本"}'.encode(),
    b"{}",
    b"[]",
    b'[{"id":1,"method":"ping"},{"method":"notifications/x"}]',
]


@pytest.mark.parametrize("message", PASSES)
def test_everything_else_passes_byte_for_byte(message: bytes) -> None:
    found = judge(message, "files")
    assert isinstance(found, Through | Whole)
    assert found.line == message


def test_a_call_is_built_anew_from_what_was_parsed() -> None:
    message = call(1, "write", {"path": "a", "n": 1.5}, _meta={"progressToken": 4})
    found = judge(json.dumps(message, indent=1).replace("\n", " ").encode(), "files")
    assert isinstance(found, ToolCallMessage)
    assert json.loads(found.line) == message
    assert found.draft.tool == "write"
    assert found.draft.server == "files"
    assert found.draft.arguments == {"path": "a", "n": 1.5}
    assert found.draft.external_id is None
    assert found.draft.detail is None
    assert found.progress_token == 4
    assert not found.modern


def test_what_is_said_of_the_protocol_is_read_from_meta() -> None:
    meta = {
        "claudecode/toolUseId": "toolu_1",
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "claude-code", "version": "2"},
        "progressToken": "t",
    }
    found = judged(call("a", "write", _meta=meta))
    assert isinstance(found, ToolCallMessage)
    assert found.modern
    assert found.client_name == "claude-code"
    assert found.draft.external_id == "toolu_1"
    assert found.progress_token == "t"


def test_arguments_may_be_missing_and_stay_so() -> None:
    for params in ({"name": "x"}, {"name": "x", "arguments": None}):
        found = judged({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        assert isinstance(found, ToolCallMessage)
        assert found.draft.arguments == {}
        assert json.loads(found.line)["params"] == {"name": "x"}


def test_whatever_else_a_call_carries_is_shown_and_bound() -> None:
    more = {"inputResponses": {"q": {"action": "accept"}}, "requestState": "é", "task": {"ttl": 1}}
    found = judged(call(1, "x", **more))
    assert isinstance(found, ToolCallMessage)
    assert json.loads(found.draft.detail or "") == more
    assert "é" in (found.draft.detail or "")
    assert json.loads(found.line)["params"] == {"name": "x", "arguments": {}, **more}


def raw_call(params: bytes, envelope: bytes = b"") -> bytes:
    return b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":' + params + envelope + b"}"


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (raw_call(b'{"name":"x","arguments":{"a":1,"a":2}}'), -32602),
        (raw_call(b'{"name":"x","arguments":{"a":{"b":[{"c":1,"c":2}]}}}'), -32602),
        (raw_call(b'{"name":"x","name":"y"}'), -32602),
        (raw_call(b'{"name":"x","Name":"y"}'), -32602),
        (raw_call(b'{"name":"x","ARGUMENTS":{}}'), -32602),
        (raw_call('{"name":"x","argument\u017f":{}}'.encode()), -32602),
        (raw_call(b'{"name":"x","__proto__":{"arguments":{}}}'), -32602),
        (raw_call(b'{"name":"x","arguments":{"a":9007199254740993}}'), -32602),
        (raw_call(b'{"name":"x","arguments":{"a":1e999}}'), -32602),
        (raw_call(b'{"name":"x","_meta":{"a":1e999}}'), -32602),
        (raw_call(b'{"name":"x","arguments":{"a":"\\ud800"}}'), -32602),
        (raw_call(b'{"name":"x","arguments":[]}'), -32602),
        (raw_call(b'{"name":"x","arguments":"{}"}'), -32602),
        (raw_call(b'{"name":1}'), -32602),
        (raw_call(b'{"name":"a\\u0000b"}'), -32602),
        (raw_call(b"[]"), -32602),
        (raw_call(b"null"), -32602),
        (raw_call(b'{"name":"x","arguments":{"a":"' + b"a" * 2**20 + b'"}}'), -32602),
        (raw_call(b'{"name":"x","arguments":' + b'{"a":' * 70 + b"1" + b"}" * 71), -32602),
        (raw_call(b'{"name":"x","requestState":"\\ud800"}'), -32602),
        (raw_call(b'{"name":"x","arguments":{"a":NaN}}'), -32700),
        (raw_call(b'{"name":"x","arguments":{"a":"\xff"}}'), -32700),
        (raw_call(b'{"name":"x"}', b',"extra":1'), -32600),
        (raw_call(b'{"name":"x"}', b',"result":{}'), -32600),
        (raw_call(b'{"name":"x"}', b',"method":"ping"'), -32600),
        (raw_call(b'{"name":"x"}', b',"Method":"ping"'), -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"x"}}', -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"tools/call","params":{"name":"x"}}', -32600),
        (b'{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":{"name":"x"}}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"tools/call","params":{"name":"x"}}', -32600),
        (b'{"jsonrpc":"2.0","id":[1],"method":"tools/call","params":{"name":"x"}}', -32600),
        (b'{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call"}', -32600),
        (b'{"id":1,"method":"tools/call","params":{"name":"x"}}', -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"tools/call","params":{"name":"x"}}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","METHOD":"tools/call"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"__proto__":{"method":"tools/call"}}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":["tools/call"]}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"Tools/Call"}', -32601),
        (b'{"jsonrpc":"2.0","id":1,"method":" tools/call\\n"}', -32601),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call\\u0000x"}', -32601),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call\\u200b"}', -32601),
        ('{"jsonrpc":"2.0","id":1,"method":"ｔools/call"}'.encode(), -32601),
        (b'"{\\"method\\":\\"tools/call\\"}"', -32600),
        (b"12", -32600),
        (b"{broken", -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":', -32700),
        (b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"tools/call"}', -32700),
        (b'{"jsonrpc":"2.0","method":"tools/list"}', -32600),
        (b'{"jsonrpc":"2.0","id":{},"method":"tools/list"}', -32600),
    ],
)
def test_a_doubtful_message_goes_no_further(message: bytes, expected: int) -> None:
    assert code(judge(message, "files")) == expected


def test_a_call_that_wants_no_answer_is_dropped() -> None:
    assert code(judged({"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "x"}})) is None


def test_a_list_and_a_cancellation_are_known() -> None:
    found = judged({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {"cursor": "c"}})
    assert isinstance(found, ToolList)
    assert found.request_id == 2
    assert judged(cancelled("5")) == Cancel(line(cancelled("5")), 5)
    assert isinstance(judged({"jsonrpc": "2.0", "method": "notifications/cancelled"}), Through)


def test_the_client_is_known_from_its_greeting() -> None:
    greeting = {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "claude-code"}}}
    found = judged(greeting)
    assert isinstance(found, Through)
    assert found.client_name == "claude-code"


def test_a_batch_with_a_call_is_taken_apart() -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    found = judged([ping, call(2, "x"), 5, [call(3, "x")], {"method": "tools/call"}])
    assert isinstance(found, Batch)
    kinds = [type(item) for item in found.items]
    assert kinds == [Through, ToolCallMessage, Refused, Refused, Refused]
    assert isinstance(judged([ping, ping]), Batch), "an id that stands twice is not passed on"
    assert code(judged([ping] * 1001)) == -32600
    assert isinstance(
        judged(b'[{"id":1,"method":"x","params":1e999},{"id":2,"method":"tools/list"}]'), Batch
    )


def test_a_call_cannot_hide_behind_another_line_end() -> None:
    inner = json.dumps(call(9, "rm"))
    for gap in ("\r", "\r\r"):
        sly = f'{{"jsonrpc":"2.0","id":1,"method":"ping","params":{gap}{inner}{gap}}}'.encode()
        found = judge(sly, "files")
        assert isinstance(found, Through)
        assert len(found.line.decode().splitlines()) == 1
        assert json.loads(found.line) == json.loads(sly)


# ── nothing slips through ──────────────────────────────────────────────────────────────────────


def lenient_readings(data: bytes) -> list[object]:
    """What programs that are less strict than the gateway could read in these bytes."""
    decoded = [data.decode("utf-8", how) for how in ("replace", "ignore")]
    texts = {*decoded, data.decode("latin-1")}
    for text in decoded:
        texts.add(text.replace("'", '"'))
        texts.add(re.sub(r",\s*([}\]])", r"\1", text))
        texts.add(re.sub(r"//[^\n]*|/\*.*?\*/", " ", text))
    found: list[object] = []
    for text in texts:
        for piece in {text, *text.split("\n"), *text.splitlines(), *text.split("\x00")}:
            found += values_in(piece.strip("\ufeff \t\r\n"))
            lowered: list[object] = values_in(piece.casefold())
            found += lowered
    return found


def values_in(text: str) -> list[object]:
    """JSON values that stand one after another at the beginning of a text."""
    values: list[object] = []
    for pairs in (None, lambda items: dict(reversed(items))):
        decoder = json.JSONDecoder(strict=False, object_pairs_hook=pairs)
        at = 0
        while at < len(text):
            try:
                value, at = decoder.raw_decode(text, at)
            except (ValueError, RecursionError):
                break
            values.append(value)
            while at < len(text) and text[at] in " \t\r\n,;":
                at += 1
    return values


def reads_as_call(value: object) -> bool:
    if isinstance(value, list):
        return any(reads_as_call(item) for item in value)
    if not isinstance(value, dict):
        return False
    folded = {str(key).strip().casefold(): item for key, item in value.items()}
    method = folded.get("method")
    if isinstance(method, list) and len(method) == 1:
        method = method[0]
    return isinstance(method, str) and method.strip(" \t\r\n\x00").casefold() == "tools/call"


def passed_on(data: bytes) -> list[bytes]:
    """The lines that go to the server without having been judged as a tool call."""
    lines: list[bytes] = []
    for one in data.split(b"\n")[:-1]:
        found = judge(one, "files")
        items = found.items if isinstance(found, Batch) else (found,)
        lines += [
            item.line for item in items if isinstance(item, Through | ToolList | Cancel | Whole)
        ]
    return lines


CALL_TEXT = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm","arguments":{}}}'

pieces = st.sampled_from(
    [
        CALL_TEXT,
        CALL_TEXT.replace('"', "'"),
        '{"method":"tools\\u002fcall","id":1}',
        '{"METHOD":"tools/call","id":1}',
        '{"method":"ping","method":"tools/call","id":1,"params":{"name":"x"}}',
        '{"method":"tools/call","method":"ping","id":1,"params":{"name":"x"}}',
        '{"method":"TOOLS/CALL","id":1}',
        '{"jsonrpc":"2.0","id":2,"method":"ping","params":',
        '"method":"tools/call"',
        '"params":{"name":"x"}',
        '"jsonrpc":"2.0"',
        '"id":1',
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\n",
        "\r",
        "\r\n",
        "\x00",
        "\x0b",
        "\x1e",
        "\u2028",
        "\u0085",
        "\ufeff",
        " ",
        "//",
        "/*",
        "*/",
        '"',
        "\\",
        "NaN",
        "1e999",
        "null",
    ]
)
raw_pieces = pieces.map(lambda text: text.encode()) | st.binary(max_size=6)


@settings(max_examples=400)
@given(st.lists(raw_pieces, max_size=14))
@example([b'{"id":1,"method":"ping","params":\r', CALL_TEXT.encode(), b"\r}"])
@example([b"[1,\r", CALL_TEXT.encode(), b"\r,2]"])
@example([b'{"method":"ping","id":1,"x":"\xe2\x80\xa8', CALL_TEXT.encode(), b'"}'])
@example([b'{"jsonrpc":"2.0","id":1,"method":\n"tools/call","params":{"name":"x"}}'])
@example([CALL_TEXT.encode(), b" ", CALL_TEXT.encode()])
@example([b"\xef\xbb\xbf", CALL_TEXT.encode()])
def test_nothing_that_could_be_read_as_a_call_is_passed_on(parts: list[bytes]) -> None:
    lines = passed_on(b"".join(parts) + b"\n")
    for one in lines:
        assert not any(reads_as_call(value) for value in lenient_readings(one)), one
    # Also for a server that reads its input as one text, whatever the lines.
    together = b"\n".join(lines)
    assert not any(reads_as_call(value) for value in lenient_readings(together))
