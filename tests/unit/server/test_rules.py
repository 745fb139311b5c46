"""The rule table and the audit log over HTTP."""

from __future__ import annotations

import pytest

from tests.fakes.site import Site, make_site, open_session, problem_of, submit

RULES = "/api/approval/rules"


async def test_a_rule_is_added_changed_and_deleted(site: Site) -> None:
    page = await site.page()
    body = {
        "tool_pattern": "write_file",
        "path_pattern": "~/project/**",
        "effect": "ask",
        "policy": {"severity": "high", "timeout": 600, "quorum": "any"},
        "note": "work",
    }
    added = await page.post(RULES, json=body)
    assert added.status_code == 201, added.text
    rule = added.json()
    assert (rule["effect"], rule["text"]) == ("ask", "write_file ~/project/**")
    assert (rule["policy"]["severity"], rule["policy"]["timeout"]) == ("high", 600)
    assert (rule["group_id"], rule["priority"], rule["origin"]) == ("default", 0, "database")
    assert [row["id"] for row in (await page.get(RULES)).json()] == [rule["id"]]

    path = f"{RULES}/{rule['id']}"
    changed = await page.put(
        path, json={"tool_pattern": "write_file", "effect": "deny", "priority": 5}
    )
    assert (changed.status_code, changed.json()["effect"]) == (200, "deny")
    assert changed.json()["path_pattern"] is None
    assert (await page.delete(path)).status_code == 204
    for answer in (await page.delete(path), await page.put(path, json=body)):
        assert (answer.status_code, problem_of(answer)) == (404, "rule-not-found")
    assert (await page.get(RULES)).json() == []
    notes = [record.get("note", "") for record in await site.scene.audit()]
    assert any("rule added: ask write_file" in note for note in notes)
    assert any("rule deleted" in note for note in notes)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"effect": "maybe"}, "body-invalid"),
        ({"effect": None}, "body-invalid"),
        ({"pattern": "/(/"}, "rule-syntax-error"),
        ({"policy": {"on_timeout": "allow"}, "must_ask": True}, "rule-refused"),
        ({"policy": {"on_timeout": "allow", "severity": "high"}}, "rule-refused"),
        ({"policy": {"timeout": 0}}, "body-invalid"),
        ({"policy": {"quorum": 0}}, "body-invalid"),
        ({"policy": {"severty": "high"}}, "body-invalid"),
        ({"priority": 2**40}, "body-invalid"),
        ({"id": "mine"}, "body-invalid"),
        ({"seeded": True}, "body-invalid"),
    ],
)
async def test_a_rule_that_cannot_stand_is_refused(
    site: Site, change: dict[str, object], name: str
) -> None:
    page = await site.page()
    answer = await page.post(RULES, json={"tool_pattern": "x", "effect": "ask", **change})
    assert (answer.status_code, problem_of(answer)) == (400, name)
    assert (await page.get(RULES)).json() == []


async def test_a_rule_states_its_effect_and_its_group_exists(site: Site) -> None:
    page = await site.page()
    assert problem_of(await page.post(RULES, json={"tool_pattern": "x"})) == "body-invalid"
    body = {"tool_pattern": "x", "effect": "ask", "group_id": "nowhere"}
    assert problem_of(await page.post(RULES, json=body)) == "group-not-found"
    for body in ({"tool_pattern": "*", "effect": "ask"}, {"tool_pattern": "*", "effect": "allow"}):
        answer = await page.post(RULES, json=body)
    assert problem_of(answer) == "rule-refused"


async def test_approvers_see_rules_and_admins_change_them(site: Site) -> None:
    approver, admin = await site.approver(), await site.admin()
    body = {"tool_pattern": "x", "effect": "deny"}
    refused = await approver.post(RULES, json=body)
    assert (refused.status_code, problem_of(refused)) == (403, "not-eligible")
    rule = (await admin.post(RULES, json=body)).json()
    assert len((await approver.get(RULES)).json()) == 1
    for answer in (
        await approver.put(f"{RULES}/{rule['id']}", json=body),
        await approver.delete(f"{RULES}/{rule['id']}"),
    ):
        assert (answer.status_code, problem_of(answer)) == (403, "not-eligible")


async def test_the_audit_log_is_paged_filtered_and_verified(site: Site) -> None:
    agent, page = await site.agent(), await site.page()
    session = await open_session(agent)
    standings = [await submit(agent, session, arguments={"n": n}) for n in range(5)]
    path = f"/api/inbox/approvals/{standings[0]['call_id']}/resolve"
    await page.post(path, json={"action": "reject", "note": "no"})
    first = (await page.get("/api/audit", params={"limit": 3})).json()
    assert [entry["kind"] for entry in first["entries"]] == ["resolution", "review", "verdict"]
    rest = (await page.get("/api/audit", params={"limit": 100, "before": first["next"]})).json()
    seqs = [entry["seq"] for entry in first["entries"] + rest["entries"]]
    assert seqs == list(range(7, 0, -1))
    assert rest["next"] is None
    one = (await page.get("/api/audit", params={"call_id": standings[0]["call_id"]})).json()
    assert {entry["call_id"] for entry in one["entries"]} == {standings[0]["call_id"]}
    by = (await page.get("/api/audit", params={"by": "owner", "reason": "rejected"})).json()
    assert [entry["comment"] for entry in by["entries"]] == ["no"]
    found = (await page.get("/api/audit/verify")).json()
    assert (found["ok"], found["checked"], found["head"]) == (True, 7, first["entries"][0]["hash"])
    for query in ({"limit": 0}, {"limit": 1001}, {"before": 0}, {"before": "x"}):
        assert problem_of(await page.get("/api/audit", params=query)) == "request-invalid"


async def test_the_audit_log_is_for_admins() -> None:
    from sayso.people.person import Person

    site = make_site(people=(Person("op", "op", operator=True),))
    operator = await site.approver("op")
    for path in ("/api/audit", "/api/audit/verify"):
        answer = await operator.get(path)
        assert (answer.status_code, problem_of(answer)) == (403, "not-eligible")
    await site.close()


async def test_a_log_that_was_changed_is_found_out(site: Site) -> None:
    agent, page = await site.agent(), await site.page()
    session = await open_session(agent)
    for number in range(3):
        await submit(agent, session, arguments={"n": number})
    log = site.scene.store.inner._audit
    record, entry = log[1]
    log[1] = (
        record,
        type(entry)(entry.seq, entry.body.replace("coder", "other"), entry.previous, entry.hash),
    )
    found = (await page.get("/api/audit/verify")).json()
    assert (found["ok"], found["checked"], found["fault_seq"]) == (False, 1, 2)
