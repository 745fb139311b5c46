"""The database of this installation as a whole: backed up, restored, checked, brought up to date (ST-7)."""

from __future__ import annotations

from pathlib import Path

from sayso.front.assembly import open_store, own_directory
from sayso.store.backup import Health, back_up_sqlite, check_backup, restore_sqlite
from sayso.store.migrations import HEAD
from sayso.system.places import database_url, find_places, is_url


def back_up(to: Path) -> None:
    """Write a backup of this installation's database, which may be in use, to a new file.

    Raises StoreCorrupt, SchemaTooNew, StoreUnavailable or SettingsInvalid.
    """
    url = database_url()
    if url is None:
        back_up_sqlite(find_places().database, to)
    else:
        from sayso.store.postgres.backup import back_up_postgres

        back_up_postgres(url, to)


def restore(backup: Path) -> None:
    """Put a backup where this installation has no database yet.

    Raises StoreCorrupt, SchemaTooNew, StoreUnavailable or SettingsInvalid.
    """
    url = database_url()
    if url is None:
        restore_sqlite(backup, find_places().database)
    else:
        from sayso.store.postgres.backup import restore_postgres

        restore_postgres(backup, url)


def check(file: Path | None = None) -> Health:
    """Check this installation's database, or a backup, without changing anything.

    Raises StoreCorrupt, SchemaTooNew, StoreUnavailable or SettingsInvalid.
    """
    url = database_url()
    if file is not None or url is None:
        return check_backup(find_places().database if file is None else file)
    from sayso.store.postgres.backup import check_postgres

    return check_postgres(url)


def migrate() -> tuple[str | None, str]:
    """Bring this installation's database up to date, or make it; returns its schema before and now.

    Raises StoreCorrupt, SchemaTooNew, StoreUnavailable or SettingsInvalid.
    """
    url = database_url()
    if url is None:
        places = find_places()
        before = (
            check_backup(places.database, pages=False).schema if places.database.exists() else None
        )
        own_directory(places.data)
        open_store(places.database).close()
        return before, HEAD
    from sayso.store.postgres.backup import schema_of

    before = schema_of(url)
    open_store(url).close()
    return before, HEAD


def named_database(named: str | Path | None) -> Path | str | None:
    """A file, or the URL of a database, which is no path."""
    return named if named is None or (isinstance(named, str) and is_url(named)) else Path(named)
