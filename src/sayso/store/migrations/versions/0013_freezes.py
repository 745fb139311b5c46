"""The brakes that people have put on agents."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table; nothing was frozen before."""
    moment = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "freezes",
        sa.Column("agent_id", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("at", moment, nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("agent_id", "person_id", name=op.f("pk_freezes")),
    )
