"""Approving the calls of one turn as a set, on the command line (REQ-36)."""

from __future__ import annotations

import json
import sys

from sayso.channels.display import safe_line
from sayso.cli.acting import acting, confirmed
from sayso.cli.cards import card_json, card_text, find_request, must_see
from sayso.cli.exit_codes import ExitCode
from sayso.errors import DigestMismatch, RequestNotFound
from sayso.requests.approval import Vote


async def approve_set(
    request_id: str,
    code: str | None,
    digest: str | None,
    note: str | None,
    passphrase_stdin: bool,
    token_stdin: bool,
    as_json: bool,
) -> int:
    """Approve the set that a request belongs to."""
    async with acting(passphrase_stdin=passphrase_stdin, token_stdin=token_stdin) as (
        broker,
        actor,
    ):
        request = await find_request(broker, actor, request_id)
        if request.call.batch_id is None:
            raise RequestNotFound(
                "this call was made by itself, not in a batch", "approve it without --set"
            )
        found = await broker.call_set(actor, request.call.batch_id)
        if code is not None and " ".join(code.lower().split()) != found.code:
            raise DigestMismatch(
                f"the code `{code[:80]}` is not the one of this set", "look at the set again"
            )
        if code is None and digest is None:
            must_see(request)
            for number, one in enumerate(found.requests, 1):
                print(f"{number} of {len(found.requests)}")
                print(await card_text(broker, actor, one))
            print(f"The code of all of them in this order: {found.code}")
            if not confirmed("Approve exactly these, in this order, once?"):
                print("Not approved; what waits still waits.", file=sys.stderr)
                return ExitCode.FAILURE
        decided = await broker.review_set(
            actor,
            found.batch_id,
            Vote.APPROVE,
            digest=found.digest if digest is None else digest,
            comment=note,
        )
        if as_json:
            cards = [await card_json(broker, one, actor) for one in decided.requests]
            print(json.dumps({"batch_id": decided.batch_id, "cards": cards}, indent=2))
        else:
            for one in decided.requests:
                print(f"{one.status.value}: {safe_line(one.call.written_name)}")
    return ExitCode.OK
