"""No body, path or query makes the server fail: whatever it is, the answer is a problem document."""

from __future__ import annotations

import asyncio
import json
from urllib.parse import quote

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.site import make_site, open_session, problem_of, submit

ROUTES = (
    ("POST", "/api/login"),
    ("POST", "/api/logout"),
    ("GET", "/api/me"),
    ("GET", "/api/inbox"),
    ("GET", "/api/inbox/by-rule"),
    ("GET", "/api/inbox/approvals/{id}"),
    ("POST", "/api/inbox/approvals/{id}/resolve"),
    ("POST", "/api/tools/{id}/resolve"),
    ("DELETE", "/api/sticky/{id}"),
    ("GET", "/api/approval/pending"),
    ("GET", "/api/approval/rules"),
    ("POST", "/api/approval/rules"),
    ("PUT", "/api/approval/rules/{id}"),
    ("DELETE", "/api/approval/rules/{id}"),
    ("GET", "/api/approval/tools"),
    ("GET", "/api/audit"),
    ("GET", "/api/audit/verify"),
    ("POST", "/api/sessions"),
    ("POST", "/api/sessions/{id}/stop"),
    ("POST", "/api/sessions/{id}/tools"),
    ("POST", "/api/calls"),
    ("POST", "/api/calls/decide"),
    ("GET", "/api/calls/{id}/wait"),
    ("POST", "/api/calls/{id}/leave"),
    ("POST", "/api/calls/{id}/claim"),
    ("POST", "/api/calls/{id}/renew"),
    ("POST", "/api/calls/{id}/outcome"),
)
# fmt: off
FIELDS = [
    "action", "agent_id", "answer", "arguments", "attended", "context_label", "detail", "diff", "digest",
    "effect", "external_id", "group_id", "lease_seconds", "must_ask", "note", "ok", "path_pattern",
    "pattern", "policy", "priority", "reason", "seconds", "server", "session_id", "source", "summary",
    "timeout", "token", "tool", "tool_pattern", "tools", "unless", "user_id", "when", "workspace",
]
# fmt: on
WORDS = st.sampled_from(
    [
        "approve",
        "reject",
        "allow",
        "ask",
        "deny",
        "default",
        "api",
        "*",
        "a/**",
        "/(/",
        "{{",
        "args.x == 1",
    ]
)

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | WORDS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
documents = st.dictionaries(st.sampled_from(FIELDS), values, max_size=6)
plausible = st.fixed_dictionaries(
    {},
    optional={
        "action": WORDS,
        "digest": WORDS,
        "session_id": st.just("SESSION"),
        "tool": st.text(max_size=20),
        "arguments": st.dictionaries(st.text(max_size=8), values, max_size=3),
        "external_id": st.text(max_size=20),
        "tool_pattern": WORDS | st.text(max_size=20),
        "path_pattern": WORDS | st.text(max_size=20),
        "effect": WORDS,
        "when": WORDS | st.text(max_size=20),
        "policy": st.dictionaries(
            st.sampled_from(["quorum", "timeout", "approver", "severity", "action", "on_timeout"]),
            values,
            max_size=3,
        ),
        "tools": st.lists(st.fixed_dictionaries({"name": st.text(max_size=9)}), max_size=2),
        "ok": st.booleans(),
        "summary": st.text(max_size=20),
    },
)
bodies = st.binary(max_size=60) | (documents | plausible).map(json.dumps).map(str.encode)
places = st.sampled_from(
    ["CALL", "SESSION", "x", "\x00", "..", "a" * 3000, "é", "\ud800"]
) | st.text(min_size=1, max_size=12)
queries = st.sampled_from(
    [
        "",
        "timeout=0",
        "timeout=%ff",
        "limit=9e9",
        "agent=%00",
        "before=99999999999999999999",
        "by=%ED%A0%80",
    ]
)


@settings(max_examples=25)
@given(
    sent=st.lists(
        st.tuples(st.sampled_from(ROUTES), bodies, places, queries), min_size=10, max_size=10
    )
)
def test_nothing_that_is_sent_makes_the_server_fail(
    sent: list[tuple[tuple[str, str], bytes, str, str]],
) -> None:
    async def run() -> None:
        site = make_site()
        agent, page = await site.agent(), await site.page()
        session = await open_session(agent)
        standing = await submit(agent, session)
        known = {"CALL": standing["call_id"], "SESSION": session}
        for (method, route), body, where, query in sent:
            place = quote(known.get(where, where).encode("utf-8", "surrogatepass"), safe="")
            path = route.replace("{id}", place) + f"?timeout=0&{query}"
            content = body.replace(b"SESSION", session.encode())
            for client in (agent, page):
                answer = await client.request(
                    method, path, content=content, headers={"Content-Type": "application/json"}
                )
                assert answer.status_code < 500, (method, path, content, answer.text)
                if answer.status_code >= 400:
                    problem_of(answer)
        await site.close()

    asyncio.run(run())
