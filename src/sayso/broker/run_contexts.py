"""Making, changing and deleting run contexts: by admins, every change recorded (RC-1)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sayso.audit.record import AuditRecord, RecordKind
from sayso.broker.access import Access, Actor
from sayso.broker.world import World
from sayso.core.approval_policy import Severity
from sayso.core.effect import Effect
from sayso.core.mode import parse_mode
from sayso.core.run_context import DEFAULT_RUN_CONTEXT, RunContext, Unattended
from sayso.errors import (
    GroupNotFound,
    NotEligible,
    RuleSyntaxError,
    RunContextNotFound,
    RunContextRefused,
)
from sayso.people.token import DECIDING
from sayso.policy.rule import Origin
from sayso.policy.text_rule import parse_text_rule
from sayso.requests.event import EventKind, Notice

MOST = 1_000
"""So many run contexts there may be, and so many paths and rules in each."""

MAX_TEXT = 20_000
MAX_WAIT = 366 * 86_400.0

_ID = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}")


class RunContexts:
    """The run contexts, as admins change them; what they change counts from the next call on."""

    def __init__(self, world: World, access: Access) -> None:
        self._world = world
        self._access = access

    async def all(self, actor: Actor) -> Sequence[RunContext]:
        """All of them by id; for people. Raises NotEligible."""
        if actor.kind not in DECIDING:
            raise NotEligible("run contexts are for people", "log in, or use a person's token")
        return await self._world.store.run_contexts()

    async def add(self, actor: Actor, run_context_id: str, what: Mapping[str, Any]) -> RunContext:
        """Add one with these fields; see `with_fields`. Raises NotEligible, RunContextRefused, GroupNotFound."""
        self._access.must_configure(actor)
        if not _ID.fullmatch(run_context_id):
            raise RunContextRefused(
                f"`{run_context_id[:64]}` is not an id of a run context",
                "write up to 64 small letters, digits and `-`, `_`, `.`",
            )
        if len(await self._world.store.run_contexts()) >= MOST:
            raise RunContextRefused(f"there are {MOST} run contexts already", "none was added")
        new = with_fields(RunContext(run_context_id, run_context_id), what)
        if not await self._put(actor, None, new):
            raise RunContextRefused(
                f"there is a run context `{run_context_id}` already",
                "change it, or choose another id",
            )
        return new

    async def change(
        self, actor: Actor, run_context_id: str, what: Mapping[str, Any]
    ) -> RunContext:
        """Change these fields of one; raises NotEligible, RunContextNotFound, RunContextRefused, GroupNotFound."""
        self._access.must_configure(actor)
        while True:
            before = await self._one(run_context_id)
            after = with_fields(before, what)
            if after == before or await self._put(actor, before, after):
                return after

    async def delete(self, actor: Actor, run_context_id: str) -> None:
        """Delete one: the calls of sessions that name it are refused from now on.

        Raises NotEligible, RunContextNotFound, and RunContextRefused for `default`.
        """
        self._access.must_configure(actor)
        if run_context_id == DEFAULT_RUN_CONTEXT:
            raise RunContextRefused("the run context `default` cannot be deleted", "change it")
        record, notice = self._told(actor, f"run context deleted: {run_context_id}")
        if not await self._world.store.delete_run_context(run_context_id, [record], [notice]):
            raise _unknown(run_context_id)
        self._world.feed.publish(["rules"])

    async def _one(self, run_context_id: str) -> RunContext:
        for found in await self._world.store.run_contexts():
            if found.run_context_id == run_context_id:
                return found
        raise _unknown(run_context_id)

    async def _put(self, actor: Actor, before: RunContext | None, after: RunContext) -> bool:
        groups = {group.group_id for group in await self._world.store.groups()}
        if after.security_group not in groups:
            raise GroupNotFound(
                f"no permission group has the id `{after.security_group[:64]}`", "use default"
            )
        verb = "added" if before is None else "changed"
        record, notice = self._told(actor, f"run context {verb}: {_in_words(before, after)}")
        done = await self._world.store.put_run_context(before, after, [record], [notice])
        if done:
            self._world.feed.publish(["rules"])
        return done

    def _told(self, actor: Actor, words: str) -> tuple[AuditRecord, Notice]:
        now = self._world.clock.now()
        record = AuditRecord(
            RecordKind.CONFIGURATION, now, by=actor.person.name, channel=actor.channel, note=words
        )
        return record, Notice(EventKind.SETTINGS_CHANGED, now)


def with_fields(context: RunContext, what: Mapping[str, Any]) -> RunContext:
    """The run context with these of its fields, as plain data (RC-1); raises RunContextRefused.

    The fields are called as in the specification; those that are not named stay as they are.
    """
    values = dict(what)
    for name, read in _READ.items():
        if values.get(name) is not None:
            try:
                values[name] = read(values[name])
            except ValueError as error:
                raise RunContextRefused(f"`{name}`: {error}", "nothing was changed") from error
    changed = replace(context, **values)
    for fault in _faults(changed):
        raise RunContextRefused(fault, "nothing was changed")
    return changed


def _severity(word: str) -> Severity:
    known = {severity.word: severity for severity in Severity}
    if word not in known:
        raise ValueError(f"`{word}` is not a severity; one of {', '.join(known)}")
    return known[word]


def _faults(context: RunContext) -> Sequence[str]:
    """What is wrong with a run context, in words."""
    found = []
    if not context.name.strip() or len(context.name) > 200:
        found.append("`name` is empty or longer than 200 characters")
    if len(context.system_prompt) > MAX_TEXT:
        found.append(f"`system_prompt` is longer than {MAX_TEXT} characters")
    if context.working_directory is not None and not _is_whole(context.working_directory):
        found.append("`working_directory` is no absolute path")
    for key in ("allow_fs_reads", "allow_fs_writes"):
        paths = getattr(context, key)
        if len(paths) > MOST or not all(path.strip() and "\0" not in path for path in paths):
            found.append(f"`{key}` holds what is no path, or more than {MOST}")
    if context.timeout is not None and not 0 < context.timeout <= MAX_WAIT:
        found.append("`timeout` is no number of seconds above 0, up to a year")
    if len(context.permissions or ()) > MOST:
        found.append(f"`permissions` holds more than {MOST} rules")
    if context.permissions is not None and context.run_context_id == DEFAULT_RUN_CONTEXT:
        # any token's sessions may be unattended, and run under it
        found.append(
            "`permissions` of `default` would be every agent's: add a run context for them"
        )
    for text in context.permissions or ():
        try:
            parse_text_rule(Effect.ALLOW, text, Origin.SESSION)
        except RuleSyntaxError as error:
            found.append(f"`permissions`: {error.message}")
    return found


def _is_whole(path: str) -> bool:
    drive = re.match(r"[A-Za-z]:[\\/]", path) is not None
    return "\0" not in path and (path.startswith(("/", "~/")) or path == "~" or drive)


def _in_words(before: RunContext | None, after: RunContext) -> str:
    """Which run context, and which fields of it: what is in them may be long."""
    old = {} if before is None else before.to_json()
    changed = [key for key, value in after.to_json().items() if old.get(key) != value]
    return f"{after.run_context_id} ({', '.join(changed)})"


def _unknown(run_context_id: str) -> RunContextNotFound:
    return RunContextNotFound(
        f"no run context has the id `{run_context_id[:64]}`", "see: sayso contexts list"
    )


_READ: Mapping[str, Any] = {
    "mode": parse_mode,
    "auto_approve_severity": _severity,
    "unattended": Unattended,
    "allow_fs_reads": tuple,
    "allow_fs_writes": tuple,
    "permissions": tuple,
}
