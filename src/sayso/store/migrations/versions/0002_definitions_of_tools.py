"""The definitions under which the tools of servers are what was approved (POL-46).

The definition that each tool was last offered with counts as approved, since nobody was asked before.
"""

from __future__ import annotations

import hashlib
import json

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table and the column, and fill them from the tools that are known."""
    op.add_column(
        "known_tools", sa.Column("definition", sa.Text(), nullable=False, server_default="")
    )
    op.create_table(
        "approved_definitions",
        sa.Column("server", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("definition", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.PrimaryKeyConstraint(
            "server", "name", "definition", name=op.f("pk_approved_definitions")
        ),
        sqlite_with_rowid=False,
    )
    connection = op.get_bind()
    known = sa.table(
        "known_tools",
        *(sa.column(name) for name in ("server", "name", "first_seen", "document", "definition")),
    )
    approved = sa.table(
        "approved_definitions",
        *(sa.column(name) for name in ("server", "name", "definition", "at")),
    )
    read = sa.select(known.c.server, known.c.name, known.c.first_seen, known.c.document)
    for server, name, first_seen, document in connection.execute(read).fetchall():
        definition = _definition(document)
        this = (known.c.server == server) & (known.c.name == name)
        connection.execute(sa.update(known).where(this).values(definition=definition))
        if server:
            row = {"server": server, "name": name, "definition": definition, "at": first_seen}
            connection.execute(sa.insert(approved).values(row))


def _definition(document: str) -> str:
    """As core/observed_tool.py had it when this was written."""
    tool = json.loads(document)
    parts = [tool.get("description", ""), tool.get("input_schema", {})]
    written = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(written.encode("ascii")).hexdigest()
