"""People and roles over the API: admins manage them, live, and each logs in by name."""

from __future__ import annotations

from typing import Any

import pytest
from argon2 import PasswordHasher

from sayso.core.approval_policy import ApprovalPolicy
from sayso.core.deciders import Approver
from sayso.people.person import Person
from tests.fakes.site import Site, make_site, open_session, problem_of, submit
from tests.fakes.world import rule


@pytest.fixture(autouse=True)
def quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real algorithm with the least work, so that a test of it is quick."""
    quick = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr("sayso.broker.access._HASHER", quick)


async def a_site() -> tuple[Site, Any]:
    site = make_site(rule("ask", approval=ApprovalPolicy(role="finance")))
    page = await site.page()
    for name in ("anna", "bob"):
        body = {"name": name, "identities": [f"ym:{name}"]}
        assert (await page.post("/api/people", json=body)).status_code == 201
    role = {"name": "finance", "quorum": 2, "members": ["ym:anna", "bob"]}
    assert (await page.post("/api/roles", json=role)).status_code == 201
    return site, page


@pytest.mark.spec("REQ-60", "REQ-62")
async def test_somebody_is_added_chooses_a_passphrase_and_logs_in_by_name() -> None:
    site = make_site()
    await site.scene.broker.access.choose_passphrase("the owner's own", None, "terminal")
    page = await site.page()
    assert (await site.client().get("/api/login")).json() == {"name": False}
    added = (await page.post("/api/people", json={"name": "Anna", "admin": True})).json()
    assert added["person"]["identities"] == ["web:anna"]
    assert (await site.client().get("/api/login")).json() == {"name": True}
    chosen = {"code": added["code"], "passphrase": "annas own phrase"}
    assert (await site.client().post("/api/enrol", json=chosen)).json() == {"name": "anna"}
    again = await site.client().post("/api/enrol", json=chosen)
    assert (again.status_code, problem_of(again)) == (401, "not-authenticated")
    login = {"passphrase": "annas own phrase"}
    wrong = await site.client().post("/api/login", json=login)
    assert (wrong.status_code, problem_of(wrong)) == (401, "passphrase-wrong")
    assert (
        await site.client().post("/api/login", json={**login, "name": "anna"})
    ).status_code == 200
    code = (await page.post("/api/people/anna/code")).json()["code"]
    assert code.startswith("sayso_enrol_")
    await site.close()


@pytest.mark.spec("REQ-61")
async def test_roles_are_managed_without_restart() -> None:
    site, page = await a_site()
    (role,) = (await page.get("/api/roles")).json()
    assert role == {"name": "finance", "members": ["anna", "bob"], "quorum": 2, "enabled": True}
    changed = await page.put("/api/roles/finance", json={"quorum": "all", "enabled": False})
    assert (changed.json()["quorum"], changed.json()["enabled"]) == ("all", False)
    joined = await page.post("/api/roles/finance/members", json={"member": "web:owner"})
    assert joined.json()["members"] == ["anna", "bob", "owner"]
    left = await page.delete("/api/roles/finance/members", params={"member": "ym:bob"})
    assert left.status_code == 204
    missing = await page.post("/api/roles/finance/members", json={"member": "tg:9"})
    assert (missing.status_code, problem_of(missing)) == (404, "person-not-found")
    taken = await page.post("/api/roles", json={"name": "Finance"})
    assert (taken.status_code, problem_of(taken)) == (400, "people-refused")
    assert (await page.delete("/api/roles/finance")).status_code == 204
    gone = await page.put("/api/roles/finance", json={"enabled": True})
    assert (gone.status_code, problem_of(gone)) == (404, "role-not-found")
    notes = [body.get("note", "") for body in await site.scene.audit()]
    assert "role removed: finance" in notes
    assert "role changed: finance (members +owner)" in notes
    await site.close()


@pytest.mark.spec("REQ-66")
async def test_people_are_listed_changed_stood_in_for_and_removed() -> None:
    site, page = await a_site()
    changed = await page.put(
        "/api/people/anna", json={"operator": True, "agents": ["coder"], "identities": ["tg:7"]}
    )
    assert changed.json()["identities"] == ["tg:7", "web:anna"]
    until = {"substitute": "bob", "until": "2030-01-01T00:00:00Z"}
    assert (await page.post("/api/people/anna/stand-in", json=until)).status_code == 201
    bad = await page.post("/api/people/anna/stand-in", json={**until, "until": "soon"})
    assert (bad.status_code, problem_of(bad)) == (400, "call-invalid")
    found = {person["name"]: person for person in (await page.get("/api/people")).json()}
    assert found["anna"]["roles"] == ["finance"]
    assert [link["substitute"] for link in found["anna"]["stand_ins"]] == ["bob"]
    ended = await page.delete("/api/people/anna/stand-in", params={"substitute": "bob"})
    assert ended.status_code == 204
    assert (await page.delete("/api/people/bob")).status_code == 204
    assert "bob" not in {person["name"] for person in (await page.get("/api/people")).json()}
    owner = await page.delete("/api/people/owner")
    assert (owner.status_code, problem_of(owner)) == (400, "people-refused")
    await site.close()


@pytest.mark.spec("REQ-61", "REQ-64")
async def test_who_is_no_admin_reads_and_changes_no_people() -> None:
    site, _ = await a_site()
    bob = await site.page("bob")
    for answer in (
        await bob.get("/api/people"),
        await bob.get("/api/roles"),
        await bob.post("/api/people", json={"name": "eve"}),
        await bob.put("/api/roles/finance", json={"quorum": "any"}),
        await bob.delete("/api/people/anna"),
    ):
        assert (answer.status_code, problem_of(answer)) == (403, "not-eligible")
    mine = {"substitute": "anna", "until": "2030-01-01T00:00:00Z"}
    assert (await bob.post("/api/people/bob/stand-in", json=mine)).status_code == 201
    await site.close()


@pytest.mark.spec("REQ-11", "REQ-12")
async def test_the_card_says_for_whom_it_waits_and_offers_others_nothing() -> None:
    site, page = await a_site()
    agent = await site.agent()
    standing = await submit(agent, await open_session(agent))
    path = f"/api/inbox/approvals/{standing['call_id']}"
    mine = (await page.get(path)).json()["who"]
    assert (mine["may_decide"], mine["waiting"]) == (
        False, "0 of 2 approved · waiting for: anna, bob",
    )  # fmt: skip
    bob = await site.page("bob")
    vote = {"action": "approve", "digest": standing["digest"]}
    voted = (await bob.post(f"{path}/resolve", json=vote)).json()["who"]
    assert voted["waiting"] == "1 of 2 approved · waiting for: anna"
    assert voted["out_of_reach"] is None
    await page.delete("/api/people/anna")
    card = (await bob.get(path)).json()["who"]
    assert card["out_of_reach"] == "2 of those who may decide have to approve, and there is one"
    await page.put("/api/roles/finance", json={"enabled": False})
    assert (await page.get(path)).json()["who"]["out_of_reach"] == "the role `finance` is disabled"
    await site.close()


@pytest.mark.spec("REQ-11", "REQ-63")
async def test_a_request_for_others_waits_for_an_operator() -> None:
    policy = ApprovalPolicy(approver=Approver.OPERATOR)
    olga = Person("olga", "olga", operator=True, agents=("coder",))
    uma = Person("uma", "uma")
    site = make_site(rule("ask", approval=policy), people=(olga, uma))
    agent = await site.agent(person_id="uma")
    standing = await submit(agent, await open_session(agent))
    path = f"/api/inbox/approvals/{standing['call_id']}"
    mine = (await (await site.page("uma")).get(path)).json()["who"]
    assert (mine["may_decide"], mine["waiting"]) == (False, "waiting for an operator")
    theirs = (await (await site.page("olga")).get(path)).json()["who"]
    assert (theirs["may_decide"], theirs["waiting"]) == (True, "")
    await site.close()
