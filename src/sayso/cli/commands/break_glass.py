"""`sayso break-glass ID`: run a call now without the votes it lacks; a second person reviews it."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Annotated

from cyclopts import App, Parameter

from sayso.cli.acting import AsJson, PassphraseStdin, TokenStdin, acting, confirmed
from sayso.cli.cards import card_json, card_text, check_code, find_request, must_see
from sayso.cli.exit_codes import ExitCode
from sayso.core.code_words import code_of
from sayso.core.moment import to_rfc3339

app = App(name="break-glass", help_format="plaintext")


@app.default
def break_glass(
    request_id: str,
    /,
    *,
    why: Annotated[str, Parameter(name=["--why", "-m"], help="Why it cannot wait.")],
    code: Annotated[
        str | None, Parameter(help="The four-word code of the card you looked at, in quotes.")
    ] = None,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
    as_json: AsJson = False,
) -> int:
    """Run a call in an emergency without the votes it lacks.

    Only where the policy permits it. A second person has to review it in time;
    until then no other glass can be broken.

    Parameters
    ----------
    request_id
        The request's id, or its beginning.
    """
    return asyncio.run(_break(request_id, why, code, passphrase_stdin, token_stdin, as_json))


async def _break(
    request_id: str,
    why: str,
    code: str | None,
    passphrase_stdin: bool,
    token_stdin: bool,
    as_json: bool,
) -> int:
    async with acting(passphrase_stdin=passphrase_stdin, token_stdin=token_stdin) as (
        broker,
        actor,
    ):
        request = await find_request(broker, actor, request_id)
        check_code(request, code)
        if code is None:
            must_see(request)
            print(await card_text(broker, actor, request))
            if not confirmed("Run exactly this now, without its votes?"):
                print("Not run; the request still waits.", file=sys.stderr)
                return ExitCode.FAILURE
        done = await broker.attention.break_glass(
            actor, request.request_id, digest=request.digest, why=why
        )
        said = json.dumps(await card_json(broker, done, actor), indent=2) if as_json else None
    until = "" if done.glass is None else to_rfc3339(done.glass.review_by)
    print(said or f"{done.status.value}: {code_of(done.digest)}; to be reviewed by {until}")
    return 0
