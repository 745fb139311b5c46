"""The audit log by time: where several replicas write chains of their own, that is how it is read."""

from __future__ import annotations

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the index."""
    op.create_index("ix_audit_at", "audit", ["at", "seq"])
