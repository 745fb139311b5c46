"""`[[permissions.hooks.permission_request]]` and `[permissions.auto]`: whom to ask before a person."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sayso.config.reading import Table
from sayso.core.advice import HOOK_SECONDS, HOOKS_SECONDS, Advice, Hook
from sayso.policy.patterns.tool import CLASS_OPERATIONS

MAX_HOOKS = 20
MAX_ENVIRONMENT = 8000

_EVENT = "permission_request"
_KEYS = ("command", "entry_point", "tools", "timeout")
_ENTRY_POINT = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_MODEL = re.compile(r"\S+")


def read_advice(permissions: Table) -> Advice:
    """What a settings file says of hooks and of the reviewer; raises SettingsInvalid."""
    hooks = permissions.table("hooks")
    hooks.only(_EVENT)
    auto = permissions.table("auto")
    auto.only("model", "environment")
    model = auto.text("model")
    if model is not None and not _MODEL.fullmatch(model):
        auto.refuse_value("model", "`model` names no model", 'write "provider:name"')
    environment = auto.text("environment") or ""
    if len(environment) > MAX_ENVIRONMENT:
        said = f"`environment` is longer than {MAX_ENVIRONMENT} characters"
        auto.refuse_value("environment", said, "say what the reviewer has to know, and no more")
    found = tuple(_hook(table) for table in hooks.tables(_EVENT))
    if len(found) > MAX_HOOKS:
        hooks.refuse_key(_EVENT, f"there are more than {MAX_HOOKS} hooks", "let one do more")
    return Advice(found, model, environment)


def joined(files: Iterable[tuple[Advice, bool]]) -> Advice:
    """What the user's files say together, each with whether it is broken now; the one that is nearest last.

    Hooks add up in that order, and so do notes; the model is the last that is named.
    """
    found = Advice()
    for said, broken in files:
        found = Advice(
            hooks=(*found.hooks, *said.hooks),
            model=said.model or found.model,
            environment="\n".join(filter(None, (found.environment, said.environment))),
            may_allow=found.may_allow and not broken,
        )
    return found


def _hook(table: Table) -> Hook:
    table.only(*_KEYS)
    command = tuple(text for _, text in table.texts("command"))
    entry_point = table.text("entry_point")
    if ("command" in table) == ("entry_point" in table):
        table.document.refuse(
            table.document.positions.of_key(table.path),
            "a hook has either a `command` or an `entry_point`",
            'write command = ["./hook.sh"] or entry_point = "package.module:function"',
        )
    if "command" in table and (not command or not command[0] or "\0" in "".join(command)):
        table.refuse_value("command", "`command` names no program", 'write ["./hook.sh"]')
    if entry_point is not None and not _ENTRY_POINT.fullmatch(entry_point):
        hint = 'write "package.module:function"'
        table.refuse_value("entry_point", f"`{entry_point}` names no function", hint)
    timeout = table.seconds("timeout") or HOOK_SECONDS
    if timeout > HOOKS_SECONDS:
        hint = f"write a number of seconds up to {HOOKS_SECONDS:g}"
        table.refuse_value("timeout", "a call does not wait that long for a hook", hint)
    return Hook(
        name=entry_point or command[0],
        command=command,
        entry_point=entry_point or "",
        tools=tuple(_tools(table)) if "tools" in table else ("*",),
        timeout=timeout,
        folder=str(table.document.path.absolute().parent),
    )


def _tools(table: Table) -> Iterator[str]:
    for at, text in table.texts("tools"):
        if not text or text in CLASS_OPERATIONS:
            place = table.document.positions.of_value(at)
            table.document.refuse(place, f"`{text}` is no name of a tool", 'write "run_*"')
        yield text
