"""Everything that the broker needs to be kept, as one port."""

from __future__ import annotations

from typing import Protocol

from sayso.broker.ports.audit import AuditStore
from sayso.broker.ports.batches import BatchStore
from sayso.broker.ports.calls import CallStore
from sayso.broker.ports.credentials import CredentialStore
from sayso.broker.ports.events import EventStore
from sayso.broker.ports.freezes import FreezeStore
from sayso.broker.ports.grants import GrantStore
from sayso.broker.ports.kept_calls import KeptCallStore
from sayso.broker.ports.people import PeopleStore
from sayso.broker.ports.questions import QuestionStore
from sayso.broker.ports.rules import RuleStore
from sayso.broker.ports.run_contexts import RunContextStore
from sayso.broker.ports.sessions import SessionStore
from sayso.broker.ports.tools import ToolStore


class Store(
    CallStore,
    KeptCallStore,
    BatchStore,
    QuestionStore,
    SessionStore,
    GrantStore,
    RuleStore,
    RunContextStore,
    FreezeStore,
    PeopleStore,
    CredentialStore,
    ToolStore,
    EventStore,
    AuditStore,
    Protocol,
):
    """Durable state. Every method is one transaction; each raises StoreUnavailable if it cannot be done.

    A method that returned has been made durable; a method that raised changed nothing.
    """
