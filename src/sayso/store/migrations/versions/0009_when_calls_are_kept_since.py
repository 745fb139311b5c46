"""Since when the full arguments of calls are kept; those that are there already, since they were submitted."""

from __future__ import annotations

import time

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column: when each call was asked about, else when its verdict was recorded, else now."""
    big = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.add_column("calls", sa.Column("kept_since", big))
    calls = sa.table("calls", sa.column("call_id"), sa.column("kept_since"))
    requests = sa.table("requests", sa.column("request_id"), sa.column("created_at"))
    audit = sa.table("audit", sa.column("call_id"), sa.column("at"))
    asked = sa.select(requests.c.created_at).where(requests.c.request_id == calls.c.call_id)
    recorded = sa.select(sa.func.min(audit.c.at)).where(audit.c.call_id == calls.c.call_id)
    now = sa.literal(time.time_ns() // 1000, big)
    since = sa.func.coalesce(asked.scalar_subquery(), recorded.scalar_subquery(), now)
    op.execute(sa.update(calls).values(kept_since=since))
    kept = sa.text("kept_since IS NOT NULL")
    op.create_index(
        "ix_calls_kept_since", "calls", ["kept_since"], sqlite_where=kept, postgresql_where=kept
    )
