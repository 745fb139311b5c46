from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import NoReturn

import pytest

from sayso.core.approval_policy import ApprovalPolicy, Approver, merge
from sayso.core.call import Owner
from sayso.people.counting import counted, needed, out_of_reach, settled
from sayso.people.directory import Directory
from sayso.people.eligibility import (
    Asked,
    counts_as,
    eligible_people,
    may_configure,
    may_review,
    may_see,
)
from sayso.people.person import Person, owner
from sayso.people.role import Role
from sayso.people.stand_in import StandIn
from sayso.people.token import CONFIGURING, DECIDING, SESSION, CredentialKind
from tests.fakes.values import at

ASKED_FOR = Owner("uma", "coder", "s1")
UMA = Person("uma", "uma")
UMA_ADMIN = Person("uma", "uma", admin=True)
OPERATOR = Person("olga", "olga", operator=True)
OTHER_OPERATOR = Person("oleg", "oleg", operator=True, agents=("writer",))
ADMIN = Person("anna", "anna", admin=True)
NOBODY = Person("nils", "nils")
EVERYBODY = (UMA, UMA_ADMIN, OPERATOR, OTHER_OPERATOR, ADMIN, NOBODY)


def asked(policy: ApprovalPolicy, owner: Owner = ASKED_FOR) -> Asked:
    return Asked(owner, policy)


def alone(person: Person, *roles: Role) -> Directory:
    return Directory({person.person_id: person}, {role.name: role for role in roles})


def refusal_of(person: Person, policy: ApprovalPolicy, *roles: Role) -> str | None:
    here = alone(person, *roles)
    return may_review(person.person_id, SESSION, asked(policy), here, at(0))


def who_may(policy: ApprovalPolicy, *roles: Role) -> list[Person]:
    return [p for p in EVERYBODY if refusal_of(p, policy, *roles) is None]


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
    assert refusal_of(UMA, named) == ("somebody else than the session's user has to decide")
    assert who_may(ApprovalPolicy(approvers=("uma",), self_approval=True)) == [UMA, UMA_ADMIN]


def test_a_list_names_people_by_id_or_by_their_name_at_the_page() -> None:
    assert who_may(ApprovalPolicy(approvers=("anna", "web:nils"))) == [ADMIN, NOBODY]


def test_an_empty_list_is_nobody() -> None:
    assert who_may(ApprovalPolicy(approvers=())) == []


@pytest.mark.spec("REQ-11", "REQ-61")
def test_the_members_of_a_role_decide_and_nobody_else() -> None:
    finance = ApprovalPolicy(role="Finance")
    role = Role("finance", ("nils", "uma"))
    assert who_may(finance, role) == [NOBODY]
    assert who_may(replace(finance, self_approval=True), role) == [UMA, UMA_ADMIN, NOBODY]
    for gone in (replace(role, enabled=False), replace(role, members=())):
        assert who_may(finance, gone) == []


def test_a_role_that_does_not_exist_has_no_members() -> None:
    refusals = {refusal_of(p, ApprovalPolicy(role="finance")) for p in EVERYBODY}
    assert refusals == {"only members of the role `finance` may decide"}


@pytest.mark.spec("REQ-10", "REQ-60")
def test_a_list_names_people_by_any_of_their_identities() -> None:
    nils = replace(NOBODY, identities=("tg:7", "mail:nils@example.com"))
    for named in ("tg:7", "TG: 7", "mail:Nils@Example.com", "nils", "web:NILS"):
        assert refusal_of(nils, ApprovalPolicy(approvers=(named,))) is None
    for other in ("tg:8", "vk:7", "nobody at all", ""):
        assert refusal_of(nils, ApprovalPolicy(approvers=(other,))) is not None


@pytest.mark.spec("REQ-66")
def test_the_requester_has_one_self_under_all_identities() -> None:
    uma = Person("uma", "uma", admin=True, identities=("tg:1",))
    policy = ApprovalPolicy(approvers=("tg:1", "web:uma", "anna"))
    for user_id in ("uma", "tg:1", "web:uma"):
        question = asked(policy, Owner(user_id, "coder", "s1"))
        refusal = may_review("uma", SESSION, question, alone(uma), at(0))
        assert refusal == "somebody else than the session's user has to decide"


@pytest.mark.spec("REQ-12")
def test_who_was_removed_or_disabled_decides_nothing() -> None:
    for gone in (replace(ADMIN, enabled=False), replace(ADMIN, removed=True)):
        assert refusal_of(gone, ApprovalPolicy()) == "this person was disabled or removed"
        assert not may_see("anna", asked(ApprovalPolicy()), alone(gone), at(0))
        assert not may_configure(gone, SESSION)


@pytest.mark.spec("REQ-12")
def test_who_could_not_decide_when_it_was_asked_cannot_now() -> None:
    late = Asked(ASKED_FOR, ApprovalPolicy(), eligible=("uma",))
    assert may_review("anna", SESSION, late, alone(ADMIN), at(0)) == (
        "whoever could not decide when it was asked cannot decide now"
    )
    assert may_review("uma", SESSION, late, alone(UMA), at(0)) is None


def standing(*links: tuple[str, str], seconds: int = 60) -> tuple[StandIn, ...]:
    """Each the absent one and who stands in."""
    return tuple(StandIn(absent, substitute, at(0), at(seconds)) for absent, substitute in links)


def together(*links: tuple[str, str], roles: tuple[Role, ...] = (), seconds: int = 60) -> Directory:
    people = {p.person_id: p for p in (UMA, OPERATOR, ADMIN, NOBODY, Person("sam", "sam"))}
    return Directory(people, {r.name: r for r in roles}, standing(*links, seconds=seconds))


ADMINS = asked(ApprovalPolicy(approver=Approver.ADMIN))


@pytest.mark.spec("REQ-66")
def test_a_stand_in_counts_as_the_one_who_is_away_while_the_time_lasts() -> None:
    here = together(("anna", "nils"))
    assert counts_as("nils", ADMINS, here, at(59)) == ("anna",)
    assert counts_as("nils", ADMINS, here, at(60)) == ()
    assert counts_as("anna", ADMINS, here, at(59)) == ("anna",)
    assert may_see("nils", ADMINS, here, at(59))
    assert not may_see("nils", ADMINS, here, at(60))


@pytest.mark.spec("REQ-66")
def test_a_chain_of_stand_ins_has_at_most_three_links() -> None:
    links = (("anna", "nils"), ("nils", "sam"), ("sam", "olga"))
    assert counts_as("olga", ADMINS, together(*links), at(1)) == ("anna",)
    too_long = together(("anna", "x1"), ("x1", "x2"), ("x2", "nils"), ("nils", "sam"))
    assert counts_as("sam", ADMINS, too_long, at(1)) == ()


@pytest.mark.spec("REQ-66")
def test_the_requester_stands_in_for_nobody_and_passes_nothing_on() -> None:
    here = together(("anna", "uma"), ("uma", "nils"))
    assert counts_as("uma", ADMINS, here, at(1)) == ()
    assert counts_as("nils", ADMINS, here, at(1)) == ()
    free = Asked(ASKED_FOR, ApprovalPolicy(approver=Approver.ADMIN, self_approval=True))
    assert counts_as("uma", free, here, at(1)) == ()


@pytest.mark.spec("REQ-66")
def test_two_stand_ins_of_one_person_count_once() -> None:
    here = together(("anna", "nils"), ("anna", "sam"))
    assert len(counted(["nils", "sam"], ADMINS, here, at(1))) == 1
    assert len(counted(["anna", "sam"], ADMINS, here, at(1))) == 1


@pytest.mark.spec("REQ-66")
def test_who_may_decide_anyway_counts_as_themselves_and_once() -> None:
    role = Role("two", ("anna", "olga"))
    here = together(("anna", "olga"), roles=(role,))
    two = asked(ApprovalPolicy(role="two"))
    assert counted(["olga"], two, here, at(1)) == {"olga": "olga"}
    assert len(counted(["olga", "anna"], two, here, at(1))) == 2


@pytest.mark.spec("REQ-12")
@pytest.mark.parametrize(
    ("policy", "roles", "why"),
    [
        (ApprovalPolicy(role="x"), (), "the role `x` does not exist"),
        (ApprovalPolicy(role="x"), (Role("x", ("anna",), enabled=False),), "the role `x` is disabled"),
        (ApprovalPolicy(role="x"), (Role("x", ("gone",)),), "the role `x` has no members"),
        (ApprovalPolicy(approvers=("tg:9",)), (),
         "1 of those who may decide have to approve, and there is nobody"),
        (ApprovalPolicy(approver=Approver.ADMIN, quorum=2), (),
         "2 of those who may decide have to approve, and there is one"),
        (ApprovalPolicy(role="x"), (Role("x", ("anna", "nils"), quorum=2),), None),
        (ApprovalPolicy(role="x", quorum="all"), (Role("x", ("anna", "nils"), quorum=2),), None),
    ],
)  # fmt: skip
def test_it_is_said_why_a_quorum_is_out_of_reach(
    policy: ApprovalPolicy, roles: tuple[Role, ...], why: str | None
) -> None:
    assert out_of_reach(asked(policy), together(roles=roles)) == why


@pytest.mark.spec("REQ-12", "REQ-61")
def test_a_rules_quorum_goes_before_its_roles() -> None:
    role = Role("x", ("anna", "nils", "sam"), quorum=2)
    for quorum, need in ((None, 2), (1, 1), (3, 3), ("all", 3)):
        policy = ApprovalPolicy(role="x", quorum=quorum)  # type: ignore[arg-type]
        assert needed(asked(policy), together(roles=(role,))) == need
        assert settled(policy, together(roles=(role,))).quorum == (2 if quorum is None else quorum)


@pytest.mark.spec("REQ-12", "POL-24")
def test_a_second_rule_makes_no_fewer_of_all() -> None:
    """Else a rule that asks one of them, too, would turn all of them into that one."""
    finance = Role("finance", ("anna", "nils", "sam"))
    here = together(roles=(finance, Role("legal", ("anna",))))
    everybody = ApprovalPolicy(role="finance", quorum="all")
    one_of_them = [
        ApprovalPolicy(role="legal"),
        ApprovalPolicy(role="legal", quorum="all"),
        ApprovalPolicy(approvers=("anna",)),
        ApprovalPolicy(approver=Approver.ADMIN),
    ]
    for second in one_of_them:
        for merged in (merge([everybody, second]), merge([second, everybody])):
            for eligible in (None, ("anna",)):
                both = replace(asked(merged), eligible=eligible)
                assert eligible_people(both, here) == ("anna",)
                assert needed(both, here) == 3
                assert out_of_reach(both, here) == (
                    "3 of those who may decide have to approve, and there is one"
                )


@pytest.mark.spec("REQ-12")
def test_whoever_joins_later_is_none_of_all_where_one_rule_says_who_decides() -> None:
    """Also beside a rule that names nobody, and only how many."""
    here = together(roles=(Role("finance", ("anna", "nils", "sam")),))
    finance = ApprovalPolicy(role="finance", quorum="all")
    for policy in (finance, merge([finance, ApprovalPolicy(quorum=2)])):
        assert needed(replace(asked(policy), eligible=("anna", "nils")), here) == 2


class Unscanned(dict[str, Person]):
    """People of whom one is looked up by id, and who are never gone through."""

    def values(self) -> NoReturn:
        raise AssertionError("everybody was gone through to say whether one may decide")

    items = __iter__ = values  # type: ignore[assignment]


def test_whether_one_may_decide_is_said_without_going_through_everybody() -> None:
    """Each is asked about whenever a request is made: else ten thousand people would be a hundred million."""
    link = StandIn("anna", "nils", at(0), at(60))
    here = Directory(Unscanned({p.person_id: p for p in (UMA, ADMIN, NOBODY)}), stand_ins=(link,))
    admins = asked(ApprovalPolicy(approver=Approver.ADMIN))
    for name, whom in (("anna", ("anna",)), ("nils", ("anna",)), ("uma", ()), ("x", ())):
        assert counts_as(name, admins, here, at(1)) == whom


@pytest.mark.spec("REQ-64")
@pytest.mark.parametrize("approver", list(Approver))
def test_an_agents_token_never_decides_whoever_it_belongs_to(approver: Approver) -> None:
    policy = ApprovalPolicy(approver=approver, self_approval=True)
    for person in (*EVERYBODY, owner()):
        here = alone(person)
        refusal = may_review(person.person_id, CredentialKind.AGENT, asked(policy), here, at(0))
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
    assert [
        p
        for p in EVERYBODY
        if may_see(p.person_id, asked(ApprovalPolicy(approver=Approver.ADMIN)), alone(p), at(0))
    ] == [UMA, UMA_ADMIN, OPERATOR, ADMIN]


@pytest.mark.spec("REQ-11")
def test_who_may_decide_a_request_sees_it() -> None:
    named = asked(ApprovalPolicy(approvers=("nils",)))
    assert may_see("nils", named, alone(NOBODY), at(0))
    assert not may_see("oleg", named, alone(OTHER_OPERATOR), at(0))


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
