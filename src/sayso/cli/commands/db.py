"""`sayso db`: the database as a whole (ST-7)."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from sayso.cli.acting import AsJson
from sayso.cli.exit_codes import ExitCode
from sayso.front import databases

app = App(
    name="db",
    help="Back up, restore, check and bring up to date the database.",
    help_format="plaintext",
)


@app.command
def backup(to: Annotated[Path, Parameter(help="The new file.")], /) -> int:
    """Copy the database as it stands at one moment, while servers go on.

    The copy is one SQLite file, also of a PostgreSQL database. It is as secret
    as the database itself.
    """
    databases.back_up(to.absolute())
    print(f"The backup is {to}.")
    return ExitCode.OK


@app.command
def restore(file: Annotated[Path, Parameter(help="The backup.")], /) -> int:
    """Put a backup where no database is yet, whole or not at all.

    What was decided after the backup was made is asked again: look at what ran
    before you approve. Tokens and logins that were revoked since, grants that
    were taken back, people who were removed and passphrases that were changed
    are as they were then: see to them before a server starts.
    """
    databases.restore(file.absolute())
    print("The backup is restored.")
    print(
        "Tokens that were revoked, grants that were taken back and people who were removed since it was made "
        "are valid again, and passphrases are those of then: see `sayso tokens list`, `sayso grants list` and "
        "`sayso people list`."
    )
    return ExitCode.OK


@app.command
def check(
    file: Annotated[Path | None, Parameter(help="A backup, instead of the database.")] = None,
    /,
    *,
    as_json: AsJson = False,
) -> int:
    """Check the database, or a backup; nothing is changed.

    Of a SQLite file it walks through every page and every reference between
    rows. Of a PostgreSQL database it reads the schema and counts rows; its pages
    are for PostgreSQL's own pg_amcheck. Whether the audit log is as it was
    written, `sayso audit verify` says.
    """
    found = databases.check(None if file is None else file.absolute())
    if as_json:
        print(json.dumps(dataclasses.asdict(found), indent=2))
    else:
        print(
            f"good: schema {found.schema}, {found.calls} calls, {found.requests} requests, "
            f"{found.audit_entries} audit entries"
        )
    return ExitCode.OK


@app.command
def migrate() -> int:
    """Bring the schema of the database up to date, which every start does too.

    A database that a newer sayso wrote is refused.
    """
    before, now = databases.migrate()
    if before == now:
        print(f"The schema is {now} already.")
    else:
        print(f"The schema is {now} now; it was {before or 'none'}.")
    return ExitCode.OK
