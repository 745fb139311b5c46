"""The first schema, with the one person of a single-user installation and the default group."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def _big() -> sa.types.TypeEngine[int]:
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _text(name: str, *, null: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=null)


def _moment(name: str, *, null: bool = False) -> sa.Column[int]:
    return sa.Column(name, _big(), nullable=null)


def _partial_index(
    name: str, table: str, columns: list[str], where: str, *, unique: bool = False
) -> None:
    op.create_index(
        name,
        table,
        columns,
        unique=unique,
        sqlite_where=sa.text(where),
        postgresql_where=sa.text(where),
    )


def upgrade() -> None:
    """Create every table."""
    _calls_and_requests()
    _people_and_votes()
    _logs()
    _rules_and_settings()


def _calls_and_requests() -> None:
    op.create_table(
        "calls",
        _text("call_id"),
        _text("user_id"),
        _text("agent_id"),
        _text("session_id"),
        _text("external_id", null=True),
        _text("digest"),
        _text("effect"),
        _text("reason"),
        _text("superseded_by", null=True),
        _text("asked", null=True),
        _text("document"),
        sa.PrimaryKeyConstraint("call_id", name=op.f("pk_calls")),
    )
    _partial_index(
        "ix_calls_external_id",
        "calls",
        ["session_id", "external_id", "user_id", "agent_id"],
        "external_id IS NOT NULL",
        unique=True,
    )
    op.create_table(
        "requests",
        _text("request_id"),
        _text("session_id"),
        _text("digest"),
        _text("status"),
        sa.Column("version", sa.Integer(), nullable=False),
        _text("caller"),
        _moment("caller_seen"),
        _moment("created_at"),
        _moment("expires_at", null=True),
        _moment("approved_at", null=True),
        _moment("resolved_at", null=True),
        _moment("lease_until", null=True),
        sa.Column("review_count", sa.Integer(), nullable=False),
        sa.Column("closed", sa.Integer(), nullable=False),
        sa.Column("sticky_lifted", sa.Integer(), nullable=False),
        _text("state"),
        sa.ForeignKeyConstraint(
            ["request_id"], ["calls.call_id"], name=op.f("fk_requests_request_id")
        ),
        sa.PrimaryKeyConstraint("request_id", name=op.f("pk_requests")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_requests_session_id_digest", "requests", ["session_id", "digest"])
    _partial_index("ix_requests_created_at", "requests", ["created_at"], "closed = 0")
    _partial_index(
        "ix_requests_resolved_at", "requests", ["resolved_at"], "resolved_at IS NOT NULL"
    )
    op.create_table(
        "sessions",
        _text("session_id"),
        _text("user_id"),
        _text("agent_id"),
        _moment("opened_at"),
        _moment("stopped_at", null=True),
        _text("document"),
        sa.PrimaryKeyConstraint("session_id", name=op.f("pk_sessions")),
    )


def _people_and_votes() -> None:
    people = op.create_table(
        "people",
        _text("person_id"),
        _text("document"),
        sa.PrimaryKeyConstraint("person_id", name=op.f("pk_people")),
    )
    op.bulk_insert(
        people,
        [
            {
                "person_id": "owner",
                "document": '{"person_id":"owner","name":"owner","admin":true}',
            }
        ],
    )
    op.create_table(
        "credentials",
        _text("credential_id"),
        _text("kind"),
        _text("person_id"),
        _text("secret_hash"),
        _moment("created_at"),
        _moment("expires_at", null=True),
        _moment("revoked_at", null=True),
        _text("agent_id", null=True),
        _text("name"),
        sa.CheckConstraint(
            "kind IN ('agent', 'approver', 'admin', 'session')", name=op.f("ck_credentials_kind")
        ),
        sa.PrimaryKeyConstraint("credential_id", name=op.f("pk_credentials")),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_credentials_secret_hash")),
    )
    op.create_table(
        "reviews",
        _text("request_id"),
        sa.Column("number", sa.Integer(), nullable=False),
        _text("person_id"),
        _text("credential_id"),
        _text("kind"),
        _text("channel"),
        _text("vote"),
        _moment("at"),
        sa.CheckConstraint(
            "kind <> 'agent' AND kind IN ('approver', 'admin', 'session')",
            name=op.f("ck_reviews_decides"),
        ),
        sa.CheckConstraint("vote IN ('approve', 'reject')", name=op.f("ck_reviews_vote")),
        sa.ForeignKeyConstraint(
            ["credential_id"],
            ["credentials.credential_id"],
            name=op.f("fk_reviews_credential_id"),
        ),
        sa.ForeignKeyConstraint(
            ["request_id"], ["requests.request_id"], name=op.f("fk_reviews_request_id")
        ),
        sa.PrimaryKeyConstraint("request_id", "number", name=op.f("pk_reviews")),
        sqlite_with_rowid=False,
    )


def _logs() -> None:
    op.create_table(
        "notices",
        sa.Column("event_id", _big(), autoincrement=True, nullable=False),
        _text("request_id"),
        _text("document"),
        sa.PrimaryKeyConstraint("event_id", name=op.f("pk_notices")),
    )
    op.create_table(
        "audit",
        sa.Column("seq", _big(), autoincrement=False, nullable=False),
        _moment("at"),
        _text("call_id"),
        _text("tool"),
        _text("decided_by", null=True),
        _text("reason"),
        _text("body"),
        _text("previous"),
        _text("hash"),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_audit")),
    )
    op.create_index("ix_audit_call_id", "audit", ["call_id"])


def _rules_and_settings() -> None:
    op.create_table(
        "rules",
        _text("rule_id"),
        sa.Column("position", sa.Integer(), nullable=False),
        _text("group_id"),
        _text("pattern_key"),
        _text("seed_key", null=True),
        _text("document"),
        sa.PrimaryKeyConstraint("rule_id", name=op.f("pk_rules")),
    )
    op.create_table(
        "deleted_seeds",
        _text("seed_key"),
        sa.PrimaryKeyConstraint("seed_key", name=op.f("pk_deleted_seeds")),
    )
    groups = op.create_table(
        "groups",
        _text("group_id"),
        _text("name"),
        _text("description"),
        sa.PrimaryKeyConstraint("group_id", name=op.f("pk_groups")),
    )
    op.bulk_insert(
        groups,
        [
            {
                "group_id": "default",
                "name": "default",
                "description": "what applies unless another group says otherwise",
            }
        ],
    )
    op.create_table(
        "known_tools",
        _text("server"),
        _text("name"),
        _moment("first_seen"),
        _moment("changed_at"),
        _text("document"),
        sa.PrimaryKeyConstraint("server", "name", name=op.f("pk_known_tools")),
    )
    op.create_table(
        "settings",
        _text("name"),
        _text("value"),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_settings")),
    )
    counters = op.create_table(
        "counters",
        _text("name"),
        _moment("value"),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_counters")),
    )
    op.bulk_insert(counters, [{"name": "rules_version", "value": 0}])
