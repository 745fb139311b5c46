"""`sayso policy add` and `remove`: a rule in a settings file, in place, or in a running session (POL-64)."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from sayso.channels.display import safe_line
from sayso.cli.acting import AsJson, PassphraseStdin, TokenStdin, acting
from sayso.cli.commands.policy.settings_target import SettingsTarget, settings_target
from sayso.cli.saying import quiet_logs, say
from sayso.config.edit import Edit, add_rule, remove_rule
from sayso.config.saving import save_session_rule
from sayso.config.settings import Scope
from sayso.core.effect import Effect
from sayso.errors import CallInvalid
from sayso.front.rules_in_force import rules_in_force
from sayso.policy.lint import lint
from sayso.policy.text_rule import parse_text_rule
from sayso.system.facts import LocalFacts

EffectWord = Annotated[Literal["allow", "ask", "deny"], Parameter(help="What the rule says.")]
RuleText = Annotated[str, Parameter(help="The rule, such as `shell(git status *)`; quote it.")]
ScopeWord = Annotated[
    Literal["user", "workspace"],
    Parameter(
        help="Whose settings: for all you do, or for the folder you are in and all below it."
    ),
]
SessionId = Annotated[
    str | None,
    Parameter(
        name="--session", show_default=False, help="Only in this running session; not saved."
    ),
]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A change of the policy: the rule, and where it goes or is taken from.

    With `keep` a session's rule goes into the settings file and is no longer the session's.
    """

    effect: Effect
    text: str
    scope: Scope
    session: str | None
    workspace: str
    keep: bool = False

    @property
    def words(self) -> str:
        """The rule as people read it."""
        return f"{self.effect.word} {self.text}"

    @property
    def target(self) -> SettingsTarget:
        """The settings file of the scope."""
        return settings_target(self.scope, Path(self.workspace))


def add(
    effect: EffectWord,
    rule: RuleText,
    /,
    *,
    scope: ScopeWord = "user",
    session: SessionId = None,
    save: Annotated[
        bool,
        Parameter(
            negative="",
            show_default=False,
            help="Keep a rule that the session has already: in the settings of --scope, no longer in it.",
        ),
    ] = False,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
    as_json: AsJson = False,
) -> int:
    """Add a rule: to your settings, to those for this folder, or to a session.

    The settings file is edited in place, its comments and order are kept, and
    running sessions follow it. It needs a person's credential, as every change
    of what agents may do.
    """
    wanted = _wanted(effect, rule, scope, session, keep=save)
    return asyncio.run(_change(wanted, passphrase_stdin, token_stdin, as_json, adding=True))


def remove(
    effect: EffectWord,
    rule: RuleText,
    /,
    *,
    scope: ScopeWord = "user",
    session: SessionId = None,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
    as_json: AsJson = False,
) -> int:
    """Take a rule out again, however it is spelled there.

    See `sayso policy list` for what stands where. It needs a person's
    credential.
    """
    wanted = _wanted(effect, rule, scope, session)
    return asyncio.run(_change(wanted, passphrase_stdin, token_stdin, as_json, adding=False))


def _wanted(
    effect: str, text: str, scope: str, session: str | None, *, keep: bool = False
) -> Wanted:
    """The change that is meant; raises RuleSyntaxError before anybody is asked for a passphrase."""
    if keep and session is None:
        raise CallInvalid(
            "--save keeps a rule of a session",
            "name the session: --session ID; or leave out --save",
        )
    if session is not None and scope != "user" and not keep:
        raise CallInvalid("a session's rules are saved nowhere", "leave out --scope, or --session")
    said = Effect.parse(effect)
    whose = Scope.WORKSPACE if scope == "workspace" else Scope.USER
    rule = parse_text_rule(said, text, whose.value)
    return Wanted(said, rule.text, whose, session, str(Path.cwd().resolve()), keep)


async def _change(
    wanted: Wanted, passphrase_stdin: bool, token_stdin: bool, as_json: bool, *, adding: bool
) -> int:
    done: dict[str, Any]
    async with acting(passphrase_stdin=passphrase_stdin, token_stdin=token_stdin) as (
        broker,
        actor,
    ):
        broker.access.must_configure(actor)
        if wanted.session is not None and wanted.keep:
            edit = await save_session_rule(
                broker,
                actor,
                wanted.session,
                wanted.effect,
                wanted.text,
                wanted.target.path,
                head=wanted.target.head,
            )
            done = {"path": str(edit.path), "line": edit.line, "changed": edit.changed}
        elif wanted.session is not None:
            rules = broker.session_rules
            change = rules.add if adding else rules.remove
            await change(actor, wanted.session, wanted.effect, wanted.text)
            done = {"session": wanted.session, "changed": True}
        else:
            edit = _edit(wanted, adding=adding)
            if edit.changed:
                verb = "added to" if adding else "removed from"
                await broker.note_change(actor, f"rule {verb} {edit.path}: {wanted.words}")
            done = {"path": str(edit.path), "line": edit.line, "changed": edit.changed}
    if as_json:
        print(json.dumps({"effect": wanted.effect.word, "rule": wanted.text, **done}, indent=2))
    else:
        print(safe_line(_told(wanted, done, adding=adding)))
    if adding and "path" in done:
        await _warn(wanted)
    return 0


def _edit(wanted: Wanted, *, adding: bool) -> Edit:
    target, effect, text = wanted.target, wanted.effect, wanted.text
    if not adding:
        return remove_rule(target.path, effect, text, check=target.check)
    return add_rule(target.path, effect, text, check=target.check, head=target.head)


def _told(wanted: Wanted, done: dict[str, Any], *, adding: bool) -> str:
    if "session" in done:
        return f"{'added' if adding else 'removed'}, in that session: {wanted.words}"
    place = f"{done['path']}:{done['line']}"
    if not adding:
        return f"removed: {wanted.words} ({place})"
    if not done["changed"]:
        return f"it stands there already: {wanted.words} ({place})"
    return f"added: {wanted.words} ({place})"


async def _warn(wanted: Wanted) -> None:
    """Say what is odd about the rule beside the others."""
    rule_id = parse_text_rule(wanted.effect, wanted.text, wanted.scope.value).id
    quiet_logs()
    found = (await rules_in_force(wanted.workspace)).rules
    for finding in lint(found.rules, found.descriptors, LocalFacts()):
        if finding.rule_id == rule_id:
            say("warning", finding.message)
            say("hint", finding.hint)
