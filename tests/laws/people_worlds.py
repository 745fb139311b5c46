"""Random people, roles and stand-ins: few, so that they meet."""

from __future__ import annotations

from hypothesis import strategies as st

from sayso.core.approval_policy import ApprovalPolicy, merge
from sayso.core.deciders import Approver
from sayso.people.directory import Directory
from sayso.people.person import Person
from sayso.people.role import Role
from sayso.people.stand_in import StandIn
from tests.fakes.values import at

IDS = ("uma", "anna", "olga", "nils")
IDENTITIES = {name: f"tg:{number}" for number, name in enumerate(IDS, 1)}
ROLES = ("finance", "legal")

names = st.sampled_from(IDS)
quorums = st.sampled_from([None, None, 1, 2, 3, "all"])


def person(name: str) -> st.SearchStrategy[Person]:
    """Somebody with that name and any rights, who may have gone."""
    return st.builds(
        Person,
        person_id=st.just(name),
        name=st.just(name),
        admin=st.sampled_from([True, True, False]),
        operator=st.booleans(),
        agents=st.sampled_from([None, ("coder",), ()]),
        identities=st.sampled_from([(), (IDENTITIES[name],)]),
        enabled=st.sampled_from([True, True, True, False]),
        removed=st.sampled_from([False, False, False, True]),
    )


def role(name: str) -> st.SearchStrategy[Role]:
    """A role with that name."""
    return st.builds(
        Role,
        name=st.just(name),
        members=st.lists(names, max_size=4, unique=True).map(tuple),
        quorum=st.sampled_from([1, 1, 2, "all"]),
        enabled=st.sampled_from([True, True, True, False]),
    )


since, until = st.sampled_from([-60, -60, 0, 1]).map(at), st.sampled_from([60, 60, 1, 0]).map(at)
"""Most of them hold at the moment 0."""

stand_ins = st.builds(StandIn, names, names, since, until).filter(
    lambda link: link.absent != link.substitute
)

directories = st.builds(
    Directory,
    people=st.fixed_dictionaries({name: person(name) for name in IDS})
    | st.fixed_dictionaries({}, optional={name: person(name) for name in IDS}),
    roles=st.fixed_dictionaries({}, optional={name: role(name) for name in ROLES}),
    stand_ins=st.lists(stand_ins, max_size=4).map(tuple),
)

own_words = st.builds(
    ApprovalPolicy,
    approver=st.sampled_from(list(Approver)),
    approvers=st.none()
    | st.none()
    | st.lists(
        st.sampled_from([*IDS, "web:anna", *IDENTITIES.values(), "tg:99"]), max_size=3, unique=True
    ).map(tuple),
    role=st.sampled_from([None, None, None, *ROLES, "nobody"]),
    quorum=quorums,
    self_approval=st.booleans(),
)
policies = own_words | st.lists(own_words, min_size=2, max_size=3).map(merge)
"""What one rule says, and what several say together."""

users = st.sampled_from(["uma", "uma", IDENTITIES["uma"], "web:uma", "nobody"])
frozen = st.none() | st.lists(names, unique=True).map(lambda some: tuple(sorted(some)))
