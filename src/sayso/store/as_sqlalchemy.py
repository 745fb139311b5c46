"""A driver's connection as SQLAlchemy sees it, for Alembic; errors stay those of the driver."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool


@contextlib.contextmanager
def as_sqlalchemy(dialect: str, connection: Any) -> Iterator[Connection]:
    """The connection, for as long as the block lasts; SQLAlchemy does not close it.

    `dialect` is the beginning of a URL, such as `sqlite`. Raises what the driver raises, so that who
    translates its errors meets them here as everywhere.
    """
    engine = create_engine(f"{dialect}://", creator=lambda: connection, poolclass=StaticPool)
    try:
        with engine.connect() as alchemy:
            yield alchemy
    except DBAPIError as error:
        if error.orig is None:
            raise
        raise error.orig from error
