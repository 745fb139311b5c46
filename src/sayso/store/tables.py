"""The tables: one schema for SQLite and PostgreSQL.

Ids are text, moments whole microseconds, and what is only ever read whole is a JSON document in
text. What is filtered, sorted or compared in a conditional write has a column of its own. Columns
come before documents, so that a scan need not read these.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    text,
)

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

BIG = BigInteger().with_variant(Integer(), "sqlite")
"""The type of a moment and of what counts far."""

CALLS = Table(
    "calls",
    METADATA,
    Column("call_id", Text, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("agent_id", Text, nullable=False),
    Column("session_id", Text, nullable=False),
    Column("external_id", Text),
    Column("digest", Text, nullable=False),
    Column("effect", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("superseded_by", Text),
    Column("kept_since", BIG),
    Column("asked", Text),
    Column("document", Text, nullable=False),
    Column("sealed", Text),
    Index(
        "ix_calls_kept_since",
        "kept_since",
        sqlite_where=text("kept_since IS NOT NULL"),
        postgresql_where=text("kept_since IS NOT NULL"),
    ),
)
"""Every call that was submitted, with its full arguments and, if it asks, what it asked (`asked`).

This is the only place of full arguments, but for those that an approver edited, which stand in the
request. `kept_since` is when it was submitted; null once they are deleted, and both documents are
the redacted form then (AUD-1a). Where a key encrypts, they are from the start, and `sealed` holds both
as they were made (sealing.py). `superseded_by` is the call that asks again.

The external id is unique per owner. A call that asks again leaves it to the one it follows.
"""

EXTERNAL_IDS = Index(
    "ix_calls_external_id",
    CALLS.c.session_id,
    CALLS.c.external_id,
    CALLS.c.user_id,
    CALLS.c.agent_id,
    unique=True,
    sqlite_where=text("external_id IS NOT NULL"),
    postgresql_where=text("external_id IS NOT NULL"),
)

REQUESTS = Table(
    "requests",
    METADATA,
    Column("request_id", Text, ForeignKey("calls.call_id"), primary_key=True),
    Column("session_id", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("caller", Text, nullable=False),
    Column("caller_seen", BIG, nullable=False),
    Column("created_at", BIG, nullable=False),
    Column("expires_at", BIG),
    Column("approved_at", BIG),
    Column("resolved_at", BIG),
    Column("lease_until", BIG),
    Column("review_count", Integer, nullable=False),
    Column("closed", Integer, nullable=False),
    Column("sticky_lifted", Integer, nullable=False),
    Column("due_at", BIG),
    Column("taken_until", BIG, nullable=False, server_default="0"),
    Column("review_by", BIG),
    Column("state", Text, nullable=False),
    Column("sealed_edit", Text),
    Index("ix_requests_session_id_digest", "session_id", "digest"),
    Index(
        "ix_requests_session_id_status",
        "session_id",
        "status",
        sqlite_where=text("closed = 0"),
        postgresql_where=text("closed = 0"),
    ),
    Index(
        "ix_requests_created_at",
        "created_at",
        sqlite_where=text("closed = 0"),
        postgresql_where=text("closed = 0"),
    ),
    Index(
        "ix_requests_due_at",
        "due_at",
        sqlite_where=text("due_at IS NOT NULL"),
        postgresql_where=text("due_at IS NOT NULL"),
    ),
    Index(
        "ix_requests_review_by",
        "review_by",
        sqlite_where=text("review_by IS NOT NULL"),
        postgresql_where=text("review_by IS NOT NULL"),
    ),
    Index(
        "ix_requests_resolved_at",
        "resolved_at",
        sqlite_where=text("resolved_at IS NOT NULL"),
        postgresql_where=text("resolved_at IS NOT NULL"),
    ),
    sqlite_with_rowid=False,
)
"""How the approvals stand: small rows, since each is rewritten by every conditional write.

What was frozen when a request was made stands in its call's row. `closed` is 1 once the status is
final; the few that are not closed have an index of their own, which only opening and closing touch.
`due_at` is the request's timer: the next moment at which time brings it something. Whoever acts on it
takes the row until `taken_until`. `sealed_edit` is an approver's edit where a key
encrypts. `review_by` is until when a broken glass has to be reviewed.
"""

BATCHES = Table(
    "batches",
    METADATA,
    Column("batch_id", Text, primary_key=True),
    Column("session_id", Text, nullable=False),
    Column("created_at", BIG, nullable=False),
    Column("version", Integer, nullable=False),
    Column("ended", Integer, nullable=False),
    Column("document", Text, nullable=False),
    Index("ix_batches_session_id", "session_id"),
)
"""The calls of one turn, in their order, and who continues it; `ended` is 1 once somebody has (REQ-33)."""

CREDENTIALS = Table(
    "credentials",
    METADATA,
    Column("credential_id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("person_id", Text, nullable=False),
    Column("secret_hash", Text, nullable=False, unique=True),
    Column("created_at", BIG, nullable=False),
    Column("expires_at", BIG),
    Column("revoked_at", BIG),
    Column("agent_id", Text),
    Column("name", Text, nullable=False),
    Column("run_contexts", Text, nullable=False, server_default="[]"),
    CheckConstraint("kind IN ('agent', 'approver', 'admin', 'session')", name="kind"),
)
"""Credentials, with the hash of their secret; kinds are disjoint (REQ-64)."""

REVIEWS = Table(
    "reviews",
    METADATA,
    Column("request_id", Text, ForeignKey("requests.request_id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("person_id", Text, nullable=False),
    Column("credential_id", Text, ForeignKey("credentials.credential_id"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("vote", Text, nullable=False),
    Column("at", BIG, nullable=False),
    CheckConstraint("kind <> 'agent' AND kind IN ('approver', 'admin', 'session')", name="decides"),
    CheckConstraint("vote IN ('approve', 'reject')", name="vote"),
    sqlite_with_rowid=False,
)
"""Every vote, with the kind of credential behind it: never an agent's, whoever writes it (REQ-64)."""

NOTICES = Table(
    "notices",
    METADATA,
    Column("event_id", BIG, primary_key=True, autoincrement=True),
    Column("request_id", Text, nullable=False),
    Column("document", Text, nullable=False),
)
"""The newest events, so that a client can take up where it left.

The newest row is never deleted, so no number is ever used again.
"""

AUDIT = Table(
    "audit",
    METADATA,
    Column("seq", BIG, primary_key=True, autoincrement=False),
    Column("at", BIG, nullable=False),
    Column("call_id", Text, nullable=False),
    Column("tool", Text, nullable=False),
    Column("decided_by", Text),
    Column("reason", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("previous", Text, nullable=False),
    Column("hash", Text, nullable=False),
    Index("ix_audit_call_id", "call_id"),
    Index("ix_audit_at", "at", "seq"),
)
"""The audit log, hash chains without gaps; the columns before `body` serve filters only."""

SESSIONS = Table(
    "sessions",
    METADATA,
    Column("session_id", Text, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("agent_id", Text, nullable=False),
    Column("opened_at", BIG, nullable=False),
    Column("stopped_at", BIG),
    Column("document", Text, nullable=False),
)
"""The agents' sessions, with what was bound when each was opened."""

GRANTS = Table(
    "grants",
    METADATA,
    Column("grant_id", Text, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("session_id", Text, nullable=False),
    Column("key_hash", Text, nullable=False),
    Column("given_at", BIG, nullable=False),
    Column("document", Text, nullable=False),
    Index("ix_grants_user_id", "user_id", "session_id", "key_hash", unique=True),
    Index("ix_grants_session_id", "session_id"),
)
"""Remembered answers, vetoes too: one for each user and key, and for each of a session.

`session_id` is empty for those that count always; `key_hash` is the SHA-256 of the key's text.
"""

BYPASSES = Table(
    "bypasses",
    METADATA,
    Column("bypass_id", Text, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("session_id", Text, nullable=False),
    Column("given_at", BIG, nullable=False),
    Column("document", Text, nullable=False),
    Index("ix_bypasses_session_id", "session_id"),
)
"""Bypasses, each bound to a session and to the start of its host."""

BOOKINGS = Table(
    "bookings",
    METADATA,
    Column("request_id", Text, primary_key=True),
    Column("rule_id", Text, primary_key=True),
    Column("at", BIG, nullable=False),
    Column("amount", Float, nullable=False),
    Index("ix_bookings_rule_id", "rule_id", "at"),
)
"""What claimed calls took of the budgets of allow rules."""

RULES = Table(
    "rules",
    METADATA,
    Column("rule_id", Text, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("group_id", Text, nullable=False),
    Column("pattern_key", Text, nullable=False),
    Column("seed_key", Text),
    Column("document", Text, nullable=False),
)
"""The rule table, in the order of creation; `seed_key` is the pattern a seed came with (POL-41)."""

DELETED_SEEDS = Table(
    "deleted_seeds",
    METADATA,
    Column("seed_key", Text, primary_key=True),
)
"""Seeds that a person has deleted: they never come back."""

GROUPS = Table(
    "groups",
    METADATA,
    Column("group_id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("description", Text, nullable=False),
)
"""The permission groups."""

PEOPLE = Table(
    "people",
    METADATA,
    Column("person_id", Text, primary_key=True),
    Column("document", Text, nullable=False),
)
"""The people who can decide."""

IDENTITIES = Table(
    "identities",
    METADATA,
    Column("identity", Text, primary_key=True),
    Column("person_id", Text, ForeignKey("people.person_id"), nullable=False),
)
"""The identities of people on channels; each belongs to one person."""

ROLES = Table(
    "roles",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("quorum", Text, nullable=False),
    Column("enabled", Integer, nullable=False),
)
"""The roles; `quorum` is a number or `all`."""

ROLE_MEMBERS = Table(
    "role_members",
    METADATA,
    Column("role", Text, ForeignKey("roles.name"), primary_key=True),
    Column("person_id", Text, ForeignKey("people.person_id"), primary_key=True),
    sqlite_with_rowid=False,
)
"""Who is in which role."""

STAND_INS = Table(
    "stand_ins",
    METADATA,
    Column("absent", Text, ForeignKey("people.person_id"), primary_key=True),
    Column("substitute", Text, ForeignKey("people.person_id"), primary_key=True),
    Column("since", BIG, primary_key=True, autoincrement=False),
    Column("until", BIG, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)
"""Who stands in for whom, and when."""

PASSPHRASES = Table(
    "passphrases",
    METADATA,
    Column("person_id", Text, ForeignKey("people.person_id"), primary_key=True),
    Column("hash", Text, nullable=False),
)
"""The hash of each person's own passphrase."""

ENROLMENTS = Table(
    "enrolments",
    METADATA,
    Column("secret_hash", Text, primary_key=True),
    Column("person_id", Text, ForeignKey("people.person_id"), nullable=False),
    Column("until", BIG, nullable=False),
)
"""The codes with which people choose their passphrase once; they open nothing else."""

KNOWN_TOOLS = Table(
    "known_tools",
    METADATA,
    Column("server", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("first_seen", BIG, nullable=False),
    Column("changed_at", BIG, nullable=False),
    Column("document", Text, nullable=False),
    Column("definition", Text, nullable=False, server_default=""),
)
"""Every tool that was ever offered, as its server described it last; `server` is empty for none."""

APPROVED_DEFINITIONS = Table(
    "approved_definitions",
    METADATA,
    Column("server", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("definition", Text, primary_key=True),
    Column("at", BIG, nullable=False),
    sqlite_with_rowid=False,
)
"""The definitions under which a server's tool is what was approved: the first, and those people approved."""

COUNTERS = Table(
    "counters",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("value", BIG, nullable=False),
)
"""Numbers that grow, such as the version of the rule table."""

APPLICATION_ID = 0x73617973
"""How a SQLite file of sayso is told from others (`says`)."""
