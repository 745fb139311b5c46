"""Opening an agent's session, one below another, and taking one up again after a restart.

What an agent's token says of its own session only tightens (decision 9): it names run contexts that people
allowed for it, and modes that allow nothing. A program that embeds the gate says what it likes of itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.audit.record import AuditRecord, RecordKind
from sayso.broker.access import Actor
from sayso.broker.circumstances import absolute, bound
from sayso.broker.session_rules import flag_rules
from sayso.broker.world import World
from sayso.core.mode import TIGHTENING, Mode, parse_mode
from sayso.core.run_context import DEFAULT_RUN_CONTEXT
from sayso.core.session import Session, below
from sayso.errors import CallInvalid, LostRace, NotEligible, RunContextNotFound
from sayso.people.token import CredentialKind

SOURCES = ("web", "terminal", "telegram", "cron", "mcp", "api", "webhook", "mail", "hook")
WITHOUT_A_PERSON = ("cron", "webhook", "mail")


async def open_session(
    world: World,
    actor: Actor,
    *,
    source: str = "api",
    workspace: str | None = None,
    attended: bool | None = None,
    context_label: str | None = None,
    ask: Sequence[str] = (),
    deny: Sequence[str] = (),
    parent: str | None = None,
    name: str | None = None,
    run_context: str | None = None,
    mode: Mode | None = None,
    embedded: bool = False,
) -> Session:
    """Open a session with an agent's credential; what is bound now no call can change.

    `ask` and `deny` are text rules by which the agent's side binds itself; it can allow itself nothing. `parent` is the
    session whose agent this one's, called `name`, works for: it runs under that one's source, workspace,
    run context, mode and rules. `embedded` tells that the gate is part of the program whose calls these
    are, which may choose any mode. Raises NotEligible, CallInvalid, RunContextNotFound, and RuleSyntaxError
    for a rule that cannot be read.
    """
    credential = actor.credential
    if actor.kind is not CredentialKind.AGENT or credential.agent_id is None:
        raise NotEligible(
            "a session is opened with an agent's token",
            "make one: sayso tokens create --kind agent",
        )
    if source not in SOURCES:
        raise CallInvalid(f"`{source}` is not a source", f"one of {', '.join(SOURCES)}")
    if parent is not None and (run_context is not None or mode is not None):
        raise NotEligible(
            "a sub-agent runs under the run context and the mode of the session above it",
            "leave both out",
        )
    if mode is not None:
        _check_mode(world, mode, embedded=embedded)
    chosen = run_context or DEFAULT_RUN_CONTEXT
    _must_be_allowed(actor, chosen)
    if parent is None:
        workspace = await _place(world, chosen, workspace)
    now = world.clock.now()
    session = Session(
        session_id=world.ids.new_id(now),
        user_id=credential.person_id,
        agent_id=credential.agent_id,
        source=source,
        workspace=workspace,
        attended=source not in WITHOUT_A_PERSON and attended is not False,
        credential_id=credential.credential_id,
        opened_at=now,
        context_label=context_label,
        rules=flag_rules(ask=ask, deny=deny),
        run_context=chosen,
        mode=mode if embedded else None,
        agent_mode=None if embedded else mode,
    )
    if parent is not None:
        above = await world.store.session(parent)
        if above is None or above.credential_id != credential.credential_id:
            raise NotEligible("the session above is not yours", "open it with this token first")
        above, _ = await bound(world.store, above)
        if above.stopped_at is not None:
            raise NotEligible("the session above has stopped", "open one that is below no other")
        session = below(session, above, name or credential.agent_id)
    session = replace(session, host_start=session.session_id)
    await world.store.open_session(session)
    return session


def mode_named(word: str) -> Mode:
    """The mode with that name, or with another program's; raises CallInvalid."""
    try:
        return parse_mode(word)
    except ValueError as error:
        raise CallInvalid(str(error), "write one of these") from error


def _check_mode(world: World, mode: Mode, *, embedded: bool) -> None:
    if not embedded and mode not in TIGHTENING and mode is not Mode.DEFAULT:
        raise NotEligible(
            f"an agent's token cannot open a session in the mode `{mode}`",
            "people switch it: sayso mode SESSION MODE",
        )
    if mode is Mode.BYPASS and not world.sandbox.active:
        raise CallInvalid(
            "the mode `bypass` needs an active sandbox, and there is none here",
            "choose another mode, or see: sayso doctor",
        )


def _must_be_allowed(actor: Actor, run_context: str) -> None:
    if run_context not in (DEFAULT_RUN_CONTEXT, *actor.credential.run_contexts):
        raise NotEligible(
            f"this token may not name the run context `{run_context[:64]}`",
            "people allow it: sayso tokens create --kind agent --run-context NAME",
        )


async def _place(world: World, run_context: str, workspace: str | None) -> str | None:
    """The working directory of a session: inside that of its run context, where that has one."""
    found = (await world.rules.current(workspace)).in_force.run_context(run_context)
    if found is None:
        raise RunContextNotFound(
            f"no run context has the id `{run_context[:64]}`", "see: sayso contexts list"
        )
    # rules that are anchored at the workspace meet only paths below a whole one: `~` is no folder's name
    place = None if found.working_directory is None else _whole(world, found.working_directory)
    workspace = None if workspace is None else _whole(world, workspace)
    if place is None or workspace is None:
        return workspace or place
    inner, outer = world.facts.resolve(workspace), world.facts.resolve(place)
    if inner is None or outer is None or not f"{inner}/".startswith(f"{outer.rstrip('/')}/"):
        raise NotEligible(
            f"the run context `{run_context[:64]}` is for `{place}` and what lies below it",
            "open the session there, or leave its working directory out",
        )
    return workspace


def _whole(world: World, folder: str) -> str:
    found = absolute(folder, None, world.facts)
    if found is None:
        raise CallInvalid(
            f"`{folder[:200]}` is no working directory that is known here",
            "write an absolute path",
        )
    return found


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
        _must_be_allowed(actor, session.run_context)  # a sub-agent's names that of the one above
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
