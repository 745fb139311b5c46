"""Run contexts, and which of them an agent's token may name (RC-1)."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table, and the column; tokens of before may name `default` alone."""
    op.create_table(
        "run_contexts",
        sa.Column("run_context_id", sa.Text(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("run_context_id", name=op.f("pk_run_contexts")),
    )
    op.add_column(
        "credentials", sa.Column("run_contexts", sa.Text(), nullable=False, server_default="[]")
    )
