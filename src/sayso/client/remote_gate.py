"""The gate of a running server as one session sees it: the same port as the embedded one (GATE-2)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from sayso.broker.ports import AskedBack, BatchMade, Claim, Standing, Unfinished
from sayso.client.connection import ANSWER_SECONDS, Connection
from sayso.client.polling import polled
from sayso.client.problems import expect
from sayso.client.remote_questions import RemoteQuestions
from sayso.core.advice import ADVICE_SECONDS
from sayso.core.call import check_arguments
from sayso.core.dialogue import read_dialogue
from sayso.core.observed_tool import ObservedTool
from sayso.core.session import CallDraft
from sayso.requests.precondition import Precondition, PreconditionKind

if TYPE_CHECKING:
    import httpx

URL_VARIABLE = "SAYSO_URL"
"""The environment variable that names the server."""

TOKEN_VARIABLE = "SAYSO_AGENT_TOKEN"
"""The environment variable that holds an agent's token."""

PATIENCE_SECONDS = 60.0
"""How long an absent server is waited for, where sending again is safe."""

SUBMIT_SECONDS = ANSWER_SECONDS + ADVICE_SECONDS
"""How long a submitted call may take to be answered: hooks and the reviewer are asked in that time."""


TOOLS_BYTES = 512 * 1024
"""Tools are sent in parts of about so many bytes."""


class RemoteGate(RemoteQuestions):
    """One session's gate at a server; make it with `open`, and end it with `close` or `async with`.

    A request is sent again only where that does no harm: a wait, a renewal, leaving, an outcome with
    the claim's token, and a call with an external id. Whatever else fails is told as
    ServerUnreachable, and nothing is run.
    """

    def __init__(
        self, connection: Connection, session_id: str, user_id: str, agent_id: str
    ) -> None:
        self._connection = connection
        self.session_id = session_id
        self.user_id = user_id
        self.agent_id = agent_id
        self._told: set[str] = set()

    @classmethod
    async def open(
        cls,
        url: str,
        token: str,
        *,
        source: str = "api",
        workspace: str | None = None,
        attended: bool | None = None,
        context_label: str | None = None,
        ask: Sequence[str] = (),
        deny: Sequence[str] = (),
        run_context: str | None = None,
        mode: str | None = None,
        patience: float = PATIENCE_SECONDS,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> RemoteGate:
        """Open a session at the server with an agent's token; `patience` is in seconds.

        `ask` and `deny` are rules in text that count in this session beside all others. `run_context` is the
        id of one that the token may name, `mode` one that only tightens. Raises
        ServerUnreachable if nothing answers, NotAuthenticated or NotEligible for another token.
        """
        connection = Connection(url, token, patience=patience, transport=transport)
        body = _given(
            source=source,
            workspace=workspace,
            attended=attended,
            context_label=context_label,
            ask=list(ask) or None,
            deny=list(deny) or None,
            run_context=run_context,
            mode=mode,
        )
        try:
            found = await connection.send("POST", "/api/sessions", body)
            opened = expect(found, "session_id", "user_id", "agent_id")
        except BaseException:
            await connection.close()
            raise
        return cls(connection, opened["session_id"], opened["user_id"], opened["agent_id"])

    async def close(self) -> None:
        """Close the connection; the session and what waits in it stay."""
        await self._connection.close()

    async def __aenter__(self) -> RemoteGate:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def decide(self, draft: CallDraft) -> Standing:
        """See GatePort."""
        return _standing(
            await self._connection.send("POST", "/api/calls/decide", self._body(draft))
        )

    async def submit(self, draft: CallDraft) -> Standing:
        """See GatePort."""
        found = await self._connection.send(
            "POST",
            "/api/calls",
            self._body(draft),
            again=draft.external_id is not None,
            within=SUBMIT_SECONDS,
        )
        return _standing(found)

    async def wait(self, call_id: str, timeout: float) -> Standing:
        """See GatePort; a server that is restarted in the meantime is waited for."""

        def settled(standing: Standing) -> bool:
            question = standing.question
            if question is not None and question.question_id not in self._told:
                self._told.add(question.question_id)
                return True  # once: whoever knows nothing of questions goes on to wait
            return not standing.goes_on or standing.call_id != call_id

        return await polled(self._connection, _path(call_id, "wait"), timeout, _standing, settled)

    async def answer(self, call_id: str, question_id: str, text: str | None) -> None:
        """See GatePort."""
        body = {"question_id": question_id, "text": text}
        await self._connection.send("POST", _path(call_id, "answer"), body)

    async def leave(self, call_id: str) -> None:
        """See GatePort."""
        await self._connection.send("POST", _path(call_id, "leave"), again=True)

    async def claim(
        self, call_id: str, digest: str, audience: str | None = None
    ) -> Claim | Standing:
        """See GatePort; never sent again: if the answer is lost, the outcome will be unknown."""
        found = await self._connection.send(
            "POST", _path(call_id, "claim"), {"digest": digest, **_given(audience=audience)}
        )
        if expect(found, "claim", "standing")["claim"] is not None:
            claim = expect(found["claim"], "call_id", "token", "lease_seconds")
            return Claim(
                claim["call_id"],
                claim["token"],
                claim["lease_seconds"],
                tuple(
                    Precondition(PreconditionKind(held["kind"]), held["subject"], held["value"])
                    for held in claim.get("preconditions", ())
                ),
                claim.get("arguments"),
                claim.get("receipt"),
            )
        return _standing(found["standing"])

    async def unfinished(self) -> Sequence[Unfinished]:
        """See GatePort."""
        path = f"/api/sessions/{quote(self.session_id, safe='')}/unfinished"
        found = await self._connection.send("POST", path, again=True)
        return [
            Unfinished(_draft(expect(one, "call", "standing")["call"]), _standing(one["standing"]))
            for one in expect(found, "calls")["calls"]
        ]

    async def submit_batch(self, name: str, drafts: Sequence[CallDraft]) -> BatchMade:
        """See GatePort; sent again if need be, since a name and a place in it mean one call."""
        calls = [self._body(draft) for draft in drafts]
        for call in calls:
            del call["session_id"]
        body: dict[str, Any] = {"session_id": self.session_id, "name": name, "calls": calls}
        shared = calls[0].get("context") if calls else None
        if shared is not None and all(call.get("context") == shared for call in calls):
            body["context"] = shared  # the calls of a turn come from one dialogue: it is sent once
            for call in calls:
                del call["context"]
        found = await self._connection.send(
            "POST", "/api/batches", body, again=True, within=SUBMIT_SECONDS
        )
        told = expect(found, "batch_id", "standings")
        return BatchMade(told["batch_id"], tuple(_standing(one) for one in told["standings"]))

    async def take_turn(self, batch_id: str) -> str | None:
        """See GatePort; never sent again: a right that nobody heard of ends by itself."""
        found = await self._connection.send("POST", self._turn(batch_id), {"act": "take"})
        token: str | None = expect(found, "token")["token"]
        return token

    async def end_turn(self, batch_id: str, token: str) -> None:
        """See GatePort."""
        body = {"act": "end", "token": token}
        await self._connection.send("POST", self._turn(batch_id), body)

    def _turn(self, batch_id: str) -> str:
        session = quote(self.session_id, safe="")
        return f"/api/sessions/{session}/batches/{quote(batch_id, safe='')}/turn"

    async def renew(self, claim: Claim) -> None:
        """See GatePort."""
        body = {"token": claim.token, "lease_seconds": claim.lease_seconds}
        await self._connection.send("POST", _path(claim.call_id, "renew"), body, again=True)

    async def finish(
        self, call_id: str, token: str | None, ok: bool, summary: str, seconds: float | None
    ) -> None:
        """See GatePort."""
        body = {"ok": ok, **_given(token=token, seconds=seconds), "summary": summary}
        await self._connection.send(
            "POST", _path(call_id, "outcome"), body, again=token is not None
        )

    async def ask_approval(self, draft: CallDraft, timeout: float | None) -> Standing:
        """See AskingPort; sent again only with an external id."""
        body = {**self._body(draft), **_given(timeout=timeout)}
        again = draft.external_id is not None
        return _standing(
            await self._connection.send("POST", "/api/questions/approval", body, again=again)
        )

    async def see_tools(self, tools: Sequence[ObservedTool]) -> Sequence[ObservedTool]:
        """See GatePort."""
        visible: set[tuple[str | None, str]] = set()
        for part in _parts(tools):
            found = await self._connection.send(
                "POST", f"/api/sessions/{quote(self.session_id, safe='')}/tools", {"tools": part}
            )
            shown = (expect(tool, "server", "name") for tool in expect(found, "visible")["visible"])
            visible.update((tool["server"], tool["name"]) for tool in shown)
        return [tool for tool in tools if (tool.server, tool.name) in visible]

    async def stop(self) -> None:
        """See GatePort."""
        path = f"/api/sessions/{quote(self.session_id, safe='')}/stop"
        await self._connection.send("POST", path, again=True)

    def _body(self, draft: CallDraft) -> dict[str, Any]:
        """A call as it is sent; raises CallInvalid for arguments that JSON cannot carry exactly.

        Of the dialogue no more is sent than a server can show.
        """
        dialogue = read_dialogue(draft.context)
        return {
            "session_id": self.session_id,
            "tool": draft.tool,
            "arguments": check_arguments(draft.arguments),
            **_given(
                server=draft.server,
                external_id=draft.external_id,
                detail=draft.detail,
                diff=draft.diff,
                definition=draft.definition,
                context=None if dialogue is None else dialogue.to_json(),
            ),
        }


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _draft(told: Any) -> CallDraft:
    call = expect(told, "tool", "arguments")
    more = ("server", "external_id", "detail", "diff", "definition", "batch_id")
    return CallDraft(call["tool"], call["arguments"], **{name: call.get(name) for name in more})


def _path(call_id: str, act: str) -> str:
    return f"/api/calls/{quote(call_id, safe='')}/{act}"


def _standing(found: Any) -> Standing:
    told = expect(found, "call_id", "digest", "code", "effect", "reason", "message", "status")
    return Standing(
        call_id=told["call_id"],
        digest=told["digest"],
        code=told["code"],
        effect=told["effect"],
        reason=told["reason"],
        message=told["message"],
        status=told["status"],
        by=told.get("by"),
        comment=told.get("comment"),
        summary=told.get("summary"),
        verdict=told.get("verdict"),
        arguments=told.get("arguments"),
        edited_by=told.get("edited_by"),
        question=_question(told.get("question")),
    )


def _question(told: Any) -> AskedBack | None:
    if told is None:
        return None
    asked = expect(told, "question_id", "by", "text")
    return AskedBack(asked["question_id"], asked["by"], asked["text"])


def _parts(tools: Sequence[ObservedTool]) -> Iterator[list[dict[str, Any]]]:
    """The tools as they are sent, in parts that fit into a body."""
    part: list[dict[str, Any]] = []
    size = 0
    for tool in tools:
        told = {
            **_given(server=tool.server),
            "name": tool.name,
            "description": tool.description,
            "input_schema": dict(tool.input_schema),
            "annotations": dict(tool.annotations),
        }
        length = len(json.dumps(told).encode())
        if part and size + length > TOOLS_BYTES:
            yield part
            part, size = [], 0
        part.append(told)
        size += length
    if part:
        yield part
