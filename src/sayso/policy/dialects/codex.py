"""Codex's rules (`*.rules`, Starlark) and what its `config.toml` says beside them.

Read of its source in 2026 (openai/codex, codex-rs/execpolicy): a rule is a prefix of a command's
arguments, and the strictest of all that match decides. A rule that names no decision allows.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from sayso.core.effect import Effect
from sayso.core.toml_text import read_toml
from sayso.errors import SettingsInvalid
from sayso.policy.dialects.command_globs import GlobWord, text_pattern, write_words
from sayso.policy.dialects.host_globs import hit_host
from sayso.policy.dialects.starlark import Call, Value, read_calls
from sayso.policy.dialects.translated import Source, Translation, Translator

DECISIONS = {
    "allow": Effect.ALLOW,
    "prompt": Effect.ASK,
    "forbidden": Effect.DENY,
    "deny": Effect.DENY,
}
MOST_WAYS = 64
_ARGUMENTS = {
    "prefix_rule": ("pattern", "decision", "justification", "match", "not_match"),
    "network_rule": ("host", "protocol", "decision", "justification"),
    "host_executable": ("name", "paths"),
}
_ASIDE = {
    "approval_policy": "when Codex asks at all",
    "approvals_reviewer": "who answers",
    "sandbox_mode": "what the sandbox lets pass",
    "sandbox_workspace_write": "what the sandbox lets pass",
    "default_permissions": "what the sandbox lets pass",
    "permissions": "what the sandbox lets pass",
    "projects": "which projects are trusted",
    "profiles": "other settings under a name",
    "hooks": "what hooks decide",
    "shell_environment_policy": "which variables commands see",
}


def translate(text: str, name: str = "default.rules") -> Translation:
    """Read a Codex rule file, or its `config.toml` if `name` ends like that.

    `name` is for messages. Raises SettingsInvalid for a file that cannot be read as a whole.
    """
    if name.endswith(".toml"):
        return _translate_config(text, name)
    reader = _Reader(name)
    calls = read_calls(text, name)
    for call in calls:
        reader.check(call)
    reader.pinned = {
        str(call.arguments.get("name")) for call in calls if call.function == "host_executable"
    }
    for call in calls:
        reader.read(call)
    return reader.out.translation()


class _Reader:
    def __init__(self, name: str) -> None:
        self.name = name
        self.pinned: set[str] = set()
        self.out = Translator()

    def refuse(self, call: Call, message: str) -> SettingsInvalid:
        return SettingsInvalid(f"{self.name}:{call.position}: {message}")

    def check(self, call: Call) -> None:
        """Refuse a call that Codex would refuse, and one that is not known."""
        known = _ARGUMENTS.get(call.function)
        if known is None:
            raise self.refuse(call, f"`{call.function}` is not known here")
        for argument in call.arguments:
            if argument not in known:
                raise self.refuse(call, f"`{call.function}` has no argument `{argument}`")

    def read(self, call: Call) -> None:
        source = Source(call.position, " ".join(call.text.split()))
        if call.function == "prefix_rule":
            self._prefix(call, source)
        elif call.function == "network_rule":
            self._network(call, source)
        else:
            lost = "which file a bare name may mean cannot be said"
            self.out.note(source, lost, "no allow for that name is carried over")

    def _prefix(self, call: Call, source: Source) -> None:
        effect = self._effect(call, "allow")
        tokens = self._tokens(call)
        fields = self._justification(call)
        if effect is Effect.ALLOW:
            self._allow(source, tokens, fields)
        else:
            self._hit(effect, source, tokens, fields)

    def _allow(self, source: Source, tokens: list[list[str]], fields: dict[str, Any]) -> None:
        names = set(tokens[0]) & self.pinned
        if names:
            self.out.leave_out(source, f"which file `{min(names)}` may mean cannot be said")
        elif _ways(tokens) > MOST_WAYS:
            self.out.leave_out(source, f"it has more than {MOST_WAYS} ways to be written")
        else:
            for words in product(*tokens):
                text = _written(words)
                if text is None or "=" in words[0]:
                    self.out.leave_out(source, f"`{' '.join(words)}` cannot be said exactly")
                else:
                    self.out.allow(source, f"shell({text})", **fields)

    def _hit(
        self, effect: Effect, source: Source, tokens: list[list[str]], fields: dict[str, Any]
    ) -> None:
        kept = tokens
        while _ways(kept) > MOST_WAYS:
            kept = kept[:-1]
        texts = []
        for words in product(*kept):
            # A word that cannot be written, and those after it, may be any.
            known = len(words)
            while known and _written(words[:known], strict=False) is None:
                known -= 1
            texts.append(f"shell({_written(words[:known], strict=False)})" if known else "shell(*)")
            if any(word.startswith("~") for word in words[:known]):
                # It is compared as written, here where the home directory stands for it.
                texts.append(f"shell({text_pattern(' '.join(words[:known]))})")
            if known < len(words):
                kept = []
        texts = list(dict.fromkeys(texts))
        if len(kept) < len(tokens):
            lost = "not all of its words can be said"
            self.out.stricter(effect, source, texts, lost, wide="shell(*)", **fields)
        else:
            self.out.hit(effect, source, texts, "shell(*)", **fields)

    def _network(self, call: Call, source: Source) -> None:
        effect = self._effect(call, None)
        host, protocol = call.arguments.get("host"), call.arguments.get("protocol")
        if not isinstance(host, str) or not isinstance(protocol, str):
            raise self.refuse(call, "`host` and `protocol` are texts")
        fields = self._justification(call)
        hit = hit_host(host.strip().lower())
        if effect is Effect.ALLOW:
            self.out.leave_out(source, "it is about what commands reach, not about what is fetched")
        elif hit is None:
            lost = f"`{host}` is no plain host"
            self.out.stricter(effect, source, ["web(*)"], lost, wide="web(*)", **fields)
        else:
            self.out.hit(effect, source, [f"web({hit})"], "web(*)", **fields)

    def _effect(self, call: Call, default: str | None) -> Effect:
        word = call.arguments.get("decision", default)
        if not isinstance(word, str) or word not in DECISIONS:
            raise self.refuse(call, f"`decision` is not one of {', '.join(DECISIONS)}")
        return DECISIONS[word]

    def _tokens(self, call: Call) -> list[list[str]]:
        pattern = call.arguments.get("pattern")
        tokens: list[list[str]] = []
        for token in pattern if isinstance(pattern, list) else []:
            ways = token if isinstance(token, list) else [token]
            texts = [way for way in ways if isinstance(way, str)]
            if not texts or len(texts) < len(ways):
                raise self.refuse(
                    call, "`pattern` holds texts, and lists of texts that are not empty"
                )
            tokens.append(texts)
        if not tokens:
            raise self.refuse(call, "`pattern` is a list of texts that is not empty")
        return tokens

    def _justification(self, call: Call) -> dict[str, Any]:
        value: Value = call.arguments.get("justification")
        if value is None:
            return {}
        if not isinstance(value, str) or not value.strip():
            raise self.refuse(call, "`justification` is a text that is not empty")
        return {"justification": value}


def _ways(tokens: list[list[str]]) -> int:
    ways = 1
    for token in tokens:
        ways *= len(token)
    return ways


def _written(words: tuple[str, ...], *, strict: bool = True) -> str | None:
    """The prefix in the grammar of `shell(…)`; where it may hit more, a star in a word is a star."""
    starred = [GlobWord(word, not strict and "*" in word) for word in words]
    return write_words([*starred, GlobWord("*", True)])


def _translate_config(text: str, name: str) -> Translation:
    data = read_toml(text, name)
    out = Translator()
    for key, what in _ASIDE.items():
        if key in data:
            out.aside(key, key, data[key], f"no rule can say {what}")
    servers = data.get("mcp_servers", {})
    for server, settings in servers.items() if isinstance(servers, dict) else ():
        if isinstance(settings, dict):
            _server(out, str(server), settings)
    return out.translation()


def _server(out: Translator, server: str, settings: dict[str, Any]) -> None:
    """What the settings of one MCP server say of its tools."""
    where = f"mcp_servers.{server}"
    disabled = settings.get("disabled_tools", [])
    for tool in disabled if isinstance(disabled, list) else ():
        source = Source(f"{where}.disabled_tools", str(tool))
        out.hit(Effect.DENY, source, [f"mcp({server} :: {tool})"], "mcp(*:*)")
    for key in ("enabled_tools", "default_tools_approval_mode", "tools"):
        if key in settings:
            lost = "it is about which tools there are, or when Codex asks"
            out.aside(f"{where}.{key}", key, settings[key], lost, "nothing")
