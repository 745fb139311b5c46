"""Every command of sayso is known to the gate: whether it decides for people, looks, or neither."""

from __future__ import annotations

import pytest

from sayso.cli.main import COMMANDS
from sayso.policy.shell.own_commands import DECIDING, LOOKING

NEITHER = {"receipts", "serve"}
"""They show a public key, or start a server that gives nobody a login."""


@pytest.mark.spec("POL-44")
def test_each_command_decides_or_looks_or_is_known_to_do_neither() -> None:
    looks = {start[0] for start in LOOKING if len(start) == 1}
    partly = {start[0] for start in LOOKING if len(start) == 2}
    assert set(COMMANDS) - DECIDING - looks - partly == NEITHER
    assert set(COMMANDS) >= DECIDING
    assert looks & DECIDING == set()
    # One that looks in some of its forms decides in the others, or is all looking.
    assert partly - DECIDING == {"audit", "inbox"}
