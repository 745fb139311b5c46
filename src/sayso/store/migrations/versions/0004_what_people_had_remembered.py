"""Grants, vetoes and bypasses."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables; nothing was remembered before."""
    moment = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "grants",
        sa.Column("grant_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("key_hash", sa.Text(), nullable=False),
        sa.Column("given_at", moment, nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("grant_id", name=op.f("pk_grants")),
    )
    op.create_index(
        "ix_grants_user_id", "grants", ["user_id", "session_id", "key_hash"], unique=True
    )
    op.create_index("ix_grants_session_id", "grants", ["session_id"])
    op.create_table(
        "bypasses",
        sa.Column("bypass_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("given_at", moment, nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("bypass_id", name=op.f("pk_bypasses")),
    )
    op.create_index("ix_bypasses_session_id", "bypasses", ["session_id"])
