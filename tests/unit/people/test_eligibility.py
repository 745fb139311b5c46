from __future__ import annotations

from itertools import product

import pytest

from sayso.core.approval_policy import ApprovalPolicy, Approver, merge
from sayso.core.call import Owner
from sayso.people.eligibility import may_configure, may_review, may_see
from sayso.people.person import Person, owner
from sayso.people.token import CONFIGURING, DECIDING, SESSION, CredentialKind

ASKED_FOR = Owner("uma", "coder", "s1")
UMA = Person("uma", "uma")
UMA_ADMIN = Person("uma", "uma", admin=True)
OPERATOR = Person("olga", "olga", operator=True)
OTHER_OPERATOR = Person("oleg", "oleg", operator=True, agents=("writer",))
ADMIN = Person("anna", "anna", admin=True)
NOBODY = Person("nils", "nils")
EVERYBODY = (UMA, UMA_ADMIN, OPERATOR, OTHER_OPERATOR, ADMIN, NOBODY)


def who_may(policy: ApprovalPolicy) -> list[Person]:
    return [p for p in EVERYBODY if may_review(p, SESSION, ASKED_FOR, policy) is None]


@pytest.mark.parametrize(
    ("approver", "may"),
    [
        (Approver.ANY, [UMA, UMA_ADMIN, OPERATOR, ADMIN]),
        (Approver.END_USER, [UMA, UMA_ADMIN]),
        (Approver.OPERATOR, [OPERATOR, ADMIN]),
        (Approver.ADMIN, [ADMIN]),
    ],
)
def test_the_approver_word_says_who_may(approver: Approver, may: list[Person]) -> None:
    assert who_may(ApprovalPolicy(approver=approver)) == may


def test_the_sessions_user_counts_where_others_decide_only_if_the_policy_says_so() -> None:
    for approver in (Approver.OPERATOR, Approver.ADMIN):
        policy = ApprovalPolicy(approver=approver, self_approval=True)
        assert UMA_ADMIN in who_may(policy)
        assert UMA not in who_may(policy)
    named = ApprovalPolicy(approvers=("uma", "nils"))
    assert who_may(named) == [NOBODY]
    assert may_review(UMA, SESSION, ASKED_FOR, named) == (
        "somebody else than the session's user has to decide"
    )
    assert who_may(ApprovalPolicy(approvers=("uma",), self_approval=True)) == [UMA, UMA_ADMIN]


def test_a_list_names_people_by_id_or_by_their_name_at_the_page() -> None:
    assert who_may(ApprovalPolicy(approvers=("anna", "web:nils"))) == [ADMIN, NOBODY]


def test_an_empty_list_is_nobody() -> None:
    assert who_may(ApprovalPolicy(approvers=())) == []


def test_a_role_that_does_not_exist_has_no_members() -> None:
    refusals = {
        may_review(p, SESSION, ASKED_FOR, ApprovalPolicy(role="finance")) for p in EVERYBODY
    }
    assert refusals == {"only members of the role `finance` may decide"}


@pytest.mark.spec("REQ-64")
@pytest.mark.parametrize("approver", list(Approver))
def test_an_agents_token_never_decides_whoever_it_belongs_to(approver: Approver) -> None:
    policy = ApprovalPolicy(approver=approver, self_approval=True)
    for person in (*EVERYBODY, owner()):
        refusal = may_review(person, CredentialKind.AGENT, ASKED_FOR, policy)
        assert refusal == "an agent's token can never decide"


def test_kinds_of_credentials_are_disjoint_in_what_they_give() -> None:
    assert CredentialKind.AGENT not in DECIDING | CONFIGURING
    assert set(CredentialKind) - DECIDING == {CredentialKind.AGENT}
    assert CONFIGURING < DECIDING


def test_only_an_admin_with_a_login_or_an_admins_token_configures() -> None:
    for person, kind in product(EVERYBODY, CredentialKind):
        may = person.admin and kind in (CredentialKind.ADMIN, CredentialKind.SESSION)
        assert may_configure(person, kind) == may


def test_a_request_is_seen_by_its_user_its_operators_and_admins() -> None:
    assert [p for p in EVERYBODY if may_see(p, ASKED_FOR)] == [UMA, UMA_ADMIN, OPERATOR, ADMIN]


POLICIES = [
    ApprovalPolicy(approver=approver, self_approval=self_approval)
    for approver, self_approval in product(Approver, (False, True))
] + [
    ApprovalPolicy(approvers=approvers, self_approval=self_approval)
    for approvers, self_approval in product(
        (("anna",), ("uma", "anna", "olga", "nils"), ()), (False, True)
    )
] + [ApprovalPolicy(role="finance"), ApprovalPolicy(role="legal")]  # fmt: skip


@pytest.mark.parametrize("first", POLICIES)
@pytest.mark.parametrize("second", POLICIES)
def test_who_may_decide_under_two_rules_may_under_each(
    first: ApprovalPolicy, second: ApprovalPolicy
) -> None:
    both = set(who_may(merge([first, second])))
    # a plain `any` beside a list says nothing of its own: it is what a rule without a policy has
    for one, other in ((first, second), (second, first)):
        if not (one.approver is Approver.ANY and one.approvers is None and other.approvers):
            assert both <= set(who_may(one))


def test_one_rules_own_list_decides_before_its_role_and_its_word() -> None:
    rule = ApprovalPolicy(approvers=("nils",), role="finance", approver=Approver.ADMIN)
    assert who_may(merge([rule])) == [NOBODY]
    beside = merge([rule, ApprovalPolicy(approver=Approver.ADMIN)])
    assert who_may(beside) == []
