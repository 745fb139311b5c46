"""The history of the schema, in Alembic's form: one revision a file, numbered, never edited later.

`REVISIONS` is that history in order. It stands here as plain data, so that opening an up-to-date
database need not load Alembic.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy import Connection

REVISIONS = (
    *("0001", "0002", "0003", "0004", "0005", "0006"),
    *("0007", "0008", "0009", "0010", "0011", "0012", "0013", "0014"),
)
"""Every revision this program knows, oldest first; a test compares it with the files."""

HEAD = REVISIONS[-1]
"""The revision this program works with."""

VERSION_TABLE = "schema_version"
"""The table in which Alembic keeps the revision of a database."""


def configuration(connection: Connection | None = None) -> Config:
    """Alembic's configuration for these migrations, on a connection whose transaction is the caller's."""
    from alembic.config import Config

    # Unless told, Alembic keeps the standard output of the moment in which it was first imported.
    config = Config(stdout=sys.stdout)
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def upgrade(connection: Connection) -> None:
    """Bring the schema to HEAD, inside the transaction that is open on the connection."""
    from alembic import command

    command.upgrade(configuration(connection), HEAD)
