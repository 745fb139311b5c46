"""The audit log: read and verified."""

from __future__ import annotations

from typing import Annotated

import orjson
from litestar import get
from litestar.params import FromQuery, QueryParameter

from sayso.broker.ports import Page
from sayso.server.auth import Who
from sayso.server.injected import Asked, TheBroker
from sayso.server.insight_documents import AuditPage, AuditVerification
from sayso.server.routes import route


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
) -> AuditPage:
    """Entries of the audit log, newest first; for admins."""
    page = Page(limit=limit, before=before, tool=tool, by=by, reason=reason, call_id=call_id)
    found = await broker.audit_page(request.user, page)
    entries = [
        {"seq": entry.seq, "hash": entry.hash, **orjson.loads(entry.body)} for entry in found
    ]
    return AuditPage(entries=entries, next=found[-1].seq if len(found) == limit else None)


@get("/audit/verify", operation_id="verifyAudit", tags=["audit"], **route(Who.PERSON))
async def verify_audit(request: Asked, broker: TheBroker) -> AuditVerification:
    """Check the hash chain of the whole log; for admins."""
    found = await broker.verify_audit(request.user)
    return AuditVerification(
        ok=found.ok,
        checked=found.checked,
        head=found.head,
        checkpoint=found.checkpoint,
        fault_seq=found.fault_seq,
        fault=found.fault,
    )
