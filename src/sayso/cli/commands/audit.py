"""`sayso audit`: read the log, and check that nobody changed it (AUD-3, AUD-4)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Any

from cyclopts import App, Parameter

from sayso.audit.chain import Entry, verify
from sayso.broker.broker import Broker
from sayso.broker.ports import Page, Store
from sayso.channels.display import one_line, plain, show
from sayso.cli.acting import AsJson
from sayso.cli.exit_codes import ExitCode
from sayso.errors import CallInvalid
from sayso.front.assembly import open_broker

app = App(name="audit", help="Read and verify the audit log.", help_format="plaintext")

BATCH = 5000


@app.command(name="list")
def list_(
    *,
    limit: Annotated[int, Parameter(help="How many entries, newest last.")] = 50,
    tool: Annotated[str | None, Parameter(help="Only this tool, as it is written.")] = None,
    by: Annotated[str | None, Parameter(help="Only what this person decided.")] = None,
    reason: Annotated[str | None, Parameter(help="Only this reason code.")] = None,
    call: Annotated[str | None, Parameter(help="Only this call's id.")] = None,
    as_json: AsJson = False,
) -> int:
    """List the newest entries: when, what, which call, why, by whom."""
    page = Page(limit=max(1, limit), tool=tool, by=by, reason=reason, call_id=call)
    return asyncio.run(_list(page, as_json))


async def _list(page: Page, as_json: bool) -> int:
    async with open_broker() as broker:
        entries = list(reversed(await broker.world.store.audit_page(page)))
    for entry in entries:
        if as_json:
            print(json.dumps({"seq": entry.seq, "hash": entry.hash, **json.loads(entry.body)}))
        else:
            print(_line(entry))
    if not entries and not as_json:
        print("The audit log holds nothing that fits.")
    return 0


async def print_entries(broker: Broker, *, limit: int) -> None:
    """Print the newest entries, newest last, one a line."""
    for entry in reversed(await broker.world.store.audit_page(Page(limit=limit))):
        print(_line(entry), flush=True)


@app.command(name="verify")
def verify_(
    *,
    checkpoint: Annotated[
        str | None,
        Parameter(
            help="NUMBER:HASH as an earlier verify printed it; shows a log that was cut off."
        ),
    ] = None,
) -> int:
    """Check the whole chain; exit status 3 and the first bad entry if it was tampered with."""
    return asyncio.run(_verify(_checkpoint(checkpoint)))


async def _verify(checkpoint: tuple[int, str] | None) -> int:
    async with open_broker() as broker:
        entries = [entry async for batch in _batches(broker.world.store) for entry in batch]
    found = verify(entries, checkpoint=checkpoint)
    if not found.ok:
        print(f"tampered: {found.fault} ({found.checked} entries before it are good)")
        return ExitCode.INVALID
    print(f"good: {found.checked} entries")
    print(f"checkpoint to keep elsewhere: {found.checked}:{found.head}")
    return 0


async def _batches(store: Store) -> AsyncIterator[Sequence[Entry]]:
    after = 0
    while batch := await store.audit_chain(after, BATCH):
        yield batch
        after = batch[-1].seq


def _checkpoint(text: str | None) -> tuple[int, str] | None:
    if text is None:
        return None
    number, _, value = text.partition(":")
    if not number.isdecimal() or len(value) != 64:
        raise CallInvalid(f"`{text}` is not a checkpoint", "write NUMBER:HASH as verify prints it")
    return int(number), value


def _line(entry: Entry) -> str:
    record: dict[str, Any] = json.loads(entry.body)
    who = record.get("by") or record.get("rule") or ""
    words = [
        f"{entry.seq:>5}",
        record["at"][:19] + "Z",
        f"{record['kind']:13}",
        f"{record.get('effect', ''):5}",
        record.get("reason", ""),
        record.get("tool", ""),
        " ".join(record.get("targets", [])[:3]),
        f"· {who}" if who else "",
        f"“{record['comment']}”" if record.get("comment") else "",
        record.get("outcome", "") or record.get("note", ""),
    ]
    # On one line: a name with line ends in it must not look like further entries.
    return plain(one_line(show(" ".join(word for word in words if word))))
