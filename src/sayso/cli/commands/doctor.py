"""`sayso doctor`: is this installation in order, and what does it not protect from (REQ-69)."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import stat
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cyclopts import App

from sayso.broker.attention_words import overdue_words
from sayso.broker.freezing import freeze_words
from sayso.broker.reachability import who_is_reachable
from sayso.channels.display import safe
from sayso.cli.acting import AsJson
from sayso.cli.exit_codes import ExitCode
from sayso.cli.freezes import thaw_hint
from sayso.cli.running import KEPT_BY_THE_SERVER, running_url
from sayso.cli.saying import quiet_logs
from sayso.config.workspace import SETTINGS_NAME
from sayso.core.advice import Advice
from sayso.errors import SaysoError
from sayso.front.assembly import open_broker, settings_rules
from sayso.host.sandbox_run import why_not
from sayso.system.hook_commands import startable
from sayso.system.language_model import fault_of
from sayso.system.places import DATABASE_VARIABLE, database_url, find_places

app = App(name="doctor", help_format="plaintext")

UNSANDBOXED = (
    "An agent that runs unsandboxed as the same user of this machine could change sayso's files "
    "behind the gate's back, or use its tools without it. Two ways out: let the agent run in a "
    "sandbox that cannot reach them, or run `sayso serve` as another user."
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report; `hint` says what to do where it is not good."""

    good: bool
    what: str
    hint: str = ""


@app.default
def doctor(*, as_json: AsJson = False) -> int:
    """Check this installation and say what to mend.

    Places, database, passphrase, settings and server. The exit status is 1 if
    there is something to mend.
    """
    # What is wrong stands in the report, and need not be logged too.
    quiet_logs()
    findings = asyncio.run(_findings())
    if as_json:
        print(json.dumps([dataclasses.asdict(finding) for finding in findings], indent=2))
    else:
        for finding in findings:
            print(f"{'ok  ' if finding.good else 'MEND'}  {_indented(finding.what)}")
            if not finding.good and finding.hint:
                print(f"      hint: {_indented(finding.hint)}")
        print(
            f"\n{textwrap.fill(UNSANDBOXED, 80, initial_indent='note  ', subsequent_indent='      ')}"
        )
    return ExitCode.OK if all(finding.good for finding in findings) else ExitCode.FAILURE


async def _findings() -> list[Finding]:
    version = ".".join(str(part) for part in sys.version_info[:3])
    findings = [Finding(sys.version_info >= (3, 11), f"Python {version}", "use 3.11 or newer")]
    try:
        places = find_places()
        findings += [_private(directory) for directory in sorted({places.data, places.config})]
        settings = places.config / SETTINGS_NAME
        url = running_url() if places.data.exists() else None
        shown = f"{settings}{'' if settings.exists() else _away(url)}"
        shared = database_url()
        if shared is not None or places.database.exists():
            named = f"in {DATABASE_VARIABLE}" if shared is not None else str(places.database)
            findings += await _installation(named, shown)
        else:
            findings.append(Finding(True, f"database {places.database} is made at the first start"))
            findings.append(Finding(True, f"settings {shown}"))
            findings.append(_CHOOSE)
        what = f"a server runs at {url}" if url else "no server runs; to start one: sayso serve"
        findings.append(Finding(True, what))
    except SaysoError as error:
        findings.append(Finding(False, error.message, error.hint or ""))
    why = await why_not()
    works = "works here (bubblewrap)" if why is None else f"does not work here: {why}"
    findings.append(Finding(True, f"the sandbox {works}"))  # only the mode bypass needs it
    return findings


def _away(url: str | None) -> str:
    """What it means that there are no settings."""
    return f", not there: {KEPT_BY_THE_SERVER}" if url else ", not there, which is fine"


_CHOOSE = Finding(
    False,
    "no passphrase is chosen, so nobody can decide",
    "choose one on a terminal: sayso passphrase set",
)


async def _installation(database: str, settings: str) -> list[Finding]:
    lists = settings_rules()
    async with open_broker(settings=lists) as broker:
        findings = [Finding(True, f"database {database} opens and is whole")]
        chosen = await broker.access.has_passphrase()
        findings.append(Finding(True, "a passphrase is chosen") if chosen else _CHOOSE)
        here = str(Path.cwd())
        rules = await broker.world.rules.current(here)
        problems = dict.fromkeys((*broker.world.rules.problems(), *rules.problems))
        if rules.unavailable and not problems:
            problems = {rules.unavailable: None}
        if not problems:
            findings.append(Finding(True, f"rules load; settings {settings}"))
        for problem in problems:
            message, _, hint = problem.partition("\nhint: ")
            findings.append(Finding(False, f"rules: {message}", hint))
        warnings = (*lists.current(here).warnings, *rules.warnings)
        findings += [Finding(True, f"rules: {warning}") for warning in warnings]
        findings += _advice(lists.advice(here))
        reach = (await who_is_reachable(broker.world)).everybody
        people = f"people who can be reached: {reach.reachable} of {reach.eligible}"
        good = reach.reachable > 0 or not chosen  # without a passphrase that is said already
        findings.append(Finding(good, people, "let somebody log in, or configure a channel"))
        for freeze in await broker.world.store.freezes():
            findings.append(Finding(False, freeze_words(freeze), thaw_hint(freeze)))
        now = broker.world.clock.now()
        broken = [r.glass for r in await broker.world.store.unreviewed() if r.glass is not None]
        overdue = sum(glass.overdue(now) for glass in broken)
        if overdue:
            findings.append(Finding(False, overdue_words(overdue), "see: sayso inbox list"))
        waiting = len(await broker.world.store.pending())
        findings.append(Finding(True, f"requests that wait: {waiting}"))
    return findings


def _advice(advice: Advice) -> Iterator[Finding]:
    """Whoever is asked before a person, and whether it can be; a hook is not run for that."""
    for hook in advice.hooks:
        lost = hook.command and not startable(hook)
        hint = f"`{hook.command[0]}` in {hook.folder} is no program" if hook.command else ""
        yield Finding(not lost, f"permission hook {hook.name}", hint)
    if advice.model is not None:
        fault = fault_of(advice.model)
        if fault is None:
            yield Finding(True, f"the reviewer's model is {advice.model}")
        else:
            what = f"the reviewer's model {advice.model} cannot be asked here: {fault}"
            yield Finding(False, what, "mend that, or have people asked: leave out `model`")


def _private(directory: Path) -> Finding:
    if not directory.exists():
        return Finding(True, f"{directory} is made at the first start")
    mode = stat.S_IMODE(directory.stat().st_mode)
    if mode & 0o077:
        return Finding(
            False,
            f"{directory} can be entered by other users",
            f"take their rights away: chmod 700 {directory}",
        )
    return Finding(True, f"{directory} is private")


def _indented(text: str) -> str:
    return safe(text).replace("\n", "\n      ")
