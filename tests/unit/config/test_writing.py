"""A file is written whole or not at all."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from sayso.config.writing import write_whole
from sayso.errors import SettingsInvalid


def test_a_file_has_its_rights_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    for mode in (0o600, 0o640):
        write_whole(path, b"new", mode=mode)
        assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new", mode)
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_found_wrong_at_last_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"old")

    def changed() -> None:
        raise SettingsInvalid("it was changed")

    with pytest.raises(SettingsInvalid):
        write_whole(path, b"new", at_last=changed)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
