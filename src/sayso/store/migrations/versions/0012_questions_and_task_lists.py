"""Questions that are no approvals, and the task lists of sessions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_WAITS = sa.text("status = 'pending'")
_NAMED = sa.text("external_id IS NOT NULL")


def _big() -> sa.types.TypeEngine[int]:
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the tables; nothing was asked so before."""
    op.create_table(
        "questions",
        sa.Column("question_id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("external_id", sa.Text()),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", _big(), nullable=False),
        sa.Column("expires_at", _big()),
        sa.Column("caller_seen", _big(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("question_id", name=op.f("pk_questions")),
    )
    op.create_index(
        "ix_questions_created_at",
        "questions",
        ["created_at"],
        sqlite_where=_WAITS,
        postgresql_where=_WAITS,
    )
    op.create_index(
        "ix_questions_session_id_external_id",
        "questions",
        ["session_id", "external_id"],
        unique=True,
        sqlite_where=_NAMED,
        postgresql_where=_NAMED,
    )
    op.create_table(
        "task_lists",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("at", _big(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("session_id", name=op.f("pk_task_lists")),
    )
