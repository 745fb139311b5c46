"""When time brings something to a request next, who acts on that, and until when a broken glass is reviewed (ST-5)."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_LAPSE = 600_000_000


def upgrade() -> None:
    """Add the columns, and set the timers of the requests that are open."""
    big = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.add_column("requests", sa.Column("due_at", big))
    op.add_column("requests", sa.Column("taken_until", big, nullable=False, server_default="0"))
    op.add_column("requests", sa.Column("review_by", big))
    names = ("status", "expires_at", "approved_at", "lease_until", "due_at")
    requests = sa.table("requests", *(sa.column(name) for name in names))
    c = requests.c
    for status, moment in (
        ("pending", c.expires_at),
        ("approved", c.approved_at + _LAPSE),
        ("running", c.lease_until),
    ):
        op.execute(sa.update(requests).where(c.status == status).values(due_at=moment))
    for name in ("due_at", "review_by"):
        there = sa.text(f"{name} IS NOT NULL")
        op.create_index(
            f"ix_requests_{name}", "requests", [name], sqlite_where=there, postgresql_where=there
        )
