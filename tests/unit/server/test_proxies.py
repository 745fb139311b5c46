"""TLS and proxies: forwarded headers count from named proxies alone, and a wrong certificate is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from sayso.errors import SettingsInvalid
from sayso.server.proxies import Proxies
from sayso.server.run import check_certificate, serve
from tests.fakes.site import PASSPHRASE, Site, make_site, problem_of

FORWARDED = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "sayso.example"}


def asked_by(site: Site, address: str) -> httpx.AsyncClient:
    """A client that connects from that address."""
    transport = httpx.ASGITransport(app=cast("Any", site.app), client=(address, 4711))
    made = httpx.AsyncClient(
        transport=transport, base_url="http://10.0.0.1:8484", headers={"Host": "inside.example"}
    )
    site.clients.append(made)
    return made


def behind() -> Site:
    return make_site(
        host="0.0.0.0", allowed_hosts=("sayso.example",), trusted_proxies=("10.1.0.0/16", "::1")
    )


@pytest.mark.spec("SRV-9")
async def test_a_named_proxy_says_how_it_was_asked_and_nobody_else_does() -> None:
    site = behind()
    await site.scene.broker.access.choose_passphrase(PASSPHRASE, None, "terminal")
    page = {**FORWARDED, "Origin": "https://sayso.example"}
    for address, trusted in (
        ("10.1.2.3", True),
        ("::1", True),
        ("10.2.0.1", False),
        ("127.0.0.1", False),
        ("testclient", False),
    ):
        client = asked_by(site, address)
        # by its own name it is not known: only the forwarded one opens it
        answer = await client.post("/api/login", json={"passphrase": PASSPHRASE}, headers=page)
        if trusted:
            assert answer.status_code == 200, (address, answer.text)
            assert "Secure" in answer.headers["set-cookie"]
        else:
            assert (answer.status_code, problem_of(answer)) == (421, "host-unknown"), address
        # by its right name, whoever claims TLS is believed only where it is the proxy
        named = {"Host": "sayso.example", "X-Forwarded-Proto": "https"}
        named["Origin"] = "https://sayso.example"
        answer = await client.post("/api/login", json={"passphrase": PASSPHRASE}, headers=named)
        assert (answer.status_code == 200) is trusted, (address, answer.text)
    await site.close()


@pytest.mark.spec("SRV-9")
async def test_a_proxy_opens_no_host_name_and_no_origin_that_was_not_given() -> None:
    site = behind()
    client = asked_by(site, "10.1.2.3")
    for headers, status, name in (
        ({"X-Forwarded-Host": "evil.example"}, 421, "host-unknown"),
        ({**FORWARDED, "Origin": "https://evil.example"}, 403, "origin-refused"),
        ({**FORWARDED, "Origin": "http://sayso.example"}, 403, "origin-refused"),
        # a chain is of proxies that nobody named
        ({"X-Forwarded-Host": "sayso.example, sayso.example"}, 421, "host-unknown"),
    ):
        answer = await client.post("/api/login", json={}, headers=headers)
        assert (answer.status_code, problem_of(answer)) == (status, name), headers
    twice = [("X-Forwarded-Host", "sayso.example"), ("X-Forwarded-Host", "sayso.example")]
    assert (await client.post("/api/login", json={}, headers=twice)).status_code == 421
    await site.close()


@pytest.mark.spec("SRV-9")
def test_forwarded_headers_go_no_further() -> None:
    scope: Any = {
        "type": "websocket",
        "scheme": "ws",
        "client": ("10.0.0.7", 1),
        "headers": [
            (b"host", b"a"),
            (b"x-forwarded-proto", b"https"),
            (b"x-forwarded-for", b"1.2.3.4"),
            (b"forwarded", b"for=1.2.3.4"),
        ],
    }
    seen = Proxies(["10.0.0.7"]).as_asked(scope)
    assert (seen["scheme"], seen["headers"]) == ("wss", [(b"host", b"a")])
    seen = Proxies([]).as_asked(scope)
    assert (seen["scheme"], seen["headers"]) == ("ws", [(b"host", b"a")])


@pytest.mark.parametrize("name", ["proxy.example", "10.0.0.0/99", "*", ""])
def test_a_proxy_is_named_by_its_address(name: str) -> None:
    with pytest.raises(SettingsInvalid, match="a trusted proxy is named by its address"):
        Proxies([name])


@pytest.mark.spec("SRV-9")
async def test_a_certificate_that_is_none_is_told(site: Site, tmp_path: Path) -> None:
    files = tmp_path / "cert.pem", tmp_path / "key.pem"
    for file in files:
        file.write_text("no certificate")
    with pytest.raises(SettingsInvalid, match="are no certificate and its key"):
        check_certificate(*files)
    with pytest.raises(SettingsInvalid, match="are no certificate and its key"):
        await serve(site.scene.broker, port=0, tls=files)
