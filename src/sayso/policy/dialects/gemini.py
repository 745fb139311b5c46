"""Gemini CLI's policies (`policies/*.toml`): rules with priorities, the highest that matches decides.

Read of its source and documentation in 2026 (google-gemini/gemini-cli, docs/reference/policy-engine.md).
Its `settings.json` is read by `gemini_settings.py`.
"""

from __future__ import annotations

import re
from typing import Any, NoReturn

from sayso.core.effect import Effect
from sayso.core.toml_text import read_toml
from sayso.errors import RuleSyntaxError, SettingsInvalid
from sayso.policy.dialects.command_globs import allowed_prefix, hit_patterns
from sayso.policy.dialects.gemini_settings import MCP, translate_settings
from sayso.policy.dialects.joined_names import hit_joined, split_joined
from sayso.policy.dialects.ordered import Entry, emit
from sayso.policy.dialects.translated import Source, Translation, Translator
from sayso.policy.patterns.expression import compile_expression

SHELL = "run_shell_command"
DECISIONS = {"allow": Effect.ALLOW, "ask_user": Effect.ASK, "deny": Effect.DENY}
_KNOWN = (
    *("toolName", "mcpName", "subagent", "toolAnnotations", "argsPattern", "commandPrefix"),
    *("commandRegex", "decision", "priority", "modes", "interactive", "allowRedirection"),
    *("allow_redirection", "denyMessage", "deny_message"),
)
_NARROWING = ("subagent", "toolAnnotations", "interactive")
_AS_JSON = '"command":"'
# What an expression may hold to mean the same over the text of a command as over its JSON, where one
# character can be several: so a dot stands only for any number of them.
_SIMPLE = re.compile(r'(?:[^"\\^${.]|\\[sdwb./()\[\]{}+*?|-]|\.[*+])*')


def translate(text: str, name: str = "policy.toml", *, alone: bool = True) -> Translation:
    """Read a Gemini CLI policy file, or its `settings.json` if `name` ends in `.json`.

    `name` is for messages. `alone` tells that no other file is read beside it, so that an ask which
    overrides nothing here overrides nothing at all. Raises SettingsInvalid for a file that Gemini CLI
    would refuse.
    """
    if name.endswith(".json"):
        return translate_settings(text, name)
    data = read_toml(text, name)
    rules = data.get("rule", [])
    if not isinstance(rules, list) or not all(isinstance(rule, dict) for rule in rules):
        raise SettingsInvalid(f"{name}:1:1: `rule` is not a list of tables")
    read = [_Rule(name, number, rule) for number, rule in enumerate(rules)]
    # Where priorities are equal the first one in the file decides, so it comes last here.
    ordered = sorted(enumerate(read), key=lambda pair: (pair[1].priority, -pair[0]))
    out = Translator()
    emit([entry for _, rule in ordered for entry in rule.entries()], out, alone=alone)
    if "safety_checker" in data:
        source = Source("safety_checker", "[[safety_checker]]")
        out.note(source, "no rule can say what a safety checker decides", "not carried over")
    return out.translation()


class _Rule:
    def __init__(self, name: str, number: int, rule: dict[str, Any]) -> None:
        self.name = name
        self.where = f"rule[{number}]"
        self.rule = rule
        for key in rule:
            if key not in _KNOWN:
                self.refuse(f"`{key}` is not known here")
        decision = rule.get("decision")
        if not isinstance(decision, str) or decision not in DECISIONS:
            self.refuse(f"`decision` is not one of {', '.join(DECISIONS)}")
        self.effect = DECISIONS[decision]
        priority = rule.get("priority")
        if isinstance(priority, bool) or not isinstance(priority, int) or not 0 <= priority <= 999:
            self.refuse("`priority` is not a whole number from 0 to 999")
        self.priority = priority
        self.server = self.text("mcpName")
        self.tools = self.texts("toolName")
        if self.tools is None and self.server is None:
            self.refuse("`toolName` or `mcpName` is missing")
        self.prefixes = self.texts("commandPrefix")
        self.regex = self.text("commandRegex")
        self.arguments = self.text("argsPattern")
        if self.prefixes is not None or self.regex is not None:
            if rule.get("toolName") != SHELL:
                self.refuse(f'`commandPrefix` and `commandRegex` go with toolName = "{SHELL}"')
            if self.arguments is not None or (self.prefixes is not None and self.regex is not None):
                self.refuse("only one of `commandPrefix`, `commandRegex`, `argsPattern` can stand")
        shown = ", ".join(f"{key} = {_shown(value)}" for key, value in rule.items())
        self.source = Source(self.where, shown[:300])

    def refuse(self, message: str) -> NoReturn:
        raise SettingsInvalid(f"{self.name}:1:1: in `{self.where}`: {message}")

    def text(self, key: str) -> str | None:
        value = self.rule.get(key)
        if value is not None and (not isinstance(value, str) or not value):
            self.refuse(f"`{key}` is not a text")
        return value

    def texts(self, key: str) -> list[str] | None:
        value = self.rule.get(key)
        found = [value] if isinstance(value, str) else value
        if found is None:
            return None
        if (
            not isinstance(found, list)
            or not found
            or not all(isinstance(t, str) and t for t in found)
        ):
            self.refuse(f"`{key}` is not a text or a list of texts")
        return [str(text) for text in found]

    def entries(self) -> list[Entry]:
        """The rule in our words, an entry for each tool and each prefix."""
        lost = self._condition()
        if lost and self.effect is Effect.ALLOW:
            return [self._entry((), "*", lost, None)]
        found = []
        for tool in self.tools or [""]:
            if self.server is None and tool == SHELL:
                found += self._commands(lost)
            else:
                found.append(self._tool(tool, lost))
        return found

    def _condition(self) -> str:
        """What the rule demands beside tool and command, in words; empty if nothing."""
        asked = [key for key in _NARROWING if key in self.rule]
        modes = self.rule.get("modes")
        if modes and not (
            self.effect is Effect.ALLOW and isinstance(modes, list) and "default" in modes
        ):
            asked.append("modes")
        return f"`{'`, `'.join(asked)}` cannot be said" if asked else ""

    def _entry(
        self,
        texts: tuple[str, ...],
        glob: str,
        lost: str,
        family: str | None,
        wide: str = "tool(*)",
    ) -> Entry:
        message = self.rule.get("denyMessage") or self.rule.get("deny_message")
        fields = {"justification": message} if isinstance(message, str) else {}
        return Entry(self.effect, self.source, texts, family, glob, lost, wide, fields)

    # ── commands ──

    def _commands(self, lost: str) -> list[Entry]:
        regex = self.regex
        if self.arguments is not None:
            if not self.arguments.startswith(_AS_JSON):
                return [self._shell(None, "*", lost or "`argsPattern` looks at arguments as JSON")]
            regex = self.arguments.removeprefix(_AS_JSON)
        if regex is not None:
            pattern = self._expression(regex)
            lost = lost or ("" if pattern else f"the expression `{regex}` cannot be said exactly")
            begins = re.match(r"[\w ./-]*", regex)
            glob = f"{begins[0] if begins and pattern else ''}*"
            return [self._shell(None if pattern is None else [pattern], glob, lost)]
        if self.prefixes is None:
            return [self._shell(["*"], "*", lost)]
        found = []
        for prefix in self.prefixes:
            patterns = self._prefix(prefix)
            why = lost or ("" if patterns else f"the prefix `{prefix}` is more than plain words")
            found.append(self._shell(patterns, f"{prefix} *", why))
        return found

    def _shell(self, patterns: list[str] | None, glob: str, lost: str) -> Entry:
        if patterns is None:
            patterns = [] if self.effect is Effect.ALLOW else ["*"]
        texts = tuple(f"shell({pattern})" for pattern in patterns)
        if patterns == ["*"] and not lost and self.effect is Effect.DENY:
            texts = (*texts, f"tool({SHELL})")
        return self._entry(texts, glob, lost, "shell", "shell(*)")

    def _prefix(self, prefix: str) -> list[str] | None:
        """The patterns for commands that begin with these words."""
        if self.effect is not Effect.ALLOW:
            return hit_patterns(f"{prefix} *")
        pattern = allowed_prefix(prefix)
        return None if pattern is None else [pattern]

    def _expression(self, regex: str) -> str | None:
        """The expression for commands that begin with what the other, over JSON, matches."""
        if not _SIMPLE.fullmatch(regex) or _splits_in_two(regex):
            return None
        allows = self.effect is Effect.ALLOW
        text = "(?:{}).*".format(regex.replace("\\s", " ")) if allows else regex
        try:
            compile_expression(f"(?:{regex})")
            compile_expression(text)
        except RuleSyntaxError:
            return None
        return f"/{text}/"

    # ── tools ──

    def _tool(self, tool: str, lost: str) -> Entry:
        if self.arguments is not None:
            lost = lost or "`argsPattern` looks at arguments as JSON"
            if self.effect is Effect.ALLOW:
                return self._entry((), "*", lost, None)
        if self.server is not None:
            texts, why = self._pair(self.server, tool or "*")
            glob = f"{MCP}{self.server}_{tool or '*'}"
            return self._entry(texts, glob, lost or why, "mcp", "mcp(*:*)")
        if tool.startswith(MCP):
            texts, why = self._joined(tool)
            return self._entry(texts, tool, lost or why, "mcp", "mcp(*:*)")
        if tool == "*":
            texts = ("tool(*)",)
            return self._entry(texts, "*", lost, None)
        if self.effect is Effect.ALLOW and not re.fullmatch(r"[A-Za-z_][\w-]*", tool):
            return self._entry((), "*", lost or f"`{tool}` is no plain name", tool)
        return self._entry((f"tool({tool})",), "*", lost, tool)

    def _pair(self, server: str, tool: str) -> tuple[tuple[str, ...], str]:
        """The rule for a tool of a server."""
        if tool.startswith(f"{MCP}{server}_"):
            tool = tool.removeprefix(f"{MCP}{server}_")
        allows = self.effect is Effect.ALLOW
        plain = re.fullmatch(r"[\w.-]+", server) and (tool == "*" or re.fullmatch(r"[\w.-]+", tool))
        if allows and not plain:
            return (), f"`{server}` and `{tool}` are not both plain names"
        return (f"mcp({server} :: {tool})",), ""

    def _joined(self, name: str) -> tuple[tuple[str, ...], str]:
        """The rule for `mcp_server_tool`, which can be read in several ways."""
        joined = name.removeprefix(MCP)
        if self.effect is not Effect.ALLOW:
            return (*hit_joined(joined), f"tool({name})"), ""
        pairs = split_joined(joined)
        server, tool = pairs[0] if pairs else ("", "")
        if not re.fullmatch(r"[\w.-]+", server) or not (
            tool == "*" or re.fullmatch(r"[\w.-]+", tool)
        ):
            return (), "an allow names its server in full"
        return (f"mcp({server} :: {tool})",), ""


def _splits_in_two(regex: str) -> bool:
    """Whether an alternative stands outside of all groups, or a class that other engines read otherwise."""
    plain = re.sub(r"\\.", "", regex)
    if "[:" in plain or "[[" in plain:
        return True
    depth = 0
    for character in re.sub(r"\[[^\]]*\]", "", plain):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "|" and depth <= 0:
            return True
    return False


def _shown(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)
