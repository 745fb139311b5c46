"""`sayso snooze ID`: not now; hide a request from yourself for a while."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Annotated

from cyclopts import App, Parameter

from sayso.cli.acting import AsJson, PassphraseStdin, TokenStdin, acting
from sayso.cli.cards import card_json, find_request
from sayso.core.code_words import code_of
from sayso.core.moment import to_rfc3339
from sayso.errors import CallInvalid

app = App(name="snooze", help_format="plaintext")

_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*([smhd]?)")
_UNITS = {"": 60.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}


@app.default
def snooze(
    request_id: str,
    /,
    *,
    for_: Annotated[
        str, Parameter(name="--for", help="For how long: 30m, 2h, 1d; 0 shows it again.")
    ] = "15m",
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
    as_json: AsJson = False,
) -> int:
    """Put a request that waits off: not now.

    It is hidden from you alone, and you are reminded then. It expires as before,
    and others can decide it meanwhile.

    Parameters
    ----------
    request_id
        The request's id, or its beginning.
    """
    return asyncio.run(
        _snooze(request_id, seconds_of(for_), passphrase_stdin, token_stdin, as_json)
    )


def seconds_of(span: str) -> float:
    """A span of time as people write it, in seconds; a bare number is minutes. Raises CallInvalid."""
    found = _SPAN.fullmatch(span.strip())
    if found is None:
        raise CallInvalid(f"`{span[:40]}` is not a span of time", "write 90s, 30m, 2h or 1d")
    return float(found[1]) * _UNITS[found[2]]


async def _snooze(
    request_id: str, seconds: float, passphrase_stdin: bool, token_stdin: bool, as_json: bool
) -> int:
    async with acting(passphrase_stdin=passphrase_stdin, token_stdin=token_stdin) as (
        broker,
        actor,
    ):
        request = await find_request(broker, actor, request_id)
        changed = await broker.attention.snooze(actor, request.request_id, seconds)
        said = json.dumps(await card_json(broker, changed, actor), indent=2) if as_json else None
    until = changed.attention.snoozed_until(actor.person.person_id)
    words = "shown again" if until is None else f"put off until {to_rfc3339(until)}"
    print(said or f"{words}: {code_of(changed.digest)}")
    return 0
