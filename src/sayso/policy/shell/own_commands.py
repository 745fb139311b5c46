"""Commands that decide for people, change what sayso is told, or put an end to it (POL-44).

What only looks is left to the rules. All else of sayso's is taken for deciding, also what is not known
here: a command that is added later is a person's until it is listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sayso.core.shell_command import ShellCommand, ShellWord
from sayso.policy.shell.program_name import base_name
from sayso.policy.shell.words import is_known

OWN_NAME = "sayso"

LOOKING: tuple[tuple[str, ...], ...] = (
    ("--help",), ("-h",), ("--version",), ("help",), ("doctor",), ("demo",), ("mcp",),
    ("audit", "list"), ("audit", "verify"), ("inbox", "list"), ("inbox", "show"),
    ("policy", "check"), ("policy", "explain"), ("policy", "cases"), ("policy", "list"),
    ("people", "list"), ("roles", "list"), ("contexts", "list"),
)  # fmt: skip
"""The beginnings of commands that change nothing."""

DECIDING = frozenset(
    {
        "answer", "approve", "ask-back", "break-glass", "contexts", "db", "freeze", "grants", "mode", "passphrase",
        "people", "policy", "reject", "review-glass", "roles", "snooze", "thaw", "tokens", "trust",
    }
)  # fmt: skip
"""The first words of commands that decide, or change who may: what a program not known is asked about for."""

PACKAGE_RUNNERS = frozenset(
    {"uvx", "uv", "pipx", "npx", "bunx", "poetry", "pdm", "hatch", "rye", "mise", "nix", "pixi"}
)
"""Programs that run one of a package, which may be this one."""

ENDING = frozenset(
    {
        "kill", "killall", "pkill", "pgrep", "pidof", "skill", "systemctl", "service", "launchctl", "supervisorctl",
        "rc-service",
    }
)  # fmt: skip
"""Programs that end another one by its name, or find it in order to."""

_REMOVING = frozenset({"uninstall", "remove", "rm", "purge", "autoremove", "erase"})
_INSTALLERS = frozenset(
    {
        "pip",
        "pip3",
        "uv",
        "pipx",
        "poetry",
        "pdm",
        "conda",
        "mamba",
        "brew",
        "apt",
        "apt-get",
        "dnf",
    }
)


def is_for_people(command: ShellCommand) -> bool:
    """Whether a command is one of sayso's that only people may run, or one that ends it."""
    words = command.words
    if not words or words[0].value is None:
        return False
    for word in words:
        if OWN_NAME in (word.value or word.start).casefold():
            break
    else:
        return False  # most name it nowhere
    name = base_name(words[0].value).casefold()
    if any(not _only_looks(rest) for rest in _own_words(name, words)):
        return True
    named = any(OWN_NAME in (word.value or word.start).casefold() for word in words[1:])
    if not named:
        return False
    if name in ENDING:
        return not {"status", "show", "is-active"} & {word.value for word in words[1:2]}
    removes = any(word.value in _REMOVING for word in words[1:])
    return removes and (name in _INSTALLERS or name.startswith("python"))


def may_be_for_people(command: ShellCommand) -> bool:
    """Whether the program is known only when the line runs, and its first word is one that sayso decides by."""
    words = command.words
    if len(words) < 2 or is_known(words[0]):
        return False
    options = (words[1].value or "").startswith("-")
    return any(word.value in DECIDING for word in words[1 : 4 if options else 2])


def _own_words(name: str, words: Sequence[ShellWord]) -> Iterator[Sequence[ShellWord]]:
    """The words behind each place where sayso is what is run."""
    if name == OWN_NAME:
        yield words[1:]
    elif name.startswith(("python", "pypy")):
        for place, word in enumerate(words):
            value = word.value or ""
            module = value.partition("m")[2] if value[:1] == "-" and value[:2] != "--" else None
            if module == "" and place + 1 < len(words):
                if _is_module(words[place + 1].value):
                    yield words[place + 2 :]
            elif module is not None and _is_module(module):
                yield words[place + 1 :]
    elif name in PACKAGE_RUNNERS:
        for place, word in enumerate(words[1:], 1):
            # The option before it may take it for a value: `uvx --from sayso sayso approve`.
            before = words[place - 1].value or ""
            if base_name(word.value or "").partition("@")[0].partition("=")[0] == OWN_NAME and (
                before not in ("--from", "--spec", "--with", "install", "add", "-p", "--package")
            ):
                yield words[place + 1 :]


def _is_module(name: str | None) -> bool:
    return name is not None and name.partition(".")[0] == OWN_NAME


def _only_looks(words: Sequence[ShellWord]) -> bool:
    values = [word.value for word in words]
    if not values:
        return True
    return any(tuple(values[: len(start)]) == start for start in LOOKING)
