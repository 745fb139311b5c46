"""Working on a policy over HTTP: trying a rule, checking all of them, explaining a verdict."""

from __future__ import annotations

from typing import Any

import pytest

from sayso.channels.display import plain, shown_from_json
from tests.fakes.site import Site, problem_of
from tests.fakes.world import rule

TEST, CHECK, EXPLAIN = "/api/approval/rules/test", "/api/policy/check", "/api/policy/explain"


@pytest.mark.spec("POL-74", "SRV-4")
async def test_a_rule_is_tried_on_a_sample_and_nothing_is_saved(site: Site) -> None:
    page = await site.page()
    body = {"rule": {"effect": "deny", "text": "read(src/keys/**)"}, "sample": "src/keys/k"}
    answer = await page.post(TEST, json=body)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert (found["applies"], found["how"], found["alone"]) == (True, "path", "deny")
    assert found["parts"] == [
        {"kind": "path", "text": "/srv/project/src/keys/k", "matches": True, "note": None}
    ]
    assert (await page.get("/api/approval/rules")).json() == []


@pytest.mark.spec("POL-74")
async def test_a_row_of_the_table_is_tried_by_its_patterns(site: Site) -> None:
    page = await site.page()
    row = {"effect": "ask", "tool_pattern": "refund", "when": "input.amount > 100"}
    for amount, applies in ((500, True), (5, False)):
        body = {"rule": row, "sample": f'refund {{"amount": {amount}}}'}
        assert (await page.post(TEST, json=body)).json()["applies"] is applies


@pytest.mark.parametrize(
    ("tried", "sample", "name"),
    [
        ({"effect": "deny", "text": "shel(x)"}, "x", "rule-syntax-error"),
        ({"effect": "deny", "text": "todo", "when": "input."}, "x", "rule-syntax-error"),
        ({"effect": "deny"}, "x", "rule-refused"),
        ({"effect": "deny", "text": "todo", "tool_pattern": "x"}, "x", "rule-refused"),
        ({"effect": "deny", "text": "mcp(a:b)"}, "x", "call-invalid"),
        ({"effect": "perhaps", "text": "todo"}, "x", "body-invalid"),
        ({"effect": "deny", "text": "todo", "id": "x"}, "x", "body-invalid"),
        ({"effect": "deny", "text": "todo"}, 5, "body-invalid"),
    ],
)
async def test_what_cannot_be_tried_is_refused(
    tried: dict[str, Any], sample: Any, name: str, site: Site
) -> None:
    answer = await (await site.page()).post(TEST, json={"rule": tried, "sample": sample})
    assert (answer.status_code, problem_of(answer)) == (400, name)


@pytest.mark.spec("POL-70", "SRV-4")
async def test_a_settings_file_is_checked_before_it_is_saved(site: Site) -> None:
    page = await site.page()
    answer = await page.post(CHECK, json={"settings": '[permissions]\nallow = ["web(*)"]\n'})
    found = answer.json()
    assert (answer.status_code, found["rules"]) == (200, 1)
    [finding] = found["findings"]
    assert (finding["severity"], finding["code"]) == ("warning", "broad")
    assert finding["place"] == "settings.toml:2:10"
    broken = (await page.post(CHECK, json={"settings": "[permissions\n"})).json()
    assert [(one["code"], one["severity"]) for one in broken["findings"]] == [("invalid", "error")]
    assert broken["findings"][0]["place"].startswith("settings.toml:1:")


@pytest.mark.spec("POL-70")
async def test_the_rules_in_force_are_checked(site: Site) -> None:
    page = await site.page()
    site.scene.rules.say(rule("allow", "mail"), rule("deny", "mail"))
    found = (await page.post(CHECK, json={})).json()
    assert found["rules"] == 2
    assert [(one["code"], one["rule_id"]) for one in found["findings"]] == [
        ("contradiction", "global:allow:tool(mail)")
    ]
    site.scene.rules.say(unavailable="settings.toml:3:1: it is broken\nhint: mend it")
    found = (await page.post(CHECK, json={})).json()
    assert found["findings"] == [
        {
            "severity": "error",
            "code": "invalid",
            "rule_id": "",
            "place": "settings.toml:3:1",
            "message": "it is broken",
            "hint": "mend it",
        }
    ]


@pytest.mark.spec("POL-71", "SRV-4")
async def test_a_verdict_is_explained_and_leaves_no_trace(site: Site) -> None:
    page = await site.page()
    before = len(await site.scene.audit())
    body = {
        "tool": "wipe\u202eb",
        "arguments": {},
        "workspace": "/srv/site",
        "deny": ["tool(wipe*)"],
    }
    answer = await page.post(EXPLAIN, json=body)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert (found["effect"], found["reason"]) == ("deny", "rule-deny")
    assert (found["rule"]["text"], found["rule"]["origin"]) == ("tool(wipe*)", "flag")
    words = plain(shown_from_json(found["explain"]))
    assert words.startswith("deny: rule-deny\n")
    assert "[U+202E]" in words
    assert "what would change it: only taking away deny tool(wipe*)" in words
    assert len(await site.scene.audit()) == before


async def test_rules_that_cannot_be_read_are_refused_with_their_column(site: Site) -> None:
    body = {"tool": "t", "arguments": {}, "allow": ["todo", "shell(')"]}
    answer = await (await site.page()).post(EXPLAIN, json=body)
    assert (answer.status_code, problem_of(answer)) == (400, "rule-syntax-error")
    assert answer.json()["column"] == 7


@pytest.mark.spec("SRV-4")
async def test_an_approver_may_look_and_an_agent_may_not(site: Site) -> None:
    approver, agent = await site.approver(), await site.agent()
    bodies: dict[str, dict[str, Any]] = {
        TEST: {"rule": {"effect": "deny", "text": "todo"}, "sample": "todo"},
        CHECK: {},
        EXPLAIN: {"tool": "todo", "arguments": {}},
    }
    for path, body in bodies.items():
        assert (await approver.post(path, json=body)).status_code == 200
        refused = await agent.post(path, json=body)
        assert (refused.status_code, problem_of(refused)) == (403, "not-eligible")
