"""How many requests of one session wait is counted at each new one; and a table that nothing reads goes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Index the requests that are not over by their session; `settings` was taken over elsewhere long ago."""
    op.create_index(
        "ix_requests_session_id_status",
        "requests",
        ["session_id", "status"],
        sqlite_where=sa.text("closed = 0"),
        postgresql_where=sa.text("closed = 0"),
    )
    op.drop_table("settings")
