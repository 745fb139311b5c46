"""Many requests: alike ones fold, the list is filtered and searched, and a thousand of them stay quick."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.async_api import Route, expect

from tests.browser.conftest import IN_ONE_LOOP, OpenWindow
from tests.browser.site import Site
from tests.browser.window import Window

pytestmark = [pytest.mark.browser, IN_ONE_LOOP]

COUNT_NODES = """() => {
  const below = (one) => (one.shadowRoot ? count(one.shadowRoot) : 0);
  const count = (root) => [...root.querySelectorAll("*")].reduce((sum, one) => sum + 1 + below(one), 0);
  return count(document);
}"""


@pytest.mark.spec("GATE-9", "WEB-1")
async def test_a_flood_takes_one_row_that_opens_and_hides_nothing_else(
    desktop: Window, site: Site
) -> None:
    page = desktop.page
    for number in range(7):
        await site.ask(arguments={"to": f"flood {number}", "text": "x"})
    other = await site.ask("wipe", {"disk": "needle"})
    await expect(page.get_by_role("button", name="and 6 more alike")).to_be_visible()
    await expect(desktop.rows).to_have_count(2)
    assert await page.title() == "sayso · Inbox (8)"
    icon = await page.locator("link[rel=icon]").get_attribute("href")
    assert (icon or "").startswith("data:image/png")
    # The key goes from row to row, past what is folded.
    await page.keyboard.press("j")
    await expect(desktop.card).to_contain_text(other["code"])
    await page.get_by_role("button", name="and 6 more alike").click()
    await expect(desktop.rows).to_have_count(8)
    await page.get_by_role("button", name="Fold them again").click()
    await expect(desktop.rows).to_have_count(2)
    # The search looks into the arguments; what it leaves out is not turned to after a decision.
    await page.mouse.move(900, 700)
    await page.locator("body").press("/")
    await page.keyboard.type("needle a")
    await expect(page.get_by_text("1 of 8 shown")).to_be_visible()
    await expect(desktop.rows).to_have_count(1)
    await page.keyboard.press("Escape")
    await page.keyboard.type("flood 3")
    await expect(page.get_by_text("1 of 8 shown")).to_be_visible()
    await page.get_by_role("button", name="Show all").click()
    await page.get_by_label("Severity or kind").select_option("Questions")
    await expect(page.get_by_text("0 of 8 shown")).to_be_visible()
    await page.get_by_role("button", name="Show all").click()
    await expect(desktop.rows).to_have_count(2)


@pytest.mark.spec("WEB-8")
async def test_a_thousand_requests_draw_only_what_is_near_the_window(
    visit: OpenWindow, site: Site
) -> None:
    await site.ask()
    window = await visit()
    page = window.page
    asked: list[Any] = []

    async def many(route: Route) -> None:
        inbox = await (await route.fetch()).json()
        [card] = inbox["approvals"]
        asked.append(card)
        inbox["approvals"] = [
            {
                **card,
                "request_id": f"r{number:04}" if number else card["request_id"],
                "session_id": f"s{number}",
                "action": [{"text": f"Run send_mail, no {number}?"}],
            }
            for number in range(1000)
        ]
        inbox["total"] = 1000
        await route.fulfill(content_type="application/json", body=json.dumps(inbox))

    await page.route("**/api/inbox", many)
    await window.log_in()
    await expect(window.approve).to_be_visible()
    assert await page.title() == "sayso · Inbox (1000)"
    assert await window.rows.count() < 40
    assert await page.evaluate(COUNT_NODES) < 2500
    # It is drawn where one scrolls to, and as many as before.
    await page.locator("sayso-list ul").evaluate("(list) => list.scrollTo(0, 500 * 78)")
    await expect(window.rows.filter(has_text="no 500?")).to_be_visible()
    await page.locator("sayso-list ul").evaluate("(list) => list.scrollTo(0, list.scrollHeight)")
    await expect(window.rows.filter(has_text="no 999?")).to_be_visible()
    assert await window.rows.count() < 40
    # A key goes on from the card that is open, wherever the list stands.
    await page.keyboard.press("j")
    await expect(window.rows.filter(has_text="no 1?")).to_be_visible()
    # The first paint after the answer of the server, of the page that is there already.
    painted = await page.evaluate(
        """async () => {
          const inbox = document.querySelector("sayso-app").shadowRoot.querySelector("sayso-inbox");
          const { waiting } = inbox;
          const answer = await waiting.api.inbox();
          waiting.api.inbox = async () => answer;
          const began = performance.now();
          await waiting.load();
          await inbox.list.updateComplete;
          await new Promise((done) => requestAnimationFrame(done));
          return performance.now() - began;
        }"""
    )
    assert painted < 1000, f"{painted:.0f} ms"
