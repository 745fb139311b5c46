"""How Alembic runs the migrations: on the connection it is given, in that connection's transaction."""

from __future__ import annotations

from alembic import context
from sqlalchemy import Connection

from sayso.errors import StoreError
from sayso.store.migrations import VERSION_TABLE
from sayso.store.schema import METADATA


def run() -> None:
    """Run the migrations that Alembic was asked for."""
    connection = context.config.attributes.get("connection")
    if not isinstance(connection, Connection):
        raise StoreError(
            "migrations need an open database",
            "they run by themselves when sayso opens a database",
        )
    context.configure(
        connection=connection,
        target_metadata=METADATA,
        version_table=VERSION_TABLE,
        render_as_batch=True,
        transactional_ddl=False,  # the transaction is the caller's, around everything
    )
    context.run_migrations()


run()
