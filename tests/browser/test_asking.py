"""What a person does on the page with a request besides deciding it."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from sayso.core.approval_policy import ApprovalPolicy
from tests.browser.conftest import IN_ONE_LOOP, OpenWindow
from tests.browser.site import Site
from tests.browser.window import Window

pytestmark = [pytest.mark.browser, IN_ONE_LOOP]


@pytest.mark.spec("REQ-68")
async def test_not_now_takes_it_off_the_list_and_it_can_be_shown_again(
    desktop: Window, site: Site
) -> None:
    standing = await site.ask()
    await desktop.card.get_by_role("button", name="Not now").click()
    await expect(desktop.card.get_by_role("button", name="Show again")).to_be_focused()
    assert await desktop.page.title() == "sayso · Inbox"
    request = await site.broker.world.store.request(standing["call_id"])
    assert request is not None
    assert request.attention.snoozed_until("owner") is not None
    await desktop.card.get_by_role("button", name="Show again").click()
    await expect(desktop.card.get_by_role("button", name="Not now")).to_be_focused()
    await expect(desktop.approve).to_be_visible()
    await desktop.card.get_by_role("button", name="Ask why…").click()
    await desktop.card.get_by_role("button", name="Cancel").click()
    await expect(desktop.card.get_by_role("button", name="Ask why…")).to_be_focused()


@pytest.mark.spec("REQ-68")
async def test_a_question_and_its_answer_stand_on_the_card(desktop: Window, site: Site) -> None:
    standing = await site.ask()
    await desktop.card.get_by_role("button", name="Ask why…").click()
    await desktop.card.get_by_label("What do you want to know?").fill("why <b>twice?")
    await desktop.page.keyboard.press("Enter")
    await expect(desktop.card).to_contain_text("why <b>twice?")
    await expect(desktop.card).to_contain_text("No answer yet")
    waited = await site.run(standing)  # a wait that the question ends
    assert waited["question"]["text"] == "why <b>twice?"
    await site.answer(standing, waited["question"]["question_id"], "She was charged twice.")
    await expect(desktop.card).to_contain_text("She was charged twice.")
    await expect(desktop.card).to_contain_text("The agent’s words, not checked")
    await expect(desktop.approve).to_be_visible()


@pytest.mark.spec("REQ-67")
async def test_that_nobody_can_answer_is_said(desktop: Window, site: Site) -> None:
    await site.ask_by("send_mail", ApprovalPolicy(approvers=()))
    await site.ask()
    await expect(desktop.card).to_contain_text("Nobody can answer: nobody may decide this")


@pytest.mark.spec("REQ-68")
async def test_what_was_put_off_is_listed_and_comes_back(desktop: Window, site: Site) -> None:
    await site.ask("send_mail", {"to": "ana"})
    other = await site.ask("deploy", {"to": "shop"})
    await desktop.card.get_by_role("button", name="Not now").click()
    await expect(desktop.card.get_by_role("button", name="Show again")).to_be_visible()
    await desktop.page.keyboard.press("j")
    folded = desktop.page.locator("sayso-inbox details.snoozed")
    await expect(folded.locator("summary")).to_have_text("Put off1")
    assert await desktop.page.title() == "sayso · Inbox (1)"
    await folded.locator("summary").click()
    await expect(folded.locator("sayso-row")).to_contain_text("put off, back in 14:")
    await desktop.page.reload()
    await expect(folded.locator("summary")).to_have_text("Put off1")
    await expect(desktop.card).to_contain_text(other["code"])
    await folded.locator("summary").click()
    await folded.locator("sayso-row").click()
    await desktop.card.get_by_role("button", name="Show again").click()
    await expect(folded).to_have_count(0)
    await expect(desktop.rows).to_have_count(2)


@pytest.mark.spec("REQ-68")
async def test_what_was_put_off_comes_back_by_itself(desktop: Window, site: Site) -> None:
    await site.ask("send_mail", {"to": "ana"})
    await site.ask("deploy", {"to": "shop"})
    await desktop.card.get_by_role("button", name="Not now").click()
    await expect(desktop.card.get_by_role("button", name="Show again")).to_be_visible()
    await desktop.page.keyboard.press("j")
    await expect(desktop.page.locator("sayso-inbox details.snoozed")).to_be_visible()
    site.clock.ahead += 15 * 60 + 1
    await site.ask("look", {})  # its answer tells the page what time it is there
    await expect(desktop.page.locator("sayso-inbox details.snoozed")).to_have_count(0)
    await expect(desktop.rows).to_have_count(3)


@pytest.mark.spec("REQ-68")
async def test_the_glass_is_broken_for_a_reason_and_reviewed_by_a_second_person(
    desktop: Window, site: Site, visit: OpenWindow
) -> None:
    await site.ask_by("send_mail", ApprovalPolicy(quorum=2, break_glass=3600))
    await site.join("bea", admin=True)
    standing = await site.ask()
    await desktop.card.get_by_role("button", name="Break the glass…").click()
    field = desktop.card.get_by_label("Why can it not wait?")
    await expect(field).to_be_focused()
    await desktop.settle()
    await desktop.page.keyboard.press("Enter")  # without a reason nothing happens
    await field.fill("the <b>shop</b> is down")
    await desktop.card.get_by_role("button", name="Run it now").click()
    await expect(desktop.card).to_contain_text("owner broke the glass: the <b>shop</b> is down")
    await expect(desktop.card).to_contain_text("A second person has to review it")
    await expect(desktop.card.get_by_role("button", name="It was right")).to_have_count(0)
    assert (await site.run(standing))["status"] == "approved"
    second = await visit()
    await second.log_in(name="bea")
    await second.open(f"/#/inbox/{standing['call_id']}")
    await second.card.get_by_label("Was it right to run it?").fill("yes, it was down")
    await second.card.get_by_role("button", name="It was right", exact=True).click()
    await expect(second.card).to_contain_text("bea found it justified.")
    await expect(desktop.card).to_contain_text("bea found it justified.")
