"""Identities, roles, stand-ins, a passphrase for each person and the codes to choose one (REQ-60, REQ-61).

The one passphrase that there was is the owner's. A rule that names a role and whose quorum was never
stated has the role's from now on.
"""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the tables, and move the passphrase."""
    passphrases = _people()
    _roles()
    connection = op.get_bind()
    counters = sa.table("counters", sa.column("name"), sa.column("value"))
    connection.execute(sa.insert(counters).values(name="people_version", value=0))
    settings = sa.table("settings", sa.column("name"), sa.column("value"))
    this = settings.c.name == "passphrase_hash"
    found = connection.execute(sa.select(settings.c.value).where(this)).fetchone()
    if found is not None:
        connection.execute(sa.insert(passphrases).values(person_id="owner", hash=found[0]))
        connection.execute(sa.delete(settings).where(this))
    rules = sa.table("rules", sa.column("rule_id"), sa.column("document"))
    for rule_id, document in connection.execute(sa.select(*rules.c)).fetchall():
        rule = json.loads(document)
        approval = rule.get("approval") or {}
        if approval.get("role") is not None and approval.get("quorum") == 1:
            del approval["quorum"]
            row = {"document": json.dumps(rule, ensure_ascii=False, separators=(",", ":"))}
            connection.execute(sa.update(rules).where(rules.c.rule_id == rule_id).values(**row))


def _people() -> sa.Table:
    identities = op.create_table(
        "identities",
        sa.Column("identity", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        _of_person("identities", "person_id"),
        sa.PrimaryKeyConstraint("identity", name=op.f("pk_identities")),
    )
    op.bulk_insert(identities, [{"identity": "web:owner", "person_id": "owner"}])
    passphrases = op.create_table(
        "passphrases",
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        _of_person("passphrases", "person_id"),
        sa.PrimaryKeyConstraint("person_id", name=op.f("pk_passphrases")),
    )
    op.create_table(
        "enrolments",
        sa.Column("secret_hash", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("until", _BIG, nullable=False),
        _of_person("enrolments", "person_id"),
        sa.PrimaryKeyConstraint("secret_hash", name=op.f("pk_enrolments")),
    )
    return passphrases


def _roles() -> None:
    op.create_table(
        "roles",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("quorum", sa.Text(), nullable=False),
        sa.Column("enabled", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_roles")),
    )
    op.create_table(
        "role_members",
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["role"], ["roles.name"], name=op.f("fk_role_members_role")),
        _of_person("role_members", "person_id"),
        sa.PrimaryKeyConstraint("role", "person_id", name=op.f("pk_role_members")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "stand_ins",
        sa.Column("absent", sa.Text(), nullable=False),
        sa.Column("substitute", sa.Text(), nullable=False),
        sa.Column("since", _BIG, nullable=False, autoincrement=False),
        sa.Column("until", _BIG, nullable=False, autoincrement=False),
        _of_person("stand_ins", "absent"),
        _of_person("stand_ins", "substitute"),
        sa.PrimaryKeyConstraint(
            "absent", "substitute", "since", "until", name=op.f("pk_stand_ins")
        ),
        sqlite_with_rowid=False,
    )


def _of_person(table: str, column: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}")
    return sa.ForeignKeyConstraint([column], ["people.person_id"], name=name)
