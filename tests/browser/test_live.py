"""The page lives: what is new comes by itself, and a broken line is said and mended."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playwright.async_api import expect

from sayso.core.approval_policy import ApprovalPolicy
from sayso.people.token import CredentialKind
from tests.browser.conftest import IN_ONE_LOOP, OpenWindow
from tests.browser.site import PASSPHRASE, Site
from tests.browser.window import PHONE, Window

pytestmark = [pytest.mark.browser, IN_ONE_LOOP]


async def test_what_is_new_comes_last_and_moves_nothing(desktop: Window, site: Site) -> None:
    first = await site.ask(arguments={"to": "one", "text": "x"})
    await expect(desktop.approve).to_be_visible()
    places = [await desktop.approve.bounding_box(), await desktop.rows.first.bounding_box()]
    for number in range(4):
        await site.ask(arguments={"to": f"later {number}", "text": "x"})
    await expect(desktop.rows).to_have_count(5)
    await expect(desktop.page.get_by_text("4 new", exact=True)).to_be_visible()
    await expect(desktop.page.locator("[aria-live=polite]")).to_contain_text("4 new: Run send_mail")
    await expect(desktop.card).to_contain_text(first["code"])
    await expect(desktop.rows.first).to_have_attribute("data-id", first["call_id"])
    now = [await desktop.approve.bounding_box(), await desktop.rows.first.bounding_box()]
    assert now == places
    assert await desktop.page.title() == "sayso · Inbox (5)"


async def test_a_row_that_is_decided_elsewhere_stays_under_the_pointer(
    desktop: Window, site: Site
) -> None:
    standings = [await site.ask(arguments={"to": str(n), "text": "x"}) for n in range(3)]
    await expect(desktop.rows).to_have_count(3)
    await desktop.rows.last.hover()
    before = await desktop.rows.last.bounding_box()
    person = await site.person()
    async with person:
        await person.post(
            f"/api/inbox/approvals/{standings[1]['call_id']}/resolve",
            json={"action": "reject", "note": "no"},
        )
    await expect(desktop.rows.nth(1)).to_contain_text("Rejected by you")
    assert await desktop.rows.last.bounding_box() == before
    await desktop.rows.last.click()
    await expect(desktop.rows).to_have_count(2)


async def test_offline_is_said_and_what_was_missed_comes_after(desktop: Window, site: Site) -> None:
    first = await site.ask(arguments={"to": "one", "text": "x"})
    await expect(desktop.approve).to_be_visible()
    await site.stop()
    await expect(desktop.page.get_by_text("offline, trying again")).to_be_visible()
    await expect(desktop.card).to_contain_text(first["code"])
    await site.start()
    person = await site.person()
    async with person:
        await person.post(
            f"/api/inbox/approvals/{first['call_id']}/resolve", json={"action": "reject"}
        )
    second = await site.ask(arguments={"to": "two", "text": "x"})
    await expect(desktop.page.get_by_text("live", exact=True)).to_be_visible(timeout=20_000)
    await expect(desktop.result).to_contain_text("Rejected by you")
    await expect(desktop.rows.filter(has_text="now")).to_have_count(1)
    await desktop.page.keyboard.press("n")
    await expect(desktop.card).to_contain_text(second["code"])


async def test_a_page_that_opens_while_the_server_is_away_waits_for_it(
    visit: OpenWindow, site: Site
) -> None:
    window = await visit()
    await window.log_in()
    reloaded = False
    await window.page.route(
        "**/api/me", lambda route: route.abort() if not reloaded else route.continue_()
    )
    await window.page.reload()
    await expect(window.page.get_by_text("sayso does not answer")).to_be_visible()
    reloaded = True
    await expect(window.page.get_by_text("Nothing waits for you.")).to_be_visible()


async def test_a_login_that_ended_leads_back_to_the_passphrase(desktop: Window, site: Site) -> None:
    await site.ask()
    await expect(desktop.approve).to_be_visible()
    await desktop.context.clear_cookies()
    await desktop.settle()
    await desktop.approve.click()
    await expect(desktop.page.get_by_text("You were logged out. Log in to go on.")).to_be_visible()


async def test_another_login_in_the_same_browser_does_not_cost_the_decision(
    desktop: Window, site: Site
) -> None:
    await site.ask()
    await expect(desktop.approve).to_be_visible()
    other = await desktop.beside()
    await other.open()
    await other.page.evaluate(
        """async (passphrase) => {
          const { Api } = await import("./api.js");
          await new Api().login(passphrase);
        }""",
        PASSPHRASE,
    )
    await desktop.settle()
    await desktop.approve.click()
    await expect(desktop.result).to_contain_text("Approved by you")


async def test_what_rules_alone_decided_is_told_beside_it(desktop: Window, site: Site) -> None:
    admin = await site.person(CredentialKind.ADMIN)
    async with admin:
        for tool, effect in (("read_notes", "allow"), ("drop_table", "deny")):
            rule = {"tool_pattern": tool, "effect": effect}
            assert (await admin.post("/api/approval/rules", json=rule)).status_code == 201
    await site.ask("read_notes", {"name": "<b>plans</b>"})
    await site.ask("drop_table", {"name": "orders"})
    told = desktop.page.locator("sayso-by-rule li")
    await expect(told).to_have_count(2, timeout=10_000)
    await expect(told.first).to_contain_text("Denied")
    await expect(told.first).to_contain_text("by deny drop_table")
    await expect(told.last).to_contain_text("Allowed")
    await expect(desktop.page.get_by_role("heading", name="Nothing waits for you.")).to_be_visible()


async def test_an_inbox_that_cannot_be_read_says_so_and_is_asked_for_again(
    visit: OpenWindow, site: Site
) -> None:
    await site.ask()
    window = await visit()
    await window.log_in()
    broken = {"status": 500, "content_type": "text/plain", "body": "no"}
    await window.page.route("**/api/inbox", lambda route: route.fulfill(**broken))
    await window.open("/#/inbox/%E0%A4%A")
    await window.page.reload()
    await expect(window.page.get_by_text("The inbox cannot be read now.")).to_be_visible()
    await window.page.unroute("**/api/inbox")
    await expect(window.approve).to_be_visible(timeout=10_000)


@pytest.mark.spec("POL-23")
async def test_an_open_card_offers_no_approving_once_rules_cannot_be_loaded(
    desktop: Window, site: Site
) -> None:
    await site.ask(arguments={"to": "one", "text": "x"})
    await expect(desktop.approve).to_be_visible()
    sound = site.lists.lists
    site.lists.lists = replace(sound, version=1, problem="settings.toml:3:1: no", unavailable=True)
    await expect(desktop.approve).to_have_count(0)
    await expect(desktop.reject).to_be_visible()
    await expect(desktop.card).to_contain_text("Approving is not offered")
    site.lists.lists = replace(sound, version=2)
    await expect(desktop.approve).to_be_visible()


@pytest.mark.spec("REQ-43")
async def test_a_click_anywhere_shows_everywhere(
    desktop: Window, site: Site, visit: OpenWindow
) -> None:
    await site.ask_by("send_mail", ApprovalPolicy(quorum=2))
    await site.join("bea", admin=True)
    standing = await site.ask()
    beside = await desktop.beside()
    await beside.open()
    phone = await visit(PHONE)
    await phone.log_in(name="bea")
    await phone.open(f"/#/inbox/{standing['call_id']}")
    windows = (desktop, beside, phone)
    for window in windows:
        await expect(window.card).to_contain_text("0 of 2 approved")
    await desktop.settle()
    await desktop.approve.click()
    for window in windows:
        await expect(window.card).to_contain_text("1 of 2 approved")
    path = f"/api/inbox/approvals/{standing['call_id']}"
    async with await site.person() as person:
        shown = (await person.get(path)).json()
        assert (shown["who"]["have"], shown["status"]) == (1, "pending")
        await phone.settle()
        await phone.approve.click()
        await expect(phone.result).to_contain_text("Approved by you")
        for window in windows[:2]:
            await expect(window.result).to_contain_text("Approved by bea")
        await site.run(standing)
        for window in windows:
            await expect(window.result).to_contain_text("ran in 0.3 s")
        assert (await person.get(path)).json()["status"] == "done"


@pytest.mark.spec("POL-63")
async def test_what_is_wrong_with_the_settings_is_said_on_top(desktop: Window, site: Site) -> None:
    standing = await site.ask(arguments={"to": "one", "text": "x"})
    alert = desktop.page.get_by_role("alert")
    await expect(desktop.approve).to_be_visible()
    await expect(alert).to_have_count(0)
    site.lists.lists = replace(site.lists.lists, problem="settings.toml:3:1: `x` is not a setting")
    await desktop.page.reload()
    await expect(alert).to_contain_text("Something is wrong with the settings.")
    await expect(alert).to_contain_text("settings.toml:3:1: `x` is not a setting")
    await expect(desktop.card).to_contain_text(standing["code"])
    site.lists.lists = replace(site.lists.lists, problem=None)
    await desktop.page.reload()
    await expect(desktop.approve).to_be_visible()
    await expect(alert).to_have_count(0)
