"""`sayso tokens`: kinds are disjoint, secrets are shown once (REQ-62, REQ-64)."""

from __future__ import annotations

import json
import re

import pytest

from sayso.cli.exit_codes import ExitCode
from sayso.people.token import CredentialKind
from tests.fakes.command_line import CommandLine, words


@pytest.mark.spec("REQ-62", "REQ-64")
@pytest.mark.parametrize("kind", ["agent", "approver", "admin"])
def test_a_token_is_made_listed_and_revoked(sayso: CommandLine, kind: str) -> None:
    assert sayso("tokens", "list").out.startswith("There are no tokens. Make one: ")
    said = sayso.owner("tokens", "create", "--kind", kind, "--name", "for tests")
    assert said.code == 0
    assert re.fullmatch(rf"sayso_{kind}_[0-9a-f]{{64}}\n", said.out)
    listed = sayso("tokens", "list").out
    head, row = listed.splitlines()
    assert words(head) == ["ID", "KIND", "UNTIL", "AGENT", "NAME"]
    assert words(row)[1:4] == [kind, "no", "end"]
    assert row.endswith("for tests")
    assert said.out.strip() not in listed
    (told,) = json.loads(sayso("tokens", "list", "--json").out)
    assert (told["kind"], told["live"], told["expires_at"]) == (kind, True, None)
    assert said.out.strip() not in json.dumps(told)

    token_id = told["id"]
    revoked = sayso.owner("tokens", "revoke", token_id)
    assert (revoked.code, revoked.out) == (0, f"revoked: {token_id}\n")
    assert sayso("tokens", "list").out.startswith("There are no tokens.")
    assert words(sayso("tokens", "list", "--all").out.splitlines()[1])[2] == "ended"
    again = sayso.owner("tokens", "revoke", token_id)
    assert again.code == ExitCode.FAILURE
    assert again.err == (
        f"error: no token that counts has the id `{token_id}`\nhint: see: sayso tokens list\n"
    )


def test_json_of_a_new_token(sayso: CommandLine) -> None:
    said = sayso.owner(
        "tokens", "create", "--kind", "agent", "--agent", "coder", "--days", "30", "--json"
    )
    told = json.loads(said.out)
    assert told["token"].startswith("sayso_agent_")
    assert (told["agent"], told["kind"]) == ("coder", "agent")
    assert words(sayso("tokens", "list").out.splitlines()[1])[2] == told["expires_at"][:10]


@pytest.mark.parametrize("days", ["0", "-1", "nan", "inf", "1e300"])
def test_a_time_that_is_none(sayso: CommandLine, days: str) -> None:
    said = sayso.owner("tokens", "create", "--kind", "admin", "--days", days)
    assert said.code == ExitCode.FAILURE
    assert "is not a number of days\nhint: give one above 0" in said.err


@pytest.mark.spec("REQ-64")
def test_only_agents_tokens_name_an_agent(sayso: CommandLine) -> None:
    said = sayso.owner("tokens", "create", "--kind", "approver", "--agent", "coder")
    assert said.code == ExitCode.FAILURE
    assert "exactly the tokens of kind agent name an agent" in said.err
    assert json.loads(sayso("tokens", "list", "--json").out) == []
    sayso.owner("tokens", "create", "--kind", "agent")
    (told,) = json.loads(sayso("tokens", "list", "--json").out)
    assert told["agent"] == "agent"


@pytest.mark.spec("REQ-64")
def test_an_approvers_token_makes_no_tokens(sayso: CommandLine) -> None:
    approver, admin = sayso.token(CredentialKind.APPROVER), sayso.token(CredentialKind.ADMIN)
    create = ["tokens", "create", "--kind", "approver", "--token-stdin"]
    said = sayso(*create, stdin=approver)
    assert said.code == ExitCode.REFUSED
    assert "a credential of kind approver may not change the configuration" in said.err
    assert sayso(*create, stdin=admin).code == 0
