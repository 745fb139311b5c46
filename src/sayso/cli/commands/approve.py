"""`sayso approve ID`: approve exactly what was shown."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter

from sayso.channels.display import safe
from sayso.cli.acting import AsJson, PassphraseStdin, TokenStdin, acting, confirmed
from sayso.cli.cards import card_json, card_text, check_code, find_request, must_see
from sayso.cli.exit_codes import ExitCode
from sayso.cli.sets import approve_set
from sayso.core.call import parse_arguments
from sayso.core.code_words import code_of
from sayso.errors import CallInvalid
from sayso.requests.approval import Vote

app = App(name="approve", help_format="plaintext")


@app.default
def approve(
    request_id: str,
    /,
    *,
    code: Annotated[
        str | None, Parameter(help="The four-word code of the card you looked at, in quotes.")
    ] = None,
    digest: Annotated[str | None, Parameter(help="The digest of the card you looked at.")] = None,
    note: Annotated[
        str | None, Parameter(name=["--note", "-m"], help="A note for the agent and the audit log.")
    ] = None,
    arguments: Annotated[
        Path | None,
        Parameter(
            help="A file of JSON with the arguments to run instead, where the policy allows an edit."
        ),
    ] = None,
    as_set: Annotated[
        bool,
        Parameter(
            name="--set",
            negative="",
            show_default=False,
            help="Approve every call of its turn, as one set in this order.",
        ),
    ] = False,
    passphrase_stdin: PassphraseStdin = False,
    token_stdin: TokenStdin = False,
    as_json: AsJson = False,
) -> int:
    """Approve a request that waits.

    It needs a person's credential: the passphrase, or an approver's or admin's
    token on standard input or in SAYSO_TOKEN.

    On a terminal the card is shown first and confirmed. Without one, --code or
    --digest says which card was looked at: an approval is bound to exactly what
    was shown.

    Parameters
    ----------
    request_id
        The request's id, or its beginning.
    """
    if as_set:
        if arguments is not None:
            raise CallInvalid("a set is approved as it is", "edit a call of it by itself")
        return asyncio.run(
            approve_set(request_id, code, digest, note, passphrase_stdin, token_stdin, as_json)
        )
    return asyncio.run(
        _approve(request_id, code, digest, note, arguments, passphrase_stdin, token_stdin, as_json)
    )


async def _approve(
    request_id: str,
    code: str | None,
    digest: str | None,
    note: str | None,
    file: Path | None,
    passphrase_stdin: bool,
    token_stdin: bool,
    as_json: bool,
) -> int:
    arguments = None if file is None else _arguments_of(file)
    async with acting(passphrase_stdin=passphrase_stdin, token_stdin=token_stdin) as (
        broker,
        actor,
    ):
        request = await find_request(broker, actor, request_id)
        check_code(request, code)
        if code is None and digest is None and request.waits:
            must_see(request)
            print(await card_text(broker, actor, request))
            if arguments is not None:
                print(f"\nIt will run with these arguments instead:\n{_shown(arguments)}")
            if not confirmed("Approve exactly this, once?"):
                print("Not approved; the request still waits.", file=sys.stderr)
                return ExitCode.FAILURE
        decided = await broker.review(
            actor,
            request.request_id,
            Vote.APPROVE,
            digest=digest if digest is not None else request.digest,
            comment=note,
            arguments=arguments,
        )
        said = json.dumps(await card_json(broker, decided, actor), indent=2) if as_json else None
    print(said or f"{decided.status.value}: {code_of(decided.digest)}")
    return ExitCode.OK


def _arguments_of(file: Path) -> dict[str, Any]:
    """The arguments that a file holds; raises CallInvalid."""
    try:
        return parse_arguments(file.read_bytes())
    except OSError as error:
        raise CallInvalid(
            f"`{file}` cannot be read: {error.strerror}", "name a file that holds a JSON object"
        ) from error


def _shown(arguments: Mapping[str, Any]) -> str:
    """Arguments with every character that cannot be seen drawn as what it is."""
    return safe(json.dumps(arguments, ensure_ascii=False, indent=2))
