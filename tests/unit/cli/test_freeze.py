"""`sayso freeze` and `sayso thaw`, and where else the command line says that something is frozen."""

from __future__ import annotations

import json

import pytest

from sayso.cli.exit_codes import ExitCode
from sayso.core.session import CallDraft
from sayso.people.token import CredentialKind
from tests.fakes.command_line import CommandLine


@pytest.mark.spec("GATE-8")
def test_freezing_is_said_everywhere_and_ends_with_thaw(sayso: CommandLine) -> None:
    said = sayso.owner("freeze", "--reason", "the deploy is broken")
    assert (said.code, said.err) == (0, "")
    assert said.out == (
        "every agent is frozen by owner: the deploy is broken\nTo end it: sayso thaw\n"
    )
    (refused,) = sayso.ask(CallDraft("add", {}))
    assert (refused.effect, refused.reason) == ("deny", "frozen")
    assert "frozen by owner: the deploy is broken" in refused.message
    words = "warning: every agent is frozen by owner: the deploy is broken; to end it: sayso thaw"
    assert words in sayso("inbox", "list").err
    doctor = sayso("doctor")
    assert doctor.code == ExitCode.FAILURE
    assert "MEND  every agent is frozen by owner: the deploy is broken" in doctor.out
    again = sayso.owner("freeze", "-m", "another reason")
    assert "you had frozen it before" in again.err
    (only,) = json.loads(sayso.owner("freeze", "--json").out)
    assert (only["agent_id"], only["reason"]) == (None, "the deploy is broken")
    thawed = sayso.owner("thaw")
    assert (thawed.code, thawed.out) == (0, "Nothing is frozen.\n")
    assert sayso("inbox", "list").err == ""
    (allowed,) = sayso.ask(CallDraft("add", {}))
    assert allowed.effect == "allow"
    nothing = sayso.owner("thaw")
    assert (nothing.code, nothing.out) == (ExitCode.FAILURE, "")
    assert nothing.err.startswith("error: every agent is not frozen\nhint: ")


@pytest.mark.spec("GATE-8")
def test_one_agent_is_frozen_and_a_name_that_no_token_has_is_said(sayso: CommandLine) -> None:
    said = sayso.owner("freeze", "--agent", "cluade")
    assert "no token names an agent `cluade`" in said.err
    assert "the agent cluade is frozen by owner" in said.out
    assert said.out.endswith("To end it: sayso thaw --agent cluade\n")
    sayso.owner("freeze")
    left = sayso.owner("thaw")
    assert left.out == "still the agent cluade is frozen by owner\n"
    assert json.loads(sayso.owner("thaw", "--agent", "cluade", "--json").out) == []


@pytest.mark.spec("GATE-8", "REQ-64")
def test_an_agents_token_neither_freezes_nor_thaws(sayso: CommandLine) -> None:
    token = sayso.token(CredentialKind.AGENT, agent_id="coder")
    for command in ("freeze", "thaw"):
        said = sayso(command, "--token-stdin", stdin=token)
        assert said.code == ExitCode.REFUSED
        assert "an agent's token can never decide or configure" in said.err
