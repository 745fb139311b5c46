"""What is asked and what is answered survives a restart of the server, and a secret leaves no trace."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sayso.broker.asking import ask_user, elicit
from sayso.broker.ports import Page
from sayso.client.remote_gate import RemoteGate
from sayso.people.token import CredentialKind
from sayso.questions.question import Question
from sayso.store.sqlite import open_sqlite
from tests.fakes.site import Site, listening, make_site

SECRET = "hunter2-hunter2-hunter2"
FORM = {"type": "object", "properties": {"password": {"type": "string"}}}


async def waiting(site: Site) -> Question:
    for _ in range(1000):
        found = await site.scene.store.open_questions()
        if found:
            return found[0]  # type: ignore[no-any-return]
        await asyncio.sleep(0.01)
    raise AssertionError("nothing was asked")


async def served(folder: Path, port: int, work: Callable[[Site, str], Any]) -> Any:
    """Do something while a server on the database of the folder listens; both are closed after it."""
    store = open_sqlite(folder / "sayso.db")
    site = make_site(store=store)
    try:
        async with listening(site, port) as (url, _):
            return await work(site, url)
    finally:
        await site.close()
        store.close()


@pytest.mark.spec("Q-1", "REQ-1")
async def test_a_question_and_its_answer_survive_a_restart_of_the_server(tmp_path: Path) -> None:
    async def first(site: Site, url: str) -> tuple[int, Any, Any]:
        token = await site.token(CredentialKind.AGENT, agent_id="coder")
        gate = await RemoteGate.open(url, token)
        asking = asyncio.create_task(ask_user(gate, "Which?", ["a", "b"]))
        await waiting(site)
        return int(url.rpartition(":")[2]), gate, asking

    async def second(site: Site, url: str) -> None:
        question = await waiting(site)
        actor = await site.scene.actor()
        await site.scene.broker.questions.answer(actor, question.question_id, answer="b")

    async def third(site: Site, url: str) -> Any:
        return await asyncio.wait_for(asking, 30)

    port, gate, asking = await served(tmp_path, 0, first)
    assert not asking.done(), "the agent goes on waiting for the server"
    await served(tmp_path, port, second)
    assert await served(tmp_path, port, third) == {"answer": "b"}
    await gate.close()


@pytest.mark.spec("Q-8")
async def test_a_secret_leaves_no_trace_in_database_log_audit_and_events(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    async def whole(site: Site, url: str) -> None:
        token = await site.token(CredentialKind.AGENT, agent_id="coder")
        gate = await RemoteGate.open(url, token)
        asking = asyncio.create_task(elicit(gate, "log in", schema=FORM, secret=lambda: b"k" * 32))
        question = await waiting(site)
        page = await site.page()
        path = f"/api/inbox/elicitations/{question.question_id}/resolve"
        wrong = {"action": "accept", "content": {"password": SECRET, "more": SECRET}}
        answers = [await page.post(path, json=wrong)]
        right = {"action": "accept", "content": {"password": SECRET}}
        answers.append(await page.post(path, json=right))
        assert [answer.status_code for answer in answers] == [400, 200]
        _no_trace_in(tmp_path)  # while the sealed answer may still stand there
        assert await asking == {"action": "accept", "content": {"password": SECRET}}
        answers.append(await page.post(path, json=right))
        answers.append(await page.get("/api/inbox"))
        notices = await site.scene.store.notices(0, 100)
        audit = await site.scene.store.audit_page(Page(limit=100))
        assert len(notices) >= 2
        assert SECRET not in repr([answer.text for answer in answers]) + repr([notices, audit])
        _no_trace_in(tmp_path)
        await gate.close()

    await served(tmp_path, 0, whole)
    _no_trace_in(tmp_path)
    said = capfd.readouterr()
    assert SECRET not in said.out + said.err


def _no_trace_in(folder: Path) -> None:
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert any(path.name == "sayso.db" for path in files)
    for path in files:
        assert SECRET.encode() not in path.read_bytes(), path
