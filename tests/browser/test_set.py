"""The calls of one turn on the page: looked at as a whole, decided at once, each still by itself (REQ-36)."""

from __future__ import annotations

import pytest
from playwright.async_api import Locator, expect

from sayso.broker.ports import Standing
from sayso.requests.approval import ApprovalRequest, Status
from tests.browser.conftest import IN_ONE_LOOP
from tests.browser.site import Site
from tests.browser.window import Window

pytestmark = [pytest.mark.browser, IN_ONE_LOOP, pytest.mark.spec("REQ-36")]

TWO = [
    {"tool": "send_mail", "arguments": {"to": "ana", "text": "first"}},
    {"tool": "send_mail", "arguments": {"to": "bob", "text": "second <b>bold</b>"}},
]


async def stands(site: Site, call_id: str) -> ApprovalRequest:
    """The request as the store has it."""
    found = await site.broker.world.store.request(call_id)
    assert found is not None
    return found


async def opened(desktop: Window) -> Locator:
    """The set of the card that is open, with all of it on the screen."""
    whole = desktop.card.locator("sayso-set")
    await whole.locator("summary").click()
    await expect(whole.locator("li")).to_have_count(2)
    return whole


async def test_all_of_it_is_shown_and_approved_at_once(desktop: Window, site: Site) -> None:
    made = await site.ask_together("turn-1", TWO)
    whole = await opened(desktop)
    await expect(whole.locator("summary")).to_contain_text("Call 1 of 2")
    for standing, text in zip(made, ("first", "second <b>bold</b>"), strict=True):
        await expect(whole).to_contain_text(standing["code"])
        await expect(whole).to_contain_text(text)
    approve = whole.get_by_role("button", name="Approve all 2, once each")
    await approve.click()  # too soon to have been read
    await approve.focus()
    await desktop.settle()
    await desktop.page.keyboard.press("Enter")
    await desktop.page.wait_for_timeout(200)
    assert [(await stands(site, one["call_id"])).reviews for one in made] == [(), ()]
    await desktop.page.keyboard.press("Space")
    await expect(whole).to_contain_text("Nothing of it waits any more.")
    found = [await stands(site, one["call_id"]) for one in made]
    assert [one.status for one in found] == [Status.APPROVED] * 2
    (first,), (second,) = (one.votes for one in found)
    assert first.set_digest is not None
    assert first.set_digest == second.set_digest


async def test_one_decided_by_itself_leaves_the_rest(desktop: Window, site: Site) -> None:
    made = await site.ask_together("turn-1", TWO)
    whole = await opened(desktop)
    path = f"/api/inbox/approvals/{made[1]['call_id']}/resolve"
    async with await site.person() as person:
        await person.post(path, json={"action": "reject"})
    await expect(whole.locator("li").last).to_contain_text("Rejected by you")
    await expect(whole.get_by_role("button", name="Approve the one that waits")).to_be_visible()
    await desktop.settle()
    await whole.get_by_role("button", name="Reject the one that waits…").click()
    await whole.get_by_label("Why? The agent is told.").fill("not both")
    await desktop.page.keyboard.press("Enter")
    await expect(whole).to_contain_text("Nothing of it waits any more.")
    found = await stands(site, made[0]["call_id"])
    assert (found.status, found.votes[0].comment) == (Status.REJECTED, "not both")


async def test_a_call_by_itself_is_no_set(desktop: Window, site: Site) -> None:
    await site.ask_together("turn-1", TWO[:1])
    await expect(desktop.approve).to_be_visible()
    await expect(desktop.card.locator("sayso-set summary")).to_have_count(0)


@pytest.mark.spec("REQ-34")
async def test_a_call_that_is_asked_again_is_in_no_set(desktop: Window, site: Site) -> None:
    """The set that it was made in is over for it: its card decides on itself alone."""
    made = await site.ask_together("turn-1", TWO)
    first, second = [await stands(site, one["call_id"]) for one in made]
    async with await site.person() as person:
        path = f"/api/inbox/approvals/{first.request_id}/resolve"
        await person.post(path, json={"action": "reject"})
        path = f"/api/inbox/sets/{second.call.batch_id}"
        digest = (await person.get(path)).json()["digest"]
        await person.post(f"{path}/resolve", json={"action": "approve", "digest": digest})
    told = await site.broker.gate(second.call.session_id).claim(second.request_id, second.digest)
    assert isinstance(told, Standing)
    assert told.status == "pending"
    await desktop.card.get_by_role("button", name="Next").click()
    await expect(desktop.card).to_contain_text(told.code)
    await expect(desktop.approve).to_be_visible()
    await desktop.page.wait_for_timeout(300)
    await expect(desktop.card.locator("sayso-set summary")).to_have_count(0)
