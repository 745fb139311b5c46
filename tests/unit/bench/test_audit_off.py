"""B-11 compares what it says: the same checks, with every verdict in the log and with none."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import b11_audit
from bench.b11_audit import in_flight, open_checks, open_unaudited, verdicts
from bench.ours import close_ours
from sayso.store.sqlite import open_sqlite


@pytest.mark.parametrize("submits", [True, False])
async def test_only_the_audit_is_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, submits: bool
) -> None:
    monkeypatch.setattr(b11_audit, "FLIGHT", 3)
    logged = {}
    for name, opened in (("on", open_sqlite), ("off", open_unaudited)):
        ours = await open_checks(opened(tmp_path / f"{name}.db"), tmp_path)
        try:
            await in_flight(ours, 2, submits=submits)
            logged[name] = await verdicts(ours)
        finally:
            await close_ours(ours)
    assert logged == {"on": 6, "off": 0}
