"""Patterns for hosts of web addresses (POL-13, POL-45)."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass

from sayso.errors import RuleSyntaxError
from sayso.policy.spelling import skeleton
from sayso.policy.web_address import (
    DEFAULT_PORTS,
    canonical_address,
    canonical_host,
    displayed_host,
)

ANY_PORT = -1
WEB_SCHEMES = ("http", "https")

_Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def _networks(*texts: str) -> tuple[_Network, ...]:
    return tuple(ipaddress.ip_network(text) for text in texts)


CLASSES: dict[str, tuple[_Network, ...]] = {
    "loopback": _networks("127.0.0.0/8", "0.0.0.0/32", "::1/128", "::/128"),
    "link-local": _networks("169.254.0.0/16", "fe80::/10"),
    "private": _networks(
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7", "fec0::/10"
    ),
}
"""Classes of addresses that a rule can name."""


@dataclass(frozen=True, slots=True)
class HostPattern:
    """One compiled pattern: exactly one of `any_host`, `cls`, `host`, `parent`, `stem` is set.

    `host` is exact, `parent` stands for its sub-domains, `stem` for one label after it. `port` None
    is the default port of the scheme in an allow, and every port elsewhere.
    """

    scheme: str | None = None
    port: int | None = None
    any_host: bool = False
    cls: str | None = None
    host: str | None = None
    parent: str | None = None
    stem: str | None = None

    @property
    def by_address(self) -> bool:
        """Whether a name could fall under the pattern by the address it resolves to."""
        return self.cls is not None or (self.host is not None and _is_address(self.host))

    @property
    def seen(self) -> str:
        """What the named host looks like; empty where none is named."""
        return skeleton(displayed_host(self.host or self.parent or self.stem or ""))

    def fits_place(self, scheme: str | None, port: int | None, *, strict: bool) -> bool:
        """Whether scheme and port fit; `strict` is an allow."""
        if self.scheme is not None:
            if scheme is not None and scheme != self.scheme:
                return False
            if scheme is None and strict:
                return False
        elif strict and scheme not in WEB_SCHEMES:
            return False
        if self.port == ANY_PORT:
            return True
        if self.port is not None:
            return port == self.port or (port is None and not strict)
        return not strict or port == DEFAULT_PORTS.get(scheme or "", port)

    def fits_host(self, host: str) -> bool:
        """Whether a canonical host fits by its own spelling."""
        if self.any_host:
            return True
        if self.cls is not None:
            return host_in_class(host, self.cls)
        if self.host is not None:
            return host == self.host
        if self.parent is not None:
            return host.endswith("." + self.parent)
        stem = f"{self.stem}."
        return host.startswith(stem) and "." not in host[len(stem) :]

    def fits_addresses(self, addresses: Iterable[str]) -> bool:
        """Whether one of the addresses that a name resolves to falls under the pattern."""
        for text in addresses:
            address = canonical_address(text)
            if address is not None and self.by_address and self.fits_host(address):
                return True
        return False

    def looks_like(self, seen: str) -> bool:
        """Whether a host that looks like this (a skeleton) could be meant for the one named."""
        mine = self.seen
        if not mine or self.by_address:
            return False
        if self.host is not None:
            return seen == mine
        if self.parent is not None:
            return seen.endswith("." + mine)
        return seen.startswith(mine + ".") and "." not in seen[len(mine) + 1 :]


def host_in_class(host: str, cls: str) -> bool:
    """Whether a canonical host is in a class by its own spelling."""
    if cls == "loopback" and (host == "localhost" or host.endswith(".localhost")):
        return True
    if not _is_address(host):
        return False
    address = ipaddress.ip_address(host)
    return any(address in network for network in CLASSES[cls])


def _is_address(host: str) -> bool:
    return ":" in host or host.rpartition(".")[2].isdigit()


def compile_host(text: str) -> HostPattern:
    """Compile `host`, `host:port`, `scheme://host`, `*.host`, `name.*`, `*` or a class.

    Raises RuleSyntaxError with the column of the fault.
    """
    scheme: str | None = None
    rest = text
    start = 1
    if "://" in text:
        scheme, _, rest = text.partition("://")
        start = len(scheme) + 4
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*", scheme):
            raise RuleSyntaxError(f"`{scheme}` is not a scheme", "write `https://` or leave it out")
        scheme = scheme.lower()
    rest = rest.removesuffix("/")
    found = re.search(r"[/?#@\\\s]", rest)
    if found is not None:
        raise RuleSyntaxError(
            f"a rule for hosts cannot hold `{found[0]}`",
            "name the host alone, such as `example.com`, without path or user",
            column=start + found.start(),
        )
    host, port = _split(rest, start)
    if host == "*":
        return HostPattern(scheme, port, any_host=True)
    if host.lower() in CLASSES:
        return HostPattern(scheme, port, cls=host.lower())
    if host.startswith("*."):
        return HostPattern(scheme, port, parent=_canonical(host[2:], start + 2))
    if host.endswith(".*"):
        return HostPattern(scheme, port, stem=_canonical(host[:-2], start))
    return HostPattern(scheme, port, host=_canonical(host, start))


def _split(rest: str, start: int) -> tuple[str, int | None]:
    host, port = rest, ""
    colon = rest.rfind(":")
    if rest.startswith("["):
        close = rest.find("]")
        if close < 0:
            raise RuleSyntaxError("the bracket is not closed", "write `[::1]`", column=start)
        host, port = rest[: close + 1], rest[close + 1 :].removeprefix(":")
        colon = close + 1
    elif rest.count(":") > 1:  # an IPv6 address without brackets
        return f"[{rest}]", None
    elif colon >= 0:
        host, port = rest[:colon], rest[colon + 1 :]
        if not port:
            raise RuleSyntaxError(
                "the port is missing",
                "write a number, or `*` for every port",
                column=start + colon + 1,
            )
    if not port:
        return host, None
    if port == "*":
        return host, ANY_PORT
    if not (port.isascii() and port.isdigit()) or not 0 < int(port[:6]) <= 65535:
        raise RuleSyntaxError(
            f"the port `{port}` is not a number from 1 to 65535",
            "or write `*` for every port",
            column=start + colon + 1,
        )
    return host, int(port)


def _canonical(host: str, column: int) -> str:
    if "*" in host:
        raise RuleSyntaxError(
            "a `*` can only be the first or the last label of a host",
            "write `*.example.com` or `example.*`",
            column=column + host.index("*"),
        )
    canonical, doubt = canonical_host(host.rstrip(".") or host)
    if canonical is None:
        reason = (doubt or "it is not a host").replace(
            "the URL names no host", "the host is missing"
        )
        raise RuleSyntaxError(reason, "write a name such as `example.com`", column=column)
    return canonical
