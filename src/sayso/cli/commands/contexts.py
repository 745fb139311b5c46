"""`sayso contexts`: the run contexts, which say what sessions run under; the page calls them profiles (RC-1)."""

from __future__ import annotations

import asyncio
import json
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

Name = Annotated[str | None, Parameter(help="What people call it.")]
Group = Annotated[str | None, Parameter(help="The permission group whose rules count.")]
Directory = Annotated[str | None, Parameter(help="Where its sessions work; `` takes it away.")]
Reads = Annotated[
    list[str] | None,
    Parameter(name="--read", help="A path that may be read; several times; `` for none."),
]
Writes = Annotated[
    list[str] | None,
    Parameter(name="--write", help="A path that may be written; several times; `` for none."),
]
Mode = Annotated[
    str | None,
    Parameter(help="default, accept-edits, auto, plan, dont-ask or bypass; `` leaves it open."),
]
Severity = Annotated[
    str | None,
    Parameter(
        name="--auto-approve", help="Up to which severity nobody is asked: low, medium, high; ``."
    ),
]
Permit = Annotated[
    list[str] | None,
    Parameter(
        name="--permit",
        help="A rule in text by which unattended runs are decided; several times; `` for none.",
    ),
]
WhenUnattended = Annotated[
    Literal["refuse", "ask_inbox", "as-permitted"] | None,
    Parameter(name="--unattended", help="What becomes of what unattended runs may not."),
]
Seconds = Annotated[
    float | None,
    Parameter(help="How many seconds requests of unattended runs wait; 0 is a day, the default."),
]
Prompt = Annotated[str | None, Parameter(help="What is added to the system prompt.")]


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
    name: Name = None,
    group: Group = None,
    directory: Directory = None,
    read: Reads = None,
    write: Writes = None,
    mode: Mode = None,
    auto_approve: Severity = None,
    permit: Permit = None,
    unattended: WhenUnattended = None,
    timeout: Seconds = None,
    prompt: Prompt = None,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
) -> int:
    """Add a run context; an agent's sessions may name it once a token allows it.

    Parameters
    ----------
    run_context
        Its id: small letters, digits and -, _, . ; it never changes.
    """
    what = _what(
        name, group, directory, read, write, mode, auto_approve, permit, unattended, timeout, prompt
    )

    async def work(broker: Broker, actor: Actor) -> int:
        added = await broker.run_contexts.add(actor, run_context, what)
        print(f"added: {added.run_context_id}")
        return 0

    return acted(work, passphrase_stdin, token_stdin)


@app.command
def change(
    run_context: str,
    /,
    *,
    name: Name = None,
    group: Group = None,
    directory: Directory = None,
    read: Reads = None,
    write: Writes = None,
    mode: Mode = None,
    auto_approve: Severity = None,
    permit: Permit = None,
    unattended: WhenUnattended = None,
    timeout: Seconds = None,
    prompt: Prompt = None,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
) -> int:
    """Change a run context; what is not named stays, and sessions follow from their next call.

    Parameters
    ----------
    run_context
        Its id, `default` too.
    """
    what = _what(
        name, group, directory, read, write, mode, auto_approve, permit, unattended, timeout, prompt
    )
    if not what:
        raise CallInvalid("nothing is to change", "see: sayso contexts change --help")

    async def work(broker: Broker, actor: Actor) -> int:
        changed = await broker.run_contexts.change(actor, run_context, what)
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


def _what(
    name: str | None,
    group: str | None,
    directory: str | None,
    read: list[str] | None,
    write: list[str] | None,
    mode: str | None,
    auto_approve: str | None,
    permit: list[str] | None,
    unattended: str | None,
    timeout: float | None,
    prompt: str | None,
) -> dict[str, Any]:
    """The fields that were named; an empty text takes a value away."""
    given: dict[str, Any] = {
        "name": name,
        "security_group": group,
        "working_directory": directory,
        "allow_fs_reads": _all_but_empty(read),
        "allow_fs_writes": _all_but_empty(write),
        "mode": mode,
        "auto_approve_severity": auto_approve,
        "permissions": _all_but_empty(permit),
        "unattended": "" if unattended == "as-permitted" else unattended,
        "timeout": timeout,
        "system_prompt": prompt,
    }
    what = {key: value for key, value in given.items() if value is not None}
    for key in ("working_directory", "mode", "auto_approve_severity", "unattended", "timeout"):
        if key in what and not what[key]:
            what[key] = None
    if what.get("permissions") == [] and permit == [""]:
        what["permissions"] = None
    return what


def _all_but_empty(texts: list[str] | None) -> list[str] | None:
    return None if texts is None else [text for text in texts if text]
