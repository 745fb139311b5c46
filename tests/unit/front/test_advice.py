"""A hook and a reviewer as the settings of a real installation name them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sayso import CallDenied, Gate

HOOK = """\
import json, sys
call = json.load(sys.stdin)
word = "allow" if call["arguments"]["to"].endswith("@example.com") else "deny"
print(json.dumps({"decision": word, "reason": "by " + call["tool"]}))
"""


async def ran(arguments: Mapping[str, Any]) -> str:
    return "sent"


@pytest.mark.spec("POL-60", "GATE-4")
async def test_a_hook_of_the_settings_decides_and_one_of_the_project_is_not_even_run(
    tmp_path: Path,
) -> None:
    workspace = tmp_path / "project"
    workspace.mkdir()
    (workspace / "sayso.toml").write_text(
        f'[[permissions.hooks.permission_request]]\ncommand = ["{sys.executable}", "-c", '
        "\"open('ran', 'w')\"]\n"
    )
    (tmp_path / "hook.py").write_text(HOOK)
    settings = tmp_path / "settings.toml"
    settings.write_text(
        "[[permissions.hooks.permission_request]]\n"
        f'command = ["{sys.executable}", "-S", "hook.py"]\ntools = ["send_*"]\ntimeout = 30\n'
    )
    async with Gate(
        settings=settings, database=tmp_path / "db.sqlite", workspace=workspace, terminal=False
    ) as gate:
        assert await gate.run("send_mail", {"to": "alice@example.com"}, ran) == "sent"
        with pytest.raises(CallDenied, match="refused by a permission hook of the user: by send"):
            await gate.run("send_mail", {"to": "mallory@evil.example"}, ran)
        with pytest.raises(CallDenied) as error:
            await gate.run("other", {"to": "alice@example.com"}, ran)
        assert error.value.reason == "no-approver"
        settings.write_text("")
        with pytest.raises(CallDenied) as error:
            await gate.run("send_mail", {"to": "alice@example.com"}, ran)
        assert error.value.reason == "no-approver", "the hook is gone from the next call on"
    assert not (workspace / "ran").exists()
    assert not (tmp_path / "ran").exists()
