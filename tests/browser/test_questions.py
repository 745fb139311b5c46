"""Questions that are no approvals, shown and answered on the page."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.conftest import IN_ONE_LOOP, OpenWindow
from tests.browser.site import Site
from tests.browser.test_hostile import EVIL
from tests.browser.window import PHONE, Window

pytestmark = [pytest.mark.browser, IN_ONE_LOOP]

KEY = "3p7bfXt9wbTTW2HC7OQ1Nz+DQ8hbeGdNrfx+FG+IK08="
FORM = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Name <b>x</b>", "minLength": 3, "pattern": "^[a-z]+$"},
        "password": {"type": "string", "title": "Pass\u202eword", "minLength": 8},
        "seats": {"type": "integer", "minimum": 1, "maximum": 9},
        "news": {"type": "boolean", "description": "by mail"},
        "plan": {"type": "string", "enum": ["s", "l"], "enumNames": ["Small", "Large"]},
        "tags": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
        "mail": {"type": "string", "format": "email", "default": "ana@example.org"},
    },
    "required": ["name", "password", "seats"],
}
CRON = {"context_label": "CronJob: Digest"}


@pytest.mark.spec("Q-1", "Q-3", "WEB-1")
async def test_questions_are_asked_in_turn_and_what_was_answered_is_shown(
    desktop: Window, site: Site
) -> None:
    items = [
        {"question": "Which ones?", "options": ["red", "gre\u202een"], "multi_select": True},
        {"question": "Which database?", "options": ["PostgreSQL", "SQLite"]},
        {"question": "What else?"},
    ]
    name = await site.ask_people("clarification", items=items, session=CRON)
    asked = desktop.question
    await expect(asked.get_by_role("heading", level=1)).to_have_text("claude-code asks 3 questions")
    await expect(asked).to_contain_text("CronJob: Digest")
    await expect(asked.get_by_label("Hidden and odd characters")).to_contain_text("U+202E")
    await expect(desktop.rows).to_contain_text("Which ones?")
    assert await desktop.page.title() == "sayso · Inbox (1)"
    await desktop.settle()
    send = asked.get_by_role("button", name="Send", exact=True)
    await send.click()
    await expect(asked.get_by_text("Choose an answer first.", exact=True)).to_be_visible()
    await asked.get_by_label("red", exact=True).check()
    await asked.get_by_role("checkbox").nth(1).check()
    await asked.get_by_label("In your own words", exact=True).check()
    await expect(asked.get_by_label("Your own words", exact=True)).to_be_focused()
    await desktop.page.keyboard.type("1, and grey")
    await send.click()
    await expect(asked).to_contain_text("Question 2 of 3")
    await expect(asked.locator("blockquote")).to_contain_text("U+202E")
    await expect(asked.locator("blockquote")).to_contain_text("en, 1, and grey")
    # By keyboard alone: the first option has the focus; an arrow chooses, Enter sends.
    await expect(asked.get_by_label("PostgreSQL", exact=True)).to_be_focused()
    await desktop.page.keyboard.press("ArrowDown")
    await desktop.page.keyboard.press("Enter")
    await expect(asked.get_by_label("What else?")).to_be_focused()
    await desktop.page.keyboard.type("nothing")
    await desktop.page.keyboard.press("Control+Enter")
    await expect(asked.locator(".result")).to_contain_text("Answered by you at")
    await expect(asked.locator(".result")).to_be_focused()
    assert (await site.told(name))["replies"] == [
        {
            "answer": "red, gre\u202een, 1, and grey",
            "selected": ["red", "gre\u202een", "1, and grey"],
        },
        {"answer": "SQLite", "selected": None},
        {"answer": "nothing", "selected": None},
    ]
    await desktop.page.reload()
    await expect(asked.locator("blockquote")).to_have_count(3)
    await expect(asked.locator(".result")).to_contain_text("Answered by you at")
    assert await desktop.page.title() == "sayso · Inbox"


@pytest.mark.spec("REQ-3", "WEB-7")
async def test_whoever_answers_second_is_shown_how_it_ended(desktop: Window, site: Site) -> None:
    await site.ask_people("clarification", items=[{"question": "Which?", "options": ["a", "b"]}])
    other = await desktop.beside()
    await other.open()
    for window in (desktop, other):
        await expect(window.question.get_by_label("a", exact=True)).to_be_visible()
    # What the other window answers does not get through to this one until it answers, too.
    cut = "**/api/inbox/clarifications/*"
    await desktop.page.route(cut, lambda route: route.abort())
    await other.settle()
    await other.question.get_by_label("b", exact=True).check()
    await other.question.get_by_role("button", name="Send", exact=True).click()
    await expect(other.question.locator(".result")).to_contain_text("Answered by you")
    await desktop.question.get_by_label("a", exact=True).check()
    await desktop.page.unroute(cut)
    await desktop.question.get_by_role("button", name="Send", exact=True).click()
    late = "Your answer came too late; this one counts."
    await expect(desktop.question.get_by_role("alert")).to_have_text(late)
    await expect(desktop.question.locator(".result")).to_contain_text("Answered by you")
    await expect(desktop.question.locator("blockquote")).to_have_text("b")


async def test_an_answer_elsewhere_is_shown_at_once(desktop: Window, site: Site) -> None:
    name = await site.ask_people("clarification", items=[{"question": "Which?"}])
    await expect(desktop.question.get_by_label("Which?")).to_be_visible()
    async with await site.person() as phone:
        path = f"/api/inbox/clarifications/{name}/resolve"
        assert (await phone.post(path, json={"answer": "<b>that</b>"})).status_code == 200
    await expect(desktop.question.locator("blockquote")).to_have_text("<b>that</b>")
    await expect(desktop.question.get_by_role("button", name="Send")).to_have_count(0)
    assert await desktop.page.title() == "sayso · Inbox"


@pytest.mark.spec("Q-5", "WEB-1")
async def test_a_plan_is_read_as_text_and_goes_back_with_what_should_be_different(
    visit: OpenWindow, site: Site
) -> None:
    plan = f"1. read the tests\n2. {EVIL}\n" + "\n".join(f"{n}. step" for n in range(3, 80))
    name = await site.ask_people("plan", plan=plan)
    window = await visit(PHONE)
    await window.log_in()
    await window.rows.first.tap()
    asked = window.question
    await expect(asked.locator("h1")).to_have_text("claude-code asks whether to carry out its plan")
    await expect(asked).to_contain_text('<b id="bold">bold</b>')
    await expect(asked).to_contain_text("79. step")
    await expect(asked.locator("#bold, img, script, style")).to_have_count(0)
    assert await window.page.evaluate("typeof hacked") == "undefined"
    buttons = asked.locator(".bar").get_by_role("button")
    assert [text.strip() for text in await buttons.all_inner_texts()] == [
        "Yes, carry it out",
        "Yes, and accept its file edits without asking",
        "No, keep planning",
    ]
    for button in await buttons.all():
        box = await button.bounding_box()
        assert box is not None
        assert box["height"] >= 44
        assert box["y"] + box["height"] <= PHONE[1]
    assert await window.page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    await window.settle()
    await asked.get_by_label("What should be different?").fill("start with the <b>tests")
    await asked.get_by_role("button", name="Yes, carry it out", exact=True).tap()
    await expect(asked.get_by_role("alert")).to_contain_text("An approval takes no feedback")
    await asked.get_by_role("button", name="No, keep planning", exact=True).tap()
    await expect(asked.locator(".result")).to_contain_text("No, keep planning")
    await expect(asked.locator("blockquote")).to_have_text("start with the <b>tests")
    told = await site.told(name)
    assert (told["plan_answer"], told["comment"]) == ("keep-planning", "start with the <b>tests")


@pytest.mark.spec("Q-5")
async def test_a_plan_is_approved(desktop: Window, site: Site) -> None:
    name = await site.ask_people("plan", plan="1. read\n2. write")
    yes = desktop.question.get_by_role("button", name="Yes, carry it out", exact=True)
    await yes.click()  # at once: the hand may mean what stood there before
    await expect(desktop.question.locator(".result")).to_have_count(0)
    await desktop.settle()
    await yes.focus()
    await desktop.page.keyboard.press("Enter")  # Enter decides nothing
    await expect(yes).to_be_visible()
    await yes.click()
    await expect(desktop.question.locator(".result")).to_contain_text("Yes, carry it out")
    await expect(desktop.question).to_contain_text("below .sayso/plans")
    assert (await site.told(name))["plan_answer"] == "carry-out"


@pytest.mark.spec("Q-8", "WEB-1")
async def test_a_form_is_filled_in_and_the_server_judges_it(desktop: Window, site: Site) -> None:
    sent: list[tuple[str, str | None]] = []
    desktop.page.on("request", lambda request: sent.append((request.url, request.post_data)))
    name = await site.ask_people(
        "elicitation", message=f"Log in. {EVIL}", schema=FORM, server="crm", answer_key=KEY
    )
    asked = desktop.question
    await expect(asked.locator("h1")).to_have_text("The MCP server crm asks you for something")
    await expect(asked).to_contain_text('<b id="bold">bold</b>')
    await expect(asked.locator("#bold, img, script, style")).to_have_count(0)
    send = asked.get_by_role("button", name="Send", exact=True)
    password = asked.get_by_label("Pass").first
    await expect(password).to_have_attribute("type", "password")
    await expect(asked.get_by_label("mail")).to_have_value("ana@example.org")
    await desktop.settle()
    await send.click()
    await expect(asked.get_by_text("This is required.", exact=True)).to_have_count(3)
    await expect(asked.get_by_label("Name <b>x</b>")).to_be_focused()
    assert [body for _, body in sent if body and "accept" in body] == []
    await asked.get_by_label("Name <b>x</b>").fill("A1")
    await password.fill("hunter2-hunter2")
    await asked.get_by_label("seats").fill("12")
    await asked.get_by_role("radio", name="No", exact=True).check()
    await asked.get_by_role("radio", name="Large", exact=True).check()
    await asked.get_by_role("checkbox", name="b", exact=True).check()
    await send.click()
    # The server's words stand at the field; what was typed is still there.
    field = asked.locator("sayso-field")
    await expect(field.nth(0).get_by_role("alert")).to_contain_text("This value")
    await expect(field.nth(1).get_by_role("alert")).to_be_empty()
    await expect(field.nth(2).get_by_role("alert")).to_contain_text("greater than")
    await expect(password).to_have_value("hunter2-hunter2")
    await asked.get_by_label("Name <b>x</b>").fill("ana")
    await asked.get_by_label("seats").fill("2")
    typed = await password.element_handle()
    assert typed is not None
    await asked.get_by_label("seats").press("Enter")
    await expect(asked.locator(".result")).to_contain_text("Accepted by you")
    assert await typed.input_value() == "", "the secret is gone from the page"
    told = await site.told(name)
    assert (told["status"], told["content"]) == ("answered", None)
    assert told["sealed"]
    assert '"news":false,"plan":"l","tags":["b"],"mail":"ana@example.org"' in str(sent)
    assert [url for url, _ in sent if "hunter2" in url] == []
    assert "hunter2" not in await desktop.page.content()
    kept = await desktop.page.evaluate("JSON.stringify({...localStorage, ...sessionStorage})")
    assert "hunter2" not in kept


@pytest.mark.spec("Q-8")
async def test_a_page_is_opened_by_a_click_alone_and_its_host_stands_out(
    desktop: Window, site: Site
) -> None:
    name = await site.ask_people(
        "elicitation", message="sign in", url="http://127.0.0.1:1/bank.example/login", server="crm"
    )
    asked = desktop.question
    await expect(asked.locator("h1")).to_have_text("The MCP server crm asks you to open a page")
    await expect(asked.locator(".host")).to_have_text("127.0.0.1")
    await expect(asked.locator(".address .hit")).to_have_text("127.0.0.1")
    link = asked.get_by_role("link", name="Open it in a new tab", exact=True)
    await expect(link).to_have_attribute("rel", "noopener noreferrer")
    await expect(link).to_have_attribute("target", "_blank")
    assert len(desktop.context.pages) == 1, "nothing was opened by itself"
    async with desktop.context.expect_page() as opening:
        await link.click()
    await (await opening.value).close()
    await desktop.settle()
    await asked.get_by_role("button", name="I opened it", exact=True).click()
    await expect(asked.locator(".result")).to_contain_text("Accepted by you")
    assert (await site.told(name))["status"] == "answered"


@pytest.mark.spec("Q-8")
async def test_an_address_that_is_not_plain_is_no_link_and_can_be_declined(
    desktop: Window, site: Site
) -> None:
    url = "https://bank.example@evil.example/\u202elogin"
    name = await site.ask_people("elicitation", message="sign in", url=url)
    asked = desktop.question
    await expect(asked.locator(".host")).to_have_text("evil.example")
    await expect(asked.locator(".address")).to_contain_text("U+202E")
    await expect(asked.get_by_role("link")).to_have_count(0)
    await desktop.settle()
    await asked.get_by_role("button", name="Decline", exact=True).click()
    await expect(asked.locator(".result")).to_contain_text("Declined by you")
    assert (await site.told(name))["status"] == "declined"
    other = await site.ask_people("elicitation", message="sign in", url=url)
    await desktop.page.keyboard.press("n")
    await desktop.settle()
    await asked.get_by_role("button", name="Cancel", exact=True).click()
    await expect(asked.locator(".result")).to_contain_text("Cancelled by you")
    assert (await site.told(other))["status"] == "cancelled"


@pytest.mark.spec("Q-7")
async def test_the_task_list_of_a_session_stands_beside_what_it_asks(
    desktop: Window, site: Site
) -> None:
    await site.keep_tasks(("read <b>all", "done"), ("write", "in_progress"))
    await site.ask()
    tasks = desktop.card.locator("sayso-tasks")
    await expect(tasks.get_by_role("heading")).to_have_text("The agent’s task list1 of 2 done")
    await expect(tasks.get_by_role("listitem")).to_have_text(
        ["read <b>all, done", "write, in progress"]
    )
    await site.keep_tasks(("read <b>all", "done"), ("write", "done"), ("send", "pending"))
    await expect(tasks.get_by_role("listitem")).to_have_count(3)
    await expect(tasks.get_by_role("heading")).to_contain_text("2 of 3 done")


@pytest.mark.spec("Q-4", "CH-17")
async def test_the_card_of_what_is_no_call_says_that_nothing_runs(
    desktop: Window, site: Site
) -> None:
    await site.ask_approval("Publish the post")
    heading = desktop.card.get_by_role("heading", level=2)
    await expect(
        heading.get_by_text("What the agent wants you to agree to; nothing runs by it", exact=True)
    ).to_be_visible()
    await expect(heading.get_by_text("What will run", exact=True)).to_have_count(0)
    await expect(desktop.card).to_contain_text("Publish the post")
