"""Deciding and configuring need a person's credential, each time (REQ-62, REQ-64)."""

from __future__ import annotations

import getpass
from collections.abc import Iterator
from typing import Any

import pytest

from sayso.cli import acting
from sayso.cli.exit_codes import ExitCode
from sayso.errors import NotAuthenticated
from sayso.people.token import CredentialKind
from tests.fakes.command_line import PASSPHRASE, CommandLine, mail

DECIDING = [
    ["approve", "ID"],
    ["reject", "ID"],
    ["tokens", "create", "--kind", "approver"],
    ["tokens", "revoke", "ID"],
]


@pytest.fixture
def asked(sayso: CommandLine) -> str:
    """The id of a request that waits."""
    return sayso.ask(mail())[0].call_id


def still_waits(sayso: CommandLine, call_id: str) -> bool:
    """Whether nothing was decided."""

    async def look(broker: Any) -> bool:
        return [r.request_id for r in await broker.world.store.pending()] == [call_id]

    return bool(sayso.within(look))


@pytest.mark.spec("REQ-62")
@pytest.mark.parametrize("words", DECIDING)
def test_without_a_credential_nothing_is_decided(
    sayso: CommandLine, asked: str, words: list[str]
) -> None:
    sayso.patch.setenv("SAYSO_AGENT_TOKEN", sayso.token(CredentialKind.AGENT, "coder"))
    said = sayso(*[asked if word == "ID" else word for word in words])
    assert said.code == ExitCode.REFUSED
    assert said.out == ""
    assert said.err == (
        "error: deciding needs a person's credential, and there is no terminal to ask on\n"
        "hint: use --passphrase-stdin or --token-stdin, or put an approver's token into SAYSO_TOKEN\n"
    )
    assert still_waits(sayso, asked)


@pytest.mark.spec("REQ-64")
@pytest.mark.parametrize("words", DECIDING)
@pytest.mark.parametrize("how", ["stdin", "environment"])
def test_an_agents_token_decides_nothing(
    sayso: CommandLine, asked: str, words: list[str], how: str
) -> None:
    token = sayso.token(CredentialKind.AGENT, "coder")
    full = [asked if word == "ID" else word for word in words]
    if how == "stdin":
        said = sayso(*full, "--token-stdin", stdin=token)
    else:
        sayso.patch.setenv("SAYSO_TOKEN", token)
        said = sayso(*full)
    assert said.code == ExitCode.REFUSED
    assert said.err.startswith("error: an agent's token can never decide or configure\n")
    assert still_waits(sayso, asked)


@pytest.mark.parametrize(
    ("flags", "stdin", "message"),
    [
        (["--passphrase-stdin"], "", "standard input holds no passphrase"),
        (["--token-stdin"], "\n", "standard input holds no token"),
        (["--passphrase-stdin"], b"\xff\n", "the passphrase on standard input is not UTF-8"),
        (["--token-stdin"], "sayso_admin_00", "the credential is unknown, expired or revoked"),
        (["--passphrase-stdin"], "correct horse", "the passphrase does not fit"),
    ],
)
def test_a_credential_that_is_none(
    sayso: CommandLine, asked: str, flags: list[str], stdin: Any, message: str
) -> None:
    said = sayso("reject", asked, *flags, stdin=stdin)
    assert said.code == ExitCode.REFUSED
    assert f"error: {message}\nhint: " in said.err
    assert still_waits(sayso, asked)


def test_one_of_both_ways_only(sayso: CommandLine, asked: str) -> None:
    said = sayso("reject", asked, "--passphrase-stdin", "--token-stdin", stdin="x\ny\n")
    assert said.code == ExitCode.FAILURE
    assert "give one of them" in said.err


def test_what_is_given_goes_before_the_environment(sayso: CommandLine, asked: str) -> None:
    sayso.patch.setenv("SAYSO_TOKEN", "stale")
    assert sayso("reject", asked).code == ExitCode.REFUSED
    assert sayso.owner("reject", asked).code == 0


def test_a_token_in_the_environment_decides(sayso: CommandLine, asked: str) -> None:
    sayso.patch.setenv("SAYSO_TOKEN", sayso.token(CredentialKind.APPROVER))
    said = sayso("reject", asked, "-m", "not today")
    assert (said.code, said.out[:10]) == (0, "rejected: ")
    assert sayso("tokens", "create", "--kind", "agent").code == ExitCode.REFUSED


@pytest.mark.spec("REQ-62")
def test_the_login_of_a_command_ends_with_it(sayso: CommandLine) -> None:
    async def live(broker: Any) -> list[str]:
        now = broker.world.clock.now()
        return [c.kind.value for c in await broker.world.store.credentials() if c.live(now)]

    assert sayso.owner("tokens", "create", "--kind", "admin").code == 0
    assert sayso.owner("tokens", "revoke", "nothing").code == ExitCode.FAILURE
    assert sayso.within(live) == ["admin"]


@pytest.mark.spec("REQ-62")
def test_wrong_passphrases_are_slowed_down_over_all_commands(
    sayso: CommandLine, asked: str
) -> None:
    for _ in range(5):
        assert sayso("reject", asked, "--passphrase-stdin", stdin="wrong wrong").code == 2
    said = sayso.owner("reject", asked)
    assert said.code == ExitCode.REFUSED
    assert said.err == "error: too many wrong passphrases\nhint: wait a minute\n"
    assert still_waits(sayso, asked)


def typed(patch: pytest.MonkeyPatch, *lines: str | type[BaseException]) -> None:
    """Somebody types these lines when asked for something hidden."""
    answers: Iterator[Any] = iter(lines)

    def ask(_: str) -> str:
        answer = next(answers)
        if isinstance(answer, str):
            return answer
        raise answer

    patch.setattr(getpass, "getpass", ask)


def test_a_new_passphrase_is_asked_for_until_it_will_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, "short", PASSPHRASE, "different", PASSPHRASE, PASSPHRASE)
    assert acting.new_passphrase(from_stdin=False) == PASSPHRASE
    assert capsys.readouterr().err == "It needs at least 8 characters.\nThe two differ.\n"
    typed(monkeypatch, "a", "b", "c")
    with pytest.raises(NotAuthenticated, match="no passphrase was chosen"):
        acting.new_passphrase(from_stdin=False)
    typed(monkeypatch, EOFError)
    with pytest.raises(NotAuthenticated, match="nothing was typed"):
        acting.new_passphrase(from_stdin=False)
