"""The parser of command lines, in a process of its own, within limits."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from sayso.system import shell_parser
from sayso.system.shell_parser import MAX_LINE, syntax_tree


@pytest.mark.spec("POL-30")
def test_a_line_has_a_tree() -> None:
    tree = syntax_tree("ls -la | grep x", "bash")
    assert not isinstance(tree, str)
    assert tree["Stmts"][0]["Cmd"]["Op"] == "|"


@pytest.mark.spec("POL-30")
@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("echo 'a", "it is no line of bash: 1:6: reached EOF without closing quote"),
        ("x" * (MAX_LINE + 1), "the line is longer than 65536 bytes"),
        ("\ud800", "the line is not valid Unicode"),
    ],
)
def test_a_line_without_a_tree_says_why(line: str, why: str) -> None:
    tree = syntax_tree(line, "bash")
    assert isinstance(tree, str)
    assert tree.startswith(why)


@pytest.mark.spec("POL-30")
@pytest.mark.parametrize("line", ["(" * 30_000, "$(" * 9000 + ")" * 9000, "$x && " * 10_000 + "a"])
def test_deep_lines_take_no_more_than_their_time(line: str) -> None:
    began = time.monotonic()
    assert isinstance(syntax_tree(line, "bash"), str)
    assert time.monotonic() - began < shell_parser.TIMEOUT_SECONDS + 4


@pytest.mark.spec("POL-30")
def test_a_parser_that_hangs_is_stopped_and_that_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "shfmt"
    slow.write_text("#!/bin/sh\nexec sleep 20\n")
    slow.chmod(0o755)
    with monkeypatch.context() as changed:
        changed.setattr(shell_parser, "parser", lambda: str(slow))
        changed.setattr(shell_parser, "TIMEOUT_SECONDS", 0.2)
        assert syntax_tree("echo $slow", "bash") == "it could not be read within 0.2 s"
        changed.setattr(shell_parser, "parser", lambda: str(tmp_path / "none"))
        assert "cannot be run" in str(syntax_tree("echo $slow", "bash"))
        changed.setattr(shell_parser, "parser", lambda: None)
        assert "is not installed" in str(syntax_tree("echo $none", "bash"))
    assert not isinstance(syntax_tree("echo $slow", "bash"), str)


@pytest.mark.spec("POL-30")
def test_a_tree_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shell_parser, "MAX_TREE", 1000)
    assert "too large" in str(syntax_tree("echo $large; ls; ls", "bash"))
