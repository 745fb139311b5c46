"""Claude Code's permissions (`settings.json`): three pooled lists, deny before ask before allow.

Read of its documentation in 2026: https://code.claude.com/docs/en/permissions. What its modes, hooks and
sandbox do beside the lists is reported and not carried over.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sayso.core.effect import Effect
from sayso.policy.dialects.command_globs import allowed_pattern, hit_patterns
from sayso.policy.dialects.host_globs import allowed_host, hit_host
from sayso.policy.dialects.json_text import JsonText, Path, read_json
from sayso.policy.dialects.path_globs import allow_gitignore, hit_gitignore
from sayso.policy.dialects.translated import Source, Translation, Translator

READERS = ("Read", "NotebookRead", "LS", "Glob", "Grep")
EDITORS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
_NAME = re.compile(r"[A-Za-z_][\w-]*")
_RULE = re.compile(r"(?P<tool>[^()]*)(?:\((?P<body>.*)\))?", re.DOTALL)
_BESIDE = {
    "hooks": "what hooks decide",
    "sandbox": "what the sandbox lets pass",
    "allowedMcpServers": "which MCP servers may be used at all",
    "deniedMcpServers": "which MCP servers may not be used",
    "disableAllHooks": "what hooks decide",
}
_MODES = {
    "defaultMode": "the permission mode",
    "disableBypassPermissionsMode": "which modes may be chosen",
    "disableAutoMode": "which modes may be chosen",
    "additionalDirectories": "folders whose files are read without a question",
}


def translate(text: str, name: str = "settings.json", *, root: str | None = "") -> Translation:
    """Read a Claude Code settings file.

    `name` is for messages. `root` is the folder that a path beginning with one `/` starts from, in our
    grammar: empty for the workspace, None where that is not known. Raises SettingsInvalid for what is no
    such file.
    """
    document = read_json(text, name)
    document.table(())
    reader = _Reader(document, root)
    permissions = document.table(("permissions",))
    for key in permissions:
        path = ("permissions", key)
        if key in ("allow", "ask", "deny"):
            for place, rule in document.texts(path):
                reader.rule(Effect.parse(key), place, rule)
        else:
            reader.aside(path, _MODES.get(key, "a setting that is not known here"))
    for key, what in _BESIDE.items():
        if key in document.table(()):
            reader.aside((key,), what)
    return reader.out.translation()


def _names(tool: str) -> tuple[str, ...]:
    """The names that one tool goes by."""
    return ("Task", "Agent") if tool in ("Task", "Agent") else (tool,)


class _Reader:
    def __init__(self, document: JsonText, root: str | None) -> None:
        self.document = document
        self.root = root
        self.out = Translator()

    def aside(self, path: Path, what: str) -> None:
        """Report a setting that is no rule."""
        value = self.document.data
        for step in path:
            value = value[step]
        position = self.document.position(path)
        self.out.aside(position, str(path[-1]), value, f"no rule can say {what}")

    def rule(self, effect: Effect, path: Path, text: str) -> None:
        source = Source(self.document.position(path), f"{effect.word} {text}")
        found = _RULE.fullmatch(text.strip())
        if found is None or not found["tool"].strip():
            self._strange(effect, source)
            return
        tool, body = found["tool"].strip(), found["body"]
        if body is not None:
            body = re.sub(r"\\([()])", r"\1", body).strip()
        readers: dict[str, Callable[[Effect, Source, str], None]] = {
            "Bash": self._command,
            "WebFetch": self._host,
            "Skill": self._skill,
            "Task": self._agent,
            "Agent": self._agent,
            **dict.fromkeys(READERS, self._read),
            **dict.fromkeys(EDITORS, self._edit),
        }
        if tool.startswith("mcp__"):
            self._server(effect, source, tool, body)
        elif body is None or (body == "*" and tool == "Bash"):
            self._whole(effect, source, tool)
        elif tool in ("Read", "Edit") or effect is not Effect.ALLOW or tool not in readers:
            self._specified(effect, source, tool, body, readers.get(tool))
        elif tool in READERS or tool in EDITORS:
            self.out.leave_out(
                source, f"Claude Code never consults `{tool}(…)`; write `Read` or `Edit`"
            )
        else:
            readers[tool](effect, source, body)

    def _specified(
        self,
        effect: Effect,
        source: Source,
        tool: str,
        body: str,
        read: Callable[[Effect, Source, str], None] | None,
    ) -> None:
        """A rule with something in brackets, of a tool that is read here or of any other."""
        if read is not None:
            read(effect, source, body)
            named = tool in ("Task", "Agent", "Skill") and re.match(r"\w+:(?!\*$)", body)
            if named and effect is not Effect.ALLOW:  # a name, or one value of an argument
                for name in _names(tool):
                    self._parameter(effect, source, name, body)
        elif effect is Effect.ALLOW:
            self.out.leave_out(source, f"`{tool}({body})` is not known here")
        else:
            self._parameter(effect, source, tool, body)

    def _strange(self, effect: Effect, source: Source) -> None:
        tool = source.original.partition(" ")[2].partition("(")[0].strip()
        if effect is Effect.ALLOW:
            self.out.leave_out(source, "it is no rule")
        elif tool:
            lost = "it is no rule as it stands"
            self.out.stricter(effect, source, [f"tool({tool})"], lost, wide="tool(*)")
        else:
            self.out.note(source, "it is no rule, and names no tool", "left out")

    # ── whole tools ──

    def _whole(self, effect: Effect, source: Source, tool: str) -> None:
        out = self.out
        if effect is Effect.ALLOW:
            if not _NAME.fullmatch(tool):
                out.leave_out(source, "an allow names its tool in full")
            elif tool == "Bash":
                out.allow(source, "shell(*)")
            else:
                for name in _names(tool):
                    out.allow(source, f"tool({name})")
            return
        texts = [f"tool({name})" for name in _names(tool)]
        if tool == "Bash":
            texts = ["shell(*)", *(texts if effect is Effect.DENY else ())]
        elif tool == "Read":
            texts = ["tool(@fs_read)", *texts]
        elif tool == "Edit":
            texts = ["tool(@fs_write)", *texts]
        out.hit(effect, source, texts, "tool(*)")

    def _server(self, effect: Effect, source: Source, tool: str, body: str | None) -> None:
        """A rule for tools of an MCP server: `mcp__server`, `mcp__server__tool`."""
        server, separator, _ = tool.removeprefix("mcp__").partition("__")
        whole = tool if separator else f"{tool}__*"
        if body is not None:
            if effect is Effect.ALLOW:
                self.out.leave_out(source, "an allow cannot look at one argument")
            else:
                self._parameter(effect, source, whole, body)
        elif effect is not Effect.ALLOW:
            texts = [f"tool({whole})"] if separator else [f"tool({whole})", f"tool({tool})"]
            self.out.hit(effect, source, texts, "tool(mcp__*)")
        elif "*" in server or not server:
            self.out.leave_out(source, "an allow names its server in full")
        else:
            self.out.allow(source, f"tool({whole})")

    def _parameter(self, effect: Effect, source: Source, tool: str, body: str) -> None:
        """A deny or ask for one value of an argument."""
        name, colon, value = body.partition(":")
        plain = re.fullmatch(r"[A-Za-z_]\w*", name) and re.fullmatch(r"[^\"\\{}*\n]*", value)
        if colon and plain:
            when = f'"{name}" in input and input.{name} == "{value}"'
            self.out.hit(effect, source, [f"tool({tool})"], "tool(*)", when=when)
        else:
            lost = f"what stands in the brackets of `{tool}(…)` is not known here"
            self.out.stricter(effect, source, [f"tool({tool})"], lost, wide="tool(*)")

    # ── patterns ──

    def _command(self, effect: Effect, source: Source, body: str) -> None:
        glob = f"{body[:-2]} *" if body.endswith(":*") else body
        if effect is not Effect.ALLOW:
            self.out.hit(effect, source, [f"shell({p})" for p in hit_patterns(glob)], "shell(*)")
            return
        if body and not body.strip("*"):
            self.out.allow(source, "shell(*)")
            return
        pattern = allowed_pattern(glob, optional_end=glob.count("*") == 1)
        if pattern is None:
            self.out.leave_out(source, "it is more than plain words, or its `*` stands in quotes")
            return
        if "*" in glob.rstrip("*").rstrip(" "):
            self.out.note(source, "a `*` within a command stands for one word", "covers less")
        self.out.allow(source, f"shell({pattern})")

    def _read(self, effect: Effect, source: Source, body: str) -> None:
        self._path(effect, source, body, ("read",))

    def _edit(self, effect: Effect, source: Source, body: str) -> None:
        kinds = ("write",) if effect is Effect.ALLOW else ("write", "delete")
        self._path(effect, source, body, kinds)

    def _path(self, effect: Effect, source: Source, body: str, kinds: tuple[str, ...]) -> None:
        if body.startswith("!"):
            if effect is Effect.ALLOW:  # it takes something out of what is allowed
                texts = [f"{kind}({hit_gitignore(body[1:])})" for kind in kinds]
                lost = "a pattern cannot take back another"
                self.out.stricter(Effect.ASK, source, texts, lost, wide=f"{kinds[0]}(**)")
            else:
                self.out.note(source, "a pattern cannot take back another", "nothing: stricter")
            return
        if effect is not Effect.ALLOW:
            pattern = hit_gitignore(body)
            texts = [f"{kind}({pattern})" for kind in kinds]
            if re.search(r"[?\[]", body):
                lost = "`?` and `[…]` are `*` here"
                self.out.stricter(effect, source, texts, lost, wide=f"{kinds[0]}(**)")
            else:
                self.out.hit(effect, source, texts, f"{kinds[0]}(**)")
            return
        allowed = allow_gitignore(body, root=self.root)
        if allowed is None:
            self.out.leave_out(source, "the path cannot be said exactly")
            return
        for kind in kinds:
            self.out.allow(source, f"{kind}({allowed})")

    def _host(self, effect: Effect, source: Source, body: str) -> None:
        domain, host = body.startswith("domain:"), body.removeprefix("domain:").strip()
        if effect is Effect.ALLOW:
            allowed = allowed_host(host) if domain else None
            if allowed is None:
                self.out.leave_out(source, "only `domain:` and a plain host are known here")
            else:
                self.out.allow(source, f"web({allowed})")
        elif not domain:
            self._parameter(effect, source, "WebFetch", body)
        elif (hit := hit_host(host)) is not None:
            self.out.hit(effect, source, [f"web({hit})"], "web(*)")
        else:
            lost = f"`{host}` is no plain host"
            self.out.stricter(effect, source, ["web(*)"], lost, wide="web(*)")

    def _agent(self, effect: Effect, source: Source, body: str) -> None:
        if effect is not Effect.ALLOW:
            self.out.hit(effect, source, [f"agent({body})"], "agent(*)")
        elif "*" in body:
            self.out.leave_out(source, "an allow names its sub-agent in full")
        else:
            self.out.allow(source, f"agent({body})")

    def _skill(self, effect: Effect, source: Source, body: str) -> None:
        name = re.sub(r"(?::| )\*$", "", body)
        if effect is not Effect.ALLOW:
            self.out.hit(effect, source, [f"skill({name})"], "skill(*)")
        elif "*" in name:
            self.out.leave_out(source, "an allow names its skill in full")
        elif name != body:
            self.out.allow(source, f"skill({name})")
        else:  # without ` *` it is allowed without arguments only
            self.out.allow(source, f"skill({name})", unless='"args" in input')
