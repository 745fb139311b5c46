"""What a person does on the page with a request besides deciding it."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from sayso.core.approval_policy import ApprovalPolicy
from tests.browser.conftest import IN_ONE_LOOP
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
