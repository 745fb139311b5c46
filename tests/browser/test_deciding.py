"""Deciding on the page: what the buttons and keys do, and what stands there afterwards."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest
from playwright.async_api import Request, expect

from tests.browser.conftest import IN_ONE_LOOP, OpenWindow
from tests.browser.site import Site
from tests.browser.window import DESKTOP, PHONE, Window

pytestmark = [pytest.mark.browser, IN_ONE_LOOP]

MAIL = {"to": "ana@example.org", "text": "hello"}


async def test_a_card_appears_by_itself_and_shows_everything(desktop: Window, site: Site) -> None:
    standing = await site.ask(
        "send_mail",
        {"to": "ana@example.org", "text": "line one\nline two", "copies": 3},
        server="post",
        detail="She asked for it.",
    )
    await expect(desktop.title).to_contain_text("post:send_mail")
    assert await desktop.page.title() == "sayso · Inbox (1)"
    card = desktop.card
    for words in (
        "Medium",
        standing["code"],
        "claude-code",
        "over mcp",
        "/home/ana/src/shop",
        "asked just now",
        "no time limit",
        "Why this asks",
        "What will run",
        "ana@example.org",
        "line one",
        "line two",
        "4 lines, nothing cut.",
        "The agent’s words, not checked",
        "She asked for it.",
    ):
        await expect(card).to_contain_text(words)
    await desktop.card.get_by_text("Explain", exact=True).click()
    await expect(card).to_contain_text("What would change it:")
    await expect(card).to_contain_text(standing["digest"])


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
async def test_the_button_approves_exactly_what_is_shown(
    visit: OpenWindow, site: Site, size: tuple[int, int]
) -> None:
    standing = await site.ask()
    window = await visit(size)
    await window.log_in(f"/#/inbox/{standing['call_id']}")
    sent: list[Any] = []

    def note(request: Request) -> None:
        if request.url.endswith("/resolve"):
            sent.append(request.post_data_json)

    window.page.on("request", note)
    await window.settle()
    running = asyncio.create_task(site.run(standing))
    await window.approve.click()
    await expect(window.result).to_have_text(
        re.compile(r"^Approved by you at \d\d:\d\d, ran in 0\.3 s$")
    )
    assert sent == [{"action": "approve", "digest": standing["digest"]}]
    assert (await running)["by"] == "owner"
    await expect(window.card).to_contain_text("What came of it")
    await expect(window.approve).to_have_count(0)
    assert await window.page.title() == "sayso · Inbox"


async def test_the_key_approves_and_the_result_stays_until_the_person_moves_on(
    desktop: Window, site: Site
) -> None:
    first = await site.ask(arguments={"to": "first", "text": "1"})
    second = await site.ask(arguments={"to": "second", "text": "2"})
    await expect(desktop.rows).to_have_count(2)
    await desktop.settle()
    running = asyncio.create_task(site.run(first))
    await desktop.page.keyboard.press("a")
    await expect(desktop.result).to_contain_text("Approved by you")
    await running
    await expect(desktop.result).to_contain_text("ran in 0.3 s")
    await desktop.page.wait_for_timeout(500)
    await expect(desktop.card).to_contain_text(first["code"])
    await expect(desktop.rows).to_have_count(2)
    await desktop.page.keyboard.press("n")
    await expect(desktop.card).to_contain_text(second["code"])
    await expect(desktop.rows).to_have_count(1)
    assert (await desktop.focused()).startswith("h1")


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
async def test_a_rejection_carries_its_note_to_the_agent(
    visit: OpenWindow, site: Site, size: tuple[int, int]
) -> None:
    standing = await site.ask()
    window = await visit(size)
    await window.log_in(f"/#/inbox/{standing['call_id']}")
    await window.settle()
    await window.reject.click()
    note = window.card.get_by_label("Why? The agent is told.")
    await expect(note).to_be_focused()
    await window.page.keyboard.type("not on a Friday")
    await window.page.keyboard.press("Enter")
    await expect(window.result).to_have_text(
        re.compile(r"^Rejected by you at \d\d:\d\d: not on a Friday$")
    )
    told = await site.run(standing)
    assert (told["status"], told["comment"]) == ("rejected", "not on a Friday")


async def test_escape_closes_the_note_and_sends_nothing(desktop: Window, site: Site) -> None:
    await site.ask()
    await expect(desktop.approve).to_be_visible()
    await desktop.settle()
    await desktop.page.keyboard.press("r")
    await desktop.page.keyboard.type("never mind")
    await desktop.page.keyboard.press("Escape")
    await expect(desktop.reject).to_be_focused()
    await expect(desktop.approve).to_be_visible()


@pytest.mark.spec("WEB-7")
async def test_a_second_window_and_another_person_see_it_within_a_second(
    desktop: Window, site: Site
) -> None:
    standing = await site.ask()
    other = await desktop.beside()
    await other.open()
    await expect(other.approve).to_be_visible()
    await desktop.settle()
    await desktop.approve.click()
    await expect(other.result).to_contain_text("Approved by you", timeout=1000)
    await expect(other.approve).to_have_count(0, timeout=1)
    await site.run(standing)
    await expect(other.result).to_contain_text("ran in 0.3 s", timeout=1000)
    await other.check()


async def test_a_decision_that_comes_too_late_says_who_was_faster(
    desktop: Window, site: Site
) -> None:
    standing = await site.ask()
    await expect(desktop.approve).to_be_visible()
    await desktop.settle()
    # This window does not hear of it before it decides, as on a bad line.
    await desktop.page.route("**/api/inbox/approvals/*", lambda route: route.abort())
    person = await site.person()
    async with person:
        answer = await person.post(
            f"/api/inbox/approvals/{standing['call_id']}/resolve",
            json={"action": "reject", "note": "wrong person"},
        )
        assert answer.status_code == 200, answer.text
    await desktop.page.wait_for_timeout(300)
    await expect(desktop.approve).to_be_visible()
    await desktop.page.unroute("**/api/inbox/approvals/*")
    await desktop.approve.click()
    await expect(desktop.card.get_by_role("alert")).to_contain_text("came too late")
    await expect(desktop.result).to_contain_text("wrong person")
    await expect(desktop.approve).to_have_count(0)


async def test_an_unknown_outcome_waits_for_a_person_to_say_what_happened(
    desktop: Window, site: Site
) -> None:
    standing = await site.ask()
    await expect(desktop.approve).to_be_visible()
    await desktop.settle()
    await desktop.approve.click()
    await expect(desktop.result).to_be_visible()
    await site.lose(standing)
    await expect(desktop.card).to_contain_text("Whether it ran is unknown.", timeout=20_000)
    assert await desktop.page.title() == "sayso · Inbox (1)"
    await desktop.card.get_by_label("What did you find?").fill("she got the mail")
    await desktop.settle()
    await desktop.card.get_by_role("button", name="It ran").click()
    await expect(desktop.result).to_contain_text("it ran, you say")
    await expect(desktop.card).to_contain_text("she got the mail")
    assert await desktop.page.title() == "sayso · Inbox"


async def test_a_caller_that_left_is_said_to_be_gone(desktop: Window, site: Site) -> None:
    standing = await site.ask()
    await expect(desktop.approve).to_be_visible()
    await site.leave(standing)
    await expect(desktop.card).to_contain_text("The caller is gone.")
    await expect(desktop.card).to_contain_text("one identical retry for 10 minutes")


async def test_an_empty_inbox_shows_what_was_decided_last(visit: OpenWindow, site: Site) -> None:
    person = await site.person()
    async with person:
        for number in range(6):
            standing = await site.ask(arguments={"to": f"nr {number}", "text": "x"})
            await person.post(
                f"/api/inbox/approvals/{standing['call_id']}/resolve",
                json={"action": "reject", "note": f"no {number}"},
            )
    window = await visit()
    await window.log_in()
    await expect(window.page.get_by_role("heading", name="Nothing waits for you.")).to_be_visible()
    await expect(window.rows).to_have_count(5)
    await expect(window.rows.first).to_contain_text("no 5")
    await window.rows.first.click()
    await expect(window.result).to_contain_text("Rejected by you")
    await window.page.get_by_role("button", name="Done").click()
    await expect(window.card).to_have_count(0)


async def test_what_cannot_be_sent_says_so_and_can_be_sent_again(
    desktop: Window, site: Site
) -> None:
    await site.ask()
    await expect(desktop.approve).to_be_visible()
    await desktop.settle()
    await desktop.page.route("**/resolve", lambda route: route.abort())
    await desktop.approve.click()
    alert = desktop.card.get_by_role("alert")
    await expect(alert).to_contain_text("The server does not answer.")
    await expect(alert).to_contain_text("deciding again is safe")
    await desktop.page.unroute("**/resolve")
    await desktop.approve.click()
    await expect(desktop.result).to_contain_text("Approved by you")
