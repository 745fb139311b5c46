from __future__ import annotations

from dataclasses import replace

import pytest

from sayso.people.person import Person, owner
from sayso.people.token import Credential, CredentialKind, hash_token, write_token
from tests.fakes.values import at

CREDENTIAL = Credential("k1", CredentialKind.APPROVER, "owner", "hash", at(0))


def test_a_token_says_what_it_is_for_and_only_its_hash_is_kept() -> None:
    token = write_token(CredentialKind.AGENT, bytes(32))
    assert token == "sayso_agent_" + "00" * 32
    assert len(hash_token(token)) == 64
    assert token not in hash_token(token)


def test_the_kind_written_in_a_token_is_part_of_its_secret() -> None:
    as_agent = write_token(CredentialKind.AGENT, bytes(32))
    as_admin = write_token(CredentialKind.ADMIN, bytes(32))
    assert hash_token(as_agent) != hash_token(as_admin)


def test_any_text_can_be_looked_up_even_what_is_no_unicode() -> None:
    assert len(hash_token("\ud800")) == 64


@pytest.mark.parametrize(
    ("changes", "seconds", "live"),
    [
        ({}, 10**9, True),
        ({"expires_at": at(60)}, 59.999999, True),
        ({"expires_at": at(60)}, 60, False),
        ({"revoked_at": at(0)}, 1, False),
    ],
)
def test_a_credential_counts_until_it_is_revoked_or_expires(
    changes: dict[str, object], seconds: float, live: bool
) -> None:
    assert replace(CREDENTIAL, **changes).live(at(seconds)) is live


def test_the_owner_is_an_admin() -> None:
    assert (owner().person_id, owner().admin) == ("owner", True)


def test_an_operator_may_be_limited_to_some_agents() -> None:
    assert Person("o", "o", operator=True).operates("coder")
    assert Person("o", "o", operator=True, agents=("coder",)).operates("coder")
    assert not Person("o", "o", operator=True, agents=("writer",)).operates("coder")
    assert not Person("o", "o", admin=True).operates("coder")
