"""The socket: who may open it, what it tells, and what is decided over it."""

from __future__ import annotations

import asyncio

import pytest

from sayso.people.person import Person
from sayso.people.token import CredentialKind
from sayso.server.auth import COOKIE, halves
from sayso.server.live import socket as live
from tests.fakes.site import Site, listening, make_site, open_session, submit
from tests.fakes.socket_client import Refused, SocketClient, connected


async def waiting(site: Site, agent_id: str = "coder", person: str = "owner") -> dict[str, str]:
    """A call that waits: its id, digest and session."""
    agent = await site.agent(agent_id, person)
    session = await open_session(agent)
    standing = await submit(agent, session)
    return {
        "request_id": standing["call_id"],
        "digest": standing["digest"],
        "session_id": session,
    }


async def hello(client: SocketClient, token: str, **more: int) -> None:
    client.say(type="hello", token=token, **more)
    if not more:
        await client.hear("seen")


@pytest.mark.spec("SRV-2")
async def test_events_come_over_the_socket_and_go_on_where_they_broke_off(site: Site) -> None:
    token = await site.token(CredentialKind.APPROVER)
    async with listening(site) as (url, _):
        async with connected(url) as client:
            await hello(client, token)
            made = await waiting(site)
            asked = await client.hear("approval_requested")
            assert asked["request_id"] == made["request_id"]
            assert asked["card"]["digest"] == made["digest"]
        missed = await waiting(site)
        async with connected(url) as client:
            await hello(client, token, last_event_id=asked["id"])
            again = await client.hear("approval_requested")
            assert again["request_id"] == missed["request_id"]
            assert again["id"] > asked["id"]
        async with connected(url) as client:
            await hello(client, token, last_event_id=10**9)
            assert (await client.hear("reload"))["id"] == again["id"]


@pytest.mark.spec("SRV-2")
async def test_calls_are_decided_and_sessions_stopped_over_the_socket(site: Site) -> None:
    token = await site.token(CredentialKind.APPROVER)
    async with (
        listening(site) as (url, _),
        connected(url, Authorization=f"Bearer {token}") as client,
    ):
        client.say(type="hello")
        await client.hear("seen")
        for word, status in (
            ("approve_tool", "approved"),
            ("approve_write", "approved"),
            ("reject_tool", "rejected"),
            ("reject_write", "rejected"),
        ):
            made = await waiting(site)
            body = {"request_id": made["request_id"], "note": "by socket"}
            if status == "approved":
                client.say(type=word, ref="a", **body)
                refused = await client.hear("reply")
                assert refused["problem"]["type"].endswith(":body-invalid"), refused
                client.say(type=word, ref="b", digest="0" * 64, **body)
                refused = await client.hear("reply")
                assert (refused["ref"], refused["ok"]) == ("b", False)
                assert refused["problem"]["type"].endswith(":digest-mismatch")
                body["digest"] = made["digest"]
            client.say(type=word, ref=word, **body)
            reply = await client.hear("reply")
            assert (reply["ref"], reply["ok"]) == (word, True), reply
            assert reply["result"]["status"] == status
            resolved = await client.hear("approval_resolved")
            assert resolved["request_id"] == made["request_id"]
            client.say(type=word, **body)
            again = await client.hear("reply")
            assert again["problem"]["type"].endswith(":request-closed"), again
        made = await waiting(site)
        client.say(type="stop", session_id=made["session_id"], ref="s")
        assert await client.hear("reply") == {
            "event": "reply",
            "ref": "s",
            "ok": True,
            "result": None,
        }
        session = await site.scene.store.session(made["session_id"])
        assert session is not None
        assert session.stopped_at is not None
        for text in ("{", "[]", "null", '{"type": "hello"}', '{"type": "rule"}', "{} {}"):
            client.say_text(text)
            reply = await client.hear("reply")
            assert (reply["ok"], reply["problem"]["status"]) == (False, 400), text


@pytest.mark.spec("SRV-2")
async def test_each_kind_of_question_is_answered_over_the_socket(site: Site) -> None:
    token = await site.token(CredentialKind.APPROVER)
    agent = await site.agent()
    session = await open_session(agent)
    async with listening(site) as (url, _), connected(url) as client:
        await hello(client, token)
        for question, answer in (
            ({"kind": "clarification", "items": [{"question": "which?"}]}, {"answer": "both"}),
            (
                {
                    "kind": "elicitation",
                    "message": "?",
                    "schema": {"type": "object", "properties": {"n": {"type": "string"}}},
                },
                {"action": "decline"},
            ),
            ({"kind": "plan", "plan": "do it"}, {"answer": "keep-planning", "feedback": "no"}),
        ):
            if question["kind"] == "plan":
                await agent.post(f"/api/sessions/{session}/plan", json={})
            body = {"session_id": session, **question}
            asked = (await agent.post("/api/questions", json=body)).json()
            assert "question_id" in asked, asked
            where = {"request_id": asked["question_id"]}
            client.say(type="answer", **where, version=1, action="accept", feedback="x")
            assert (await client.hear("reply"))["problem"]["type"].endswith(":body-invalid")
            client.say(type="answer", ref="q", **where, **answer)
            reply = await client.hear("reply")
            assert reply["ok"] is True, reply
            ended = (
                await agent.get(f"/api/questions/{asked['question_id']}/wait?timeout=0")
            ).json()
            assert ended["status"] != "pending"


@pytest.mark.spec("SRV-3", "SRV-4")
async def test_who_may_not_decide_is_told_nothing_and_decides_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    site = make_site()
    site.scene.store.folk["anna"] = Person("anna", "Anna")
    made = await waiting(site)
    cookie, half = halves(await site.token(CredentialKind.SESSION))
    agent = await site.token(CredentialKind.AGENT, agent_id="coder")
    approver = await site.token(CredentialKind.APPROVER)
    reject = {"type": "reject_tool", "request_id": made["request_id"]}
    async with listening(site) as (url, _):
        for headers, first, code in (
            ({}, {"type": "hello"}, 4401),
            ({}, {"type": "hello", "token": "sayso_admin_00"}, 4401),
            ({}, {"type": "hello", "token": cookie}, 4401),
            ({}, {"type": "hello", "csrf": half}, 4401),
            ({"Cookie": f"{COOKIE}={cookie}"}, {"type": "hello"}, 4401),
            ({"Cookie": f"{COOKIE}={cookie}"}, {"type": "hello", "csrf": "0" * 32}, 4401),
            ({"Cookie": f"{COOKIE}={approver}"}, {"type": "hello"}, 4401),
            ({}, {"type": "hello", "token": agent}, 4403),
            ({"Authorization": f"Bearer {agent}"}, {"type": "hello"}, 4403),
            ({"Authorization": f"Bearer {approver}"}, reject, 4400),
            ({"Authorization": f"Bearer {approver}"}, {"type": "hello", "admin": True}, 4400),
        ):
            async with connected(url, **headers) as client:
                client.say(**first)
                client.say(**reject)
                assert await client.end() == code, (headers, first)
                assert [one["event"] for one in client.heard] == ["problem"], client.heard
        async with connected(url, Cookie=f"{COOKIE}={cookie}", Origin=url) as client:
            client.say(type="hello", csrf=half)
            await client.hear("seen")
        # whoever is shown nothing of it decides nothing of it
        async with connected(url) as client:
            await hello(client, await site.token(CredentialKind.APPROVER, "anna"))
            client.say(**reject)
            assert (await client.hear("reply"))["problem"]["status"] in (403, 404)
        monkeypatch.setattr(live, "HELLO_SECONDS", 0.05)
        async with connected(url) as client:
            assert await client.end() == 4403
    request = await site.scene.store.request(made["request_id"])
    assert request is not None
    assert request.waits


@pytest.mark.spec("SRV-3")
async def test_another_sites_page_opens_no_socket(site: Site) -> None:
    async with listening(site) as (url, _):
        for headers in (
            {"Origin": "http://evil.example"},
            {"Origin": "null"},
            {"Host": "evil.example"},
            {"Sec_Fetch_Site": "cross-site"},
        ):
            with pytest.raises(Refused) as caught:
                async with connected(url, **headers):
                    pass
            assert caught.value.status == 403


@pytest.mark.spec("SRV-3")
async def test_a_credential_that_was_revoked_decides_nothing_over_an_open_socket(
    site: Site,
) -> None:
    made = await waiting(site)
    token = await site.token(CredentialKind.APPROVER)
    async with listening(site) as (url, _), connected(url) as client:
        await hello(client, token)
        access = site.scene.broker.access
        actor = await access.authenticate(token, "api")
        await access.revoke(actor, actor.credential.credential_id)
        client.say(type="reject_tool", request_id=made["request_id"])
        assert await client.end() == 4401
    request = await site.scene.store.request(made["request_id"])
    assert request is not None
    assert request.waits


@pytest.mark.spec("SRV-7")
async def test_the_socket_ends_with_the_server_and_says_that_it_comes_back(site: Site) -> None:
    token = await site.token(CredentialKind.APPROVER)
    async with listening(site) as (url, server), connected(url) as client:
        await hello(client, token)
        server.should_exit = True
        assert await client.end() == 1012


async def test_what_is_too_large_ends_the_socket(site: Site) -> None:
    token = await site.token(CredentialKind.APPROVER)
    async with listening(site) as (url, _), connected(url) as client:
        await hello(client, token)
        client.say_text("x" * (1024 * 1024 + 1))
        assert await client.end() in (1009, 1006)


async def test_many_clients_of_a_person_are_told_everything_each(site: Site) -> None:
    token = await site.token(CredentialKind.APPROVER)
    async with listening(site) as (url, _):

        async def one() -> list[str]:
            async with connected(url) as client:
                await hello(client, token)
                ready.release()
                return [(await client.hear("approval_requested"))["request_id"] for _ in range(3)]

        ready = asyncio.Semaphore(0)
        clients = [asyncio.create_task(one()) for _ in range(8)]
        for _ in clients:
            await ready.acquire()
        made = [(await waiting(site))["request_id"] for _ in range(3)]
        assert all(told == made for told in await asyncio.gather(*clients))
