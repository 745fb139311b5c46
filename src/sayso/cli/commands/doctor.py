"""`sayso doctor`: is this installation in order, and what does it not protect from (REQ-69)."""

from __future__ import annotations

import asyncio
import shutil
import stat
import sys
from dataclasses import dataclass
from pathlib import Path

from cyclopts import App

from sayso.cli.exit_codes import ExitCode
from sayso.cli.running import running_url
from sayso.errors import SaysoError
from sayso.front.assembly import SETTINGS_NAME, open_broker
from sayso.system.places import find_places

app = App(name="doctor", help="Check this installation.", help_format="plaintext")

UNSANDBOXED = (
    "An agent that runs unsandboxed as the same user of this machine could change sayso's files "
    "behind the gate's back, or call its tools without it. Two ways out: let the agent run in a "
    "sandbox that cannot reach them, or run `sayso serve` as another user."
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report; `hint` says what to do where it is not good."""

    good: bool
    what: str
    hint: str = ""


@app.default
def doctor() -> int:
    """Check places, database, passphrase, settings and server, and say what to mend."""
    findings = asyncio.run(_findings())
    for finding in findings:
        print(f"{'ok  ' if finding.good else 'MEND'}  {finding.what}")
        if not finding.good and finding.hint:
            print(f"      hint: {finding.hint}")
    print(f"\nnote  {UNSANDBOXED}")
    return ExitCode.OK if all(finding.good for finding in findings) else ExitCode.FAILURE


async def _findings() -> list[Finding]:
    version = ".".join(str(part) for part in sys.version_info[:3])
    findings = [Finding(sys.version_info >= (3, 11), f"Python {version}", "use 3.11 or newer")]
    places = find_places()
    findings += [_private(places.data), _private(places.config)]
    try:
        async with open_broker() as broker:
            findings.append(Finding(True, f"database {places.database} opens and is whole"))
            findings.append(
                Finding(
                    await broker.access.has_passphrase(),
                    "a passphrase is chosen",
                    "choose one on a terminal: sayso passphrase set",
                )
            )
            rules = await broker.world.rules.current()
            settings = places.config / SETTINGS_NAME
            where = str(settings) if settings.exists() else f"{settings} (not there, which is fine)"
            problem = rules.unavailable or "; ".join(rules.problems)
            findings.append(Finding(not problem, f"rules load; settings {where}", problem or ""))
    except SaysoError as error:
        findings.append(Finding(False, error.message, error.hint or ""))
    url = running_url()
    findings.append(
        Finding(
            True, f"a server runs at {url}" if url else "no server runs (start it: sayso serve)"
        )
    )
    sandbox = shutil.which("bwrap")
    findings.append(Finding(True, f"bubblewrap {'is here' if sandbox else 'is not installed'}"))
    return findings


def _private(directory: Path) -> Finding:
    if not directory.exists():
        return Finding(True, f"{directory} is made at the first start")
    mode = stat.S_IMODE(directory.stat().st_mode)
    return Finding(
        not mode & 0o077,
        f"{directory} is private",
        f"take others' rights away: chmod 700 {directory}",
    )
