"""`sayso audit`: read the log, and check that nobody changed it (AUD-3, AUD-4)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated

from cyclopts import App, Parameter

from sayso.audit.chain import Entry, Verification, verify
from sayso.broker.broker import Broker
from sayso.broker.ports import Page, Store
from sayso.cli.acting import AsJson
from sayso.cli.audit_lines import lines
from sayso.cli.exit_codes import ExitCode
from sayso.core.call import written_name
from sayso.errors import CallInvalid
from sayso.front.assembly import open_broker
from sayso.policy.patterns.mcp import split_pair

app = App(name="audit", help="Read and verify the audit log.", help_format="plaintext")

BATCH = 5000
MOST_ENTRIES = 1_000_000


@app.command(name="list")
def list_(
    *,
    limit: Annotated[int, Parameter(name=["--limit", "-n"], help="How many entries.")] = 50,
    tool: Annotated[str | None, Parameter(help="Only this tool: its name, or server:tool.")] = None,
    by: Annotated[str | None, Parameter(help="Only what this person decided.")] = None,
    reason: Annotated[str | None, Parameter(help="Only this reason code.")] = None,
    call: Annotated[str | None, Parameter(help="Only the call with this id.")] = None,
    as_json: AsJson = False,
) -> int:
    """List the newest entries, newest last.

    When, what, of which call, why and by whom. With --json one entry a line, in
    full, as it is stored.
    """
    if not 0 < limit <= MOST_ENTRIES:
        raise CallInvalid(
            f"`{limit}` is not a number of entries", f"give one from 1 to {MOST_ENTRIES}"
        )
    page = Page(limit=limit, tool=tool, by=by, reason=reason, call_id=call)
    return asyncio.run(_list(page, as_json))


async def _list(page: Page, as_json: bool) -> int:
    async with open_broker() as broker:
        page = await _as_recorded(broker.world.store, page)
        if not as_json:
            await print_entries(broker, page)
            return ExitCode.OK
        for entry in reversed(await broker.world.store.audit_page(page)):
            print(json.dumps({"seq": entry.seq, "hash": entry.hash, **json.loads(entry.body)}))
    return ExitCode.OK


async def _as_recorded(store: Store, page: Page) -> Page:
    """The page with `server:tool` as the log writes it, unless a tool is recorded by just that name."""
    pair = None if page.tool is None else split_pair(page.tool)
    if pair is None or await store.audit_page(replace(page, limit=1)):
        return page
    return replace(page, tool=written_name(*pair))


async def print_entries(broker: Broker, page: Page) -> None:
    """Print the entries of a page for people, newest last, one a line."""
    store = broker.world.store
    entries = list(reversed(await store.audit_page(page)))
    workspaces = {}
    for call_id in {str(json.loads(entry.body).get("call_id", "")) for entry in entries}:
        found = await store.call(call_id) if call_id else None
        workspaces[call_id] = None if found is None else found[1].workspace
    for line in lines(entries, workspaces):
        print(line)
    if not entries:
        print("The audit log holds nothing that fits.")


@app.command(name="verify")
def verify_(
    *,
    checkpoint: Annotated[
        str | None,
        Parameter(
            help="NUMBER:HASH as an earlier verify printed it, or several with commas; "
            "shows whether the log was cut off."
        ),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Check the whole chain of hashes.

    The exit status is 3 if the log was tampered with; the first bad entry is named.
    """
    found = asyncio.run(_verify(_checkpoint(checkpoint)))
    if as_json:
        said = {
            "good": found.ok,
            "checked": found.checked,
            "fault": found.fault,
            "entry": found.fault_seq,
            "checkpoint": found.checkpoint if found.ok else None,
        }
        print(json.dumps(said, indent=2))
    elif found.ok:
        print(f"good: {found.checked} entries, each follows the one before it")
        print(f"checkpoint, to keep elsewhere: {found.checkpoint}")
    else:
        print(f"tampered: {found.fault}; entries before it that are good: {found.checked}")
    return ExitCode.OK if found.ok else ExitCode.INVALID


async def _verify(checkpoint: list[tuple[int, str]]) -> Verification:
    async with open_broker() as broker:
        loop = asyncio.get_running_loop()
        return await asyncio.to_thread(
            lambda: verify(_entries(broker.world.store, loop), checkpoint=checkpoint)
        )


def _entries(store: Store, loop: asyncio.AbstractEventLoop) -> Iterator[Entry]:
    """The chain from its beginning, read a part at a time."""
    after = 0
    while batch := asyncio.run_coroutine_threadsafe(store.audit_chain(after, BATCH), loop).result():
        yield from batch
        after = batch[-1].seq


def _checkpoint(text: str | None) -> list[tuple[int, str]]:
    return [] if text is None else [_head(part, text) for part in text.split(",")]


def _head(part: str, text: str) -> tuple[int, str]:
    number, _, value = part.partition(":")
    if not (number.isascii() and number.isdecimal()) or len(value) != 64:
        raise CallInvalid(
            f"`{text[:100]}` is not a checkpoint", "write NUMBER:HASH as verify prints it"
        )
    return int(number), value
