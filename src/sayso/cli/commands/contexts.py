"""`sayso contexts`: the run contexts, which say what sessions run under; the page calls them profiles (RC-1)."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from cyclopts import App, Parameter

from sayso.broker.access import Actor
from sayso.broker.broker import Broker
from sayso.channels.display import one_line, plain, show
from sayso.cli.acting import AsJson, PassphraseStdin, TokenStdin, acted
from sayso.cli.table import table
from sayso.errors import CallInvalid
from sayso.front.assembly import open_broker

app = App(
    name="contexts",
    help="List, add, change and remove run contexts.",
    help_format="plaintext",
)


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """What is said of a run context; what is not named is None, and an empty text takes a value away."""

    name: Annotated[str | None, Parameter(help="What people call it.")] = None
    group: Annotated[str | None, Parameter(help="The permission group whose rules count.")] = None
    directory: Annotated[
        str | None, Parameter(help="Where its sessions work; `` takes it away.")
    ] = None
    read: Annotated[
        list[str] | None, Parameter(help="A path that may be read; several times; `` for none.")
    ] = None
    write: Annotated[
        list[str] | None, Parameter(help="A path that may be written; several times; `` for none.")
    ] = None
    mode: Annotated[
        str | None,
        Parameter(help="default, accept-edits, auto, plan, dont-ask or bypass; `` leaves it open."),
    ] = None
    auto_approve: Annotated[
        str | None,
        Parameter(help="Up to which severity nobody is asked: low, medium, high; ``."),
    ] = None
    permit: Annotated[
        list[str] | None,
        Parameter(
            help="A rule in text by which unattended runs are decided; several times; `` for none."
        ),
    ] = None
    unattended: Annotated[
        Literal["refuse", "ask_inbox", "as-permitted"] | None,
        Parameter(help="What becomes of what unattended runs may not."),
    ] = None
    timeout: Annotated[
        float | None,
        Parameter(
            help="How many seconds requests of unattended runs wait; 0 is a day, the default."
        ),
    ] = None
    prompt: Annotated[str | None, Parameter(help="What is added to the system prompt.")] = None

    def named(self) -> dict[str, Any]:
        """Those that were named, by their names in the API."""
        given: dict[str, Any] = {
            "name": self.name,
            "security_group": self.group,
            "working_directory": self.directory,
            "allow_fs_reads": _all_but_empty(self.read),
            "allow_fs_writes": _all_but_empty(self.write),
            "mode": self.mode,
            "auto_approve_severity": self.auto_approve,
            "permissions": _all_but_empty(self.permit),
            "unattended": "" if self.unattended == "as-permitted" else self.unattended,
            "timeout": self.timeout,
            "system_prompt": self.prompt,
        }
        what = {key: value for key, value in given.items() if value is not None}
        for key in ("working_directory", "mode", "auto_approve_severity", "unattended", "timeout"):
            if key in what and not what[key]:
                what[key] = None
        if what.get("permissions") == [] and self.permit == [""]:
            what["permissions"] = None
        return what


NOTHING = Fields()


@app.command(name="list")
def list_(*, as_json: AsJson = False) -> int:
    """List the run contexts; `--json` shows all of each."""
    return asyncio.run(_list(as_json))


async def _list(as_json: bool) -> int:
    async with open_broker() as broker:
        found = await broker.world.store.run_contexts()
    if as_json:
        print(json.dumps([context.to_json() for context in found], indent=2))
        return 0
    rows = [
        (
            context.run_context_id,
            plain(one_line(show(context.name))),
            context.security_group,
            context.mode or "",
            plain(one_line(show(context.working_directory or ""))),
        )
        for context in found
    ]
    print(table(("id", "name", "group", "mode", "folder"), rows))
    return 0


@app.command
def add(
    run_context: str,
    /,
    *,
    what: Fields = NOTHING,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
) -> int:
    """Add a run context; an agent's sessions may name it once a token allows it.

    Parameters
    ----------
    run_context
        Its id: small letters, digits and -, _, . ; it never changes.
    """

    async def work(broker: Broker, actor: Actor) -> int:
        added = await broker.run_contexts.add(actor, run_context, what.named())
        print(f"added: {added.run_context_id}")
        return 0

    return acted(work, passphrase_stdin, token_stdin)


@app.command
def change(
    run_context: str,
    /,
    *,
    what: Fields = NOTHING,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
) -> int:
    """Change a run context; what is not named stays, and sessions follow from their next call.

    Parameters
    ----------
    run_context
        Its id, `default` too.
    """
    named = what.named()
    if not named:
        raise CallInvalid("nothing is to change", "see: sayso contexts change --help")

    async def work(broker: Broker, actor: Actor) -> int:
        changed = await broker.run_contexts.change(actor, run_context, named)
        print(f"changed: {changed.run_context_id}")
        return 0

    return acted(work, passphrase_stdin, token_stdin)


@app.command
def remove(
    run_context: str,
    /,
    *,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
) -> int:
    """Remove a run context: calls of sessions that name it are refused from now on.

    Parameters
    ----------
    run_context
        Its id.
    """

    async def work(broker: Broker, actor: Actor) -> int:
        await broker.run_contexts.delete(actor, run_context)
        print(f"removed: {run_context}")
        return 0

    return acted(work, passphrase_stdin, token_stdin)


def _all_but_empty(texts: list[str] | None) -> list[str] | None:
    return None if texts is None else [text for text in texts if text]
