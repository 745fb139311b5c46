from __future__ import annotations

import pytest

from sayso.errors import PeopleRefused
from sayso.people.names import canonical_identity, canonical_name, same_identity

pytestmark = pytest.mark.spec("REQ-60")


@pytest.mark.parametrize(
    ("written", "name"),
    [("Anna", "anna"), ("anna.smith-2", "anna.smith-2"), ("ПЁТР", "пётр"), ("Ｂob", "bob")],
)
def test_a_name_has_one_spelling(written: str, name: str) -> None:
    assert canonical_name(written) == name
    assert canonical_name(name) == name


@pytest.mark.parametrize(
    "written",
    [
        "",
        " ",
        "1anna",
        "_anna",
        "anna smith",
        "a/b",
        "tg:1",
        "anna\n",
        "a\u202eb",
        "a" * 65,
        "@anna",
    ],
)
def test_what_is_no_name_is_refused(written: str) -> None:
    with pytest.raises(PeopleRefused, match="is not a name"):
        canonical_name(written)


def test_a_letter_of_another_alphabet_is_refused() -> None:
    with pytest.raises(PeopleRefused, match="more than one alphabet"):
        canonical_name("\u0430nna")  # a Cyrillic a


@pytest.mark.parametrize(
    ("written", "identity"),
    [
        ("tg:123", "tg:123"),
        (" TG: 123 ", "tg:123"),
        ("vk:1", "vk:1"),
        ("ym:Login.Name", "ym:login.name"),
        ("web:Anna", "web:anna"),
        ("Anna", "web:anna"),
        ("mail:A@B.c", "mail:a@b.c"),
    ],
)
def test_an_identity_has_one_spelling(written: str, identity: str) -> None:
    assert canonical_identity(written) == identity
    assert same_identity(written, frozenset((identity,)))


@pytest.mark.parametrize(
    "written",
    ["tg:abc", "tg:01", "tg:", "vk:-1", "ym:a b", "mail:a", "mail:a@b@c", "mail:a@", "irc:anna", ":",
     "tg:" + "1" * 30, "mail:" + "a" * 300 + "@b.c", "tg:\u0661"],
)  # fmt: skip
def test_what_is_no_identity_is_refused_and_is_nobodys(written: str) -> None:
    with pytest.raises(PeopleRefused):
        canonical_identity(written)
    assert not same_identity(written, frozenset((written,)))
