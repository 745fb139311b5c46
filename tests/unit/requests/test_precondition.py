from __future__ import annotations

from sayso.core.operation import Operation
from sayso.core.shell_command import ShellCommand
from sayso.core.target import Target, TargetKind
from sayso.requests.precondition import (
    NO_FILES,
    Changed,
    ChangeKind,
    Precondition,
    PreconditionKind,
    compare,
    files_of,
    places_of,
)

LEADS, CONTENT = PreconditionKind.LEADS_TO, PreconditionKind.CONTENT


def path(text: str, operation: Operation = Operation.WRITE, **more: object) -> Target:
    return Target(
        TargetKind.PATH, text, operation=operation, path=text, resolved=more.pop("to", text), **more
    )  # type: ignore[arg-type]


def test_where_paths_lead_and_what_written_files_hold_is_noted() -> None:
    targets = [
        path("/w/a", to="/real/a"),
        path("/w/b", Operation.READ),
        path("/w/a", Operation.DELETE, to="/real/a"),
        path("/w/unknown", to=None),
        Target(TargetKind.NAME, "tool"),
    ]
    assert places_of(targets) == [
        Precondition(LEADS, "/w/a", "/real/a"),
        Precondition(LEADS, "/w/b", "/w/b"),
        Precondition(LEADS, "/w/unknown", None),
    ]
    assert files_of(targets) == ["/real/a"]


def test_a_command_line_is_approved_whatever_its_files_hold() -> None:
    written = path("/w/log", command=ShellCommand("echo", ()))
    assert files_of([written]) == []
    assert places_of([written]) == [Precondition(LEADS, "/w/log", "/w/log")]


def test_what_differs_is_told_once_and_in_words() -> None:
    before = [
        Precondition(LEADS, "/w/a", "/real/a"),
        Precondition(LEADS, "/w/old", "/w/old"),
        Precondition(CONTENT, "/real/a", "sha256:1"),
        Precondition(CONTENT, "/real/b", "sha256:1"),
        Precondition(PreconditionKind.DEFINITION, "mcp__s__t", "d1"),
    ]
    now = [
        Precondition(LEADS, "/w/a", "/etc/a"),
        Precondition(LEADS, "/w/new", "/w/new"),
        Precondition(CONTENT, "/etc/a", "sha256:9"),
        Precondition(CONTENT, "/real/b", "sha256:2"),
        Precondition(PreconditionKind.DEFINITION, "mcp__s__t", "d2"),
    ]
    assert [(c.kind, c.words) for c in compare(before, now)] == [
        (ChangeKind.LEADS_TO, "/w/a led to /real/a and leads to /etc/a now"),
        (ChangeKind.TARGETS, "it no longer touches /w/old"),
        (ChangeKind.CONTENT, "what /real/b holds has changed"),
        (ChangeKind.DEFINITION, "what mcp__s__t says it does has changed"),
        (ChangeKind.TARGETS, "it now touches /w/new"),
    ]
    assert compare(before, before) == []
    assert compare([Precondition(LEADS, "/a", "/a")], [Precondition(LEADS, "/a", None)])[
        0
    ].words == ("/a led to /a and leads to an unknown place now")


def test_a_definition_that_is_no_longer_known_has_changed() -> None:
    before = [Precondition(PreconditionKind.DEFINITION, "mcp__s__t", "d1")]
    assert [change.kind for change in compare(before, [])] == [ChangeKind.DEFINITION]


def test_both_are_plain_data() -> None:
    assert Changed(ChangeKind.POLICY, "more").to_json() == {
        "kind": "policy", "subject": "more", "before": None, "now": None,
    }  # fmt: skip
    assert Precondition(LEADS, "/a", "/b").to_json() == {
        "kind": "leads-to", "subject": "/a", "value": "/b",
    }  # fmt: skip
    assert NO_FILES.fingerprint("/a") == "unknown"
