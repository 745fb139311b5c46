"""What can be remembered stands on the card with all that it would cover, and a click does just that."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.conftest import IN_ONE_LOOP
from tests.browser.site import Site
from tests.browser.window import Window

pytestmark = [pytest.mark.browser, IN_ONE_LOOP]


@pytest.mark.spec("REQ-40", "REQ-55")
async def test_an_answer_is_kept_for_the_session(desktop: Window, site: Site) -> None:
    await site.ask("send_mail", {"to": "ana"})
    keep = desktop.card.locator("details.keep")
    await keep.locator("summary").click()
    await expect(keep).to_contain_text("use send_mail, whatever its arguments")
    await expect(keep).to_contain_text("every call of this session that would ask")
    await desktop.page.wait_for_timeout(700)
    await keep.get_by_role("button", name="Approve for this session").click()
    await expect(desktop.card.locator(".result")).to_contain_text("Approved")
    (grant,) = await site.broker.world.store.grants()
    assert (grant.veto, grant.session_id is None) == (False, False)


@pytest.mark.spec("REQ-40", "REQ-55")
async def test_never_takes_a_reason(desktop: Window, site: Site) -> None:
    await site.ask("send_mail", {"to": "ana"})
    keep = desktop.card.locator("details.keep")
    await keep.locator("summary").click()
    await desktop.page.wait_for_timeout(700)
    await keep.get_by_role("button", name="Never…").click()
    await desktop.card.get_by_label("Never again. Why? The agent is told.").fill("we do not mail")
    await desktop.page.keyboard.press("Enter")
    await expect(desktop.card.locator(".result")).to_contain_text("Rejected")
    (veto,) = await site.broker.world.store.grants()
    assert (veto.veto, veto.comment) == (True, "we do not mail")


@pytest.mark.spec("REQ-54", "REQ-55")
async def test_a_bypass_is_given_for_a_time(desktop: Window, site: Site) -> None:
    await site.ask("send_mail", {"to": "ana"})
    keep = desktop.card.locator("details.keep")
    await keep.locator("summary").click()
    await desktop.page.wait_for_timeout(700)
    await keep.get_by_role("button", name="For 15 minutes").click()
    await expect(desktop.card.locator(".result")).to_contain_text("Approved")
    (bypass,) = await site.broker.world.store.bypasses()
    assert bypass.until == bypass.given_at + 900_000_000
