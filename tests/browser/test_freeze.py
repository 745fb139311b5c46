"""The kill switch on the page: freezing with one press, seeing it in every window, ending it with two."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.conftest import IN_ONE_LOOP
from tests.browser.site import Site
from tests.browser.test_accessible import AXE, faults
from tests.browser.window import Window

pytestmark = [pytest.mark.browser, IN_ONE_LOOP]


@pytest.mark.spec("GATE-8")
async def test_everything_is_frozen_from_the_page_and_ended_there(
    desktop: Window, site: Site
) -> None:
    await site.ask("send_mail", {"to": "ana"})
    await expect(desktop.approve).to_be_visible()
    other = await desktop.beside()
    await other.open()
    offer = desktop.page.locator("sayso-freeze details")
    await offer.locator("summary").click()
    await offer.get_by_label("Why").fill("<b>deploy</b> is broken")
    await offer.get_by_role("button", name="Freeze now").click()
    for window in (desktop, other):
        banner = window.page.locator("sayso-freeze .frozen")
        await expect(banner).to_contain_text(
            "Every agent is frozen by owner: <b>deploy</b> is broken"
        )
        await expect(window.page.locator("sayso-freeze details")).to_have_count(0)
        await expect(window.rows).to_have_count(1)  # what waits goes on waiting
    if AXE.exists():
        assert await faults(desktop) == []
    answer = await site.ask("send_mail", {"to": "bob"})
    assert (answer["effect"], answer["reason"]) == ("deny", "frozen")
    banner = desktop.page.locator("sayso-freeze .frozen")
    await banner.get_by_role("button", name="End it…").click()
    await banner.get_by_role("button", name="Keep it").click()
    assert len(await site.broker.world.store.freezes()) == 1
    await banner.get_by_role("button", name="End it…").click()
    await banner.get_by_role("button", name="Let calls run again").click()
    for window in (desktop, other):
        await expect(window.page.locator("sayso-freeze .frozen")).to_have_count(0)
    assert await site.broker.world.store.freezes() == []
    assert (await site.ask("send_mail", {"to": "bob"}))["status"] == "pending"
