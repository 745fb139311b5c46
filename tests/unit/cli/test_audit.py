"""`sayso audit`: the log for people and for programs, and whether it was tampered with (AUD-3)."""

from __future__ import annotations

import csv
import io
import json
import sqlite3

import pytest

from sayso.audit.chain import link
from sayso.cli.audit_lines import lines
from sayso.cli.exit_codes import ExitCode
from sayso.core.session import CallDraft
from tests.fakes.command_line import CommandLine, mail


def entries(sayso: CommandLine, *words: str) -> list[dict[str, object]]:
    """What the log says to programs."""
    return [json.loads(line) for line in sayso("audit", "list", "--json", *words).out.splitlines()]


def test_the_log_is_read_with_filters(sayso: CommandLine) -> None:
    first, second = sayso.ask(mail("alice"), CallDraft("wipe", {}))
    sayso.owner("reject", first.call_id, "-m", "not now")
    everything = entries(sayso)
    assert [entry["seq"] for entry in everything] == list(range(1, len(everything) + 1))
    assert {entry["tool"] for entry in entries(sayso, "--tool", "wipe")} == {"wipe"}
    assert {entry["by"] for entry in entries(sayso, "--by", "owner")} == {"owner"}
    assert [entry["reason"] for entry in entries(sayso, "--reason", "rule-deny")] == ["rule-deny"]
    assert {entry["call_id"] for entry in entries(sayso, "--call", second.call_id)} == {
        second.call_id
    }
    assert entries(sayso, "--limit", "2") == everything[-2:]
    assert entries(sayso, "-n", "1") == everything[-1:]
    assert entries(sayso, "--tool", "nothing") == []
    assert sayso("audit", "list", "--tool", "nothing").out == (
        "The audit log holds nothing that fits.\n"
    )


@pytest.mark.spec("AUD-4")
def test_the_log_is_written_out_and_one_call_is_shown(sayso: CommandLine) -> None:
    first, _ = sayso.ask(mail("=cmd()"), CallDraft("=wipe", {}))
    sayso.owner("reject", first.call_id, "-m", "=not now")
    assert [json.loads(line) for line in sayso("audit", "export").out.splitlines()] == entries(
        sayso
    )
    rows = list(csv.DictReader(io.StringIO(sayso("audit", "export", "--format", "csv").out)))
    assert [int(row["seq"]) for row in rows] == [entry["seq"] for entry in entries(sayso)]
    assert {row["tool"] for row in rows if "wipe" in row["tool"]} == {"'=wipe"}
    assert {row["comment"] for row in rows if row["comment"]} == {"'=not now"}
    only = sayso("audit", "export", "--call", first.call_id, "--reason", "rejected").out
    assert [json.loads(line)["kind"] for line in only.splitlines()] == ["resolution"]
    for filters in (("--agent", "nobody"), ("--since", "2999-01-01"), ("--until", "2000-01-01")):
        assert sayso("audit", "export", *filters).out == ""
        assert entries(sayso, *filters) == []
    session = str(entries(sayso, "--call", first.call_id)[0]["session_id"])
    assert entries(sayso, "--session", session) == [
        json.loads(line) for line in sayso("audit", "export", "--session", session).out.splitlines()
    ]

    shown = sayso("audit", "show", first.call_id)
    assert shown.code == ExitCode.OK
    assert "  comment     =not now" in shown.out.splitlines()
    assert shown.out.count("  entry       ") == len(entries(sayso, "--call", first.call_id))
    assert "the log says nothing of `x`" in sayso("audit", "show", "x").err
    assert "`soon` is not a time" in sayso("audit", "list", "--since", "soon").err


def test_a_tool_of_a_server_is_found_by_its_pair(sayso: CommandLine) -> None:
    sayso.ask(CallDraft("git_add", {}, server="git"), CallDraft("odd:name", {}))
    for name in ("git:git_add", "git :: git_add", "mcp__git__git_add"):
        assert {e["tool"] for e in entries(sayso, "--tool", name)} == {"mcp__git__git_add"}
    assert {e["tool"] for e in entries(sayso, "--tool", "odd:name")} == {"odd:name"}
    assert entries(sayso, "--tool", "git:git_log") == []


@pytest.mark.parametrize("limit", ["0", "-1", "1000001", "1" * 30])
def test_a_number_of_entries_that_is_none(sayso: CommandLine, limit: str) -> None:
    said = sayso("audit", "list", "--limit", limit)
    assert said.code == ExitCode.FAILURE
    assert said.err.endswith("is not a number of entries\nhint: give one from 1 to 1000000\n")


def test_a_line_is_short_and_its_paths_are_seen_from_the_workspace(sayso: CommandLine) -> None:
    sayso.ask(CallDraft("write_file", {"path": "src/app.py", "content": "x"}))
    day, *rows = sayso("audit", "list").out.splitlines()
    assert day.endswith(", times are UTC")
    assert rows[-1].endswith("verdict     ask      write_file src/app.py · no-rule")
    assert max(map(len, rows)) <= 100


def test_nothing_in_the_log_can_imitate_another_line(sayso: CommandLine) -> None:
    sayso.ask(CallDraft("send\x1b[2J\nmail", {}))
    said = sayso("audit", "list")
    assert "\x1b" not in said.out
    assert "send[U+001B][2J[U+000A]mail" in said.out


def test_lines_say_what_there_is_to_say() -> None:
    bodies = [
        {"at": "2027-01-15T08:00:00.1Z", "kind": "configuration", "by": "owner", "note": "n"},
        {
            "at": "2027-01-15T08:00:01.1Z",
            "kind": "verdict",
            "call_id": "c",
            "effect": "allow",
            "reason": "rule-allow",
            "tool": "copy",
            "targets": ["/w/a", "/w/b", "/x/c", "/w/d", "/w/e"],
            "rule": "allow read(**) (/home/me/.config/sayso/settings.toml:2:10)",
        },
        {
            "at": "2027-01-16T08:00:02.1Z",
            "kind": "review",
            "reason": "approve",
            "tool": "copy",
            "by": "owner",
            "comment": "go on",
        },
        {
            "at": "2027-01-16T08:00:03.1Z",
            "kind": "outcome",
            "reason": "done",
            "tool": "copy",
            "outcome": "copied",
        },
    ]
    made = [link(n, json.dumps(body), "") for n, body in enumerate(bodies, 1)]
    day, config, verdict, next_day, review, outcome = lines(made, {"c": "/w"})
    assert (day, next_day) == ("2027-01-15, times are UTC", "2027-01-16, times are UTC")
    assert config == "     1  08:00:00  config               owner · n"
    assert verdict == (
        "     2  08:00:01  verdict     allow    "
        "copy a b /x/c and 2 more · rule-allow · allow read(**) (settings.toml:2:10)"
    )
    assert review == "     3  08:00:02  review      approve  copy · owner · “go on”"
    assert outcome == "     4  08:00:03  outcome     done     copy · copied"


@pytest.mark.spec("AUD-3")
def test_a_log_that_was_changed_by_hand_is_found(sayso: CommandLine) -> None:
    (standing,) = sayso.ask(mail())
    sayso.owner("reject", standing.call_id)
    said = sayso("audit", "verify")
    assert said.code == 0
    first, second = said.out.splitlines()
    assert first.startswith("good: ")
    checkpoint = second.rpartition(" ")[2]
    assert sayso("audit", "verify", "--checkpoint", checkpoint).code == 0
    told = json.loads(sayso("audit", "verify", "--json").out)
    assert (told["good"], told["checkpoint"], told["fault"]) == (True, checkpoint, None)

    number = int(checkpoint.partition(":")[0])
    with sqlite3.connect(sayso.home / "sayso.db") as database:
        database.execute("DELETE FROM audit WHERE seq = ?", (number,))
    assert sayso("audit", "verify").code == 0  # cut off at its end it is good in itself
    said = sayso("audit", "verify", "--checkpoint", checkpoint)
    assert said.code == ExitCode.INVALID
    assert f"the log ends before the checkpoint at entry {number}" in said.out

    with sqlite3.connect(sayso.home / "sayso.db") as database:
        database.execute("UPDATE audit SET body = replace(body, 'owner', 'nobody') WHERE seq = 1")
    for flags in ([], ["--json"]):
        said = sayso("audit", "verify", *flags)
        assert said.code == ExitCode.INVALID
        assert "entry 1 was changed" in said.out


@pytest.mark.parametrize("text", ["", "x", "1:abc", "²:" + "0" * 64, "-1:" + "0" * 64])
def test_a_checkpoint_that_is_none(sayso: CommandLine, text: str) -> None:
    said = sayso("audit", "verify", "--checkpoint", text)
    assert said.code == ExitCode.FAILURE
    assert said.err == (
        f"error: `{text}` is not a checkpoint\nhint: write NUMBER:HASH as verify prints it\n"
    )
