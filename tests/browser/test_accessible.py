"""axe finds nothing serious in any state of the page, light and dark, on a desk and on a phone."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.browser.conftest import IN_ONE_LOOP, OpenWindow
from tests.browser.site import PASSPHRASE, Site
from tests.browser.test_hostile import ask_hostile
from tests.browser.test_questions import FORM, KEY
from tests.browser.window import DESKTOP, PHONE, Window

AXE = Path(__file__).resolve().parents[2] / "node_modules" / "axe-core" / "axe.min.js"

pytestmark = [
    pytest.mark.browser,
    IN_ONE_LOOP,
    pytest.mark.skipif(not AXE.exists(), reason="the page's tools are not installed: make lint"),
]


async def faults(window: Window) -> list[str]:
    """What axe finds in the window as it stands, as sentences."""
    if not await window.page.evaluate("'axe' in globalThis"):
        await window.page.evaluate(AXE.read_text("utf-8"))
    # A colour on its way to another is nobody's choice: the one fade there is takes 120 ms.
    await window.page.wait_for_timeout(400)
    found = await window.page.evaluate("axe.run({ resultTypes: ['violations'] })")
    return [
        f"{rule['impact']} {rule['id']}: {rule['help']} at {rule['nodes'][0]['target']}"
        for rule in found["violations"]
    ]


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_axe_finds_nothing(
    visit: OpenWindow, site: Site, size: tuple[int, int], scheme: str
) -> None:
    window = await visit(size, scheme)
    await window.open()
    await expect(window.page.get_by_label("Passphrase")).to_be_visible()
    assert await faults(window) == []
    await window.page.keyboard.type("wrong")
    await window.page.keyboard.press("Enter")
    await expect(window.page.get_by_role("alert")).to_contain_text("That is not the passphrase.")
    await expect(window.page.get_by_role("button", name="Log in")).to_be_enabled()
    assert await faults(window) == []
    await window.page.keyboard.type(PASSPHRASE)
    await window.page.keyboard.press("Enter")
    await expect(window.page.get_by_text("Nothing waits for you.")).to_be_visible()
    assert await faults(window) == []

    standing = await site.ask(
        "edit_file",
        {"path": "a.txt", "text": "two\nlines"},
        detail="my reasons",
        diff="--- a\n+++ b\n@@ -1 +1 @@\n-one\n+two\n",
    )
    hostile = await ask_hostile(site)
    await expect(window.page.get_by_text("new", exact=False).first).to_be_visible()
    assert await faults(window) == []
    await window.open(f"/#/inbox/{standing['call_id']}")
    await expect(window.card).to_contain_text(standing["code"])
    await window.card.get_by_text("Explain", exact=True).click()
    assert await faults(window) == []
    await window.settle()
    await window.reject.click()
    assert await faults(window) == []
    await window.page.keyboard.press("Enter")
    await expect(window.result).to_be_visible()
    assert await faults(window) == []
    asked = (
        await site.ask_people(
            "clarification", items=[{"question": "Which?", "options": ["a", "b"]}]
        ),
        await site.ask_people("elicitation", message="log in", schema=FORM, answer_key=KEY),
    )
    for name in asked:
        await window.open(f"/#/inbox/{name}")
        await expect(window.question.get_by_role("button", name="Send", exact=True)).to_be_visible()
        assert await faults(window) == []
    await window.open("/#/grants")
    await expect(window.page.get_by_role("heading", name="Grants and vetoes")).to_be_visible()
    assert await faults(window) == []
    await window.open("/#/audit")
    await expect(window.page.get_by_role("img", name="Questions a day")).to_be_visible()
    assert await faults(window) == []
    await window.page.locator("sayso-audit ol a").first.click()
    await expect(window.page.get_by_role("button", name="Check the chain")).to_be_visible()
    assert await faults(window) == []
    if scheme == "dark":
        return
    await window.open(f"/#/inbox/{hostile['call_id']}")
    await expect(window.card).to_contain_text(hostile["code"])
    assert await faults(window) == []
    await window.page.locator("body").press("?")
    await expect(window.page.get_by_role("dialog")).to_be_visible()
    assert await faults(window) == []


async def test_less_motion_is_no_motion(visit: OpenWindow, site: Site) -> None:
    await site.ask()
    window = await visit()
    await window.page.emulate_media(reduced_motion="reduce")
    await window.log_in()
    await expect(window.approve).to_have_css("transition-duration", "0s, 0s")
