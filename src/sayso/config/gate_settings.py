"""What the settings say of the gate beside rules: the mode, and what is allowed by itself (MODE-2, POL-35, POL-60)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from sayso.config.reading import Table
from sayso.core.effect import Effect
from sayso.core.in_force import InForce
from sayso.core.mode import ALSO_READ, TIGHTENING, Mode, parse_mode
from sayso.errors import RuleSyntaxError, SettingsInvalid
from sayso.policy.rule import Origin
from sayso.policy.text_rule import parse_text_rule

GATE_KEYS = (
    "read_only_defaults", "permission_mode", "auto_approve", "auto_approve_commands", "plan_review",
)  # fmt: skip
"""The keys of `[permissions]` that are read here."""

IN_A_PROJECT = ("read_only_defaults",)
"""Those among them that a project's file may hold, to switch them off."""


@dataclass(frozen=True, slots=True)
class GateSettings:
    """What one file says of the gate; None is what it leaves to others."""

    permission_mode: Mode | None = None
    auto_approve: bool | None = None
    read_only_defaults: bool | None = None
    auto_approve_commands: tuple[str, ...] = ()
    plan_review: bool | None = None
    trusted_servers: tuple[tuple[str, bool], ...] = ()

    def tightened(self) -> GateSettings:
        """What is left of it where the file can no longer be read: nothing of it loosens (POL-63)."""
        mode = self.permission_mode
        if mode is not None and mode not in TIGHTENING:
            mode = Mode.DEFAULT
        return replace(
            self,
            permission_mode=mode,
            auto_approve=None if self.auto_approve is None else False,
            auto_approve_commands=(),
            trusted_servers=tuple((name, False) for name, _ in self.trusted_servers),
        )

    def with_readable(self, readable: GateSettings) -> GateSettings:
        """The same, with what tightens in the file as it stands now."""
        tighter = readable.permission_mode in TIGHTENING
        off = readable.read_only_defaults is False
        return replace(
            self,
            permission_mode=readable.permission_mode if tighter else self.permission_mode,
            read_only_defaults=False if off else self.read_only_defaults,
        )


NO_GATE_SETTINGS = GateSettings()
"""What a file says that is not there."""


def read_gate_settings(root: Table) -> GateSettings:
    """Read the keys of `[permissions]`, and which MCP servers are trusted; raises SettingsInvalid."""
    permissions = root.table("permissions")
    return GateSettings(
        permission_mode=_mode(permissions),
        auto_approve=_boolean(permissions, "auto_approve"),
        read_only_defaults=_boolean(permissions, "read_only_defaults"),
        auto_approve_commands=tuple(_commands(permissions)),
        plan_review=_boolean(permissions, "plan_review"),
        trusted_servers=tuple(
            (name, server.boolean("trusted"))
            for name, server in root.table("mcp").named_tables()
            if "trusted" in server
        ),
    )


def of_a_project(permissions: Table, settings: GateSettings) -> tuple[GateSettings, list[str]]:
    """What counts of a project's file, and warnings about what does not."""
    if settings.read_only_defaults is not True:
        return settings, []
    key = "read_only_defaults"
    place = permissions.document.place(
        permissions.document.positions.of_key((*permissions.path, key))
    )
    words = f"{place}: a project can only switch `{key}` off"
    return replace(settings, read_only_defaults=None), [words]


def readable_gate_settings(permissions: Table) -> GateSettings:
    """What can be read of it in a file that is invalid elsewhere, each key by itself."""
    found = NO_GATE_SETTINGS
    with suppress(SettingsInvalid):
        found = replace(found, permission_mode=_mode(permissions))
    with suppress(SettingsInvalid):
        found = replace(found, read_only_defaults=_boolean(permissions, "read_only_defaults"))
    return found


def in_force(
    own: GateSettings, workspaces: Iterable[GateSettings], projects: Iterable[GateSettings]
) -> InForce:
    """What holds in a workspace: `own` is of the user's settings, `workspaces` of those for a workspace
    and the folders above it, the innermost first, `projects` of the project's files.
    """  # fmt: skip
    mine = [*workspaces, own]
    mode = next((one.permission_mode for one in mine if one.permission_mode is not None), None)
    approves = next((one.auto_approve for one in mine if one.auto_approve is not None), False)
    read_only = next(
        (one.read_only_defaults for one in mine if one.read_only_defaults is not None), True
    )
    off = any(one.read_only_defaults is False for one in projects)
    commands = dict.fromkeys(text for one in mine for text in one.auto_approve_commands)
    servers = dict(pair for one in reversed(mine) for pair in one.trusted_servers)
    return InForce(
        mode=Mode.BYPASS if mode is None and approves else mode,
        read_only_defaults=read_only and not off,
        auto_approve_commands=tuple(commands),
        plan_review=next((one.plan_review for one in mine if one.plan_review is not None), None),
        trusted_servers=frozenset(name for name, trusted in servers.items() if trusted),
    )


def _mode(permissions: Table) -> Mode | None:
    if "permission_mode" not in permissions:
        return None
    return parse_mode(permissions.choice("permission_mode", "default", (*Mode, *ALSO_READ)))


def _boolean(permissions: Table, key: str) -> bool | None:
    return permissions.boolean(key) if key in permissions else None


def _commands(permissions: Table) -> Iterator[str]:
    for path, text in permissions.texts("auto_approve_commands"):
        try:
            yield parse_text_rule(Effect.ALLOW, text, Origin.GLOBAL).text
        except RuleSyntaxError as error:
            place = permissions.document.positions.of_value(path)
            permissions.document.refuse(place, error.message, error.hint)
