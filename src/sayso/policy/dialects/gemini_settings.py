"""What Gemini CLI's `settings.json` says of tools and MCP servers."""

from __future__ import annotations

import re
from typing import Any

from sayso.core.effect import Effect
from sayso.policy.dialects.command_globs import allowed_prefix, hit_patterns
from sayso.policy.dialects.joined_names import hit_joined
from sayso.policy.dialects.json_text import JsonText, Path, read_json
from sayso.policy.dialects.translated import Source, Translation, Translator

MCP = "mcp_"
SHELL_NAMES = ("run_shell_command", "ShellTool")
_ALLOWED: tuple[Path, ...] = (("tools", "allowed"), ("allowedTools",))
_EXCLUDED: tuple[Path, ...] = (("tools", "exclude"), ("excludeTools",))
_CALL = re.compile(r"([\w-]+)(?:\((.*)\))?", re.DOTALL)
_VARIABLE = re.compile(r"\$(?:\w|\{)")
_ASIDE: tuple[tuple[Path, str], ...] = (
    (("tools", "core"), "which tools there are at all"),
    (("coreTools",), "which tools there are at all"),
    (("tools", "autoAccept"), "what is safe in its eyes"),
    (("tools", "sandbox"), "what the sandbox lets pass"),
    (("general", "defaultApprovalMode"), "the approval mode"),
    (("security",), "what it does on its own"),
    (("hooks",), "what hooks decide"),
)


def translate_settings(text: str, name: str = "settings.json") -> Translation:
    """Read a Gemini CLI settings file; raises SettingsInvalid for what is no such file."""
    document = read_json(text, name, comments=True)
    out = Translator()
    document.table(())
    for path in _ALLOWED:
        for place, tool in document.texts(_there(document, path)):
            _allowed(out, Source(document.position(place), f"allowed {tool}"), tool)
    for path in _EXCLUDED:
        for place, tool in _written_out(document, _there(document, path)):
            _excluded(out, Source(document.position(place), f"exclude {tool}"), tool)
    for place, server in document.texts(_there(document, ("mcp", "allowed"))):
        _server(out, Effect.ALLOW, Source(document.position(place), f"allowed {server}"), server)
    for place, server in _written_out(document, _there(document, ("mcp", "excluded"))):
        _server(out, Effect.DENY, Source(document.position(place), f"excluded {server}"), server)
    for server in document.table(("mcpServers",)):
        _configured(out, document, server)
    for path, what in _ASIDE:
        value = _value(document.data, path)
        if value is not None:
            out.aside(document.position(path), str(path[-1]), value, f"no rule can say {what}")
    return out.translation()


def _there(document: JsonText, path: Path) -> Path:
    """The way, checked: each step before the last is an object."""
    if len(path) > 1:
        document.table(path[:-1])
    return path


def _written_out(document: JsonText, path: Path) -> list[tuple[Path, str]]:
    """The texts of a list of denies; refuses one that Gemini CLI completes from the environment."""
    texts = document.texts(path)
    for place, text in texts:
        if _VARIABLE.search(text):
            document.refuse(
                place,
                f"`{text}` is taken from the environment",
                "write it out in a copy of the file, and import that",
            )
    return texts


def _value(data: Any, path: Path) -> Any:
    for step in path:
        data = data.get(step) if isinstance(data, dict) else None
    return data


def _allowed(out: Translator, source: Source, text: str) -> None:
    found = _CALL.fullmatch(text.strip())
    if found is None:
        out.leave_out(source, "it is no name of a tool")
        return
    tool, prefix = found[1], found[2]
    if tool not in SHELL_NAMES:
        if prefix is not None or tool.startswith(MCP):
            out.leave_out(source, "only whole tools of its own are known here")
        else:
            out.allow(source, f"tool({tool})")
    elif prefix is None:
        out.allow(source, "shell(*)")
    else:
        pattern = allowed_prefix(prefix)
        if pattern is None:
            out.leave_out(source, f"the prefix `{prefix}` is more than plain words")
        else:
            out.allow(source, f"shell({pattern})")


def _excluded(out: Translator, source: Source, text: str) -> None:
    found = _CALL.fullmatch(text.strip())
    tool, prefix = (text.strip(), None) if found is None else (found[1], found[2])
    if not tool:
        out.note(source, "it is no name of a tool", "nothing")
    elif tool not in SHELL_NAMES:
        pairs = hit_joined(tool.removeprefix(MCP)) if tool.startswith(MCP) else []
        texts = [*pairs, f"tool({tool})"]
        if prefix is not None:
            lost = "what stands in brackets is not known here"
            out.stricter(Effect.DENY, source, texts, lost, wide="tool(*)")
        else:
            out.hit(Effect.DENY, source, texts, "tool(*)")
    elif prefix is None:
        out.hit(Effect.DENY, source, ["shell(*)", f"tool({SHELL_NAMES[0]})"], "tool(*)")
    else:
        texts = [f"shell({pattern})" for pattern in hit_patterns(f"{prefix} *")]
        out.hit(Effect.DENY, source, texts, "shell(*)")


def _server(out: Translator, effect: Effect, source: Source, server: str) -> None:
    if effect is not Effect.ALLOW:
        out.hit(effect, source, [f"mcp({server} :: *)"], "mcp(*:*)")
    elif re.fullmatch(r"[\w.-]+", server):
        out.allow(source, f"mcp({server} :: *)")
    else:
        out.leave_out(source, "an allow names its server in full")


def _configured(out: Translator, document: JsonText, server: str) -> None:
    """What a server's own settings say of its tools."""
    path: Path = ("mcpServers", server)
    settings = document.table(path)
    if settings.get("trust") is True:
        source = Source(document.position((*path, "trust")), f'"trust": true of {server}')
        _server(out, Effect.ALLOW, source, server)
    for place, tool in _written_out(document, (*path, "excludeTools")):
        source = Source(document.position(place), f"excludeTools {tool}")
        out.hit(Effect.DENY, source, [f"mcp({server} :: {tool})"], "mcp(*:*)")
    if "includeTools" in settings:
        source = Source(document.position((*path, "includeTools")), f"includeTools of {server}")
        out.note(source, "no rule can say which tools there are at all", "not carried over")
