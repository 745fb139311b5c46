"""Opening an agent's session, one below another, and taking one up again after a restart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.audit.record import AuditRecord, RecordKind
from sayso.broker.access import Actor
from sayso.broker.world import World
from sayso.core.session import DEFAULT_GROUP, GivenRule, Session, below
from sayso.errors import CallInvalid, LostRace, NotEligible
from sayso.people.token import CredentialKind

SOURCES = ("web", "terminal", "telegram", "cron", "mcp", "api", "webhook", "mail", "hook")
WITHOUT_A_PERSON = ("cron", "webhook", "mail")


async def open_session(
    world: World,
    actor: Actor,
    *,
    source: str,
    workspace: str | None,
    attended: bool | None,
    context_label: str | None,
    rules: Sequence[GivenRule],
    parent: str | None,
    name: str | None,
) -> Session:
    """Open a session with an agent's credential; what is bound now no call can change.

    `rules` are those by which the agent's side binds itself; it can allow itself nothing. `parent` is the
    session whose agent this one's, called `name`, works for: it runs under that one's source, workspace,
    group and rules. Raises NotEligible, CallInvalid, and RuleSyntaxError for a rule that cannot be read.
    """
    credential = actor.credential
    if actor.kind is not CredentialKind.AGENT or credential.agent_id is None:
        raise NotEligible(
            "a session is opened with an agent's token",
            "make one: sayso tokens create --kind agent",
        )
    if source not in SOURCES:
        raise CallInvalid(f"`{source}` is not a source", f"one of {', '.join(SOURCES)}")
    now = world.clock.now()
    session = Session(
        session_id=world.ids.new_id(now),
        user_id=credential.person_id,
        agent_id=credential.agent_id,
        source=source,
        workspace=workspace,
        attended=source not in WITHOUT_A_PERSON if attended is None else attended,
        permission_group=DEFAULT_GROUP,
        credential_id=credential.credential_id,
        opened_at=now,
        context_label=context_label,
        rules=tuple(rules),
    )
    if parent is not None:
        above = await world.store.session(parent)
        if above is None or above.credential_id != credential.credential_id:
            raise NotEligible("the session above is not yours", "open it with this token first")
        session = below(session, above, name or credential.agent_id)
    session = replace(session, host_start=session.session_id)
    await world.store.open_session(session)
    return session


async def take_up_session(world: World, actor: Actor, session_id: str) -> Session:
    """Take up a session that the same agent opened before a restart, with its credential of today.

    Raises NotEligible for another agent's or user's session.
    """
    credential = actor.credential
    while True:
        session = await world.store.session(session_id)
        if (
            session is None
            or actor.kind is not CredentialKind.AGENT
            or (session.agent_id, session.user_id) != (credential.agent_id, credential.person_id)
        ):
            raise NotEligible("this session is not yours", "open a session with this token")
        start = world.ids.new_id(world.clock.now())  # bypasses of the start before are over
        taken = replace(session, credential_id=credential.credential_id, host_start=start)
        record = AuditRecord(
            RecordKind.CONFIGURATION,
            world.clock.now(),
            session_id=session_id,
            agent_id=session.agent_id,
            user_id=session.user_id,
            source=session.source,
            channel=actor.channel,
            note="session taken up again",
        )
        try:
            await world.store.change_session(session, taken, [record], [])
        except LostRace:
            continue
        return taken
