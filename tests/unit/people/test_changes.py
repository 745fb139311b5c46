from __future__ import annotations

from typing import Any

import pytest

from sayso.errors import PeopleRefused, PersonNotFound, RoleNotFound
from sayso.people import changes
from sayso.people.directory import Directory
from sayso.people.person import OWNER, owner
from tests.fakes.values import at

pytestmark = pytest.mark.spec("REQ-60", "REQ-61")

ALONE = Directory({OWNER: owner()})


def two() -> Directory:
    there = changes.add_person(ALONE, "Anna", admin=True, identities=("TG: 7",))
    return changes.add_person(there, "bob", operator=True, agents=["coder"])


def test_people_are_added_under_the_one_spelling_of_their_name() -> None:
    there = two()
    assert set(there.people) == {OWNER, "anna", "bob"}
    assert there.people["anna"].all_identities == {"web:anna", "tg:7"}
    assert changes.the_person(there, "tg:7").name == "anna"
    assert there.people["bob"].agents == ("coder",)


@pytest.mark.parametrize(
    ("name", "identities", "why"),
    [
        ("ANNA", (), "somebody is called `anna` already"),
        ("eve", ("tg:7",), "`tg:7` is an identity of `anna`"),
        ("eve", ("web:eve",), "is a name at the page"),
        ("eve", ("irc:eve",), "is not an identity"),
    ],
)
def test_a_name_or_an_identity_belongs_to_one(name: str, identities: Any, why: str) -> None:
    with pytest.raises(PeopleRefused, match=why):
        changes.add_person(two(), name, identities=identities)


def test_a_name_is_never_given_anew() -> None:
    gone = changes.remove_person(two(), "anna")
    assert gone.people["anna"].all_identities == {"web:anna"}
    with pytest.raises(PeopleRefused, match="was removed"):
        changes.add_person(gone, "anna")
    with pytest.raises(PersonNotFound):
        changes.the_person(gone, "anna")
    assert changes.add_person(gone, "eve", identities=("tg:7",)).known_as("tg:7") is not None


def test_the_owner_stays_an_admin() -> None:
    for what in ({"admin": False}, {"enabled": False}):
        with pytest.raises(PeopleRefused, match="the owner stays"):
            changes.change_person(two(), "owner", **what)
    with pytest.raises(PeopleRefused, match="cannot be removed"):
        changes.remove_person(two(), "owner")


def test_what_is_not_named_of_somebody_stays() -> None:
    there = changes.change_person(two(), "bob", identities=["vk:1"], admin=True)
    bob = there.people["bob"]
    assert (bob.admin, bob.operator, bob.agents, bob.identities) == (
        True, True, ("coder",), ("vk:1",),
    )  # fmt: skip


def test_a_role_has_members_whom_any_identity_names() -> None:
    there = changes.add_role(two(), "Finance", "all", ("tg:7",))
    there = changes.add_member(there, "finance", "web:BOB")
    assert there.roles["finance"].members == ("anna", "bob")
    there = changes.remove_member(there, "finance", "tg:7")
    there = changes.change_role(there, "finance", enabled=False, quorum=2)
    role = there.roles["finance"]
    assert (role.members, role.enabled, role.quorum) == (("bob",), False, 2)
    assert changes.remove_role(there, "finance").roles == {}


def test_what_is_not_there_is_not_found() -> None:
    there = changes.add_role(two(), "finance")
    with pytest.raises(PeopleRefused, match="there is a role"):
        changes.add_role(there, "finance")
    with pytest.raises(RoleNotFound):
        changes.change_role(there, "legal", enabled=False)
    for attempt in (
        lambda: changes.add_member(there, "finance", "tg:99"),
        lambda: changes.remove_member(there, "finance", "anna"),
        lambda: changes.change_person(there, "eve", admin=True),
        lambda: changes.remove_stand_in(there, "anna"),
    ):
        with pytest.raises(PersonNotFound):
            attempt()


@pytest.mark.spec("REQ-66")
def test_who_is_removed_stands_in_for_nobody() -> None:
    there = changes.add_stand_in(two(), "anna", "bob", at(0), at(60), at(1))
    assert changes.remove_person(there, "bob").stand_ins == ()
    assert changes.remove_stand_in(there, "anna").stand_ins == ()
    assert changes.remove_stand_in(there, "anna", "bob").stand_ins == ()
    with pytest.raises(PersonNotFound):
        changes.remove_stand_in(there, "anna", "owner")
    with pytest.raises(PeopleRefused, match="over already"):
        changes.add_stand_in(there, "bob", "owner", at(0), at(1), at(1))


def test_there_is_an_end_to_how_many_there_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    there = changes.add_stand_in(two(), "anna", "bob", at(0), at(60), at(1))
    monkeypatch.setattr(changes, "MOST", 1)
    for attempt in (
        lambda: changes.add_person(there, "eve"),
        lambda: changes.add_role(changes.add_role(there, "a"), "b"),
        lambda: changes.add_stand_in(there, "bob", "owner", at(0), at(60), at(1)),
    ):
        with pytest.raises(PeopleRefused, match="already"):
            attempt()


@pytest.mark.spec("REQ-60")
def test_identities_are_added_to_and_taken_from_those_there_are() -> None:
    there = changes.add_person(Directory(), "anna", identities=("tg:7", "vk:1"))
    changed = changes.change_person(
        there, "anna", add_identities=("YM:Anna", "tg:8"), drop_identities=("VK:1", "vk:2")
    )
    assert changed.people["anna"].identities == ("tg:7", "tg:8", "ym:anna")
    replaced = changes.change_person(
        there, "anna", identities=("tg:9",), add_identities=("tg:10",), drop_identities=("tg:9",)
    )
    assert replaced.people["anna"].identities == ("tg:10",)
    with pytest.raises(PeopleRefused, match="everybody has one"):
        changes.change_person(there, "anna", add_identities=("web:anna",))
