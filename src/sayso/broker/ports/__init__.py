"""The ports of the broker: what it needs from the world, and what it offers to hosts and adapters,
one subject a file.

Implementations live above: store/, system/, client/, channels/; tests bring their own. Read `store.py`
first, then `gate.py`.
"""

from sayso.broker.ports.asking import AskingPort, QuestionStanding
from sayso.broker.ports.audit import Page, Records
from sayso.broker.ports.calls import Change, NewCall, StoredCall
from sayso.broker.ports.events import Notices
from sayso.broker.ports.gate import (
    AskedBack,
    BatchMade,
    Claim,
    GatePort,
    Standing,
    Unfinished,
)
from sayso.broker.ports.grants import Given
from sayso.broker.ports.questions import QuestionChange
from sayso.broker.ports.rules import Group
from sayso.broker.ports.store import Store
from sayso.broker.ports.world import (
    ALL,
    Clock,
    Feed,
    Ids,
    Notifier,
    RuleSource,
    Subscription,
)

__all__ = [
    "ALL",
    "AskedBack",
    "AskingPort",
    "BatchMade",
    "Change",
    "Claim",
    "Clock",
    "Feed",
    "GatePort",
    "Given",
    "Group",
    "Ids",
    "NewCall",
    "Notices",
    "Notifier",
    "Page",
    "QuestionChange",
    "QuestionStanding",
    "Records",
    "RuleSource",
    "Standing",
    "Store",
    "StoredCall",
    "Subscription",
    "Unfinished",
]
