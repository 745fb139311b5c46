"""What a file holds is told by a digest, and looking never hangs or follows."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from sayso.system import files
from sayso.system.files import LocalFiles

pytestmark = pytest.mark.skipif(os.name != "posix", reason="files of POSIX")


def test_a_file_is_told_by_its_content(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"hello")
    told = LocalFiles().fingerprint(str(file))
    assert told == "sha256:" + hashlib.sha256(b"hello").hexdigest()
    file.write_bytes(b"hellO")
    assert LocalFiles().fingerprint(str(file)) != told


def test_what_is_not_there_is_absent(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    assert LocalFiles().fingerprint(str(tmp_path / "none")) == "absent"
    assert LocalFiles().fingerprint(str(tmp_path / "a" / "below")) == "absent"


def test_folders_pipes_and_links_are_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "none")
    assert LocalFiles().fingerprint(str(tmp_path)) == "folder"
    assert LocalFiles().fingerprint(str(tmp_path / "pipe")).startswith("special:")
    assert LocalFiles().fingerprint(str(tmp_path / "link")).startswith("special:")


def test_what_cannot_be_a_path_is_unknown() -> None:
    assert LocalFiles().fingerprint("a\0b") == "unknown"


def test_a_large_file_is_told_by_size_and_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_HASHED", 10)
    file = tmp_path / "a"
    file.write_bytes(b"x" * 11)
    told = LocalFiles().fingerprint(str(file))
    assert told.startswith("place:11:")
    file.write_bytes(b"x" * 12)
    assert LocalFiles().fingerprint(str(file)) != told


def test_a_file_that_grows_while_it_is_read_is_told_by_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"x" * 10)
    monkeypatch.setattr(files, "MAX_HASHED", 10)
    assert LocalFiles().fingerprint(str(file)).startswith("place:10:")
