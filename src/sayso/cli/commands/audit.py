"""`sayso audit`: read the log, write it out, and check that nobody changed it (AUD-3, AUD-4)."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from cyclopts import App, Parameter

from sayso.audit.chain import Entry, Verification, verify
from sayso.broker.broker import Broker
from sayso.broker.ports import Page, Store
from sayso.cli.acting import AsJson
from sayso.cli.audit_export import csv_lines, json_lines
from sayso.cli.audit_lines import lines, story
from sayso.cli.exit_codes import ExitCode
from sayso.core.call import written_name
from sayso.core.moment import read_moment
from sayso.errors import CallInvalid, RequestNotFound
from sayso.front.assembly import open_broker
from sayso.policy.patterns.mcp import split_pair

app = App(name="audit", help="Read and verify the audit log.", help_format="plaintext")

BATCH = 5000
MOST_ENTRIES = 1_000_000


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which entries are wanted; what is not named is None and leaves nothing out."""

    tool: Annotated[str | None, Parameter(help="Only this tool: its name, or server:tool.")] = None
    by: Annotated[str | None, Parameter(help="Only what this person decided.")] = None
    reason: Annotated[str | None, Parameter(help="Only this reason code.")] = None
    call: Annotated[str | None, Parameter(help="Only the call with this id.")] = None
    agent: Annotated[str | None, Parameter(help="Only calls of this agent.")] = None
    session: Annotated[str | None, Parameter(help="Only this session's, by its id.")] = None
    since: Annotated[
        str | None, Parameter(help="From this day or moment on, as 2030-01-02 or RFC 3339, in UTC.")
    ] = None
    until: Annotated[str | None, Parameter(help="Before this day or moment.")] = None

    def page(self) -> Page:
        """What is asked of the store; raises CallInvalid for what is no time."""
        return Page(
            tool=self.tool,
            by=self.by,
            reason=self.reason,
            call_id=self.call,
            agent=self.agent,
            session=self.session,
            since=None if self.since is None else read_moment(self.since),
            until=None if self.until is None else read_moment(self.until),
        )


ALL = Filters()


@app.command(name="list")
def list_(
    *,
    limit: Annotated[int, Parameter(name=["--limit", "-n"], help="How many entries.")] = 50,
    filters: Filters = ALL,
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
    return asyncio.run(_list(replace(filters.page(), limit=limit), as_json))


@app.command
def show(call: Annotated[str, Parameter(help="The id of a call or question.")], /) -> int:
    """Show everything that the log says of one call, oldest first."""
    return asyncio.run(_show(call))


@app.command
def export(
    *,
    form: Annotated[Literal["jsonl", "csv"], Parameter(name="--format", help="How.")] = "jsonl",
    filters: Filters = ALL,
) -> int:
    """Write all entries that fit to the standard output, oldest first.

    As JSON lines, in full, as they are stored, or as CSV with a line of names on
    top.
    """
    return asyncio.run(_export(filters.page(), form))


async def _show(call_id: str) -> int:
    async with open_broker() as broker:
        page = Page(limit=BATCH, call_id=call_id)
        found = list(reversed(await broker.world.store.audit_page(page)))
    if not found:
        raise RequestNotFound(f"the log says nothing of `{call_id[:64]}`", "look at audit list")
    for line in story(found):
        print(line)
    return ExitCode.OK


async def _export(page: Page, form: str) -> int:
    async with open_broker() as broker:
        store = broker.world.store
        page = await _as_recorded(store, page)
        write = csv_lines(sys.stdout) if form == "csv" else json_lines(sys.stdout)
        after = 0
        while batch := await store.audit_chain(after, BATCH):
            for entry in batch:
                record = json.loads(entry.body)
                if page.wants(record):
                    write(entry, record)
            after = batch[-1].seq
    return ExitCode.OK


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
