"""Sets over HTTP: one card, each call still decidable alone (REQ-36)."""

from __future__ import annotations

import pytest

from sayso.core.session import CallDraft
from sayso.people.token import CredentialKind
from tests.fakes.site import make_site, problem_of
from tests.fakes.world import rule

pytestmark = pytest.mark.spec("REQ-36")


async def test_a_set_is_seen_and_approved_as_one() -> None:
    site = make_site(rule("ask"))
    gate = await site.scene.gate()
    made = await gate.submit_batch("t", [CallDraft("send", {"n": n}) for n in (1, 2)])
    person = site.client(await site.token(CredentialKind.APPROVER))
    path = f"/api/inbox/sets/{made.batch_id}"
    seen = (await person.get(path)).json()
    assert [card["request_id"] for card in seen["cards"]] == [s.call_id for s in made.standings]
    assert (seen["waits"], len(seen["code"].split())) == (True, 4)
    wrong = await person.post(f"{path}/resolve", json={"action": "approve", "digest": "0" * 64})
    assert problem_of(wrong) == "digest-mismatch"
    body = {"action": "approve", "digest": seen["digest"]}
    edited = await person.post(f"{path}/resolve", json={**body, "arguments": {}})
    assert problem_of(edited) == "body-invalid"
    done = await person.post(f"{path}/resolve", json=body)
    assert {card["status"] for card in done.json()["cards"]} == {"approved"}
    await site.close()
