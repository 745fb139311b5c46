"""What every test can have: how hard Hypothesis tries, and a Chromium for the browser tests."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import structlog
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from playwright.async_api import Browser

CI = os.environ.get("CI", "").lower() in {"1", "true", "yes"}

settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "dev", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("long", parent=settings.get_profile("dev"), max_examples=5000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if CI else "dev"))

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM_OF_MACOS = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
# Nothing but the page under test is to use the network; as root the sandbox cannot start.
CHROMIUM_ARGUMENTS = (
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    *(("--no-sandbox",) if hasattr(os, "geteuid") and os.geteuid() == 0 else ()),
)


def find_chromium() -> str | None:
    """The Chromium that SAYSO_CHROMIUM names, else the machine's, else None."""
    if named := os.environ.get("SAYSO_CHROMIUM"):
        return named
    for name in CHROMIUM_NAMES:
        if found := shutil.which(name):
            return found
    return str(CHROMIUM_OF_MACOS) if CHROMIUM_OF_MACOS.exists() else None


@pytest.fixture(autouse=True)
def _own_logs() -> Iterator[None]:
    """What one test does to the logs, such as running a command, does not reach the next."""
    yield
    structlog.reset_defaults()


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """The path of a Chromium; without one the test is skipped, or fails where CI is set."""
    if found := find_chromium():
        return found
    reason = "no Chromium on this machine: `make browser` installs or explains"
    if CI:
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture
async def chromium(chromium_path: str) -> AsyncIterator[Browser]:
    """A fresh browser of its own for one test (Playwright's asynchronous interface)."""
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium_path, args=list(CHROMIUM_ARGUMENTS)
        )
        yield browser
        await browser.close()


# Where the tests are that take longest: they begin first, lest one processor waits for the other at
# the end. Two at a time begin at the front, and every other is put where the second process begins.
LONGEST = ("tests/laws/test_shell_bash.py", "tests/simulation/", "tests/e2e/", "tests/mutants/")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the longest begin first, in both of two processes that share the tests."""
    long = [
        item for start in LONGEST for item in items if item.nodeid.startswith(start)
    ]  # nobody else is moved
    rest = [item for item in items if not item.nodeid.startswith(LONGEST)]
    if long and rest:
        middle = max(len(items) // 2 - len(long[::2]), 0)
        items[:] = [*long[::2], *rest[:middle], *long[1::2], *rest[middle:]]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say loudly that tests did not run which need something that this machine does not have."""
    missing = {"no Chromium": "BROWSER TESTS (make browser)", "NO JAIL": "TESTS WITH A REAL SHELL"}
    for reason, what in missing.items():
        skipped = [
            report
            for report in terminalreporter.stats.get("skipped", [])
            if reason in str(report.longrepr)
        ]
        if skipped:
            terminalreporter.write_sep(
                "!", f"{len(skipped)} {what} DID NOT RUN: {reason}", red=True
            )
