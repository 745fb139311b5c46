"""The full arguments of calls where a key encrypts them; what was written before stays as it is."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; nothing was encrypted before."""
    op.add_column("calls", sa.Column("sealed", sa.Text()))
    op.add_column("requests", sa.Column("sealed_edit", sa.Text()))
