"""Where things are kept, and that nobody else can look."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from sayso.errors import SettingsInvalid
from sayso.system.places import database_url, find_places, private_directory


def test_sayso_home_moves_everything(tmp_path: Path) -> None:
    places = find_places({"SAYSO_HOME": str(tmp_path)})
    assert (places.config, places.data) == (tmp_path, tmp_path)
    assert places.database == tmp_path / "sayso.db"
    assert not places.database.exists()


def test_sayso_home_is_written_in_full() -> None:
    with pytest.raises(SettingsInvalid, match="not an absolute path") as caught:
        find_places({"SAYSO_HOME": "somewhere"})
    assert caught.value.hint
    assert find_places({"SAYSO_HOME": "~/x"}).data == Path.home() / "x"


@pytest.mark.parametrize("environ", [{}, {"SAYSO_HOME": ""}])
def test_without_it_the_operating_system_says(environ: dict[str, str]) -> None:
    places = find_places(environ)
    assert places.config.is_absolute()
    assert places.data.is_absolute()
    assert "sayso" in places.config.name.lower()
    assert "sayso" in places.data.name.lower()


def test_the_environment_is_the_process_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SAYSO_HOME", str(tmp_path))
    assert find_places().data == tmp_path


@pytest.mark.skipif(os.name != "posix", reason="rights of POSIX")
def test_a_private_directory_is_its_owners_alone(tmp_path: Path) -> None:
    def rights(path: Path) -> int:
        return stat.S_IMODE(path.stat().st_mode)

    tmp_path.chmod(0o755)
    old = os.umask(0)
    try:
        made = private_directory(tmp_path / "a" / "b" / "c")
    finally:
        os.umask(old)
    assert [rights(path) for path in (made, made.parent, made.parent.parent)] == [0o700] * 3
    assert rights(tmp_path) == 0o755
    made.chmod(0o755)
    assert rights(private_directory(made)) == 0o700
    (tmp_path / "file").write_text("")
    with pytest.raises(FileExistsError):
        private_directory(tmp_path / "file")


def test_a_database_is_named_by_its_url() -> None:
    for url in ("postgresql://me@db/sayso", "postgres://me:secret@db:5433/sayso"):
        assert database_url({"SAYSO_DATABASE": url}) == url
    assert database_url({}) is None
    assert database_url({"SAYSO_DATABASE": ""}) is None


def test_another_name_of_a_database_is_refused_and_not_repeated() -> None:
    with pytest.raises(SettingsInvalid, match="is not the URL of a PostgreSQL database") as refused:
        database_url({"SAYSO_DATABASE": "mysql://me:secret@db/sayso"})
    assert "secret" not in str(refused.value)
