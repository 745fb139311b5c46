"""`sayso db`: the database as a whole, and what is let go of in it (ST-7, AUD-1a)."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from sayso.broker.access import Actor
from sayso.broker.broker import Broker
from sayso.broker.kept_calls import Forgotten, forget_calls
from sayso.broker.ports.kept_calls import Which
from sayso.cli.acting import AsJson, PassphraseStdin, TokenStdin, acted
from sayso.cli.commands.snooze import seconds_of
from sayso.cli.exit_codes import ExitCode
from sayso.core.moment import plus
from sayso.errors import CallInvalid
from sayso.front import databases

app = App(
    name="db",
    help="Back up, restore, check and bring up to date the database; delete arguments.",
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
def forget(
    call_id: Annotated[str | None, Parameter(help="The id of one call.")] = None,
    /,
    *,
    session: Annotated[
        str | None, Parameter(name="--session", help="All calls of this session.")
    ] = None,
    older_than: Annotated[
        str | None, Parameter(name="--older-than", help="All calls submitted so long ago: 12h, 7d.")
    ] = None,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
) -> int:
    """Delete the full arguments of calls now; an admin's to do.

    What is left is what the audit log holds: the redacted form and the digest.
    Calls that are not over keep theirs. Backups keep what they hold.
    """
    if [call_id, session, older_than].count(None) != 2:
        raise CallInvalid(
            "it is not clear of which calls", "name one call, or --session, or --older-than"
        )
    seconds = None if older_than is None else seconds_of(older_than)

    async def work(broker: Broker, actor: Actor) -> Forgotten:
        world = broker.world
        before = None if seconds is None else plus(world.clock.now(), -seconds)
        which = Which(call_id, session, before)
        return await forget_calls(world, broker.access, actor, which)

    done = acted(work, passphrase_stdin, token_stdin)
    print(f"The full arguments of {done.deleted} calls are deleted.")
    if done.kept:
        print(f"{done.kept} calls that are not over keep theirs.")
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
