"""The real server and windows on it; a window that complained of anything fails its test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from tests.browser.site import Site, open_site
from tests.browser.window import Window, open_window
from tests.conftest import CHROMIUM_ARGUMENTS

if TYPE_CHECKING:
    from playwright.async_api import Browser

# One Chromium serves all tests of a worker, each with a profile of its own: they share its loop.
IN_ONE_LOOP = pytest.mark.asyncio(loop_scope="session")

OpenWindow = Callable[..., Awaitable[Window]]


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def one_chromium(chromium_path: str) -> AsyncIterator[Browser]:
    """The browser that all tests share."""
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium_path, args=list(CHROMIUM_ARGUMENTS)
        )
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="session")
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    """A server with a passphrase and nothing in its inbox."""
    async with open_site(tmp_path) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def visit(one_chromium: Browser, site: Site) -> AsyncIterator[OpenWindow]:
    """Opens windows: `await visit(PHONE, "dark")`."""
    opened: list[Window] = []

    async def visit(*how: object) -> Window:
        window = await open_window(one_chromium, site, *how)  # type: ignore[arg-type]
        opened.append(window)
        return window

    yield visit
    for window in opened:
        await window.check()
        await window.context.close()


@pytest_asyncio.fixture(loop_scope="session")
async def desktop(visit: OpenWindow) -> Window:
    """A window on a desk, logged in."""
    window = await visit()
    await window.log_in()
    return window
