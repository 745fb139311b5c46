"""The command line on an installation of its own, for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.command_line import CommandLine, furnish, make_template


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a passphrase, made once."""
    return make_template(tmp_path_factory.mktemp("template") / "sayso.db")


@pytest.fixture
def sayso(
    tmp_path: Path,
    template: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> CommandLine:
    """`sayso` in an installation with a passphrase."""
    return CommandLine(furnish(tmp_path / "home", template), monkeypatch, capsys)


@pytest.fixture
def bare(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> CommandLine:
    """`sayso` where there is nothing yet."""
    return CommandLine(tmp_path / "bare", monkeypatch, capsys)
