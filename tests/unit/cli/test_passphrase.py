"""`sayso passphrase`: chosen once, changed with the old one, reset by a person (REQ-62)."""

from __future__ import annotations

import sqlite3

import pytest

from sayso.cli.exit_codes import ExitCode
from sayso.cli.running import serving
from tests.fakes.command_line import PASSPHRASE, CommandLine

SET = ("passphrase", "set", "--passphrase-stdin")


@pytest.mark.spec("REQ-62")
def test_the_first_is_chosen_and_only_its_hash_is_kept(bare: CommandLine) -> None:
    said = bare(*SET, stdin="short\n")
    assert said.code == ExitCode.FAILURE
    assert said.err == (
        "error: the passphrase is shorter than 8 characters\nhint: choose a longer one\n"
    )
    said = bare(*SET, stdin=f"{PASSPHRASE}\n")
    assert (said.code, said.out) == (0, "The passphrase is set.\n")
    for file in bare.home.iterdir():
        assert PASSPHRASE.encode() not in file.read_bytes(), file
    with sqlite3.connect(bare.home / "sayso.db") as database:
        assert "$argon2id$" in "\n".join(database.iterdump())


@pytest.mark.spec("REQ-62")
def test_it_is_changed_with_the_old_one_only(sayso: CommandLine) -> None:
    said = sayso(*SET, stdin="another one altogether\n")
    assert said.code == ExitCode.REFUSED
    assert said.err == (
        "error: a passphrase has been chosen already\n"
        "hint: to change it give two lines: the old one, then the new one\n"
    )
    said = sayso(*SET, stdin="wrong wrong wrong\nanother one altogether\n")
    assert (said.code, said.err.splitlines()[0]) == (2, "error: the passphrase does not fit")
    said = sayso(*SET, stdin=f"{PASSPHRASE}\nshort\n")
    assert said.code == ExitCode.FAILURE
    assert sayso.owner("tokens", "create", "--kind", "admin").code == 0
    said = sayso(*SET, stdin=f"{PASSPHRASE}\nanother one altogether\n")
    assert (said.code, said.out) == (0, "The passphrase is changed.\n")
    assert sayso.owner("tokens", "create", "--kind", "admin").code == ExitCode.REFUSED


@pytest.mark.spec("REQ-62")
def test_it_is_reset_by_no_script_and_with_no_server_running(sayso: CommandLine) -> None:
    said = sayso("passphrase", "reset", stdin="another one altogether\n")
    assert said.code == ExitCode.REFUSED
    assert said.err == (
        "error: a passphrase is reset by a person at a terminal, never by a script\n"
        "hint: run it on a terminal\n"
    )
    assert sayso("passphrase", "reset", "--passphrase-stdin").code == ExitCode.USAGE
    with serving("http://127.0.0.1:1"):
        said = sayso("passphrase", "reset")
    assert said.code == ExitCode.FAILURE
    assert said.err == (
        "error: the passphrase cannot be reset while a server is running\n"
        "hint: stop the server at http://127.0.0.1:1 first\n"
    )
    assert sayso.owner("tokens", "create", "--kind", "admin").code == 0


def test_without_a_terminal_it_says_what_to_do(bare: CommandLine, sayso: CommandLine) -> None:
    for line, message in (
        (bare, "choosing a passphrase needs a terminal"),
        (sayso, "changing the passphrase needs a terminal"),
    ):
        line.patch.setenv("SAYSO_HOME", str(line.home))
        said = line("passphrase", "set")
        assert said.code == ExitCode.REFUSED
        assert said.err == (
            f"error: {message}\nhint: run it on a terminal, or use --passphrase-stdin\n"
        )
