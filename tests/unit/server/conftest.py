"""A server around a world, for each test of the server."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.fakes.site import Site, make_site


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    """A server without rules: everything is asked."""
    made = make_site()
    yield made
    await made.close()
