"""On a phone: the list is a page, the card is a page, the actions are in thumb's reach."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playwright.async_api import expect

from sayso.people.token import CredentialKind
from tests.browser.conftest import IN_ONE_LOOP, OpenWindow
from tests.browser.site import Site
from tests.browser.window import PHONE

pytestmark = [pytest.mark.browser, IN_ONE_LOOP]


async def test_list_card_and_back(visit: OpenWindow, site: Site) -> None:
    for name in ("one", "two"):
        await site.ask(arguments={"to": name, "text": "x\n" * 80})
    window = await visit(PHONE)
    await window.log_in()
    await expect(window.rows).to_have_count(2)
    await expect(window.card).to_have_count(0)
    await window.rows.last.tap()
    await expect(window.card).to_contain_text("two")
    await expect(window.rows.first).to_be_hidden()
    await expect(window.title).to_be_focused()
    await window.page.go_back()
    await expect(window.rows.first).to_be_visible()
    await expect(window.card).to_have_count(0)
    await window.rows.first.tap()
    await expect(window.card).to_contain_text("one")
    await window.page.get_by_role("link", name="Inbox").tap()
    await expect(window.rows.first).to_be_visible()


async def test_what_is_wrong_with_the_settings_keeps_its_distance_from_the_edges(
    visit: OpenWindow, site: Site
) -> None:
    site.lists.lists = replace(site.lists.lists, problem="settings.toml:3:1: `x` is not a setting")
    window = await visit(PHONE)
    await window.log_in()
    box = await window.page.get_by_role("alert").bounding_box()
    assert box is not None
    assert box["x"] >= 8
    assert box["x"] + box["width"] <= PHONE[0] - 8


async def test_a_long_rule_that_decided_is_shown_whole(visit: OpenWindow, site: Site) -> None:
    pattern = "/".join(f"folder-{number}" for number in range(60))
    async with await site.person(CredentialKind.ADMIN) as admin:
        rule = {"tool_pattern": "read_file", "path_pattern": f"/{pattern}", "effect": "deny"}
        assert (await admin.post("/api/approval/rules", json=rule)).status_code == 201
    await site.ask("read_file", {"path": f"/{pattern}"})
    window = await visit(PHONE)
    await window.log_in()
    by = window.page.locator("sayso-by-rule small")
    await expect(by).to_contain_text("folder-59")
    assert await by.evaluate("(one) => one.scrollHeight <= one.clientHeight + 1")


async def test_the_actions_stay_at_the_foot_and_are_large_enough(
    visit: OpenWindow, site: Site
) -> None:
    standing = await site.ask(arguments={"to": "one", "text": "x\n" * 200})
    window = await visit(PHONE)
    await window.log_in(f"/#/inbox/{standing['call_id']}")
    for at in (0, 1500, 100_000):
        await window.page.evaluate(f"scrollTo(0, {at})")
        for button in (window.approve, window.reject):
            box = await button.bounding_box()
            assert box is not None
            assert box["y"] > PHONE[1] - 120
            assert box["y"] + box["height"] <= PHONE[1]
    await window.page.evaluate("scrollTo(0, 0)")
    await window.settle()
    targets = await window.page.evaluate(
        """() => {
          const found = [];
          const walk = (root) => {
            for (const element of root.querySelectorAll("*")) {
              if (element.matches("button, a, summary, input")) {
                const box = element.getBoundingClientRect();
                if (box.width > 0) found.push([element.textContent.trim(), box.width, box.height]);
              }
              if (element.shadowRoot) walk(element.shadowRoot);
            }
          };
          walk(document);
          return found;
        }"""
    )
    assert len(targets) >= 4
    assert [target for target in targets if min(target[1:]) < 44] == []


async def test_after_the_last_decision_the_list_comes_back(visit: OpenWindow, site: Site) -> None:
    await site.ask()
    window = await visit(PHONE)
    await window.log_in()
    await window.rows.first.tap()
    await expect(window.approve).to_be_visible()
    await window.settle()
    await window.approve.tap()
    await expect(window.result).to_contain_text("Approved by you")
    await window.page.get_by_role("button", name="Done").tap()
    await expect(window.page.get_by_role("heading", name="Nothing waits for you.")).to_be_visible()
