"""What the audit log tells people: what policy alone decided lately, and what it all adds up to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

from sayso.audit.record import RecordKind
from sayso.audit.statistics import Statistics, Sum
from sayso.broker.ports import Page, Store
from sayso.core.moment import Moment, plus
from sayso.core.reason import Reason

LOOK_BACK = 100
"""How many of the newest audit entries are looked through."""

DAYS = 30
"""How many days are added up unless told otherwise."""

MOST_ENTRIES = 50_000
ENTRIES_AT_ONCE = 2000
"""At most so many entries are added up, so many at a time: a long log must not hold up decisions."""


_WHY = {
    Reason.NOBODY_REACHABLE.value: "it needs a person, and none of those who may decide could be reached",
    Reason.NO_APPROVER.value: "it needs a person, and there was nobody to ask",
    Reason.STICKY_DENY.value: "the identical call was rejected before",
    Reason.CANCELLED.value: "the session was stopped",
    Reason.HOOK_ALLOW.value: "a permission hook of yours allowed it",
    Reason.HOOK_DENY.value: "a permission hook of yours refused it",
    Reason.AUTO_ALLOW.value: "the automatic review allowed it",
    Reason.AUTO_DENY.value: "the automatic review refused it",
}
"""What people read where it was no rule that decided."""


@dataclass(frozen=True, slots=True)
class ByRule:
    """A call that was allowed or denied without asking anybody; `at` is RFC 3339, `rule` says why."""

    at: str
    call_id: str
    agent: str
    tool: str
    targets: tuple[str, ...]
    effect: str
    reason: str
    rule: str


async def decided_by_rule(store: Store, user_id: str | None, limit: int) -> list[ByRule]:
    """The newest calls that policy alone decided, newest first; `user_id` None means everybody's."""
    found: list[ByRule] = []
    for entry in await store.audit_page(Page(limit=LOOK_BACK)):
        record: dict[str, Any] = orjson.loads(entry.body)
        if record["kind"] != RecordKind.VERDICT.value or record.get("effect") == "ask":
            continue
        if user_id is not None and record.get("user_id") != user_id:
            continue
        found.append(
            ByRule(
                at=record["at"],
                call_id=record.get("call_id", ""),
                agent=record.get("agent_id", ""),
                tool=record.get("tool", ""),
                targets=tuple(record.get("targets", ())),
                effect=record.get("effect", ""),
                reason=record.get("reason", ""),
                rule=_WHY.get(record.get("reason", ""), record.get("rule", "")),
            )
        )
        if len(found) == limit:
            break
    return found


async def added_up(
    store: Store, now: Moment, since: Moment | None = None, until: Moment | None = None
) -> Statistics:
    """What the log of a time adds up to, from its newest entry back; `complete` says if it was all."""
    since = plus(now, -DAYS * 86_400.0) if since is None else since
    total, before = Sum(), None
    while total.entries < MOST_ENTRIES:
        page = Page(limit=ENTRIES_AT_ONCE, before=before, since=since, until=until)
        found = await store.audit_page(page)
        for entry in found:
            total.add(orjson.loads(entry.body))
        if len(found) < ENTRIES_AT_ONCE:
            return total.statistics(complete=True)
        before = found[-1].seq
    return total.statistics(complete=False)
