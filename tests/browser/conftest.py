"""The real server and windows on it; a window that complained of anything fails its test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.site import Site, open_site
from tests.browser.window import Window, open_window

if TYPE_CHECKING:
    from playwright.async_api import Browser

OpenWindow = Callable[..., Awaitable[Window]]


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    """A server with a passphrase and nothing in its inbox."""
    async with open_site(tmp_path) as running:
        yield running


@pytest.fixture
async def visit(chromium: Browser, site: Site) -> AsyncIterator[OpenWindow]:
    """Opens windows: `await visit(PHONE, "dark")`."""
    opened: list[Window] = []

    async def visit(*how: object) -> Window:
        window = await open_window(chromium, site, *how)  # type: ignore[arg-type]
        opened.append(window)
        return window

    yield visit
    for window in opened:
        await window.check()
        await window.context.close()


@pytest.fixture
async def desktop(visit: OpenWindow) -> Window:
    """A window on a desk, logged in."""
    window = await visit()
    await window.log_in()
    return window
