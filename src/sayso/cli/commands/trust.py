"""`sayso trust`: what a project's settings loosen waits for the user's trust in exactly that content (POL-60)."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter

from sayso.channels.display import Text, safe_line
from sayso.channels.display import show as runs_of
from sayso.cli.acting import AsJson, PassphraseStdin, TokenStdin, acting, interruptible
from sayso.config.followed import FollowedFile
from sayso.config.settings import Scope
from sayso.config.source import SettingsRules
from sayso.config.workspace import project_root
from sayso.core.effect import Effect
from sayso.errors import CallInvalid, NotAuthenticated, SettingsInvalid
from sayso.front.assembly import settings_rules

app = App(name="trust", help_format="plaintext")


@dataclass(frozen=True, slots=True)
class Found:
    """One settings file of a project, as it was when it was read: with exactly this content."""

    path: str
    digest: str | None
    tightens: int
    loosens: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    problem: str | None
    trusted: bool

    @property
    def waits(self) -> bool:
        """Whether something in it waits for trust."""
        return self.problem is None and bool(self.loosens) and not self.trusted

    def to_json(self) -> dict[str, Any]:
        """The file as plain data."""
        return {
            "path": self.path,
            "sha256": self.digest,
            "tightens": self.tightens,
            "loosens": [{"place": place, "what": what} for place, what in self.loosens],
            "warnings": list(self.warnings),
            "problem": self.problem,
            "trusted": self.trusted,
        }


@app.default
def trust(
    path: Path | None = None,
    /,
    *,
    show: Annotated[
        bool,
        Parameter(negative="", show_default=False, help="Only show what there is; change nothing."),
    ] = False,
    revoke: Annotated[
        bool,
        Parameter(negative="", show_default=False, help="Trust the project's files no more."),
    ] = False,
    sha256: Annotated[
        list[str] | None,
        Parameter(
            negative="",
            consume_multiple=True,
            help="Trust the files of exactly this content, as --show names it, and do not ask.",
        ),
    ] = None,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
    as_json: AsJson = False,
) -> int:
    """Look at what a project's settings loosen, and let it count.

    A project's deny and ask rules count at once. What loosens waits until you
    trust exactly this content; when it changes, it waits again.

    Parameters
    ----------
    path
        The project, or a folder in it; by default where you are.
    """
    place = (path or Path.cwd()).absolute()
    if not place.is_dir():
        raise CallInvalid(f"`{place}` is not a folder", "name the project's folder")
    if show and (revoke or sha256):
        raise CallInvalid("--show changes nothing", "leave out --show, or what should change")
    if revoke and sha256:
        raise CallInvalid("--revoke and --sha256 are two different acts", "leave out one of them")
    rules = settings_rules()
    found = [_found(rules, file) for file in _files(rules, place)]
    if as_json:
        print(json.dumps([file.to_json() for file in found], indent=2))
    else:
        _print(place, found)
    if show:
        return 0
    if revoke:
        return asyncio.run(_revoke(rules, place, passphrase_stdin, token_stdin))
    for file in found:
        if file.problem is not None:
            message, _, hint = file.problem.partition("\nhint: ")
            raise SettingsInvalid(message, hint or "mend the file, then trust it")
    waiting = [file for file in found if file.waits]
    if sha256:
        waiting = _with_content(found, sha256)
    elif waiting and not sys.stdin.isatty():
        raise NotAuthenticated(
            "there is no terminal to ask on whether this is trusted",
            "look at it with --show, then name its content with --sha256",
        )
    elif waiting and not _agrees():
        print("Nothing was changed.", file=sys.stderr)
        return 1
    if not waiting:
        return 0
    return asyncio.run(_trust(rules, waiting, passphrase_stdin, token_stdin))


def _with_content(found: list[Found], digests: list[str]) -> list[Found]:
    """The files that hold exactly what was looked at before; raises CallInvalid where one does not any more."""
    for digest in digests:
        if not any(file.digest == digest for file in found):
            raise CallInvalid(
                f"no settings file there has the content `{digest[:64]}` now",
                "look at what is there with --show, and name the content of that",
            )
    return [file for file in found if file.waits and file.digest in digests]


async def _trust(
    rules: SettingsRules, waiting: list[Found], passphrase_stdin: bool, token_stdin: bool
) -> int:
    async with acting(passphrase_stdin=passphrase_stdin, token_stdin=token_stdin) as (
        broker,
        actor,
    ):
        broker.access.must_configure(actor)
        for file in waiting:
            assert rules.trust is not None, "the installation's own rules have one"
            assert file.digest is not None, "what waits was read"
            rules.trust.trust(file.path, file.digest)
            await broker.note_change(actor, f"trusted: {file.path} (sha256 {file.digest})")
            print(f"trusted: {safe_line(file.path)}", file=sys.stderr)
    return 0


async def _revoke(
    rules: SettingsRules, place: Path, passphrase_stdin: bool, token_stdin: bool
) -> int:
    book = rules.trust
    assert book is not None, "the installation's own rules have one"
    book.look()
    root = Path(project_root(str(place)))
    files = [file for file in book.files() if root in Path(file).parents]
    async with acting(passphrase_stdin=passphrase_stdin, token_stdin=token_stdin) as (
        broker,
        actor,
    ):
        broker.access.must_configure(actor)
        for file in files:
            book.revoke(file)
            await broker.note_change(actor, f"trusted no more: {file}")
            print(f"trusted no more: {safe_line(file)}", file=sys.stderr)
    if not files:
        print("Nothing there was trusted.", file=sys.stderr)
    return 0


def _files(rules: SettingsRules, place: Path) -> list[FollowedFile]:
    return [file for file in rules.files(str(place)) if file.scope is Scope.PROJECT]


def _found(rules: SettingsRules, file: FollowedFile) -> Found:
    settings = file.settings
    return Found(
        path=str(file.path),
        digest=file.digest,
        tightens=sum(rule.effect is not Effect.ALLOW for rule in settings.rules),
        loosens=tuple((one.place, one.text) for one in settings.loosens),
        warnings=settings.warnings,
        problem="\n".join(file.problems) or None,
        trusted=rules.trust is not None and rules.trust.trusts(str(file.path), file.digest),
    )


def _print(place: Path, found: list[Found]) -> None:
    if not found:
        print(f"{safe_line(str(place))} has no settings of its own.")
    for file in found:
        if file.problem is not None:
            state = "cannot be used"
        elif file.trusted:
            state = "trusted"
        else:
            state = "waits for your trust" if file.loosens else "loosens nothing"
        print(f"{safe_line(file.path)}: {state}")
        if file.waits:
            print(f"  its content, for --sha256: {file.digest}")
        print(f"  rules that tighten, which count at once: {file.tightens}")
        for where, what in file.loosens:
            line = where.removeprefix(file.path).lstrip(":")
            print(f"  loosens, at {safe_line(line)}: {safe_line(what)}")
            for warn in dict.fromkeys(run.warn for run in runs_of(what) if isinstance(run, Text)):
                if warn is not None:
                    print(f"    {safe_line(warn)}")
        for warning in file.warnings:
            print(f"  warning: {safe_line(warning.removeprefix(file.path).lstrip(':'))}")


def _agrees() -> bool:
    print("Trust exactly this? [y/N] ", end="", file=sys.stderr, flush=True)
    with interruptible():
        return sys.stdin.readline().strip().lower() in ("y", "yes")
