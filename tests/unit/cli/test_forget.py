"""`sayso db forget`: the full arguments of calls deleted on demand, by an admin."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sayso.broker.broker import Broker
from sayso.broker.ports.kept_calls import Which
from sayso.core.moment import Moment
from sayso.core.session import CallDraft
from sayso.front.assembly import open_broker
from sayso.people.token import CredentialKind
from tests.fakes.command_line import CommandLine, mail, run

SECRET = "hunter2-and-more"
EVER = Which(before=Moment(2**62))


def secret_mail() -> CallDraft:
    return replace(mail(), arguments={**mail().arguments, "password": SECRET})


def kept(sayso: CommandLine) -> int:
    async def count(broker: Broker) -> int:
        return await broker.world.store.kept(EVER)

    found: int = sayso.within(count)
    return found


@pytest.mark.spec("AUD-1a")
@pytest.mark.parametrize(
    "words",
    [
        lambda call_id, _session: [call_id],
        lambda _call_id, session: ["--session", session],
        lambda _call_id, _session: ["--older-than", "0s"],
    ],
    ids=["a call", "a session", "an age"],
)
def test_an_admin_deletes_arguments(
    sayso: CommandLine, words: Callable[[str, str], list[str]], tmp_path: Path
) -> None:
    decided, waiting = sayso.ask(secret_mail(), mail("bob@example.com"))
    assert sayso.owner("reject", decided.call_id).code == 0
    call_id = decided.call_id

    async def session_of(broker: Broker) -> str:
        found = await broker.world.store.call(call_id)
        assert found is not None
        return found[1].session_id

    given = words(call_id, sayso.within(session_of))
    done = sayso.owner("db", "forget", *given)
    assert (done.code, done.err) == (0, "")
    said = "The full arguments of 1 calls are deleted.\n"
    more = "" if given == [call_id] else "1 calls that are not over keep theirs.\n"
    assert done.out == said + more
    assert kept(sayso) == 1
    assert sayso("audit", "verify").code == 0
    log = sayso("audit", "list", "--json").out
    assert "full arguments are deleted" in log
    assert SECRET not in log
    backup = tmp_path / "b.db"
    assert sayso("db", "backup", str(backup)).code == 0
    code = waiting.code
    assert sayso.owner("approve", waiting.call_id, "--code", code).code == 0


@pytest.mark.spec("AUD-1a")
def test_only_an_admin_may_and_exactly_one_selection_is_meant(sayso: CommandLine) -> None:
    (asked,) = sayso.ask(mail())
    sayso.patch.setenv("SAYSO_TOKEN", sayso.token(CredentialKind.APPROVER))
    assert sayso("db", "forget", asked.call_id).code == 2
    sayso.patch.delenv("SAYSO_TOKEN")
    for words in ([], [asked.call_id, "--session", "s"], ["--session", "s", "--older-than", "1d"]):
        unclear = sayso.owner("db", "forget", *words)
        assert unclear.code != 0
        assert "name one call, or --session, or --older-than" in unclear.err
    assert sayso.owner("db", "forget", "nobody").code != 0
    assert kept(sayso) == 1


@pytest.mark.spec("AUD-1a")
@pytest.mark.parametrize(
    ("text", "days"),
    [("", 30.0), ("[store]\nkeep_calls = 0.5\n", 0.5), ('[store]\nkeep_calls = "always"\n', None)],
)
def test_the_settings_say_how_long(sayso: CommandLine, text: str, days: float | None) -> None:
    settings = sayso.home / "settings.toml"
    settings.write_text(text + settings.read_text())

    async def found() -> Any:
        async with open_broker() as broker:
            return broker.world.keep_calls

    assert run(found()) == (None if days is None else days * 86_400)


def test_what_is_printed_as_json_stays_json(sayso: CommandLine) -> None:
    (asked,) = sayso.ask(secret_mail())
    sayso.owner("reject", asked.call_id)
    sayso.owner("db", "forget", asked.call_id)
    found = json.loads(sayso("inbox", "show", asked.call_id, "--json").out)
    assert "deleted" in found["what"]["note"]
