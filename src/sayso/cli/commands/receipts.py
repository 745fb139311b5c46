"""`sayso receipts key`: the public key with which whoever executes calls checks receipts (REQ-38)."""

from __future__ import annotations

import asyncio

from cyclopts import App

from sayso.broker.receipts import public_key
from sayso.cli.exit_codes import ExitCode
from sayso.cli.saying import quiet_logs
from sayso.front.assembly import open_broker

app = App(
    name="receipts",
    help="Show the key with which receipts of approved calls are checked.",
    help_format="plaintext",
)


@app.command
def key() -> int:
    """Print the public key, in hex; it is no secret."""
    return asyncio.run(_key())


async def _key() -> int:
    quiet_logs()
    async with open_broker() as broker:
        print(public_key(broker.world))
    return ExitCode.OK
