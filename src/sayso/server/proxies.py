"""Proxies that may say how they were asked: forwarded headers of anybody else count for nothing (SRV-9)."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from typing import Any, cast

from litestar.enums import ScopeType
from litestar.types import Scope

from sayso.errors import SettingsInvalid

PROTO = b"x-forwarded-proto"
HOST = b"x-forwarded-host"
_FORWARDED = frozenset({PROTO, HOST, b"x-forwarded-for", b"x-forwarded-port", b"forwarded"})
_SECURE = frozenset({"https", "wss"})


class Proxies:
    """The addresses and networks of proxies that are trusted."""

    def __init__(self, named: Sequence[str]) -> None:
        """Raises SettingsInvalid for what is neither an address nor a network."""
        try:
            self._networks = tuple(ipaddress.ip_network(name, strict=False) for name in named)
        except ValueError as error:
            raise SettingsInvalid(
                f"a trusted proxy is named by its address: {error}",
                "give an address or a network, such as 10.0.0.7 or 10.0.0.0/24",
            ) from error

    def as_asked(self, scope: Scope) -> Scope:
        """The request as the client made it: with the scheme and host that a trusted proxy forwards.

        Forwarded headers go no further, so that nothing behind can believe them. Two of one kind, or
        a chain, are of more than one proxy and say nothing: then the request counts as it came.
        """
        headers = list(scope["headers"])
        said = [(name, value) for name, value in headers if name.lower() in _FORWARDED]
        if not said:
            return scope
        headers = [pair for pair in headers if pair not in said]
        scheme = scope["scheme"]
        if self._trusts(scope["client"]):
            proto, host = _only(said, PROTO), _only(said, HOST)
            if proto is not None:
                tls = proto.lower() in _SECURE
                plain, safe = (
                    ("ws", "wss") if scope["type"] == ScopeType.WEBSOCKET else ("http", "https")
                )
                scheme = safe if tls else plain
            if host is not None:
                headers = [pair for pair in headers if pair[0].lower() != b"host"]
                headers.append((b"host", host.encode("latin-1")))
        changed: Any = {**scope, "headers": headers, "scheme": scheme}
        return cast("Scope", changed)

    def _trusts(self, client: tuple[str, int] | None) -> bool:
        try:
            address = None if client is None else ipaddress.ip_address(client[0].partition("%")[0])
        except ValueError:
            return False
        return address is not None and any(address in network for network in self._networks)


def _only(said: list[tuple[bytes, bytes]], name: bytes) -> str | None:
    found = [value.decode("latin-1").strip() for key, value in said if key.lower() == name]
    return found[0] if len(found) == 1 and found[0] and "," not in found[0] else None
