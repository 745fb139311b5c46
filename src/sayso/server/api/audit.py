"""The audit log: read and verified."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, TypeAlias

import msgspec
import orjson
from litestar import get
from litestar.params import FromQuery, QueryParameter

from sayso.broker.ports import Page
from sayso.core.moment import Moment, read_moment
from sayso.server.auth import Who
from sayso.server.injected import Asked, TheBroker
from sayso.server.insight_documents import AuditPage, AuditStatistics, AuditVerification
from sayso.server.routes import route

Since: TypeAlias = Annotated[str | None, QueryParameter(description="RFC 3339, included")]
Until: TypeAlias = Annotated[str | None, QueryParameter(description="RFC 3339, not included")]


@get("/audit", operation_id="audit", tags=["audit"], **route(Who.PERSON))
async def read_audit(
    request: Asked,
    broker: TheBroker,
    limit: Annotated[int, QueryParameter(ge=1, le=1000)] = 100,
    before: Annotated[int | None, QueryParameter(ge=1, le=2**62, description="a `next`")] = None,
    tool: FromQuery[str | None] = None,
    by: FromQuery[str | None] = None,
    reason: FromQuery[str | None] = None,
    call_id: FromQuery[str | None] = None,
    agent: FromQuery[str | None] = None,
    session: FromQuery[str | None] = None,
    since: Since = None,
    until: Until = None,
) -> AuditPage:
    """Entries of the audit log, newest first; for admins."""
    page = Page(
        limit=limit,
        before=before,
        tool=tool,
        by=by,
        reason=reason,
        call_id=call_id,
        agent=agent,
        session=session,
        since=_moment(since),
        until=_moment(until),
    )
    found = await broker.log.page(request.user, page)
    entries = [
        {"seq": entry.seq, "hash": entry.hash, **orjson.loads(entry.body)} for entry in found
    ]
    return AuditPage(entries=entries, next=found[-1].seq if len(found) == limit else None)


@get("/audit/verify", operation_id="verifyAudit", tags=["audit"], **route(Who.PERSON))
async def verify_audit(request: Asked, broker: TheBroker) -> AuditVerification:
    """Check the hash chain of the whole log; for admins."""
    found = await broker.log.verify(request.user)
    return AuditVerification(
        ok=found.ok,
        checked=found.checked,
        head=found.head,
        checkpoint=found.checkpoint,
        fault_seq=found.fault_seq,
        fault=found.fault,
    )


@get("/audit/stats", operation_id="auditStatistics", tags=["audit"], **route(Who.PERSON))
async def audit_statistics(
    request: Asked, broker: TheBroker, since: Since = None, until: Until = None
) -> AuditStatistics:
    """What the log adds up to, of the last 30 days unless told; for admins."""
    found = await broker.log.statistics(request.user, _moment(since), _moment(until))
    return msgspec.convert(asdict(found), AuditStatistics)


def _moment(text: str | None) -> Moment | None:
    return None if text is None else read_moment(text)
