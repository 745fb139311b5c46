"""Text that an agent chose, in every field it can choose: it stays text, in its place, marked."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Locator, expect

from tests.browser.conftest import IN_ONE_LOOP, OpenWindow
from tests.browser.site import Site
from tests.browser.window import DESKTOP, PHONE, Window

pytestmark = [pytest.mark.browser, IN_ONE_LOOP]

MARKUP = '<b id="bold">bold</b><script>hacked = 1</script><img src=x onerror="hacked = 1">'
BUTTON = '<button class="go">Approve once</button><style>*{display:none!important}</style>'
HIDDEN = "safe\u202eevorppa\u202c zero\u200bwidth soft\u00adhyphen \x1b[31mred\x1b[0m bell\x07"
LOOKS = "pаypal.com {{ 7*7 }} ${7*7} %s ﷽ Z̷̡̨͚̙̖̝̎̾a̴̘͙lgo"
EVIL = f"{MARKUP} {BUTTON} {HIDDEN} {LOOKS}"
LONG = "A" * 3000
LINES = "\n".join(f"line {n}" for n in range(200))


async def ask_hostile(site: Site) -> dict[str, Any]:
    """A call with hostile text wherever an agent or its tools may put text."""
    return await site.ask(
        f"tool {EVIL}"[:500],
        {EVIL: f"{EVIL}\n{LONG}\n{LINES}", "json": {EVIL: [EVIL, LONG]}, LONG: ""},
        agent=f"agent {EVIL}"[:200],
        session={"workspace": f"/home/{EVIL}/{'/' * 200}", "context_label": EVIL},
        server=f"server {EVIL}"[:500],
        detail=f"{EVIL}\n{LONG}\n{LINES}",
        context={
            "user_request": EVIL,
            "messages": [
                {"role": "assistant", "content": f"{EVIL}\n{LONG}\n{LINES}"},
                {"role": "tool", "content": "\u202e" + "A" * 1_000_000},
            ],
        },
        diff=f"--- a\n+++ b\n@@ -1,2 +1,2 @@\n-{EVIL}\n+{EVIL}\n {LONG}\n",
    )


async def covers(locator: Locator) -> bool:
    """Whether a press in the middle of the element reaches the element itself."""
    reached: bool = await locator.evaluate(
        """(element) => {
          const box = element.getBoundingClientRect();
          let at = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
          while (at?.shadowRoot) {
            const inner = at.shadowRoot.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
            if (!inner || inner === at) break;
            at = inner;
          }
          return at === element || element.contains(at);
        }"""
    )
    return reached


@pytest.mark.spec("SRV-6", "WEB-7")
@pytest.mark.parametrize("size", [DESKTOP, PHONE])
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_hostile_text_stays_text_and_leaves_the_buttons_alone(
    visit: OpenWindow, site: Site, size: tuple[int, int], scheme: str
) -> None:
    tame = await site.ask()
    window = await visit(size, scheme)
    await window.log_in(f"/#/inbox/{tame['call_id']}")
    await expect(window.approve).to_be_visible()
    tame_boxes = [await window.approve.bounding_box(), await window.reject.bounding_box()]
    tame_width = await window.card.evaluate("(card) => card.offsetWidth")

    hostile = await ask_hostile(site)
    await window.open(f"/#/inbox/{hostile['call_id']}")
    await window.page.reload()
    await expect(window.card).to_contain_text(hostile["code"])
    await expect(window.card).to_contain_text('<b id="bold">bold</b>')
    await expect(window.card).to_contain_text("{{ 7*7 }}")

    # Nothing of it became an element, ran, or gave a button another name.
    assert await window.page.evaluate("typeof hacked") == "undefined"
    for made in ("#bold", "img", "script[src='x']"):
        await expect(window.card.locator(made)).to_have_count(0)
    await expect(window.card.locator("style")).to_have_count(0)
    buttons = await window.card.get_by_role("button").all_inner_texts()
    assert [text.split("\n")[0].strip() for text in buttons if "Explain" not in text] == [
        "Not now",
        "Ask why…",
        "Approve once",
        "Reject…",
    ]
    await expect(window.page.get_by_role("button", name="Approve once", exact=True)).to_have_count(
        1
    )

    # The buttons are in reach, not covered, as large as ever, and do not stick out of the window.
    for button, tame_box in zip((window.approve, window.reject), tame_boxes, strict=True):
        box = await button.bounding_box()
        assert box is not None
        assert tame_box is not None
        assert (box["x"], box["width"], box["height"]) == (
            tame_box["x"],
            tame_box["width"],
            tame_box["height"],
        )
        assert box["y"] + box["height"] <= size[1]
        assert await covers(button)
    assert await window.card.evaluate("(card) => card.offsetWidth") == tame_width
    wide = await window.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= size[0], "the page must not scroll sideways"


async def test_what_cannot_be_seen_is_shown_as_boxes_with_their_names(
    desktop: Window, site: Site
) -> None:
    await ask_hostile(site)
    await expect(desktop.card).to_contain_text("hidden characters are shown as boxes")
    for mark, name in (
        ("U+202E", "RIGHT-TO-LEFT OVERRIDE"),
        ("U+200B", "ZERO WIDTH SPACE"),
        ("U+00AD", "SOFT HYPHEN"),
        ("U+001B", "ESCAPE"),
        ("U+0007", "BELL"),
    ):
        box = desktop.card.locator("sayso-what dd .box", has_text=mark).first
        await expect(box).to_be_visible()
        await expect(box).to_have_attribute("title", name)
        await expect(desktop.card.get_by_label("Hidden and odd characters")).to_contain_text(
            f"{mark} is {name}"
        )
    await expect(desktop.card.locator("sayso-what dd .warn").first).to_contain_text("pаypal")
    raw = await desktop.page.evaluate(
        """() => {
          const texts = [];
          const walk = (root) => {
            for (const node of root.childNodes) {
              if (node.nodeType === Node.TEXT_NODE) texts.push(node.data);
              if (node.shadowRoot) walk(node.shadowRoot);
              walk(node);
            }
          };
          walk(document.body);
          return texts.join("");
        }"""
    )
    for hidden in "\u202e\u202c\u200b\u00ad\x1b\x07":
        assert hidden not in raw


async def test_arguments_are_complete_to_the_last_character(desktop: Window, site: Site) -> None:
    await ask_hostile(site)
    values = desktop.card.locator("sayso-what dd")
    await expect(values.first).to_contain_text("line 199")
    shown = "".join(await values.first.locator(".text").all_text_contents())
    assert shown.endswith(f"{LONG}\n{LINES}")


async def test_hostile_words_of_a_person_or_a_tool_stay_text(desktop: Window, site: Site) -> None:
    standing = await site.ask()
    await expect(desktop.approve).to_be_visible()
    await desktop.settle()
    await desktop.approve.click()
    await expect(desktop.result).to_be_visible()
    await site.run(standing, summary=EVIL)
    await expect(desktop.card).to_contain_text("What came of it")
    await expect(desktop.card).to_contain_text('<b id="bold">bold</b>')
    assert await desktop.page.evaluate("typeof hacked") == "undefined"
    await expect(desktop.card.locator("#bold")).to_have_count(0)


@pytest.mark.spec("CH-1", "CH-17", "SRV-6")
async def test_a_dialogue_stands_apart_from_what_will_run_and_says_who_tells_it(
    desktop: Window, site: Site
) -> None:
    await ask_hostile(site)
    told = desktop.card.locator("sayso-dialogue")
    await expect(told).to_contain_text("The dialogue, as the agent’s side tells it, not checked")
    for words in (
        "The user’s last request",
        "Assistant",
        "Tool",
        '<b id="bold">bold</b>',
        "U+202E",
    ):
        await expect(told).to_contain_text(words)
    await expect(told.get_by_text("It went on; only its beginning was kept.")).to_have_count(1)
    await expect(told.locator("#bold, img, script, button")).to_have_count(0)
    what = await desktop.card.locator("sayso-what").bounding_box()
    box = await told.bounding_box()
    assert what is not None
    assert box is not None
    assert what["y"] + what["height"] <= box["y"]
