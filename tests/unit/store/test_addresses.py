"""Addresses of PostgreSQL databases: what is shown of them never holds a password."""

from __future__ import annotations

import pytest

from sayso.errors import SettingsInvalid
from sayso.store.postgres.address import parse_address


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://bob:aaa/SECRET@h/db",
        "postgresql://bob:123/SECRET@h/db",
        "postgresql://bob:/SECRET@h/db",
        "postgresql://bob:aaa@SECRET@h",
        "postgresql://bob:aaa@SECRET@h/db",
        "postgresql://bob:aaa@SECRET/b@h/db",
        "postgresql://h:SECRET/db",
        "postgresql://h:5432,i:SECRET/db",
        "postgresql://bob:SEC%RET@h/db",
        "host=h port=SECRET",
    ],
)
def test_a_password_that_was_not_encoded_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(SettingsInvalid) as refused:
        parse_address(url)
    said = f"{refused.value} {refused.value.hint}"
    assert not any(part in said for part in ("SEC", "RET", "aaa", "bob"))
    assert refused.value.__cause__ is None
    if "%" not in url:
        assert "percent-encode" in (refused.value.hint or "")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://bob:a%2FSECRET%40@h/db", "postgresql://bob@h/db"),
        ("postgresql://bob%40corp:SECRET@h:5432/db", "postgresql://bob@corp@h:5432/db"),
        ("postgresql://h:5432,i:5433/db", "postgresql://h,i:5432,5433/db"),
        ("postgresql://h,i:5433/db", "postgresql://h,i:,5433/db"),
        ("postgresql://postgres@%2Frun%2Fpg:5432/db", "postgresql://postgres@/run/pg:5432/db"),
        ("postgresql:///db", "postgresql://localhost/db"),
        ("host=h user=bob password=SECRET dbname=db", "postgresql://bob@h/db"),
    ],
)
def test_an_address_is_shown_without_its_password(url: str, shown: str) -> None:
    assert parse_address(url).shown == shown
