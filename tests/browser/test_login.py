"""Logging in: deciding needs a person."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from playwright.async_api import expect

from tests.browser.conftest import IN_ONE_LOOP, OpenWindow
from tests.browser.site import PASSPHRASE, Site
from tests.browser.window import DESKTOP, PHONE, Window

pytestmark = [pytest.mark.browser, IN_ONE_LOOP]


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
async def test_the_right_passphrase_opens_the_inbox(
    visit: OpenWindow, size: tuple[int, int]
) -> None:
    window = await visit(size)
    await window.open()
    await expect(window.page.get_by_label("Passphrase")).to_be_focused()
    await window.page.keyboard.type(PASSPHRASE)
    await window.page.keyboard.press("Enter")
    await expect(window.page.get_by_role("heading", name="Nothing waits for you.")).to_be_visible()
    assert await window.page.title() == "sayso · Inbox"
    await window.page.reload()
    await expect(window.page.get_by_role("heading", name="Nothing waits for you.")).to_be_visible()


async def test_a_wrong_passphrase_says_so_and_can_be_typed_again(visit: OpenWindow) -> None:
    window = await visit()
    await window.open()
    field = window.page.get_by_label("Passphrase")
    await field.fill("open barley")
    await window.page.get_by_role("button", name="Log in").click()
    await expect(window.page.get_by_role("alert")).to_contain_text("That is not the passphrase.")
    await expect(field).to_be_focused()
    await window.page.keyboard.type(PASSPHRASE)
    await window.page.keyboard.press("Enter")
    await expect(window.page.locator("sayso-inbox")).to_be_visible()


async def test_too_many_tries_say_how_long_to_wait(visit: OpenWindow) -> None:
    window = await visit()
    await window.open()
    button = window.page.get_by_role("button", name="Log in")
    for number in range(6):
        await expect(button).to_be_enabled()
        await window.page.get_by_label("Passphrase").fill(f"guess {number}")
        async with window.page.expect_response("**/api/login"):
            await button.click()
    await expect(window.page.get_by_role("alert")).to_contain_text("Too many tries. Wait 0:")
    await expect(button).to_be_disabled()


async def test_without_a_passphrase_it_says_how_to_choose_one(
    visit: OpenWindow, site: Site
) -> None:
    window = await visit()
    await window.open()
    # As on a server where none was ever chosen.
    await window.page.route(
        "**/api/login",
        lambda route: route.fulfill(
            status=409,
            content_type="application/problem+json",
            json={
                "type": "urn:sayso:problem:passphrase-missing",
                "title": "passphrase missing",
                "status": 409,
                "detail": "no passphrase has been chosen yet",
                "hint": "choose one on a terminal: sayso passphrase set",
            },
        ),
    )
    await window.page.get_by_label("Passphrase").fill("anything")
    await window.page.get_by_role("button", name="Log in").click()
    alert = window.page.get_by_role("alert")
    await expect(alert).to_contain_text("No passphrase has been chosen yet.")
    await expect(alert).to_contain_text("sayso passphrase set")


async def test_logging_out_ends_it_in_every_window(desktop: Window) -> None:
    other = await desktop.beside()
    await other.open()
    await expect(other.page.locator("sayso-inbox")).to_be_visible()
    await desktop.page.get_by_role("button", name="Log out").click()
    await expect(desktop.page.get_by_text("You are logged out.")).to_be_visible()
    await other.page.reload()
    await expect(other.page.get_by_label("Passphrase")).to_be_visible()


async def test_the_passphrase_can_be_looked_at(visit: OpenWindow) -> None:
    window = await visit()
    await window.open()
    field = window.page.get_by_label("Passphrase")
    await expect(field).to_have_attribute("type", "password")
    await window.page.get_by_role("button", name="Show").click()
    await expect(field).to_have_attribute("type", "text")


@pytest.mark.spec("SRV-3")
async def test_what_another_port_of_this_host_is_sent_is_no_login(
    desktop: Window, site: Site
) -> None:
    # An agent that serves something here and has its person look at it gets the browser's cookies.
    heard: list[str] = []

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(listen, "127.0.0.1", 0) as elsewhere:
        port = elsewhere.sockets[0].getsockname()[1]
        other = await desktop.context.new_page()
        await other.goto(f"http://127.0.0.1:{port}/")
        stored = await other.evaluate("Object.values(localStorage).join()")
        await other.close()
    cookies = [line.partition(": ")[2] for line in heard[0].splitlines() if "sayso_session" in line]
    assert cookies, "the browser sends it; this is why it must be worth nothing"
    assert stored == ""
    async with httpx.AsyncClient(base_url=site.url) as thief:
        token = cookies[0].partition("=")[2]
        for headers in ({"Cookie": cookies[0]}, {"Authorization": f"Bearer {token}"}):
            for path in ("/api/me", "/api/inbox", "/api/audit"):
                assert (await thief.get(path, headers=headers)).status_code == 401


@pytest.mark.spec("REQ-60")
async def test_where_there_are_several_people_each_logs_in_by_name(
    visit: OpenWindow, site: Site
) -> None:
    await site.join("bea", admin=True)
    window = await visit()
    await window.open()
    await window.page.get_by_label("Name").fill("bea")
    await window.page.get_by_label("Passphrase").fill(PASSPHRASE)  # the owner's
    await window.page.get_by_role("button", name="Log in").click()
    await expect(window.page.get_by_role("alert")).to_contain_text("not the passphrase")
    await window.page.get_by_label("Passphrase").fill(f"{PASSPHRASE} bea")
    await window.page.keyboard.press("Enter")
    await expect(window.page.locator("sayso-inbox")).to_be_visible()
    standing = await site.ask()
    await expect(window.approve).to_be_visible()
    await window.settle()
    await window.approve.click()
    await expect(window.result).to_contain_text("Approved by you")
    request = await site.broker.world.store.request(standing["call_id"])
    assert request is not None
    assert [review.person_name for review in request.votes] == ["bea"]


@pytest.mark.spec("REQ-60", "REQ-62")
async def test_a_passphrase_is_chosen_on_the_page_with_a_code(
    visit: OpenWindow, site: Site
) -> None:
    await site.join("bea")
    owner = await site.broker.access.login(PASSPHRASE, "test")
    _, code = await site.broker.people.add(owner[1], "cid")
    window = await visit()
    await window.open()
    await window.page.get_by_role("button", name="I have a code").click()
    await window.page.get_by_label("Code").fill(code)
    await window.page.get_by_label("New passphrase").fill("quiet amber harbour nine")
    await window.page.get_by_role("button", name="Choose and log in").click()
    await expect(window.page.locator("sayso-inbox")).to_be_visible()
    actor = (await site.broker.access.login("quiet amber harbour nine", "test", name="cid"))[1]
    assert actor.person.name == "cid"
