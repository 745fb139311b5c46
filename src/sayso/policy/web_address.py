"""Web addresses, read so strictly that every client reads them the same; the rest is doubt (POL-45)."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import unquote

import idna
from msgspec import Struct

from sayso.policy.spelling import hidden_character

DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21}
NO_HOST = frozenset({"javascript", "data", "file", "blob", "about", "view-source", "vbscript"})

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_LABEL = re.compile(r"[a-z0-9_-]{1,63}")
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")
_OCTAL = re.compile(r"(?:^|\.)0+[0-9]")
_OCTAL_ZEROS = re.compile(r"(?:(?<=\.)|^)0+(?=[0-9])")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


class WebAddress(Struct, frozen=True):
    """Where a URL leads: `host` is canonical (A-labels or an address), None if it cannot be told.

    `alternatives` are hosts that some client might read instead; `doubt` says why the URL cannot be
    verified.
    """

    scheme: str | None = None
    host: str | None = None
    port: int | None = None
    alternatives: tuple[str, ...] = ()
    doubt: str | None = None


def read_url(url: str) -> WebAddress:
    """Read a URL as an agent wrote it; what clients read differently gets a doubt."""
    hidden = hidden_character(url) if not url.isascii() or not url.isprintable() else None
    if hidden is not None or " " in url:
        return _doubtful(url, f"the URL contains the character {hidden or 'U+0020'}")
    if "\\" in url:
        return _doubtful(url, "clients disagree about a backslash in a URL")
    found = _SCHEME.match(url)
    if found is None:
        return _doubtful(url, "the URL has no scheme, such as `https://`")
    scheme = found[1].lower()
    if scheme in NO_HOST:
        return WebAddress(scheme, doubt=f"`{scheme}` is not a scheme that leads to a host")
    authority = re.split(r"[/?#]", url[found.end() :], maxsplit=1)[0]
    user, at, place = authority.rpartition("@")
    if at and "@" in user:
        return _doubtful(url, "the URL has several `@` before the host", scheme)
    host, port, doubt = _split_port(place)
    if doubt is not None:
        return _doubtful(url, doubt, scheme)
    canonical, doubt = canonical_host(host)
    if doubt is not None and canonical is None:
        return _doubtful(url, doubt, scheme)
    decimal = _ipv4(_OCTAL_ZEROS.sub("", host)) if doubt is not None else None
    others = () if decimal is None or decimal == canonical else (decimal,)
    return WebAddress(
        scheme, canonical, DEFAULT_PORTS.get(scheme) if port is None else port, others, doubt
    )


def canonical_host(host: str) -> tuple[str | None, str | None]:
    """A host in canonical form, and the doubt about it.

    Both are set where the form is known but was reached by more than case: rules that deny or ask
    see it, an allow does not.
    """
    if not host:
        return None, "the URL names no host"
    if host.startswith("["):
        return _ipv6(host)
    if "%" in host:
        return None, "the host contains percent escapes"
    doubt = None
    if not host.isascii():
        try:
            mapped = idna.uts46_remap(host, std3_rules=False, transitional=False)
        except (idna.IDNAError, ValueError):
            return None, "the host is not a valid name"
        if mapped != host.lower():
            doubt = "the host is written in characters that stand for others"
        host = mapped
    host = host.lower()
    if host.endswith(".") and len(host) > 1:
        host = host[:-1]
    address = _ipv4(host)
    if address is not None:
        if _OCTAL.search(host):
            doubt = "clients read a number with a leading zero in two ways"
        return address, doubt
    labels = []
    for label in host.split("."):
        known, wrong = _label(label)
        if known is None:
            return None, wrong
        labels.append(known)
    if _NUMBER.fullmatch(labels[-1]):
        return None, "the host ends in a number but is no address"
    return ".".join(labels), doubt


def canonical_address(text: str) -> str | None:
    """An IP address in canonical form; IPv4 inside IPv6 counts as the IPv4. None if it is none."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address):
        number = int(address)
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        if address in _NAT64 or (number >> 32 == 0 and number > 1):
            return str(ipaddress.IPv4Address(number & 0xFFFFFFFF))
    return str(address)


def displayed_host(host: str) -> str:
    """A canonical host with its A-labels decoded, as a person would see it."""
    if "xn--" not in host:
        return host
    labels = []
    for label in host.split("."):
        try:
            labels.append(idna.ulabel(label) if label.startswith("xn--") else label)
        except (idna.IDNAError, ValueError):
            labels.append(label)
    return ".".join(labels)


def _doubtful(url: str, doubt: str, scheme: str | None = None) -> WebAddress:
    """A doubt, with every host that some client might see, so that denies still hold."""
    text = "".join(c for c in url if c.isprintable() and c != " ")
    seen: list[str] = []
    for reading in (text, text.replace("\\", "/"), unquote(text)):
        rest = re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*:", "", reading, count=1).lstrip("/\\")
        for part in re.split(r"[/?#\\@]", rest)[:3]:
            host, _ = canonical_host(re.sub(r":[0-9:]*$", "", part))
            if host is not None and host not in seen:
                seen.append(host)
    return WebAddress(scheme, None, None, tuple(seen), doubt)


def _split_port(place: str) -> tuple[str, int | None, str | None]:
    if place.startswith("["):
        host, bracket, rest = place.partition("]")
        if not bracket or (rest and not rest.startswith(":")):
            return "", None, "the brackets of the address are not closed"
        host, colon, digits = host + "]", rest[:1], rest[1:]
    else:
        host, colon, digits = place.partition(":")
    if colon and digits:
        if not (digits.isascii() and digits.isdigit()) or int(digits[:6]) > 65535:
            return "", None, "the port is not a number up to 65535"
        return host, int(digits), None
    return host, None, None


def _ipv6(host: str) -> tuple[str | None, str | None]:
    text = host[1:-1] if host.endswith("]") else ""
    address, percent, zone = text.partition("%")
    if percent and not zone:
        return None, "the address is not valid"
    canonical = canonical_address(address) if ":" in address else None
    return (canonical, None) if canonical else (None, "the address is not valid")


def _ipv4(host: str) -> str | None:
    """An IPv4 address in any spelling that clients accept: hexadecimal, octal, short forms."""
    parts = host.split(".")
    if len(parts) > 4 or not all(_NUMBER.fullmatch(part) for part in parts):
        return None
    numbers = []
    for part in parts:
        if len(part) > 20:
            return None
        if part[:2].lower() == "0x":
            numbers.append(int(part[2:] or "0", 16))
        elif len(part) > 1 and part[0] == "0":
            if not set(part) <= set("01234567"):
                return None
            numbers.append(int(part, 8))
        else:
            numbers.append(int(part))
    last = numbers.pop()
    if any(number > 255 for number in numbers) or last >= 256 ** (4 - len(numbers)):
        return None
    value = sum(number << (8 * (3 - place)) for place, number in enumerate(numbers)) + last
    return str(ipaddress.IPv4Address(value))


def _label(label: str) -> tuple[str | None, str | None]:
    if label.isascii():
        if not _LABEL.fullmatch(label):
            return None, "the host is not a valid name"
        if label.startswith("xn--"):
            try:
                idna.ulabel(label)
            except (idna.IDNAError, ValueError):
                return None, "the host has an encoded label that is not valid"
        return label, None
    try:
        return idna.alabel(label).decode("ascii"), None
    except (idna.IDNAError, ValueError):
        return None, "the host is not a valid name"
