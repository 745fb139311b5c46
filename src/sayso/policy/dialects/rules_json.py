"""`rules.json`: a list of what a person is asked about, with the words it is asked in (POL-62).

    {"rules": [{"tool": "shell", "action": "run", "pattern": "rm *", "message": "Delete files?"}]}

Each entry is an ask, so that nothing in such a file can loosen anything. `tool` is a group (`file`,
`shell`, `code`, `remote`, `web`) or the name of a tool; `action` tells what of a group is meant;
`pattern` is a wildcard over the path, the whole text of the command or the host, `*` where it is left
out. What a group, an action or a pattern does not say exactly is asked about more widely.
"""

from __future__ import annotations

import re

from sayso.core.effect import Effect
from sayso.policy.dialects.command_globs import hit_patterns, text_pattern
from sayso.policy.dialects.host_globs import hit_host
from sayso.policy.dialects.json_text import JsonText, read_json
from sayso.policy.dialects.path_globs import hit_wildcard
from sayso.policy.dialects.translated import Source, Translation, Translator
from sayso.policy.patterns.mcp import split_pair
from sayso.policy.rule import Origin

FILE = ("file", "files", "filesystem", "fs")
SHELL = ("shell", "bash", "terminal", "command", "cmd", "execute_cmd")
CODE = ("code", "code_execution", "python", "interpreter")
REMOTE = ("remote", "remote_execution", "ssh")
WEB = ("web", "network", "http", "url")

_CLASS = re.compile(r"\[.*\]", re.DOTALL)
"""What a class of characters could be: any text is asked about in its place."""

_OPERATIONS = {
    "read": ("read",),
    "delete": ("delete",),
    "remove": ("delete",),
    "write": ("write",),
    "create": ("write",),
    "edit": ("write",),
    "overwrite": ("write",),
    "move": ("delete",),
    "rename": ("delete",),
}
_WHOLE_FILE_WRITERS = ("write_file", "Write", "mcp__*__write_file")
_MOVERS = ("move_file", "mcp__*__move_file")
_CODE_TOOLS = (
    *("execute_code", "run_code", "run_python", "execute_python", "python", "code_interpreter"),
    *("code_execution", "mcp__*__execute_code", "mcp__*__run_code", "mcp__*__run_python"),
    "mcp__*__execute_python",
)
_CODE_COMMANDS = (
    *("python -c *", "python3 -c *", "node -e *", "node --eval *", "perl -e *", "ruby -e *"),
    *("php -r *", "deno eval *", "bun -e *"),
)
_REMOTE_TOOLS = ("remote_execute", "execute_remote", "ssh_execute", "mcp__*__ssh_*")
_REMOTE_COMMANDS = ("ssh *", "rsh *", "docker exec *", "kubectl exec *", "ansible *", "psexec *")

DEFAULTS = """{
  "rules": [
    {"tool": "file", "action": "delete", "pattern": "*", "message": "A file is deleted."},
    {"tool": "file", "action": "move", "pattern": "*", "message": "A file is moved."},
    {"tool": "file", "action": "overwrite", "pattern": "*", "message": "A whole file is written."},
    {"tool": "shell", "action": "run", "pattern": "rm *", "message": "The command deletes files."},
    {"tool": "shell", "action": "run", "pattern": "*format*", "message": "The command may format a disk."},
    {"tool": "shell", "action": "run", "pattern": "*drop*", "message": "The command may drop data."},
    {"tool": "code", "action": "execute", "pattern": "*", "message": "Code is executed."},
    {"tool": "remote", "action": "execute", "pattern": "*", "message": "It runs on another machine."}
  ]
}
"""
"""What counts where a file is configured and is not there."""


def translate(
    text: str, name: str = "rules.json", *, origin: Origin = Origin.GLOBAL
) -> Translation:
    """Read a `rules.json`; `name` is for messages. Raises SettingsInvalid for what is no such file."""
    document = read_json(text, name)
    out = Translator(origin, name)
    document.table(())
    for number in range(len(document.items(("rules",)))):
        _Entry(document, number, out).read()
    return out.translation()


def default_rules(origin: Origin = Origin.GLOBAL) -> Translation:
    """The eight that ship."""
    return translate(DEFAULTS, "the eight that ship", origin=origin)


class _Entry:
    def __init__(self, document: JsonText, number: int, out: Translator) -> None:
        path = ("rules", number)
        table = document.table(path)
        self.out = out
        self.tool = document.text((*path, "tool"), "").strip()
        self.action = document.text((*path, "action"), "").strip().lower()
        pattern = document.text((*path, "pattern"), "*").strip()
        self.pattern = _CLASS.sub("*", pattern) or "*"
        self.message = document.text((*path, "message"), "")
        shown = " ".join(word for word in (self.tool, self.action, pattern) if word)
        self.source = Source(document.position(path), shown)
        if not self.tool:
            document.refuse(path, "the rule names no `tool`", "name a tool, or `shell` or `file`")
        for key in sorted(set(table) - {"tool", "action", "pattern", "message"}):
            source = Source(document.position((*path, key)), key)
            out.note(source, f"`{key}` has no meaning here", "nothing")

    @property
    def whole(self) -> bool:
        """Whether the pattern is every path, command or host."""
        return not self.pattern.strip("*")

    def read(self) -> None:
        group = self.tool.lower()
        if group in FILE:
            self._file()
        elif group in SHELL:
            self._shell()
        elif group in CODE:
            self._ask(_tools(_CODE_TOOLS), _commands(_CODE_COMMANDS))
        elif group in REMOTE:
            self._ask(_tools(_REMOTE_TOOLS), _commands(_REMOTE_COMMANDS))
        elif group in WEB:
            # A star stands for any text there, and at the end of ours for one label.
            host = None if self.pattern.rstrip(".").endswith("*") else hit_host(self.pattern)
            self._ask(["web(*)" if host is None else f"web({host})"], [])
        else:
            self._named()

    def _file(self) -> None:
        kinds = _OPERATIONS.get(self.action, ("path",))
        if not self.whole:
            pattern = hit_wildcard(self.pattern)
            self.out.hit(
                Effect.ASK,
                self.source,
                [f"{kind}({pattern})" for kind in kinds],
                f"{kinds[0]}(**)",
                justification=self.message,
            )
        elif self.action == "overwrite":
            self._ask(_tools(_WHOLE_FILE_WRITERS), [])
        elif self.action in ("move", "rename"):
            self._ask(_tools(_MOVERS), _commands(("mv *", "git mv *")))
        else:
            self._ask([f"{kind}(**)" for kind in kinds], [])

    def _shell(self) -> None:
        """A pattern over the whole text of a command: as words, and as text wherever it could begin."""
        if self.whole:
            self._ask(["shell(*)"], [])
            return
        patterns = hit_patterns(self.pattern, single=True)
        text = text_pattern(self.pattern, single=True, ignore_case=True)
        simple = "*" not in self.pattern.rstrip("*").rstrip(" ") and "?" not in self.pattern
        if not (simple and self.pattern.endswith(" *")):
            patterns = [*(p for p in patterns if not p.startswith("/")), text]
        if self.pattern.startswith("*"):
            patterns = [text]
        self.out.hit(
            Effect.ASK,
            self.source,
            [f"shell({pattern})" for pattern in dict.fromkeys(patterns)],
            "shell(*)",
            justification=self.message,
        )

    def _named(self) -> None:
        """A tool by its name, or by `server:tool`; what else the entry says makes it no narrower."""
        pair = split_pair(self.tool)
        text = f"tool({self.tool})" if pair is None else f"mcp({self.tool})"
        if self.whole:
            self.out.hit(Effect.ASK, self.source, [text], "tool(*)", justification=self.message)
        else:
            lost = f"a pattern for `{self.tool}` cannot be matched"
            self.out.stricter(
                Effect.ASK, self.source, [text], lost, wide="tool(*)", justification=self.message
            )

    def _ask(self, tools: list[str], commands: list[str]) -> None:
        self.out.hit(
            Effect.ASK,
            self.source,
            [*tools, *commands],
            "tool(*)",
            justification=self.message,
        )


def _tools(names: tuple[str, ...]) -> list[str]:
    return [f"tool({name})" for name in names]


def _commands(patterns: tuple[str, ...]) -> list[str]:
    return [f"shell({pattern})" for pattern in patterns]
