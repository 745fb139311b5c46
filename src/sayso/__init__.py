"""sayso, the permission gate for AI agents: nothing an agent does happens without your say-so.

What a program imports stands here under sorted names; the rooms behind it are described in
ARCHITECTURE.md. Each name is loaded when it is first used, so that a small program starts fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sayso.broker.ports import Standing
    from sayso.core.effect import Effect
    from sayso.core.reason import Reason
    from sayso.errors import (
        CallAlreadyRan,
        CallDenied,
        CallInvalid,
        CallRejected,
        ReceiptRefused,
        SaysoError,
        ServerUnreachable,
        StoreError,
    )
    from sayso.front.assembly import memory_broker
    from sayso.front.gate import Gate
    from sayso.front.receipts import FileNonces, ReceiptVerifier

_HOMES = {
    "CallAlreadyRan": "sayso.errors",
    "CallDenied": "sayso.errors",
    "CallInvalid": "sayso.errors",
    "CallRejected": "sayso.errors",
    "Effect": "sayso.core.effect",
    "FileNonces": "sayso.front.receipts",
    "Gate": "sayso.front.gate",
    "Reason": "sayso.core.reason",
    "ReceiptRefused": "sayso.errors",
    "ReceiptVerifier": "sayso.front.receipts",
    "SaysoError": "sayso.errors",
    "ServerUnreachable": "sayso.errors",
    "Standing": "sayso.broker.ports",
    "StoreError": "sayso.errors",
    "memory_broker": "sayso.front.assembly",
}

__all__ = [
    "CallAlreadyRan",
    "CallDenied",
    "CallInvalid",
    "CallRejected",
    "Effect",
    "FileNonces",
    "Gate",
    "Reason",
    "ReceiptRefused",
    "ReceiptVerifier",
    "SaysoError",
    "ServerUnreachable",
    "Standing",
    "StoreError",
    "memory_broker",
]


def __getattr__(name: str) -> object:
    """Load a public name when it is first used."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'sayso' has no attribute {name!r}")
