"""Every statement of the SQL stores, written in SQLAlchemy Core and compiled once a dialect.

What comes out is plain SQL text and the order of its parameters, so that the hot path runs it
straight on the driver's connection.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Integer,
    Select,
    Table,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    literal_column,
    null,
    or_,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Dialect
from sqlalchemy.sql.expression import ClauseElement

from sayso.requests.approval import Caller, Status
from sayso.requests.lifecycle import OPEN
from sayso.store import tables as t
from sayso.store.guard import WAITING_FOR_PEOPLE
from sayso.store.statement import ManyRows, Statement, word, words

REQUEST_COLUMNS = (
    t.REQUESTS.c.status,
    t.REQUESTS.c.version,
    t.REQUESTS.c.caller,
    t.REQUESTS.c.caller_seen,
    t.REQUESTS.c.created_at,
    t.REQUESTS.c.expires_at,
    t.REQUESTS.c.approved_at,
    t.REQUESTS.c.sticky_lifted,
    t.REQUESTS.c.digest,
    t.REQUESTS.c.state,
    t.CALLS.c.asked,
    t.CALLS.c.document,
)
"""What a request is read from; see codec.read_request."""

_STORED_CALL = (
    t.CALLS.c.call_id,
    t.CALLS.c.digest,
    t.CALLS.c.effect,
    t.CALLS.c.reason,
    t.CALLS.c.superseded_by,
)
_ENTRY = (t.AUDIT.c.seq, t.AUDIT.c.body, t.AUDIT.c.previous, t.AUDIT.c.hash)
_CREDENTIAL = (
    t.CREDENTIALS.c.credential_id,
    t.CREDENTIALS.c.kind,
    t.CREDENTIALS.c.person_id,
    t.CREDENTIALS.c.secret_hash,
    t.CREDENTIALS.c.created_at,
    t.CREDENTIALS.c.expires_at,
    t.CREDENTIALS.c.revoked_at,
    t.CREDENTIALS.c.agent_id,
    t.CREDENTIALS.c.name,
)
_CHANGED = (
    "status",
    "version",
    "caller",
    "approved_at",
    "resolved_at",
    "lease_until",
    "review_count",
    "state",
)


class Queries:
    """The statements for one dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._upsert: Any = postgresql.insert if dialect.name == "postgresql" else sqlite.insert
        self._calls()
        self._requests()
        self._events()
        self._sessions_and_rules()
        self._people()
        self._audit()

    def _compile(self, clause: ClauseElement, columns: list[str] | None = None) -> Statement:
        return Statement(clause, self._dialect, columns)

    def _insert(self, table: Table) -> Statement:
        return self._compile(insert(table), [column.name for column in table.columns])

    def _calls(self) -> None:
        c = t.CALLS.c
        owned = and_(
            c.session_id == bindparam("session_id"),
            c.external_id == bindparam("external_id"),
            c.user_id == bindparam("user_id"),
            c.agent_id == bindparam("agent_id"),
        )
        values: dict[str, Any] = {column.name: bindparam(column.name) for column in t.CALLS.columns}
        self.add_call = self._compile(
            self._upsert(t.CALLS)
            .values(values)
            .on_conflict_do_nothing(
                index_elements=t.EXTERNAL_IDS.columns,
                index_where=c.external_id.is_not(None),
            )
        )
        self.call = self._compile(
            select(*_STORED_CALL, c.document).where(c.call_id == bindparam("call_id"))
        )
        self.call_by_external_id = self._compile(select(*_STORED_CALL).where(owned))
        self.supersede = self._compile(
            update(t.CALLS)
            .where(c.call_id == bindparam("old_id"))
            .values(superseded_by=bindparam("new_id"))
        )

    def _requests(self) -> None:
        r, c = t.REQUESTS.c, t.CALLS.c
        read: Select[Any] = select(*REQUEST_COLUMNS).join_from(
            t.REQUESTS, t.CALLS, c.call_id == r.request_id
        )
        oldest_first = (r.created_at, r.request_id)
        zero, one = literal_column("0", Integer), literal_column("1", Integer)
        the_one = r.request_id == bindparam("the_id")
        of_owner = and_(
            r.session_id == bindparam("session_id"),
            r.digest == bindparam("digest"),
            c.user_id == bindparam("user_id"),
            c.agent_id == bindparam("agent_id"),
        )
        seen = bindparam("seen", type_=r.caller_seen.type)
        not_closed = r.closed == zero
        self.add_request = self._insert(t.REQUESTS)
        self.request = self._compile(read.where(r.request_id == bindparam("request_id")))
        self.request_standing = self._compile(
            select(r.version, r.review_count).where(r.request_id == bindparam("request_id"))
        )
        change = (
            update(t.REQUESTS)
            .where(
                the_one,
                r.version == bindparam("expected_version"),
                r.review_count == bindparam("reviews_before"),
            )
            .values(caller_seen=case((r.caller_seen > seen, r.caller_seen), else_=seen))
        )
        self.change_request = self._compile(change, list(_CHANGED))
        self.close_request = self._compile(change, [*_CHANGED, "closed"])
        self.touch_request = self._compile(
            update(t.REQUESTS).where(the_one, r.caller_seen < seen).values(caller_seen=seen)
        )
        self.lift_sticky = self._compile(
            update(t.REQUESTS).where(the_one).values(sticky_lifted=one)
        )
        self.open_twins = self._compile(
            read.where(of_owner, r.status.in_(words(OPEN))).order_by(*oldest_first)
        )
        self.last_rejection = self._compile(
            read.where(
                of_owner,
                r.status == word(Status.REJECTED),
                r.sticky_lifted == zero,
                r.resolved_at >= bindparam("since"),
            )
            .order_by(r.resolved_at.desc(), r.request_id.desc())
            .limit(1)
        )
        self.pending = self._compile(
            read.where(not_closed, r.status.in_(words(WAITING_FOR_PEOPLE))).order_by(*oldest_first)
        )
        self.recent = self._compile(
            read.where(r.resolved_at.is_not(None), r.status.not_in(words(WAITING_FOR_PEOPLE)))
            .order_by(r.resolved_at.desc(), r.request_id.desc())
            .limit(bindparam("limit", type_=Integer))
        )
        self.of_session = self._compile(
            read.where(r.session_id == bindparam("session_id"), r.status.in_(words(OPEN))).order_by(
                *oldest_first
            )
        )
        pending, approved = r.status == word(Status.PENDING), r.status == word(Status.APPROVED)
        self.due = self._compile(
            read.where(
                not_closed,
                r.status.in_(words(OPEN)),
                or_(
                    and_(pending, r.expires_at <= bindparam("now")),
                    and_(approved, r.approved_at <= bindparam("approved_before")),
                    and_(r.status == word(Status.RUNNING), r.lease_until <= bindparam("now")),
                    and_(
                        or_(pending, approved),
                        r.caller == word(Caller.WAITING),
                        r.caller_seen <= bindparam("caller_before"),
                    ),
                ),
            ).order_by(*oldest_first)
        )
        self.add_review = self._insert(t.REVIEWS)

    def _events(self) -> None:
        n = t.NOTICES.c
        self.add_notices = ManyRows(t.NOTICES, self._dialect, without=("event_id",))
        self.notices = self._compile(
            select(n.event_id, n.document)
            .where(n.event_id > bindparam("after"))
            .order_by(n.event_id)
            .limit(bindparam("limit", type_=Integer))
        )
        self.notice_topics = self._compile(
            select(n.event_id, n.request_id)
            .where(n.event_id > bindparam("after"))
            .order_by(n.event_id)
            .limit(bindparam("limit", type_=Integer))
        )
        zero = literal_column("0", Integer)
        self.last_notice = self._compile(select(func.coalesce(func.max(n.event_id), zero)))
        self.oldest_notice = self._compile(select(func.coalesce(func.min(n.event_id), zero)))
        nth = select(n.event_id).order_by(n.event_id.desc()).limit(1)
        self.trim_notices = self._compile(
            delete(t.NOTICES).where(
                n.event_id <= nth.offset(bindparam("keep", type_=Integer)).scalar_subquery()
            )
        )

    def _sessions_and_rules(self) -> None:
        s, r = t.SESSIONS.c, t.RULES.c
        self.add_session = self._insert(t.SESSIONS)
        self.session = self._compile(
            select(s.document, s.stopped_at).where(s.session_id == bindparam("session_id"))
        )
        one = s.session_id == bindparam("the_id")
        stop = update(t.SESSIONS).where(one, s.stopped_at.is_(None))
        self.stop_session = self._compile(stop.values(stopped_at=bindparam("now")))
        change = update(t.SESSIONS).where(one).values(document=bindparam("changed"))
        self.change_session = self._compile(change)
        waiting = t.REQUESTS.c
        self.stopped_sessions = self._compile(
            select(s.session_id)
            .where(
                s.stopped_at.is_not(None),
                s.session_id == waiting.session_id,
                waiting.closed == literal_column("0", Integer),
                waiting.status.in_(words((Status.APPROVED, Status.PENDING))),
            )
            .distinct()
            .order_by(s.session_id)
        )
        self.rules = self._compile(select(r.document).order_by(r.position, r.rule_id))
        seeded = select(r.seed_key).where(r.seed_key.is_not(None))
        self.seed_keys = self._compile(seeded.union_all(select(t.DELETED_SEEDS.c.seed_key)))
        last = select(func.coalesce(func.max(r.position), literal_column("0", Integer)))
        put = self._upsert(t.RULES).values(
            rule_id=bindparam("rule_id"),
            position=last.scalar_subquery() + literal_column("1", Integer),
            group_id=bindparam("group_id"),
            pattern_key=bindparam("pattern_key"),
            seed_key=bindparam("seed_key"),
            document=bindparam("document"),
        )
        kept = ("group_id", "pattern_key", "document")
        self.put_rule = self._compile(
            put.on_conflict_do_update(
                index_elements=[r.rule_id], set_={name: put.excluded[name] for name in kept}
            )
        )
        self.rule_seed = self._compile(select(r.seed_key).where(r.rule_id == bindparam("rule_id")))
        self.delete_rule = self._compile(delete(t.RULES).where(r.rule_id == bindparam("rule_id")))
        self.bury_seed = self._compile(
            self._upsert(t.DELETED_SEEDS)
            .values(seed_key=bindparam("seed_key"))
            .on_conflict_do_nothing()
        )
        self.groups = self._compile(
            select(t.GROUPS.c.group_id, t.GROUPS.c.name, t.GROUPS.c.description).order_by(
                t.GROUPS.c.group_id
            )
        )
        n = t.COUNTERS.c
        self.counter = self._compile(select(n.value).where(n.name == bindparam("name")))
        self.count = self._compile(
            update(t.COUNTERS)
            .where(n.name == bindparam("the_name"))
            .values(value=n.value + literal_column("1", Integer))
        )

    def _people(self) -> None:
        c, k = t.CREDENTIALS.c, t.KNOWN_TOOLS.c
        read: Select[Any] = select(*_CREDENTIAL)
        unrevoked = c.revoked_at.is_(None)
        self.people = self._compile(select(t.PEOPLE.c.document).order_by(t.PEOPLE.c.person_id))
        self.add_credential = self._insert(t.CREDENTIALS)
        self.credential = self._compile(read.where(c.secret_hash == bindparam("secret_hash")))
        self.credential_by_id = self._compile(
            read.where(c.credential_id == bindparam("credential_id"))
        )
        self.credentials = self._compile(read.order_by(c.created_at.desc(), c.credential_id.desc()))
        self.live_credentials = self._compile(
            select(func.count())
            .select_from(t.CREDENTIALS)
            .where(unrevoked, or_(c.expires_at.is_(null()), c.expires_at > bindparam("now")))
        )
        self.revoke_credential = self._compile(
            update(t.CREDENTIALS)
            .where(c.credential_id == bindparam("the_id"), unrevoked)
            .values(revoked_at=bindparam("now"))
        )
        self.revoke_all = self._compile(
            update(t.CREDENTIALS).where(unrevoked).values(revoked_at=bindparam("now"))
        )
        v = t.SETTINGS.c
        self.setting = self._compile(select(v.value).where(v.name == bindparam("name")))
        put = self._upsert(t.SETTINGS).values(name=bindparam("name"), value=bindparam("value"))
        self.put_setting = self._compile(
            put.on_conflict_do_update(
                index_elements=[v.name], set_={"value": put.excluded["value"]}
            )
        )
        self.known_tools = self._compile(
            select(k.document, k.first_seen, k.changed_at).order_by(k.server, k.name)
        )
        self.tool_document = self._compile(
            select(k.document).where(k.server == bindparam("server"), k.name == bindparam("name"))
        )
        d = t.APPROVED_DEFINITIONS.c
        self.approved_definitions = self._compile(
            select(d.server, d.name, k.definition, d.definition)
            .outerjoin_from(
                t.APPROVED_DEFINITIONS, t.KNOWN_TOOLS, (k.server == d.server) & (k.name == d.name)
            )
            .order_by(d.server, d.name)
        )
        self.approve_definition = self._compile(
            self._upsert(t.APPROVED_DEFINITIONS)
            .values({column.name: bindparam(column.name) for column in d})
            .on_conflict_do_nothing()
        )
        seen = self._upsert(t.KNOWN_TOOLS).values(
            {column.name: bindparam(column.name) for column in t.KNOWN_TOOLS.columns}
        )
        self.put_tool = self._compile(
            seen.on_conflict_do_update(
                index_elements=[k.server, k.name],
                set_={
                    name: seen.excluded[name] for name in ("changed_at", "document", "definition")
                },
            )
        )

    def _audit(self) -> None:
        a = t.AUDIT.c
        self.add_entries = ManyRows(t.AUDIT, self._dialect)
        self.audit_head = self._compile(select(a.seq, a.hash).order_by(a.seq.desc()).limit(1))
        self.audit_chain = self._compile(
            select(*_ENTRY)
            .where(a.seq > bindparam("after"))
            .order_by(a.seq)
            .limit(bindparam("limit", type_=Integer))
        )

        def unless_none(column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
            value = bindparam(name, type_=column.type)
            return or_(value.is_(null()), column == value)

        page = (
            select(*_ENTRY)
            .where(
                a.seq < bindparam("before"),
                unless_none(a.tool, "tool"),
                unless_none(a.decided_by, "by"),
                unless_none(a.reason, "reason"),
                a.at >= bindparam("since"),
                a.at < bindparam("until"),
            )
            .order_by(a.seq.desc())
            .limit(bindparam("limit", type_=Integer))
        )
        self.audit_page = self._compile(page)
        self.audit_page_of_call = self._compile(page.where(a.call_id == bindparam("call_id")))


@cache
def sqlite_queries() -> Queries:
    """The statements as SQLite's driver takes them."""
    return Queries(sqlite.dialect(paramstyle="qmark"))
