"""`sayso contexts`, `sayso mode` and the run contexts of a token: a person's credential each time."""

from __future__ import annotations

import json

import pytest

from sayso.broker.broker import Broker
from sayso.cli.exit_codes import ExitCode
from tests.fakes.command_line import CommandLine, words


@pytest.mark.spec("RC-1")
def test_run_contexts_are_made_changed_and_removed(sayso: CommandLine) -> None:
    added = sayso.owner(
        *("contexts", "add", "nightly", "--name", "By night", "--mode", "plan", "--read", "docs"),
        *("--permit", "read(**)", "--unattended", "refuse", "--auto-approve", "low"),
        *("--timeout", "60", "--directory", "/srv"),
    )
    assert added.out == "added: nightly\n"
    head, default, nightly = sayso("contexts", "list").out.splitlines()
    assert words(head) == ["ID", "NAME", "GROUP", "MODE", "FOLDER"]
    assert words(default)[:3] == ["default", "Default", "default"]
    assert words(nightly) == ["nightly", "By", "night", "default", "plan", "/srv"]
    said = sayso.owner(
        *("contexts", "change", "nightly", "--mode", "", "--read", "", "--permit", ""),
        *("--unattended", "as-permitted", "--auto-approve", "", "--timeout", "0"),
    )
    assert said.out == "changed: nightly\n"
    (_, now) = json.loads(sayso("contexts", "list", "--json").out)
    assert now == {
        "id": "nightly",
        "name": "By night",
        "security_group": "default",
        "system_prompt": "",
        "working_directory": "/srv",
        "allow_fs_reads": [],
        "allow_fs_writes": [],
        "mode": None,
        "auto_approve_severity": None,
        "permissions": None,
        "unattended": None,
        "timeout": None,
    }
    assert "nothing is to change" in sayso.owner("contexts", "change", "nightly").err
    assert "`yolo` is not a mode" in sayso.owner(
        "contexts", "change", "x", "--mode", "yolo"
    ).err + (sayso.owner("contexts", "change", "nightly", "--mode", "yolo").err)
    made = sayso.owner(
        *("tokens", "create", "--kind", "agent", "--run-context", "nightly", "--json")
    )
    assert json.loads(made.out)["run_contexts"] == ["nightly"]
    unknown = sayso.owner("tokens", "create", "--kind", "agent", "--run-context", "none")
    assert "no run context has the id `none`" in unknown.err
    wrong = sayso.owner("tokens", "create", "--kind", "approver", "--run-context", "nightly")
    assert "only an agent's token names run contexts" in wrong.err
    assert "cannot be deleted" in sayso.owner("contexts", "remove", "default").err
    assert sayso.owner("contexts", "remove", "nightly").out == "removed: nightly\n"
    assert sayso("contexts", "add", "x").code == ExitCode.REFUSED, "it needs a credential"


async def _opened(broker: Broker) -> str:
    actor = await broker.access.embedded_agent("coder")
    return (await broker.open_session(actor, workspace="/srv/site")).session_id


@pytest.mark.spec("MODE-1")
def test_the_mode_of_a_session_is_shown_and_switched(sayso: CommandLine) -> None:
    session = sayso.within(_opened)
    assert sayso("mode", session).out == "default (run context default)\n"
    switched = sayso.owner("mode", session, "plan")
    assert switched.out == "plan (run context default, switched to plan)\n"
    assert json.loads(sayso("mode", session, "--json").out)["switched_to"] == "plan"
    assert sayso.owner("mode", session, "configured").out == "default (run context default)\n"
    assert "sandbox" in sayso.owner("mode", session, "bypass").err
    assert "`yolo` is not a mode" in sayso.owner("mode", session, "yolo").err
    assert sayso("mode", session, "plan").code == ExitCode.REFUSED
    assert "no session with that id" in sayso("mode", "none").err
