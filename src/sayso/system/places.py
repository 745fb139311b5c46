"""Where sayso keeps its settings and its data on this machine; both directories are private."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from platformdirs import PlatformDirs

from sayso.errors import SettingsInvalid

HOME_VARIABLE = "SAYSO_HOME"
"""The environment variable that moves settings and data together to one directory."""

DATABASE_VARIABLE = "SAYSO_DATABASE"
"""The environment variable that names a PostgreSQL database instead of the file; it may hold a password."""

DATABASE_NAME = "sayso.db"


@dataclass(frozen=True, slots=True)
class Places:
    """The directory of the settings and that of the data."""

    config: Path
    data: Path

    @property
    def database(self) -> Path:
        """The database file of this installation."""
        return self.data / DATABASE_NAME


def find_places(environ: Mapping[str, str] | None = None) -> Places:
    """The places of this user: `SAYSO_HOME` if it is set, else what the operating system intends.

    Creates nothing. Raises SettingsInvalid if `SAYSO_HOME` is not an absolute path.
    """
    home = (os.environ if environ is None else environ).get(HOME_VARIABLE)
    if home:
        place = Path(home).expanduser()
        if not place.is_absolute():
            raise SettingsInvalid(
                f"{HOME_VARIABLE} `{home}` is not an absolute path",
                "a relative one would name another place in each directory; write it in full",
            )
        return Places(place, place)
    standard = PlatformDirs("sayso", appauthor=False)
    return Places(standard.user_config_path, standard.user_data_path)


def database_url(environ: Mapping[str, str] | None = None) -> str | None:
    """The URL of the PostgreSQL database of this installation; None if it uses the file.

    Raises SettingsInvalid for anything else; what it holds is never repeated.
    """
    url = (os.environ if environ is None else environ).get(DATABASE_VARIABLE)
    if not url:
        return None
    if not is_url(url):
        raise SettingsInvalid(
            f"{DATABASE_VARIABLE} is not the URL of a PostgreSQL database",
            "write postgresql://user@host:5432/name; the file moves with SAYSO_HOME",
        )
    return url


def is_url(database: str) -> bool:
    """Whether a database is named by the URL of a PostgreSQL server."""
    return database.startswith(("postgresql://", "postgres://"))


def private_directory(path: Path) -> Path:
    """Make sure the directory exists and only its owner can enter it; returns the path.

    Parents that are missing are created private too; existing parents are left as they are.
    Raises OSError where the system refuses.
    """
    missing = [parent for parent in path.parents if not parent.exists()]
    for parent in reversed(missing):
        parent.mkdir(mode=0o700, exist_ok=True)
    path.mkdir(mode=0o700, exist_ok=True)
    if os.name == "posix":
        found = path.stat()
        if found.st_uid == os.geteuid() and stat.S_IMODE(found.st_mode) & 0o077:
            path.chmod(0o700)
    return path
