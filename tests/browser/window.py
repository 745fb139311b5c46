"""A person at a window: how the page is opened, read and used in the tests."""

from __future__ import annotations

from typing import Any

from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, expect

from tests.browser.site import PASSPHRASE, Site

DESKTOP = (1280, 800)
PHONE = (390, 844)
ARMING = 600

# What the page itself must never say. That a request was refused, the browser reports by itself.
REFUSED = "Failed to load resource"

WATCH = """
globalThis.violations = [];
addEventListener("securitypolicyviolation", (event) =>
  violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`));
"""


class Window:
    """One window of one browser profile, with everything it complains of."""

    def __init__(self, site: Site, context: BrowserContext, page: Page) -> None:
        self.site = site
        self.context = context
        self.page = page
        self.complaints: list[str] = []
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: self.complaints.append(f"dialog: {dialog.message}"))

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and REFUSED not in message.text:
            self.complaints.append(message.text)

    async def open(self, path: str = "/") -> None:
        """Go to the page."""
        await self.page.goto(self.site.url + path)

    async def log_in(self, path: str = "/", *, name: str | None = None) -> None:
        """Go to the page and log in: as the owner, or as somebody else by name."""
        await self.open(path)
        if name is not None:
            await self.page.get_by_label("Name").fill(name)
        passphrase = PASSPHRASE if name is None else f"{PASSPHRASE} {name}"
        await self.page.get_by_label("Passphrase").fill(passphrase)
        await self.page.get_by_role("button", name="Log in").click()
        await expect(self.page.locator("sayso-inbox")).to_be_visible()
        await expect(self.page.get_by_text("live", exact=True)).to_be_visible()

    async def beside(self) -> Window:
        """Another window of the same person."""
        return await window_in(self.context, self.site)

    @property
    def rows(self) -> Locator:
        """The rows of the list."""
        return self.page.locator("sayso-row")

    @property
    def card(self) -> Locator:
        """The card that is open."""
        return self.page.locator("sayso-approval-card")

    @property
    def question(self) -> Locator:
        """The question that is open."""
        return self.page.locator("sayso-question")

    @property
    def title(self) -> Locator:
        """What the card says will happen."""
        return self.card.locator("h1")

    @property
    def result(self) -> Locator:
        """The line that stands where the buttons stood."""
        return self.card.locator(".result")

    @property
    def approve(self) -> Locator:
        """The button that approves."""
        return self.card.get_by_role("button", name="Approve once")

    @property
    def reject(self) -> Locator:
        """The button that opens the field for a reason."""
        return self.card.get_by_role("button", name="Reject…")

    async def settle(self) -> None:
        """Wait until a decision can be meant."""
        await self.page.wait_for_timeout(ARMING + 50)

    async def focused(self) -> str:
        """The element that has the focus, through all shadow roots: its tag and what it says."""
        told: str = await self.page.evaluate(
            """() => {
              let at = document.activeElement;
              while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
              return `${at?.localName} ${(at?.textContent ?? "").trim().replace(/\\s+/g, " ")}`;
            }"""
        )
        return told

    async def check(self) -> None:
        """Nothing was complained of, and the policy on content was never violated."""
        assert self.complaints == []
        if not self.page.is_closed():
            assert await self.page.evaluate("globalThis.violations") == []


async def window_in(context: BrowserContext, site: Site) -> Window:
    """A new window in a browser profile."""
    page = await context.new_page()
    await page.add_init_script(WATCH)
    return Window(site, context, page)


async def open_window(
    browser: Browser,
    site: Site,
    size: tuple[int, int] = DESKTOP,
    scheme: Any = "light",
    *,
    scale: float = 1,
    bars: bool = True,
) -> Window:
    """A window with a browser profile of its own; without `bars` nothing is kept free for them."""
    phone = size[0] < 760
    context = await browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme=scheme,
        has_touch=phone,
        is_mobile=phone or not bars,
        device_scale_factor=scale,
        locale="en-GB",
    )
    return await window_in(context, site)
