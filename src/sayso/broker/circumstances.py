"""What a session runs under at this moment: its run context, its mode, and the paths that these open (GATE-5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from sayso.broker.ports import Store
from sayso.broker.ports.sandbox import Sandbox
from sayso.core.call import ToolCall
from sayso.core.in_force import InForce, mode_in_force
from sayso.core.mode import Mode
from sayso.core.run_context import RunContext
from sayso.core.session import Session
from sayso.gate.circumstances import Circumstances
from sayso.gate.paths_inside import is_as_wide_as_home
from sayso.policy.facts import Facts
from sayso.policy.paths import collapse, is_absolute

NO_SANDBOX_HERE = "`bypass` needs an active sandbox, and there is none here: it counts as `default`"

_READ_BELOW = ("docs", "skills")
"""Folders of the working directory that may be read even where the directory itself is too wide (RC-2)."""


_LIFTING = frozenset({Mode.ACCEPT_EDITS, Mode.AUTO, Mode.BYPASS})


@dataclass(frozen=True, slots=True)
class Under:
    """What one session runs under now.

    `gone` tells that people deleted the run context that it names: nothing of it runs any more. `note`
    says in words why another mode counts than the one that was chosen.
    """

    run_context: RunContext
    mode: Mode
    gone: bool = False
    note: str | None = None


async def bound(store: Store, session: Session) -> tuple[Session, Session]:
    """The session with what those above it say today, and the first above it, or itself (RC-3, GATE-5).

    It has stopped where one above it has, and the rules of each count in it.
    """
    if not session.parent:
        return session, session
    found = [await store.session(session_id) for session_id in session.parent]
    above = [one for one in found if one is not None]
    rules = [rule for one in (*above, session) for rule in one.rules]
    stops = [one.stopped_at for one in (session, *above) if one.stopped_at is not None]
    today = replace(
        session, rules=tuple(dict.fromkeys(rules)), stopped_at=stops[0] if stops else None
    )
    return today, found[0] or session


def under(top: Session, in_force: InForce, sandbox: Sandbox) -> Under:
    """What a session runs under that is not below another."""
    found = in_force.run_context(top.run_context)
    context = RunContext(top.run_context) if found is None else found
    mode = mode_in_force(top.mode, top.agent_mode, context.mode, in_force.mode)
    note = None
    if mode is Mode.BYPASS and not sandbox.active:
        mode, note = Mode.DEFAULT, NO_SANDBOX_HERE
    return Under(context, mode, found is None, note)


async def under_now(store: Store, session: Session, in_force: InForce, sandbox: Sandbox) -> Under:
    """What a session runs under now; for a sub-agent's one those above it are read."""
    _, top = await bound(store, session)
    return under(top, in_force, sandbox)


def without_paths(now: Under, call: ToolCall, in_force: InForce, sandbox: Sandbox) -> Circumstances:
    """What is implied for a call, as far as nothing has to be looked up on the disk."""
    return Circumstances(
        mode=now.mode,
        run_context=now.run_context,
        read_only_defaults=in_force.read_only_defaults,
        auto_approve_commands=in_force.auto_approve_commands,
        sandboxed=now.mode is Mode.BYPASS and sandbox.holds(call),
    )


def may_lift(there: Circumstances) -> bool:
    """Whether anything of it may lift an ask, so that it matters who the session's user is."""
    context = there.run_context
    return (
        there.mode in _LIFTING
        or bool(there.readable or there.writable or there.auto_approve_commands)
        or bool(context.permissions or there.hooks or there.reviewer)
        or context.auto_approve_severity is not None
    )


def readable_and_writable(
    context: RunContext, workspace: str | None, facts: Facts
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The paths that may be read and written (RC-2), absolute and with links followed.

    What cannot be resolved opens nothing, nor does what is relative and does not lie where it says, in
    the working directory: a link there may be the agent's own or have come with a repository. The
    working directory of a session is what its agent's side says; where that is the root of everything,
    the home directory or above it, it opens its `docs` and `skills` alone. One that people wrote into
    the run context counts whatever it is.
    """
    place = context.working_directory or workspace
    base = None if place is None else absolute(place, None, facts)
    writable = tuple(dict.fromkeys(_resolved(context.allow_fs_writes, base, facts)))
    below: tuple[str, ...] = ()
    if base is not None:
        wide = context.working_directory is None and is_as_wide_as_home(base, facts)
        below = (*(() if wide else (base,)), *_READ_BELOW)
    wanted = (*below, *context.allow_fs_reads)
    readable = dict.fromkeys((*_resolved(wanted, base, facts), *writable))
    return tuple(readable), writable


def _resolved(paths: Iterable[str], base: str | None, facts: Facts) -> Iterator[str]:
    for path in paths:
        full = absolute(path, base, facts)
        real = None if full is None else facts.resolve(full)
        if real is not None and (
            absolute(path, None, facts) is not None or _is_in_its_place(real, path, base, facts)
        ):
            yield real


def _is_in_its_place(real: str, path: str, base: str | None, facts: Facts) -> bool:
    """Whether a relative path lies below the directory by its words, and no link there leads elsewhere."""
    top = None if base is None else facts.resolve(base)
    if top is None:
        return False
    root = _with_slashes(top, facts).rstrip("/")
    place = collapse(f"{root}/{_with_slashes(path, facts)}")
    return place == _with_slashes(real, facts) and f"{place}/".startswith(f"{root}/")


def _with_slashes(path: str, facts: Facts) -> str:
    return path.replace("\\", "/") if facts.windows else path


def absolute(path: str, base: str | None, facts: Facts) -> str | None:
    """A path as it was written, `~` too, made absolute; None where it is not known from where."""
    if path == "~" or path.startswith("~/"):
        return None if facts.home is None else f"{facts.home}{path[1:]}"
    if is_absolute(path, windows=facts.windows):
        return path
    return None if base is None else f"{base.rstrip('/')}/{path}"
