"""What the API takes about people, roles and stand-ins: read as strictly as every other body."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType, field

from sayso.server.bodies import Body, Text

Name = Annotated[str, Meta(max_length=256, examples=["anna"])]
Identity = Annotated[str, Meta(max_length=512, examples=["tg:123456"])]
QuorumBody: TypeAlias = Annotated[int, Meta(ge=1, le=1000)] | Literal["any", "all"]
Identities = Annotated[list[Identity], Meta(max_length=50)]
Agents = Annotated[list[Text], Meta(max_length=1000)]


class PersonBody(Body):
    """Somebody new; `agents` limits an operator to these."""

    name: Name
    admin: bool = False
    operator: bool = False
    agents: Agents | None = None
    identities: Identities = field(default_factory=list)


class PersonChangeBody(Body, omit_defaults=True):
    """What changes of somebody; what is left out stays as it is."""

    admin: bool | UnsetType = UNSET
    operator: bool | UnsetType = UNSET
    agents: Agents | UnsetType | None = UNSET
    identities: Identities | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET


class StandInBody(Body):
    """Who stands in, from when (now, unless given) and until when; RFC 3339."""

    substitute: Name
    until: Annotated[str, Meta(max_length=64, examples=["2030-01-02T03:04:05Z"])]
    since: Annotated[str, Meta(max_length=64, examples=["2030-01-01T00:00:00Z"])] | None = None


class RoleBody(Body):
    """A new role; members are named by any of their identities."""

    name: Name
    quorum: QuorumBody = "any"
    members: Annotated[list[Identity], Meta(max_length=1000)] = field(default_factory=list)


class RoleChangeBody(Body, omit_defaults=True):
    """What changes of a role; what is left out stays as it is."""

    quorum: QuorumBody | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET


class MemberBody(Body):
    """A member, by any identity."""

    member: Identity


class EnrolBody(Body):
    """The code that was shown once, and the passphrase chosen with it."""

    code: Annotated[str, Meta(max_length=256)]
    passphrase: Annotated[str, Meta(max_length=1024, examples=["correct horse battery staple"])]
