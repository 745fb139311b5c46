"""The audit log over HTTP: filters, what it adds up to, who may read it (AUD-4)."""

from __future__ import annotations

from typing import Any

import pytest

from sayso.broker import insight
from sayso.core.moment import plus, to_rfc3339
from sayso.people.person import Person
from tests.fakes.site import Site, make_site, open_session, problem_of, submit

AUDIT, STATS = "/api/audit", "/api/audit/stats"


@pytest.mark.spec("AUD-4")
async def test_the_log_is_filtered_by_agent_session_and_time_and_paged(site: Site) -> None:
    page = await site.page()
    sessions = []
    for name in ("coder", "mailer"):
        agent = await site.agent(name)
        sessions.append(await open_session(agent))
        await submit(agent, sessions[-1])

    async def found(**query: Any) -> list[dict[str, Any]]:
        answer = await page.get(AUDIT, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()["entries"]  # type: ignore[no-any-return]

    assert {e["session_id"] for e in await found(agent="mailer")} == {sessions[1]}
    assert {e["agent_id"] for e in await found(session=sessions[0])} == {"coder"}
    assert await found(agent="mailer", session=sessions[0]) == []
    now = site.scene.clock.now()
    assert await found(since=to_rfc3339(plus(now, 1))) == []
    assert len(await found(until=to_rfc3339(plus(now, 1)))) == len(await found())
    assert await found(until="2001-01-01") == []


@pytest.mark.spec("AUD-4")
async def test_what_the_log_adds_up_to(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    page, agent = await site.page(), await site.agent()
    session = await open_session(agent)
    standing = await submit(agent, session)
    site.scene.clock.jump(30)
    body = {"action": "approve", "digest": standing["digest"]}
    answer = await page.post(f"/api/inbox/approvals/{standing['call_id']}/resolve", json=body)
    assert answer.status_code == 200, answer.text
    found = (await page.get(STATS)).json()
    assert (found["effects"]["ask"], found["resolutions"]) == (1, {"approved": 1})
    assert (found["waited_median"], found["complete"]) == (pytest.approx(30, abs=10), True)
    assert [(t["tool"], t["asked"], t["approved"]) for t in found["tools"]] == [("send_mail", 1, 1)]
    assert (await page.get(STATS, params={"until": "2001-01-01"})).json()["entries"] == 0

    monkeypatch.setattr(insight, "ENTRIES_AT_ONCE", 1)
    assert (await page.get(STATS)).json() == found
    monkeypatch.setattr(insight, "MOST_ENTRIES", 2)
    cut = (await page.get(STATS)).json()
    assert (cut["entries"], cut["complete"]) == (2, False)


async def test_a_time_that_is_none_is_refused_with_how_to_write_it(site: Site) -> None:
    page = await site.page()
    for path in (AUDIT, STATS):
        for time in ("yesterday", "2030-01-02T03:04:05", "9" * 500, "2030-13-01", "²030-01-01"):
            answer = await page.get(path, params={"since": time})
            assert (answer.status_code, problem_of(answer)) == (400, "call-invalid")
            assert "2030-01-02" in answer.json()["hint"]


async def test_only_admins_read_it() -> None:
    site = make_site(people=(Person("anna", "anna"),))
    for client in (await site.page("anna"), await site.approver("anna"), await site.agent()):
        for path in (AUDIT, STATS):
            answer = await client.get(path)
            assert (answer.status_code, problem_of(answer)) == (403, "not-eligible")
    await site.close()
