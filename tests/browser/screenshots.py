"""The pictures of docs/images: `make screenshots` takes them of a real server."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.async_api import async_playwright, expect

from sayso.people.token import CredentialKind
from tests.browser.site import Site, open_site
from tests.browser.window import PHONE, Window, open_window
from tests.conftest import CHROMIUM_ARGUMENTS, find_chromium

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
WIDE = (1280, 900)

RULES: tuple[dict[str, Any], ...] = (
    {
        "tool_pattern": "run_command",
        "effect": "ask",
        "justification": "What leaves this machine is decided by a person.",
        "policy": {"severity": "high", "timeout": 600, "action": "Run {{ command }}"},
    },
    {
        "tool_pattern": "mcp__shop-backend__create_refund",
        "effect": "ask",
        "policy": {"action": "Refund {{ amount }} {{ currency }} on order {{ order }}"},
    },
    {
        "tool_pattern": "mcp__filesystem__edit_file",
        "effect": "ask",
        "policy": {"severity": "low", "action": "Edit {{ path }}"},
    },
)
DIFF = """--- a/docs/guide.md
+++ b/docs/guide.md
@@ -12,5 +12,6 @@
 ## Before you release

-Run the tests.
+Run the tests with `make test`.
+Then look at the report.

 Good luck.
"""


DAY = 86_400


async def look_back(site: Site) -> None:
    """A week of calls that people answered, for the page of the audit log."""
    approver = await site.person()
    tools = ("edit_file", "send_mail", "create_refund", "run_command")
    async with approver:
        for number in range(24):
            began = -(7 - number // 4) * DAY + 3000 * (number % 4)
            site.clock.ahead = began
            asked = await site.ask(
                tools[number * 7 % 4],
                {"number": number},
                agent=("claude-code", "support-bot")[number % 2],
            )
            site.clock.ahead = began + 20 + 90 * (number % 5)
            answer: dict[str, Any] = {"action": "approve", "digest": asked["digest"]}
            if number % 6 == 5:
                answer = {"action": "reject", "note": "Not this one."}
            where = f"/api/inbox/approvals/{asked['call_id']}/resolve"
            told = await approver.post(where, json=answer)
            assert told.status_code == 200, told.text
    site.clock.ahead = 0


async def fill(site: Site) -> list[dict[str, Any]]:
    """Three calls of two agents, asked at different times."""
    admin = await site.person(CredentialKind.ADMIN)
    async with admin:
        for rule in RULES:
            added = await admin.post("/api/approval/rules", json=rule)
            assert added.status_code in (200, 201), added.text
    home = {"workspace": "/home/ana/src/shop"}
    asked = []
    site.clock.ahead = -760
    asked.append(
        await site.ask(
            "edit_file",
            {
                "path": "docs/guide.md",
                "old_string": "Run the tests.",
                "new_string": "Run the tests with `make test`.\nThen look at the report.",
            },
            server="filesystem",
            session=home,
            diff=DIFF,
            detail="The guide did not say how to run them.",
        )
    )
    site.clock.ahead = -400
    asked.append(
        await site.ask(
            "create_refund",
            {"order": 7, "amount": "120.00", "currency": "EUR", "reason": "ordered twice"},
            server="shop-backend",
            agent="support-bot",
            session={"workspace": None, "context_label": "CronJob: Nightly refunds"},
        )
    )
    site.clock.ahead = -138
    asked.append(
        await site.ask(
            "run_command",
            {"command": "npm test && git push --force origin main # done \u202e niam"},
            session=home,
            detail="The tests pass and the remote branch diverged, so I rewrite it.",
        )
    )
    site.clock.ahead = 0
    return asked


async def take(site: Site, asked: list[dict[str, Any]]) -> None:
    """Open the page in its different clothes and take the pictures."""
    edit, _, command = asked
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=find_chromium(), args=list(CHROMIUM_ARGUMENTS)
        )
        for scheme in ("light", "dark"):
            window = await open_window(browser, site, WIDE, scheme, scale=2, bars=False)
            await window.log_in(f"/#/inbox/{command['call_id']}")
            await shown(window, command)
            await window.page.screenshot(path=IMAGES / f"inbox-{scheme}.png")
            if scheme == "light":
                await window.page.set_viewport_size({"width": 1280, "height": 1400})
                await window.card.screenshot(path=IMAGES / "card.png")
                await window.page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
            await audited(window)
            await window.page.screenshot(path=IMAGES / f"audit-{scheme}.png")
        phone = await open_window(browser, site, PHONE, "light", scale=2)
        await phone.log_in(f"/#/inbox/{edit['call_id']}")
        await shown(phone, edit)
        await phone.page.screenshot(path=IMAGES / "card-phone.png")
        await audited(phone)
        await phone.page.screenshot(path=IMAGES / "audit-phone.png")
        await browser.close()


async def shown(window: Window, standing: dict[str, Any]) -> None:
    """Wait until the card stands there."""
    await expect(window.card).to_contain_text(standing["code"])
    await expect(window.rows).to_have_count(3)
    await window.settle()


async def audited(window: Window) -> None:
    """Turn to the audit log and wait until its figures are there."""
    await window.open("/#/audit")
    await expect(window.page.locator("sayso-audit dl")).to_contain_text("Asked of people")
    await window.settle()


async def main() -> int:
    """Take all pictures; 1 if there is no Chromium."""
    if find_chromium() is None:
        print("no Chromium on this machine: make browser", file=sys.stderr)
        return 1
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        async with open_site(Path(folder)) as site:
            await look_back(site)
            asked = await fill(site)
            waiting = [asyncio.create_task(site.run(standing)) for standing in asked]
            await asyncio.sleep(1.5)
            await take(site, asked)
            for task in waiting:
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
