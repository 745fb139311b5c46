"""`sayso inbox`, `approve` and `reject`, as scripts use them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sayso.cli.cards import SHORT, short_ids
from sayso.cli.exit_codes import ExitCode
from sayso.core.session import CallDraft
from tests.fakes.command_line import PASSPHRASE, CommandLine, mail, words


def status(sayso: CommandLine, request_id: str) -> str:
    """How a request stands."""

    async def look(broker: Any) -> str:
        return str((await broker.world.store.request(request_id)).status.value)

    return str(sayso.within(look))


def test_an_empty_inbox(sayso: CommandLine) -> None:
    assert sayso("inbox", "list").out == "Nothing waits for you.\n"
    assert json.loads(sayso("inbox", "list", "--json").out) == []


def test_what_waits_is_listed_with_what_can_be_done(sayso: CommandLine) -> None:
    first, second = sayso.ask(mail("alice"), mail("bob"))
    said = sayso("inbox", "list")
    head, *rows = said.out.splitlines()
    short = short_ids([first.call_id, second.call_id])
    assert words(head) == ["ID", "SEVERITY", "WAITS", "CODE", "ACTION"]
    assert words(rows[0])[:2] == [short[first.call_id], "medium"]
    assert first.code in rows[0]
    assert rows[0].endswith("Run send_mail?")
    assert rows[1].startswith(short[second.call_id])
    assert rows[3] == f"look     sayso inbox show {short[first.call_id]}"
    assert rows[4] == f'approve  sayso approve {short[first.call_id]} --code "{first.code}"'
    cards = json.loads(sayso("inbox", "list", "--json").out)
    assert [card["request_id"] for card in cards] == [first.call_id, second.call_id]
    assert cards[0]["digest"] == first.digest


def test_what_is_wrong_with_the_settings_is_said_once_and_in_words(sayso: CommandLine) -> None:
    (standing,) = sayso.ask(mail())
    (sayso.home / "settings.toml").write_text("[permissions")
    for words_ in (("inbox", "list"), ("inbox", "show", standing.call_id)):
        lines = sayso(*words_).err.splitlines()
        assert lines[0].startswith(f"warning: {sayso.home}/settings.toml:1:13: ")
        assert [line for line in lines if not line.startswith(("warning: ", "hint: "))] == []


def test_nothing_in_a_list_can_imitate_another_line(sayso: CommandLine) -> None:
    sayso.ask(CallDraft("send\u202e\nmail\x1b[2J", {}))
    said = sayso("inbox", "list")
    assert said.out.splitlines()[1].endswith("Run send[U+202E]↵mail[U+001B][2J?")


def test_a_card_is_shown_in_full(sayso: CommandLine) -> None:
    (standing,) = sayso.ask(mail(body="line\n" * 400, hidden="a\u202eb"))
    for given in (standing.call_id, standing.call_id[:SHORT]):
        said = sayso("inbox", "show", given)
        assert said.code == 0
        assert said.out.count("│ line") == 400
        assert "a[U+202E]b" in said.out or "a⟨U+202E" in said.out
        assert standing.code in said.out
    card = json.loads(sayso("inbox", "show", standing.call_id, "--json").out)
    assert (card["request_id"], card["digest"]) == (standing.call_id, standing.digest)


@pytest.mark.parametrize("command", [["inbox", "show"], ["approve"], ["reject"]])
def test_an_id_that_is_none_is_said(sayso: CommandLine, command: list[str]) -> None:
    first, second = sayso.ask(mail("alice"), mail("bob"))
    run = sayso if command[0] == "inbox" else sayso.owner
    for given in ("nothing", "0", first.call_id[:5], "\x1b[2J" * 3):
        said = run(*command, given)
        assert said.code == ExitCode.FAILURE
        assert said.err.startswith("error: no request has the id `")
        assert said.err.endswith("hint: see: sayso inbox list\n")
        assert "\x1b" not in said.err
    shared = first.call_id[:6]
    assert second.call_id.startswith(shared)
    said = run(*command, shared)
    assert said.err == (
        f"error: several requests begin with `{shared}`\nhint: write more of it: {first.call_id}\n"
    )


def test_ids_are_as_short_as_they_can_be_told_apart() -> None:
    same = "x" * SHORT
    assert short_ids([same + "ab1", same + "ac2", "y" * 36]) == {
        same + "ab1": same + "ab",
        same + "ac2": same + "ac",
        "y" * 36: "y" * (SHORT + 2),
    }
    assert short_ids([]) == {}


@pytest.mark.parametrize("by", ["code", "digest"])
def test_an_approval_says_which_card_was_looked_at(sayso: CommandLine, by: str) -> None:
    (standing,) = sayso.ask(mail())
    shown = {"code": f"  {standing.code.upper().replace(' ', '   ')} ", "digest": standing.digest}
    said = sayso.owner("approve", standing.call_id[:SHORT], f"--{by}", shown[by], "-m", "go on")
    assert (said.code, said.out) == (0, f"approved: {standing.code}\n")
    assert status(sayso, standing.call_id) == "approved"
    entry = sayso("audit", "list", "--json", "--call", standing.call_id).out.splitlines()[-1]
    assert json.loads(entry)["comment"] == "go on"


def test_json_of_what_was_decided(sayso: CommandLine) -> None:
    first, second = sayso.ask(mail("alice"), mail("bob"))
    card = json.loads(sayso.owner("approve", first.call_id, "--code", first.code, "--json").out)
    assert (card["request_id"], card["status"]) == (first.call_id, "approved")
    card = json.loads(sayso.owner("reject", second.call_id, "--json").out)
    assert (card["request_id"], card["status"]) == (second.call_id, "rejected")


def test_another_code_or_digest_approves_nothing(sayso: CommandLine) -> None:
    (standing,) = sayso.ask(mail())
    said = sayso.owner("approve", standing.call_id, "--code", "amber otter seven lake")
    assert said.code == ExitCode.FAILURE
    assert said.err == (
        "error: the code `amber otter seven lake` is not the one of this call\n"
        f"hint: look at it: sayso inbox show {standing.call_id}\n"
    )
    for digest in ("0" * 64, "", standing.digest[:10], standing.digest.upper()):
        said = sayso.owner("approve", standing.call_id, "--digest", digest)
        assert said.code == ExitCode.FAILURE
        assert "digest" in said.err
        assert "hint: " in said.err
    assert status(sayso, standing.call_id) == "pending"


@pytest.mark.spec("REQ-62")
def test_without_a_terminal_what_was_looked_at_has_to_be_said(sayso: CommandLine) -> None:
    (standing,) = sayso.ask(mail())
    said = sayso.owner("approve", standing.call_id)
    assert said.code == ExitCode.REFUSED
    assert said.err == (
        "error: an approval is bound to what was shown, and there is no terminal to show it on\n"
        f"hint: look with `sayso inbox show {standing.call_id}`, then give its --code or --digest\n"
    )
    assert status(sayso, standing.call_id) == "pending"


def test_a_second_decision_is_told_who_made_the_first(sayso: CommandLine) -> None:
    (standing,) = sayso.ask(mail())
    code = ["--code", standing.code]
    assert sayso.owner("approve", standing.call_id, *code).code == 0
    for again in (["approve", standing.call_id, *code], ["approve", standing.call_id[:SHORT]]):
        said = sayso.owner(*again)
        assert said.code == ExitCode.REFUSED
        assert "already resolved by owner: approved" in said.err
    said = sayso.owner("reject", standing.call_id)
    assert said.code == ExitCode.REFUSED
    assert status(sayso, standing.call_id) == "approved"


def test_a_rejection_gives_its_reason(sayso: CommandLine) -> None:
    (standing,) = sayso.ask(mail())
    said = sayso.owner("reject", standing.call_id, "-m", "wrong \x1b[2J branch")
    assert (said.code, said.out) == (0, f"rejected: {standing.code}\n")
    said = sayso("inbox", "show", standing.call_id)
    assert "owner" in said.out
    assert "branch" in said.out
    assert "\x1b" not in said.out


def test_nothing_is_approved_while_the_rules_cannot_be_loaded(sayso: CommandLine) -> None:
    (standing,) = sayso.ask(mail())
    (sayso.home / "settings.toml").write_text('[permissions]\nalow = ["x"]\n')
    said = sayso.owner("approve", standing.call_id, "--code", standing.code)
    assert said.code == ExitCode.FAILURE
    assert "settings.toml:2:1: `alow` is not a setting in [permissions]" in said.err
    assert status(sayso, standing.call_id) == "pending"


@pytest.mark.spec("REQ-14")
def test_a_file_of_arguments_runs_instead_where_the_policy_allows_it(
    sayso: CommandLine, tmp_path: Path
) -> None:
    (standing,) = sayso.ask(mail())
    file = tmp_path / "arguments.json"
    given = ("approve", standing.call_id, "--code", standing.code, "--arguments", str(file))
    said = sayso.owner(*given)
    assert (said.code, "cannot be read" in said.err) == (ExitCode.FAILURE, True)
    file.write_text("[]")
    assert "not a JSON object" in sayso.owner(*given).err
    file.write_text('{"to": "bob@example.com"}')
    assert "may not be edited" in sayso.owner(*given).err
    assert status(sayso, standing.call_id) == "pending"


@pytest.mark.spec("REQ-68")
def test_a_request_is_put_off_and_the_agent_is_asked(sayso: CommandLine) -> None:
    (standing,) = sayso.ask(mail())
    said = sayso.owner("snooze", standing.call_id[:SHORT], "--for", "2h")
    assert said.code == 0
    assert said.out.startswith("put off until 2")
    assert sayso.owner("snooze", standing.call_id, "--for", "0").out.startswith("shown again")
    wrong = sayso.owner("snooze", standing.call_id, "--for", "soon")
    assert "`soon` is not a span of time" in wrong.err
    asked = sayso.owner("ask-back", standing.call_id, "why?", "--json")
    card = json.loads(asked.out)
    assert card["asking"]["questions"][0]["text"] == [{"text": "why?"}]
    assert "owner: why?" in sayso("inbox", "show", standing.call_id).out
    assert status(sayso, standing.call_id) == "pending"


@pytest.mark.spec("REQ-68")
def test_no_glass_is_broken_where_the_policy_does_not_permit_it(sayso: CommandLine) -> None:
    (standing,) = sayso.ask(mail())
    unseen = sayso.owner("break-glass", standing.call_id, "--why", "now")
    assert unseen.code == ExitCode.REFUSED
    assert "bound to what was shown" in unseen.err
    words_ = ("--why", "now", "--code", standing.code)
    refused = sayso.owner("break-glass", standing.call_id, *words_)
    assert refused.code == ExitCode.REFUSED
    assert "the policy does not permit breaking the glass here" in refused.err
    nothing = sayso.owner("review-glass", standing.call_id, "--justified")
    assert nothing.code == ExitCode.REFUSED
    assert status(sayso, standing.call_id) == "pending"


@pytest.mark.spec("REQ-36")
def test_a_set_is_approved_with_the_code_of_all_of_it(sayso: CommandLine) -> None:
    async def make(broker: Any) -> tuple[Any, str]:
        actor = await broker.access.embedded_agent("coder")
        session = await broker.open_session(actor)
        made = await broker.gate(session.session_id).submit_batch("t", [mail("a"), mail("b")])
        login = await broker.access.login(PASSPHRASE, "test", 60)
        return made, (await broker.call_set(login[1], made.batch_id)).code

    made, code = sayso.within(make)
    first, second = (standing.call_id for standing in made.standings)
    wrong = sayso.owner("approve", first, "--set", "--code", made.standings[0].code)
    assert (wrong.code, "not the one of this set" in wrong.err) == (ExitCode.FAILURE, True)
    none = sayso.owner("approve", first, "--set", "--digest", "")
    assert "not the one of these calls in this order" in none.err
    assert {status(sayso, first), status(sayso, second)} == {"pending"}
    said = sayso.owner("approve", second, "--set", "--code", code)
    assert said.out == "approved: send_mail\napproved: send_mail\n"
    assert {status(sayso, first), status(sayso, second)} == {"approved"}
    (alone,) = sayso.ask(mail("c"))
    assert "made by itself" in sayso.owner("approve", alone.call_id, "--set", "--code", "x").err


@pytest.mark.spec("REQ-38")
def test_the_public_key_of_receipts_is_printed(sayso: CommandLine) -> None:
    first, second = sayso("receipts", "key"), sayso("receipts", "key")
    assert (first.code, first.out) == (ExitCode.OK, second.out)
    assert len(bytes.fromhex(first.out.strip())) == 32
