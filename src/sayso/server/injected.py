"""What a route is given by the application, under the names it asks for."""

from __future__ import annotations

from typing import Any, TypeAlias

from litestar import Request
from litestar.di import NamedDependency

from sayso.broker.access import Actor
from sayso.broker.broker import Broker
from sayso.server.cards import Cards
from sayso.server.config import ServerConfig
from sayso.server.live.closing import Closing
from sayso.server.live.events import Together
from sayso.server.rate import Buckets

Asked: TypeAlias = Request[Actor, Any, Any]
"""A request whose `user` is the proven actor and whose `auth` is the secret they presented."""

TheBroker: TypeAlias = NamedDependency[Broker]
TheBuckets: TypeAlias = NamedDependency[Buckets]
TheCards: TypeAlias = NamedDependency[Cards]
TheClosing: TypeAlias = NamedDependency[Closing]
TheConfig: TypeAlias = NamedDependency[ServerConfig]
TheTogether: TypeAlias = NamedDependency[Together]
