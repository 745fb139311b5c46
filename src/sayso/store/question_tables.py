"""The tables of questions and task lists, beside those of tables.py and in the same schema."""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, Table, Text, text

from sayso.store.tables import BIG, METADATA

QUESTIONS = Table(
    "questions",
    METADATA,
    Column("question_id", Text, primary_key=True),
    Column("session_id", Text, nullable=False),
    Column("external_id", Text),
    Column("status", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("created_at", BIG, nullable=False),
    Column("expires_at", BIG),
    Column("caller_seen", BIG, nullable=False),
    Column("document", Text, nullable=False),
    Index(
        "ix_questions_created_at",
        "created_at",
        sqlite_where=text("status = 'pending'"),
        postgresql_where=text("status = 'pending'"),
    ),
    Index(
        "ix_questions_session_id_external_id",
        "session_id",
        "external_id",
        unique=True,
        sqlite_where=text("external_id IS NOT NULL"),
        postgresql_where=text("external_id IS NOT NULL"),
    ),
)
"""What agents asked of people besides approvals. An answer that may hold a secret is sealed to a key that
only the side that asked has, and erased once that has it."""

TASK_LISTS = Table(
    "task_lists",
    METADATA,
    Column("session_id", Text, primary_key=True),
    Column("at", BIG, nullable=False),
    Column("document", Text, nullable=False),
)
"""The task list of each session that has one, whole."""
