"""A settings file: what it may say, and what it means (POL-60; docs/reference/settings.md).

The user's own files may say everything. A project's files are somebody else's word: `tightened` is
what counts of them before the user trusts them, `loosens` what waits for that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from sayso.broker.world import KEEP_CALLS_SECONDS, PENDING_LIMIT
from sayso.config.advice import read_advice
from sayso.config.descriptors import read_descriptors, readable_descriptors
from sayso.config.gate_settings import (
    GATE_KEYS,
    IN_A_PROJECT,
    NO_GATE_SETTINGS,
    GateSettings,
    of_a_project,
    read_gate_settings,
    readable_gate_settings,
)
from sayso.config.later import PERMISSION_KEYS, later_keys
from sayso.config.reading import Document, Table, parse_document, read_document, read_file
from sayso.config.rule_tables import EFFECTS, read_rules, readable_rules, with_timeout
from sayso.config.rules_file import read_rules_file
from sayso.config.tool_files import (
    MAX_PATTERNS,
    NamedFiles,
    base_of,
    find_tool_files,
    pattern_fault,
)
from sayso.config.yaml_tool import parse_tool_document
from sayso.core.advice import Advice
from sayso.core.effect import Effect
from sayso.errors import RuleRefused, SettingsInvalid
from sayso.policy.descriptors import ToolDescriptor
from sayso.policy.dialects.settings_text import print_beside, print_fields
from sayso.policy.examples import check_examples
from sayso.policy.rule import Origin, Rule
from sayso.policy.shipped_descriptors import SHIPPED
from sayso.requests.approval import LAPSE_SECONDS
from sayso.system.facts import LocalFacts

LANGUAGES = ("en",)
_ADVICE = Advice()


class Scope(Enum):
    """Whose file it is, and for which calls; the value is the origin of its rules."""

    USER = Origin.GLOBAL
    WORKSPACE = Origin.WORKSPACE
    PROJECT = Origin.PROJECT


@dataclass(frozen=True, slots=True)
class Loosening:
    """Something in a file that loosens: where it stands (`file:line:column`) and what it says."""

    place: str
    text: str


@dataclass(frozen=True, slots=True)
class Settings:
    """What a settings file says; the defaults are those of a file that is not there.

    `host` and `port` are the server's, None where the file leaves them. `default_timeout` is in
    seconds: how long an ask of the file waits that names no time of its own. `loosens` is
    what waits for trust if it is a project's file; `warnings` are sentences with their place.
    `lapse_after` is for how many seconds an approval waits to be claimed,
    `pending_limit` how many requests of one session may wait at once.
    `keep_calls` is for how many seconds the full arguments of calls are kept, None for ever.
    `rules_json` is a further file with asks; `tool_files` are the `tool.yaml` it names. `gate` is what
    it says of modes, and of what is allowed by itself; `advice` is who is asked before a person.
    """

    rules: tuple[Rule, ...] = ()
    descriptors: tuple[ToolDescriptor, ...] = ()
    diff_lines: int = 120
    language: str = "en"
    host: str | None = None
    port: int | None = None
    default_timeout: float | None = None
    lapse_after: float = LAPSE_SECONDS
    pending_limit: int = PENDING_LIMIT
    keep_calls: float | None = KEEP_CALLS_SECONDS
    loosens: tuple[Loosening, ...] = ()
    warnings: tuple[str, ...] = ()
    rules_json: Path | None = None
    tool_files: tuple[NamedFiles, ...] = ()
    gate: GateSettings = NO_GATE_SETTINGS
    advice: Advice = _ADVICE


ROOT_KEYS = (
    *("permissions", "rule", "tools", "approval", "web", "mcp"),
    *("ui", "server", "store", "channels", "operator_notify", "tool_files"),
)
NEVER_IN_A_PROJECT = ("ui", "server", "store", "channels", "operator_notify", "web", "mcp")
"""Tables that count in the user's own files only; in a project's they are passed over with a warning."""


def load_settings(path: Path, scope: Scope = Scope.USER) -> Settings:
    """Read the settings file; one that is not there says nothing.

    Raises SettingsInvalid, whose message begins with `file:line:column`, for the first fault.
    """
    document = read_document(path)
    settings = Settings() if document is None else _settings(document, scope)
    if settings.rules_json is not None:
        further = read_rules_file(settings.rules_json, scope.value)
        settings = replace(settings, rules=(*settings.rules, *in_time(further, settings)))
    base = base_of(path, project=scope is Scope.PROJECT)
    for file in find_tool_files(base, settings.tool_files):
        data = read_file(file, "give yourself the right to read it, or take it out of `tool_files`")
        tool = Settings() if data is None else parse_tool_file(file, data, scope)
        settings = replace(
            settings,
            rules=(*settings.rules, *in_time(tool.rules, settings)),
            descriptors=(*settings.descriptors, *tool.descriptors),
            loosens=(*settings.loosens, *tool.loosens),
        )
    return settings


def in_time(rules: Iterable[Rule], settings: Settings) -> Iterator[Rule]:
    """The rules of a further file, with the time limit of the settings that name it."""
    return (with_timeout(rule, settings.default_timeout) for rule in rules)


def parse_settings(path: Path, data: bytes, scope: Scope = Scope.USER) -> Settings:
    """Read settings from the content of a file; `path` is for messages. See load_settings."""
    return _settings(parse_document(path, data), scope)


def parse_tool_file(path: Path, data: bytes, scope: Scope = Scope.USER) -> Settings:
    """Read a `tool.yaml`, which says what `[tools.<name>]` of a settings file says. See load_settings."""
    return _settings(parse_tool_document(path, data), scope)


def readable_part(path: Path, data: bytes, scope: Scope = Scope.USER) -> Settings:
    """What tightens in a file that is invalid somewhere, and nothing of one that is not even TOML.

    Its denies and asks, each for itself, and what it says of tools.
    """
    return _readable(parse_document, path, data, scope)


def readable_tool_file(path: Path, data: bytes, scope: Scope = Scope.USER) -> Settings:
    """What tightens in a `tool.yaml` that is invalid somewhere; see readable_part."""
    return _readable(parse_tool_document, path, data, scope)


def _readable(
    parse: Callable[[Path, bytes], Document], path: Path, data: bytes, scope: Scope
) -> Settings:
    try:
        root = parse(path, data).root
    except SettingsInvalid:
        return Settings()
    return Settings(
        rules=tuple(readable_rules(root, scope.value)),
        descriptors=readable_descriptors(root),
        gate=_readable_gate(root, scope),
    )


def _readable_gate(root: Table, scope: Scope) -> GateSettings:
    with suppress(SettingsInvalid):
        found = readable_gate_settings(root.table("permissions"))
        return replace(found, permission_mode=None) if scope is Scope.PROJECT else found
    return NO_GATE_SETTINGS


def tightened(settings: Settings) -> Settings:
    """What counts of a project's file that is not trusted: its denies and asks, in the gate's own words."""
    rules = tuple(_plain(rule) for rule in settings.rules if rule.effect is not Effect.ALLOW)
    return Settings(rules=rules, warnings=settings.warnings, gate=settings.gate)


def _plain(rule: Rule) -> Rule:
    """The rule with the default approval policy; what it says to people waits for trust as well."""
    if rule.effect is Effect.DENY:
        return rule
    return replace(rule, approval=None, justification="", note="")


def _try_examples(rules: Iterable[Rule], descriptors: Iterable[ToolDescriptor]) -> None:
    """Refuse the file for a rule that is not as its own examples say (POL-70)."""
    facts, known = LocalFacts(), SHIPPED.adding(descriptors)
    for rule in rules:
        try:
            check_examples(rule, facts, known)
        except RuleRefused as error:
            raise SettingsInvalid(f"{rule.place}: {error.message}", error.hint) from error


def _settings(document: Document, scope: Scope) -> Settings:
    root = document.root
    root.only(*ROOT_KEYS)
    warnings: list[str] = []
    if scope is Scope.PROJECT:
        root = _without(root, NEVER_IN_A_PROJECT, warnings)
    ui, server, approval = root.table("ui"), root.table("server"), root.table("approval")
    permissions = root.table("permissions")
    permissions.only(*EFFECTS, *GATE_KEYS, *PERMISSION_KEYS, "auto", "rules_json")
    if scope is Scope.PROJECT:
        mine = (*GATE_KEYS, *PERMISSION_KEYS, "auto", "rules_json")
        never = tuple(key for key in mine if key not in IN_A_PROJECT)
        root = root.replacing("permissions", _without(permissions, never, warnings))
    gate = read_gate_settings(root)
    if scope is Scope.PROJECT:
        gate, told = of_a_project(permissions, gate)
        warnings += told
    ui.only("diff_lines", "language", "context_template")
    server.only("host", "port")
    root.table("store").only("keep_calls")
    approval.only("default_timeout", "lapse_after", "pending_limit", "required_tools")
    if scope is Scope.PROJECT:
        approval = _without(approval, ("lapse_after", "pending_limit"), warnings)
    root.table("web").only("allow_domains")
    for _, table in root.table("mcp").named_tables():
        table.only("auto_approve", "trusted", "group")
    default_timeout = approval.seconds("default_timeout")
    default = Settings()
    host = server.text("host")
    if host is not None and not host.strip():
        server.refuse_value("host", "`host` is empty", 'write an address: "127.0.0.1"')
    rules = tuple(with_timeout(rule, default_timeout) for rule in read_rules(root, scope.value))
    warnings += later_keys(root)
    tools = root.table("tools")
    descriptors = read_descriptors(tools)
    warnings += _named_as_pairs(tools)
    _try_examples(rules, descriptors)
    return Settings(
        rules=rules,
        descriptors=descriptors,
        diff_lines=ui.whole_number("diff_lines", default.diff_lines, 1, 100_000),
        language=ui.choice("language", default.language, LANGUAGES),
        host=host,
        port=server.whole_number("port", 0, 0, 65535) if "port" in server else None,
        default_timeout=default_timeout,
        pending_limit=approval.whole_number("pending_limit", default.pending_limit, 1, 1_000_000),
        lapse_after=approval.seconds("lapse_after") or default.lapse_after,
        keep_calls=root.table("store").days("keep_calls", default.keep_calls),
        loosens=(*_loosening_rules(rules), *_loosening_tools(tools, descriptors)),
        warnings=tuple(warnings),
        rules_json=_rules_json(root.table("permissions")),
        tool_files=_tool_files(root),
        gate=gate,
        advice=read_advice(root.table("permissions")),
    )


def _named_as_pairs(tools: Table) -> Iterator[str]:
    """A warning for each tool whose name looks like a server's and a tool's in one."""
    for name, table in tools.named_tables():
        server, colon, tool = name.partition(":")
        if colon and server and tool and "server" not in table:
            yield (
                f"{table.place}: `{name}` is here the whole name of a tool; the tool `{tool}` of the "
                f'server `{server}` has the name `{tool}` and server = "{server}"'
            )


def _tool_files(root: Table) -> tuple[NamedFiles, ...]:
    found: list[NamedFiles] = []
    for path, pattern in root.texts("tool_files"):
        at = root.document.positions.of_value(path)
        fault = pattern_fault(pattern)
        if len(found) == MAX_PATTERNS:
            fault = f"`tool_files` holds more than {MAX_PATTERNS} entries"
        if fault is not None:
            root.document.refuse(at, fault, 'write paths such as "tools/*/tool.yaml"')
        found.append(NamedFiles(pattern, root.document.place(at)))
    return tuple(found)


def _rules_json(permissions: Table) -> Path | None:
    """The file that `rules_json` names: `~` is a home, a relative path starts beside the settings."""
    written = permissions.text("rules_json")
    if written is None:
        return None
    hint = 'write a path: "rules.json"'
    if not written.strip() or "\0" in written:
        permissions.refuse_value("rules_json", "`rules_json` names no file", hint)
    try:
        return permissions.document.path.parent / Path(written).expanduser()
    except RuntimeError:
        permissions.refuse_value("rules_json", f"`{written}` begins with no known home", hint)


def _without(table: Table, keys: tuple[str, ...], warnings: list[str]) -> Table:
    """The table without keys that only the user's own files may set."""
    for key in keys:
        if key in table:
            place = table.document.place(table.document.positions.of_key((*table.path, key)))
            warnings.append(f"{place}: `{key}` counts only in your own settings, never here")
    return table.leaving_out(*keys)


def _loosening_rules(rules: tuple[Rule, ...]) -> list[Loosening]:
    found = []
    for rule in rules:
        where = rule.place or ""
        if rule.effect is Effect.ALLOW:
            found.append(Loosening(where, f"allow {rule.text}{_condition(rule)}"))
        elif rule.approval is not None:
            found.append(Loosening(where, f"how {rule.text} is asked about: {print_beside(rule)}"))
        elif rule.effect is Effect.ASK and (rule.justification or rule.note):
            found.append(
                Loosening(where, f"what the card of {rule.text} says: {print_beside(rule)}")
            )
    return found


def _condition(rule: Rule) -> str:
    when = f" when {rule.when}" if rule.when else ""
    return f"{when} unless {rule.unless}" if rule.unless else when


def _loosening_tools(tools: Table, descriptors: tuple[ToolDescriptor, ...]) -> list[Loosening]:
    known = {item.tool for item in SHIPPED}
    described = {item.tool for item in descriptors}
    found = []
    for name, table in tools.named_tables():
        if name in described:
            said = print_fields({key: table.data[key] for key in table.data if key != "approval"})
            instead = ", in place of what sayso knows of it" if name in known else ""
            found.append(
                Loosening(table.place, f"what the tool `{name}` is and does{instead}: {said}")
            )
    return found
