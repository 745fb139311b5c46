"""`sayso people` and `sayso roles`: an admin's credential each time, live at once."""

from __future__ import annotations

import json

import pytest

from sayso.cli.exit_codes import ExitCode
from tests.fakes.command_line import PASSPHRASE, CommandLine, words


@pytest.mark.spec("REQ-60", "REQ-62")
def test_somebody_is_added_enrols_and_acts_under_their_name(sayso: CommandLine) -> None:
    code = sayso.owner("people", "add", "Anna", "--admin", "--identity", "tg:7")
    assert code.code == 0
    assert code.out.startswith("sayso_enrol_")
    set_ = sayso("passphrase", "enrol", "--passphrase-stdin", stdin=f"{code.out}annas own phrase\n")
    assert (set_.code, set_.out) == (0, "The passphrase of anna is set.\n")
    head, anna, owner = sayso("people", "list").out.splitlines()
    assert words(head)[:2] == ["NAME", "RIGHTS"]
    assert words(anna)[:4] == ["anna", "admin", "tg:7,", "web:anna"]
    assert words(owner)[0] == "owner"
    sayso.patch.setenv("SAYSO_PERSON", "anna")
    made = sayso(
        "tokens", "create", "--kind", "approver", "--passphrase-stdin", stdin="annas own phrase\n"
    )
    assert made.code == 0
    assert json.loads(sayso("tokens", "list", "--json").out)[0]["person"] == "anna"
    wrong = sayso("people", "list", "--json")
    assert json.loads(wrong.out)[0]["identities"] == ["tg:7", "web:anna"]
    owners = sayso("people", "remove", "anna", "--passphrase-stdin", stdin=f"{PASSPHRASE}\n")
    assert owners.code == ExitCode.REFUSED, "the owner's passphrase is not anna's"


@pytest.mark.spec("REQ-61")
def test_a_role_is_made_changed_and_removed(sayso: CommandLine) -> None:
    sayso.owner("people", "add", "anna")
    assert sayso("roles", "list").out.startswith("There are no roles.")
    assert sayso.owner("roles", "add", "finance", "--quorum", "all", "--member", "anna").code == 0
    said = sayso.owner("roles", "change", "finance", "--quorum", "2", "--join", "owner")
    assert said.out == "changed: finance\n"
    assert words(sayso("roles", "list").out.splitlines()[1]) == ["finance", "2", "anna,", "owner"]
    assert sayso.owner("roles", "change", "finance", "--disable", "--leave", "anna").code == 0
    (role,) = json.loads(sayso("roles", "list", "--json").out)
    assert (role["enabled"], role["members"]) == (False, ["owner"])
    assert "nothing is to change" in sayso.owner("roles", "change", "finance").err
    assert "`none` is not" in sayso.owner("roles", "add", "x", "--quorum", "none").err
    assert sayso.owner("roles", "remove", "finance").out == "removed: finance\n"


@pytest.mark.spec("REQ-66")
def test_people_are_changed_stood_in_for_and_removed(sayso: CommandLine) -> None:
    for name in ("anna", "bob"):
        sayso.owner("people", "add", name)
    changed = sayso.owner(
        "people", "change", "anna", "--operator", "--agent", "coder", "--identity", "vk:1"
    )
    assert changed.out == "changed: anna\n"
    sayso.owner("people", "change", "vk:1", "--no-identity", "vk:1", "--disable")
    assert words(sayso("people", "list").out.splitlines()[1])[1] == "disabled"
    assert "nothing is to change" in sayso.owner("people", "change", "anna").err
    sayso.owner("people", "change", "anna", "--enable", "--all-agents")
    named = sayso.owner("people", "stand-in", "anna", "bob", "--days", "2")
    assert named.out == "stands in: bob for anna, 2 days\n"
    assert sayso("people", "list").out.splitlines()[1].endswith("bob")
    assert "a circle" in sayso.owner("people", "stand-in", "bob", "anna").err
    assert sayso.owner("people", "stand-in", "anna", "bob", "--end").code == 0
    assert sayso.owner("people", "stand-in", "anna", "bob", "--days", "nan").code != 0
    assert sayso.owner("people", "code", "bob").out.startswith("sayso_enrol_")
    assert sayso.owner("people", "remove", "bob").out == "removed: bob\n"
    assert "bob" not in sayso("people", "list").out
    for refused in (("people", "remove", "anna"), ("roles", "add", "x")):
        assert sayso(*refused).code == ExitCode.REFUSED, "it needs a credential"
