"""The counts for Prometheus: what is counted, and that nothing of a call or a person is among it (AUD-5)."""

from __future__ import annotations

import pytest
from prometheus_client.parser import text_string_to_metric_families

from sayso.audit.record import AuditRecord, RecordKind
from sayso.broker.meter import WAITS, Meter
from sayso.core.moment import Moment
from tests.fakes.site import Site, open_session, problem_of, submit


def numbers(text: str) -> dict[tuple[str, ...], float]:
    """Every sample that is not 0, by its name and labels."""
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.value and not sample.name.endswith("_created")
    }


@pytest.mark.spec("AUD-5")
async def test_checks_answers_waits_and_what_is_pending_are_counted(site: Site) -> None:
    agent, page = await site.agent("secret-agent"), await site.page()
    session = await open_session(agent)
    first = await submit(agent, session)
    await submit(agent, session, arguments={"to": "bob@example.com"})
    read = await agent.get("/metrics")
    assert read.status_code == 200
    assert read.headers["content-type"].startswith("text/plain")
    (check,) = [key for key in numbers(read.text) if key[0] == "sayso_checks_total"]
    assert (check[1], numbers(read.text)[check]) == ("ask", 2)
    assert numbers(read.text)["sayso_pending_requests",] == 2

    body = {"action": "approve", "digest": first["digest"]}
    done = await page.post(f"/api/inbox/approvals/{first['call_id']}/resolve", json=body)
    assert done.status_code == 200, done.text
    found = (await page.get("/metrics")).text
    assert numbers(found)["sayso_resolutions_total", "approved"] == 1
    assert numbers(found)["sayso_answer_seconds_count",] == 1
    assert numbers(found)["sayso_pending_requests",] == 1
    for word in ("send_mail", "secret-agent", "owner", "alice", session):
        assert word not in found


async def test_a_credential_is_needed(site: Site) -> None:
    answer = await site.client().get("/metrics")
    assert (answer.status_code, problem_of(answer)) == (401, "not-authenticated")


def test_a_wait_is_counted_at_its_step_and_what_nobody_answered_is_no_wait() -> None:
    meter = Meter()

    def resolved(waited: float, by: str | None = "ana") -> AuditRecord:
        return AuditRecord(RecordKind.RESOLUTION, Moment(0), reason="x", by=by, waited=waited)

    meter.count([resolved(1.0), resolved(1.5), resolved(10**6), resolved(5, by=None)])
    assert (meter.waits[0], meter.waits[1], meter.waits[-1], sum(meter.waits)) == (1, 1, 1, 3)
    assert meter.resolutions == {"x": 4}
    assert len(meter.waits) == len(WAITS) + 1
