"""The keyboard: enough for everything, and never a decision that was not meant."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import expect

from sayso.requests.approval import Status
from tests.browser.conftest import IN_ONE_LOOP, OpenWindow
from tests.browser.site import PASSPHRASE, Site
from tests.browser.window import Window

pytestmark = [pytest.mark.browser, IN_ONE_LOOP]

ELSEWHERE = ("Grants", "Audit", "Log out")
"""What leads away from the inbox, where Enter may well do something."""


async def pending(desktop: Window) -> int:
    """How many requests the server still has waiting."""
    async with await desktop.site.person() as person:
        return int((await person.get("/api/inbox")).json()["total"])


async def test_no_key_and_no_click_decides_in_the_first_moment(desktop: Window, site: Site) -> None:
    await desktop.page.evaluate(
        """() => {
          // As fast as a hand that meant the card before: in the very moment the card stands there.
          globalThis.pressed = [];
          const press = () => {
            const inbox = document.querySelector("sayso-app").shadowRoot.querySelector("sayso-inbox");
            const card = inbox.shadowRoot.querySelector("sayso-approval-card");
            const bar = card?.shadowRoot?.querySelector("sayso-decision");
            const button = bar?.shadowRoot?.querySelector("button.go");
            if (!button) return requestAnimationFrame(press);
            const began = performance.now();
            const again = () => {
              if (performance.now() - began > 450) return;
              document.dispatchEvent(new KeyboardEvent("keydown", { key: "a", code: "KeyA", bubbles: true }));
              button.click();
              pressed.push(performance.now() - began);
              setTimeout(again, 50);
            };
            again();
          };
          press();
        }"""
    )
    await site.ask()
    await expect(desktop.approve).to_be_visible()
    await desktop.page.wait_for_timeout(500)
    assert await desktop.page.evaluate("pressed.length") >= 3
    assert await pending(desktop) == 1
    await desktop.settle()
    await desktop.page.keyboard.press("a")
    await expect(desktop.result).to_contain_text("Approved by you")


async def test_enter_decides_nothing(desktop: Window, site: Site) -> None:
    standing = await site.ask()
    await expect(desktop.approve).to_be_visible()
    assert "Approve" not in await desktop.focused()
    await desktop.settle()
    for _ in range(16):
        await desktop.page.keyboard.press("Enter")
        # What Enter may do: open the sheet of keys, the explanation, the field for a reason; snooze.
        await desktop.page.keyboard.press("Escape")
        await desktop.page.keyboard.press("Tab")
        while (await desktop.focused()).endswith(ELSEWHERE):
            await desktop.page.keyboard.press("Tab")
    await desktop.approve.focus()
    await desktop.settle()  # what can be remembered was opened on the way
    await desktop.page.keyboard.press("Enter")
    await desktop.page.wait_for_timeout(200)
    request = await site.broker.world.store.request(standing["call_id"])
    assert request is not None
    assert (request.status, request.reviews) == (Status.PENDING, ())
    await desktop.page.keyboard.press("Space")
    await expect(desktop.result).to_contain_text("Approved by you")


async def test_keys_are_letters_in_a_text_field_and_nothing_with_a_modifier(
    desktop: Window, site: Site
) -> None:
    await site.ask()
    await expect(desktop.approve).to_be_visible()
    await desktop.settle()
    for chord in ("Control+a", "Alt+a", "Meta+a", "Shift+R", "Control+r", "Alt+r"):
        if chord != "Control+r":
            await desktop.page.keyboard.press(chord)
    assert await pending(desktop) == 1
    await desktop.page.keyboard.press("r")
    field = desktop.card.get_by_label("Why? The agent is told.")
    await expect(field).to_be_focused()
    await desktop.page.keyboard.type("a bar, a jar: ?")
    await expect(field).to_have_value("a bar, a jar: ?")
    await desktop.page.wait_for_timeout(200)
    assert await pending(desktop) == 1
    await expect(desktop.page.get_by_role("dialog")).to_have_count(0)


async def test_behind_the_sheet_of_keys_nothing_is_decided(desktop: Window, site: Site) -> None:
    await site.ask()
    await expect(desktop.approve).to_be_visible()
    await desktop.settle()
    await desktop.page.keyboard.press("?")
    await expect(desktop.page.get_by_role("dialog", name="Keys")).to_be_visible()
    await desktop.page.keyboard.press("a")
    await desktop.page.keyboard.press("r")
    assert await pending(desktop) == 1
    await desktop.page.keyboard.press("Escape")
    await expect(desktop.page.get_by_role("dialog")).to_have_count(0)


async def test_letters_move_through_the_list_and_a_new_card_needs_its_moment(
    desktop: Window, site: Site
) -> None:
    codes = [
        (await site.ask(arguments={"to": str(n), "text": "x"}))["code"] for n in ("one", "two")
    ]
    await expect(desktop.rows).to_have_count(2)
    await desktop.settle()
    await desktop.page.keyboard.press("j")
    await desktop.page.keyboard.press("a")
    await expect(desktop.card).to_contain_text(codes[1])
    await desktop.page.keyboard.press("ArrowUp")
    await expect(desktop.card).to_contain_text(codes[0])
    await desktop.page.keyboard.press("k")
    await desktop.page.keyboard.press("ArrowDown")
    await expect(desktop.card).to_contain_text(codes[1])
    assert await pending(desktop) == 2


@pytest.mark.spec("WEB-7")
async def test_the_whole_way_without_a_mouse(visit: OpenWindow, site: Site) -> None:
    first = await site.ask(arguments={"to": "one", "text": "x"})
    second = await site.ask(arguments={"to": "two", "text": "x"})
    window = await visit()
    await window.open()
    await expect(window.page.get_by_label("Passphrase")).to_be_focused()
    keyboard = window.page.keyboard
    await keyboard.type(PASSPHRASE)
    await keyboard.press("Enter")
    await expect(window.rows).to_have_count(2)
    await keyboard.press("e")
    await expect(window.card).to_contain_text("What would change it:")
    await window.settle()
    running = asyncio.create_task(site.run(first))
    await keyboard.press("a")
    await expect(window.result).to_contain_text("ran in")
    await running
    await keyboard.press("n")
    await expect(window.card).to_contain_text(second["code"])
    await window.settle()
    await keyboard.press("r")
    await keyboard.type("not that one")
    await keyboard.press("Enter")
    await expect(window.result).to_contain_text("not that one")
    await keyboard.press("n")
    await expect(window.page.get_by_role("heading", name="Nothing waits for you.")).to_be_visible()
    await keyboard.press("Tab")
    outline = await window.page.evaluate(
        """() => {
          let at = document.activeElement;
          while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
          return getComputedStyle(at).outlineStyle;
        }"""
    )
    assert outline == "solid"
