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
async def test_a_key_first_shows_what_it_would_cover(desktop: Window, site: Site) -> None:
    await site.ask("send_mail", {"to": "ana"})
    await expect(desktop.approve).to_be_visible()
    await desktop.settle()
    keep = desktop.card.locator("details.keep")
    await desktop.page.keyboard.press("s")
    await expect(keep).to_contain_text("use send_mail, whatever its arguments")
    await desktop.page.keyboard.press("s")  # too soon to have been read
    await desktop.page.wait_for_timeout(200)
    assert await site.broker.world.store.grants() == []
    await desktop.settle()
    await desktop.page.keyboard.press("Shift+A")
    await expect(desktop.result).to_contain_text("Approved")
    (grant,) = await site.broker.world.store.grants()
    assert (grant.veto, grant.session_id) == (False, None)


@pytest.mark.spec("REQ-40", "REQ-55")
async def test_a_locked_key_is_not_a_capital_letter_that_was_meant(
    desktop: Window, site: Site
) -> None:
    standing = await site.ask("send_mail", {"to": "ana"})
    await expect(desktop.approve).to_be_visible()
    await desktop.settle()
    press = "new KeyboardEvent('keydown', {key: 'A', code: 'KeyA', bubbles: true, composed: true})"
    for _ in range(2):
        await desktop.page.evaluate(f"document.body.dispatchEvent({press})")
        await desktop.settle()
    await expect(desktop.card.locator("details.keep")).not_to_have_attribute("open", "")
    request = await site.broker.world.store.request(standing["call_id"])
    assert request is not None
    assert request.reviews == ()


@pytest.mark.spec("REQ-40", "REQ-55")
async def test_never_by_key_shows_what_it_would_cover(desktop: Window, site: Site) -> None:
    await site.ask("send_mail", {"to": "ana"})
    await expect(desktop.approve).to_be_visible()
    await desktop.settle()
    await desktop.page.keyboard.press("Shift+N")
    await expect(desktop.card.get_by_label("Never again. Why?")).to_be_focused()
    await expect(desktop.card).to_contain_text(
        "Refused from now on, without a question:use send_mail"
    )
    await desktop.page.keyboard.press("Enter")
    await expect(desktop.result).to_contain_text("Rejected")
    (veto,) = await site.broker.world.store.grants()
    assert (veto.veto, veto.session_id) == (True, None)


@pytest.mark.spec("REQ-51", "REQ-54")
async def test_all_that_is_remembered_is_listed_and_taken_back(desktop: Window, site: Site) -> None:
    for tool, button in (("send_mail", "Always approve"), ("deploy", "For 15 minutes")):
        await site.ask(tool, {"to": "ana"})
        await expect(desktop.approve).to_be_visible()
        await desktop.card.locator("details.keep summary").click()
        await desktop.settle()
        await desktop.card.get_by_role("button", name=button).click()
        await expect(desktop.result).to_contain_text("Approved")
        await desktop.page.keyboard.press("n")
    await desktop.page.get_by_role("link", name="Grants").click()
    page = desktop.page.locator("sayso-remembered")
    await expect(page.locator("li")).to_have_count(2)
    await expect(page.locator("li").first).to_contain_text(
        "every call of this session that would ask"
    )
    await expect(page.locator("li").first).to_contain_text("for 14:")
    await expect(page.locator("li").last).to_contain_text("use send_mail, whatever its arguments")
    await expect(page.locator("li").last).to_contain_text("for always · given by owner")
    await page.get_by_role("button", name="Take back").first.click()
    await expect(page.locator("li")).to_have_count(1)
    await expect(page.get_by_role("heading", name="Bypasses")).to_be_focused()
    assert await site.broker.world.store.bypasses() == []
    await page.get_by_role("button", name="Take back").click()
    await expect(page.locator("li")).to_have_count(0)
    assert await site.broker.world.store.grants() == []
    await desktop.page.get_by_role("link", name="Inbox").click()
    await site.ask("send_mail", {"to": "ana"})
    await expect(desktop.approve).to_be_visible()


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
