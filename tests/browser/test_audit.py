"""The audit page: filters in the address, figures with a table behind them, one action's whole story."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.conftest import IN_ONE_LOOP
from tests.browser.site import Site
from tests.browser.window import Window

pytestmark = [pytest.mark.browser, IN_ONE_LOOP]


@pytest.mark.spec("WEB-5", "AUD-4")
async def test_the_log_is_looked_through_and_an_action_is_followed_to_its_end(
    desktop: Window, site: Site
) -> None:
    mail = await site.ask("send_mail", {"to": "<b>ana</b>"})
    await site.ask("pay", {"amount": 5})
    page = desktop.page
    await desktop.open(f"/#/inbox/{mail['call_id']}")
    await expect(desktop.card).to_contain_text(mail["code"])
    await desktop.settle()
    await desktop.approve.click()
    await expect(desktop.result).to_be_visible()

    await page.get_by_role("link", name="Audit", exact=True).click()
    audit = page.locator("sayso-audit")
    await expect(audit.locator("dl")).to_contain_text("Asked of people2")
    await expect(audit.get_by_role("img", name="Questions a day")).to_be_visible()
    await audit.get_by_text("Each day as a table").click()
    await expect(audit.get_by_role("region", name="Each day").locator("tbody tr")).to_have_count(1)

    await audit.get_by_label("Tool", exact=True).fill("send_mail")
    await page.keyboard.press("Enter")
    await expect(audit.get_by_role("link", name="pay").and_(audit.locator("ol a"))).to_have_count(0)
    assert page.url.endswith("#/audit?tool=send_mail")
    await page.reload()
    await expect(audit.get_by_label("Tool", exact=True)).to_have_value("send_mail")
    await audit.get_by_label("Agent", exact=True).fill("nobody")
    await page.keyboard.press("Enter")
    await expect(audit.get_by_text("Nothing fits.")).to_be_visible()
    await page.go_back()
    await expect(audit.get_by_label("Agent", exact=True)).to_have_value("")

    await audit.locator("ol a").first.click()
    story = page.locator("sayso-audit-story")
    await expect(story.get_by_role("heading", level=2)).to_contain_text(
        ["Checked", "Answer", "Ended"]
    )
    await expect(story).to_contain_text("owner")
    await story.get_by_text("Arguments, without what is secret").click()
    await expect(story.locator("pre")).to_contain_text("<b>ana</b>")
    await story.get_by_role("button", name="Check the chain").click()
    await expect(story.get_by_role("status")).to_contain_text("Good:")
    await story.get_by_role("link", name="Open its card").click()
    await expect(desktop.card).to_contain_text(mail["code"])
