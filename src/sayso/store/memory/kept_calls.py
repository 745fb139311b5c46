"""How the in-memory store lets go of the full arguments of calls."""

from __future__ import annotations

from dataclasses import replace

from sayso.audit.redacted_call import redacted_call, redacted_request
from sayso.broker.ports.kept_calls import Which
from sayso.core.withheld import Withheld
from sayso.requests.lifecycle import FINAL
from sayso.store.memory.calls import Calls


class KeptCalls(Calls):
    """The part of the in-memory store that lets go of the full arguments of calls."""

    async def forget(self, which: Which, limit: int) -> int:
        """Delete the full arguments of up to so many of these calls that are over, the oldest first."""
        with self._lock:
            found = [call_id for call_id in self._wanted(which) if self._over(call_id)][:limit]
            for call_id in found:
                del self._kept[call_id]
                stored, call = self._calls[call_id]
                self._calls[call_id] = (stored, redacted_call(call, Withheld.DELETED))
                request = self._requests.get(call_id)
                if request is not None:
                    redacted = redacted_request(request, Withheld.DELETED)
                    self._requests[call_id] = replace(redacted, version=request.version + 1)
            return len(found)

    async def kept(self, which: Which) -> int:
        """How many of these calls have their full arguments."""
        with self._lock:
            return len(self._wanted(which))

    def _wanted(self, which: Which) -> list[str]:
        return [
            call_id
            for since, call_id in sorted((since, call_id) for call_id, since in self._kept.items())
            if which.call_id in (None, call_id)
            and which.session_id in (None, self._calls[call_id][1].session_id)
            and (which.before is None or since <= which.before)
        ]

    def _over(self, call_id: str) -> bool:
        request = self._requests.get(call_id)
        if request is None:
            return True
        reviewed = request.glass is None or request.glass.review is not None
        return (request.status in FINAL or request.ended_approved) and reviewed
