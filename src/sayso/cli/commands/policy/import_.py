"""`sayso policy import`: the rules of another gate, read into a settings file of ours (POL-62)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from sayso.channels.display import count_words, safe_line
from sayso.cli.acting import AsJson, PassphraseStdin, TokenStdin, acting
from sayso.cli.commands.policy.settings_target import settings_target
from sayso.cli.exit_codes import ExitCode
from sayso.config.edit import add_rules
from sayso.config.reading import decoded, read_file
from sayso.config.settings import Scope
from sayso.core.effect import Effect
from sayso.errors import SettingsInvalid
from sayso.policy.dialects import claude_code, codex, gemini, opencode, rules_json
from sayso.policy.dialects.settings_text import print_rules
from sayso.policy.dialects.translated import Note, Translation
from sayso.policy.rule import Rule

Agent = Literal["claude-code", "codex", "gemini", "opencode", "rules.json"]
Place = Literal["user", "workspace", "project"]
_ANOTHER = "name another one: --file FILE"

_USER = {
    "claude-code": (".claude/settings.json",),
    "codex": (".codex/rules/*.rules", ".codex/config.toml"),
    "gemini": (".gemini/policies/*.toml", ".gemini/settings.json"),
    "opencode": (".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"),
    "rules.json": (),
}
_PROJECT = {
    "claude-code": (".claude/settings.json", ".claude/settings.local.json"),
    "codex": (".codex/rules/*.rules", ".codex/config.toml"),
    "gemini": (".gemini/policies/*.toml", ".gemini/settings.json"),
    "opencode": ("opencode.json", "opencode.jsonc", ".opencode/opencode.json"),
    "rules.json": ("rules.json",),
}


@dataclass(frozen=True, slots=True)
class Imported:
    """What one file was read into."""

    file: Path
    translation: Translation


def import_(
    agent: Annotated[Agent, Parameter(help="Whose rules they are.")],
    /,
    *,
    file: Annotated[
        tuple[Path, ...],
        Parameter(
            name="--file",
            negative="",
            show_default=False,
            help="The file to read, also several; by default where that agent keeps its own.",
        ),
    ] = (),
    scope: Annotated[
        Place, Parameter(help="Whose settings get the rules, and where files are looked for.")
    ] = "user",
    dry_run: Annotated[
        bool, Parameter(negative="", show_default=False, help="Show the rules; write nothing.")
    ] = False,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
    as_json: AsJson = False,
) -> int:
    """Read the rules of another gate into your settings.

    AGENT is claude-code, codex, gemini, opencode or rules.json. An import never
    allows what that gate would not; what it cannot carry over exactly becomes
    stricter or is left out, and is told. --scope user reads the files of your
    user, workspace and project those of this directory. It needs a person's
    credential, but for --dry-run and for a project's file, which counts only
    as far as you trust it.
    """
    here = Path.cwd()
    files = file or _found(agent, scope, here)
    alone = len(files) == 1
    imported = [
        Imported(path, _translated(agent, path, here, scope, alone=alone)) for path in files
    ]
    rules = tuple(rule for found in imported for rule in found.translation.rules)
    target = settings_target(Scope[scope.upper()], here)
    if dry_run and not as_json:
        print(print_rules(rules), end="")
    write = partial(
        add_rules,
        target.path,
        rules,
        check=target.check,
        head=target.head,
        links=target.scope is not Scope.PROJECT,
    )
    if dry_run or not rules:
        added = 0
    elif scope == "project":
        added = write()
    else:
        added = asyncio.run(_as_a_person(write, agent, target.path, passphrase_stdin, token_stdin))
    if as_json:
        told = _json(imported, rules, None if dry_run else target.path, added)
        print(json.dumps(told, indent=2))
        return ExitCode.OK
    _tell(imported, here)
    if not dry_run:
        known = len(rules) - added
        there = f"; {known} stood there already" if known else ""
        print(f"{count_words(added, 'rule')} added to {safe_line(str(target.path))}{there}")
        if scope == "project" and any(rule.effect is Effect.ALLOW for rule in rules):
            print("its allows count once you trust the file: sayso trust")
    return ExitCode.OK


async def _as_a_person(
    write: Callable[[], int],
    agent: Agent,
    target: Path,
    passphrase_stdin: bool,
    token_stdin: bool,
) -> int:
    """Write as `sayso policy add` does: by somebody who may configure, and on the record."""
    async with acting(passphrase_stdin=passphrase_stdin, token_stdin=token_stdin) as (
        broker,
        actor,
    ):
        broker.access.must_configure(actor)
        added = write()
        if added:
            counted = count_words(added, "rule")
            await broker.note_change(actor, f"{counted} of {agent} added to {target}")
        return added


def _found(agent: Agent, scope: Place, here: Path) -> tuple[Path, ...]:
    """The files where an agent keeps its rules."""
    base, patterns = (Path.home(), _USER[agent]) if scope == "user" else (here, _PROJECT[agent])
    found = [path for pattern in patterns for path in sorted(base.glob(pattern))]
    if not found:
        looked = ", ".join(str(base / pattern) for pattern in patterns) or "nowhere"
        raise SettingsInvalid(
            f"no file with rules of `{agent}` was found: {looked}",
            "name it: --file FILE; --scope workspace looks into this directory",
        )
    return tuple(found)


def _translated(agent: Agent, file: Path, here: Path, scope: Place, *, alone: bool) -> Translation:
    data = read_file(file, _ANOTHER)
    if data is None:
        raise SettingsInvalid(f"{file}:1:1: the file cannot be read: it is not there", _ANOTHER)
    text = decoded(file, data)
    read: dict[str, Callable[[], Translation]] = {
        "claude-code": partial(
            claude_code.translate, text, str(file), root=_root(file, here, scope)
        ),
        "codex": partial(codex.translate, text, str(file)),
        "gemini": partial(gemini.translate, text, str(file), alone=alone),
        "opencode": partial(opencode.translate, text, str(file), alone=alone),
        "rules.json": partial(rules_json.translate, text, str(file)),
    }
    return read[agent]()


def _root(file: Path, here: Path, scope: Place) -> str | None:
    """What a path that begins with one `/` starts from, in our grammar; None where it is not known.

    In a project's own file that is the workspace. In the user's, also for a folder, a relative path
    would hold in every workspace they count in, so it is this directory by its name.
    """
    folder = file.absolute().parent
    if folder.name != ".claude" or folder.parent != here or here.resolve() == Path.home().resolve():
        return None
    if scope == "project":
        return ""
    return here.resolve().as_posix().replace("\\", "\\\\").replace("*", "\\*").rstrip("/")


def _tell(imported: list[Imported], here: Path) -> None:
    """Tell what was read from where, and what could not be carried over exactly."""
    for found in imported:
        shown = found.file.relative_to(here) if found.file.is_relative_to(here) else found.file
        count = count_words(len(found.translation.rules), "rule")
        print(f"# {safe_line(str(shown))}: {count}, {_notes(found.translation.notes)}")
        for note in found.translation.notes:
            print(f"#   {note.position}: {safe_line(note.original)}")
            print(f"#     {safe_line(note.lost)}: {safe_line(note.instead)}")


def _notes(notes: tuple[Note, ...]) -> str:
    return f"{count_words(len(notes), 'note')}" if notes else "all carried over exactly"


def _json(
    imported: list[Imported], rules: tuple[Rule, ...], target: Path | None, added: int
) -> dict[str, Any]:
    return {
        "files": [
            {"file": str(found.file), "notes": [note.to_json() for note in found.translation.notes]}
            for found in imported
        ],
        "rules": [replace(rule, place=None).to_json() for rule in rules],
        "written_to": None if target is None else str(target),
        "added": added,
    }
