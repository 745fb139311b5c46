"""What calls take of the budgets of allow rules."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table; no rule had a budget before."""
    moment = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "bookings",
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.Column("rule_id", sa.Text(), nullable=False),
        sa.Column("at", moment, nullable=False),
        sa.Column("amount", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("request_id", "rule_id", name=op.f("pk_bookings")),
    )
    op.create_index("ix_bookings_rule_id", "bookings", ["rule_id", "at"])
