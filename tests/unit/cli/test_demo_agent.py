"""The agent of the demo: three real tool calls, and only what may run does."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sayso.cli.demo.agent import REPORT, Told, play, prepare
from sayso.requests.approval import Vote
from tests.fakes.world import make_scene, rule


@pytest.mark.parametrize("vote", [Vote.APPROVE, Vote.REJECT])
async def test_it_reads_pries_and_writes(tmp_path: Path, vote: Vote) -> None:
    scene = make_scene(rule("allow", "read_file"))
    prepare(tmp_path / "scratch")
    told: list[Told] = []
    denied = rule("deny", "read_file")

    async def tell(one: Told) -> None:
        told.append(one)
        if one.word == "allowed":
            scene.rules.say(denied)
        if one.word == "asked":
            request = await scene.request(one.call_id)
            assert "+# Weekly report" in (request.call.diff or "")
            assert request.call.detail == "I write the weekly report."
            actor = await scene.actor()
            await scene.broker.review(
                actor, one.call_id, vote, digest=request.digest, comment="because"
            )

    await asyncio.wait_for(play(await scene.gate(), tmp_path / "scratch", tell), 20)
    report = tmp_path / "scratch" / "report.md"
    if vote is Vote.APPROVE:
        assert [one.word for one in told] == ["allowed", "denied", "asked", "ran"]
        assert told[-1].text == f"wrote {len(REPORT)} characters to report.md"
        assert report.read_text() == REPORT
    else:
        assert [one.word for one in told] == ["allowed", "denied", "asked", "rejected"]
        assert "because" in told[-1].text
        assert not report.exists()
    assert told[0].text == "read 43 characters"
    await scene.broker.close()


async def test_a_tool_that_fails_is_told(tmp_path: Path) -> None:
    scene = make_scene(rule("allow", "*"))
    prepare(tmp_path / "scratch")
    (tmp_path / "scratch" / "report.md").mkdir()
    (tmp_path / "scratch" / "notes.txt").unlink()
    told: list[Told] = []

    async def tell(one: Told) -> None:
        told.append(one)

    # The diff of what cannot be read is left out; the write itself then fails.
    await asyncio.wait_for(play(await scene.gate(), tmp_path / "scratch", tell), 20)
    assert [one.word for one in told] == ["failed", "allowed", "failed"]
    await scene.broker.close()
