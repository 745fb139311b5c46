"""Logging in, the proof against forged requests, and where a request may come from."""

from __future__ import annotations

import pytest

from sayso.people.token import CredentialKind
from sayso.server.auth import COOKIE, CSRF_HEADER, halves
from tests.fakes.site import PASSPHRASE, Site, make_site, problem_of


async def choose(site: Site) -> None:
    await site.scene.broker.access.choose_passphrase(PASSPHRASE, None, "terminal")


@pytest.mark.spec("SRV-3")
async def test_logging_in_sets_a_cookie_that_scripts_and_other_sites_cannot_use(site: Site) -> None:
    await choose(site)
    browser = site.client()
    answer = await browser.post("/api/login", json={"passphrase": PASSPHRASE})
    assert answer.status_code == 200
    name, *flags = [part.strip().lower() for part in answer.headers["set-cookie"].split(";")]
    assert name.startswith(f"{COOKIE}=sayso_session_")
    assert {"httponly", "samesite=strict", "path=/", "max-age=43200"} == set(flags)
    half = answer.json()["csrf"]
    assert len(half) == 32
    assert half not in answer.headers["set-cookie"]
    me = (await browser.get("/api/me", headers={CSRF_HEADER: half})).json()
    assert me["person"] == {"person_id": "owner", "name": "owner", "admin": True}
    assert me["kind"] == "session"
    assert half not in str(me)


async def test_over_tls_the_cookie_is_sent_over_tls_only() -> None:
    site = make_site(secure=True)
    await choose(site)
    answer = await site.client().post("/api/login", json={"passphrase": PASSPHRASE})
    assert "Secure" in answer.headers["set-cookie"]
    await site.close()


async def test_without_a_passphrase_nobody_can_log_in(site: Site) -> None:
    answer = await site.client().post("/api/login", json={"passphrase": "anything"})
    assert (answer.status_code, problem_of(answer)) == (409, "passphrase-missing")
    assert "sayso passphrase set" in answer.json()["hint"]


async def test_wrong_passphrases_are_refused_and_soon_not_even_tried(site: Site) -> None:
    await choose(site)
    browser = site.client()
    for _ in range(5):
        answer = await browser.post("/api/login", json={"passphrase": "wrong"})
        assert (answer.status_code, problem_of(answer)) == (401, "passphrase-wrong")
        assert "set-cookie" not in answer.headers
    answer = await browser.post("/api/login", json={"passphrase": PASSPHRASE})
    assert (answer.status_code, problem_of(answer)) == (429, "rate-limited")
    assert int(answer.headers["retry-after"]) == 60


async def test_logging_out_ends_the_login(site: Site) -> None:
    browser = await site.page()
    answer = await browser.post("/api/logout")
    assert answer.status_code == 204
    assert f"{COOKIE}=" in answer.headers["set-cookie"]
    assert "Max-Age=0" in answer.headers["set-cookie"]
    again = await browser.get("/api/me")
    assert (again.status_code, problem_of(again)) == (401, "not-authenticated")


async def test_a_token_is_not_a_login(site: Site) -> None:
    for client in (await site.approver(), await site.admin(), await site.agent()):
        answer = await client.post("/api/logout")
        assert (answer.status_code, problem_of(answer)) == (403, "not-eligible")


async def test_no_credential_or_a_bad_one_is_401(site: Site) -> None:
    expired = await site.token(CredentialKind.ADMIN, lifetime=-1)
    for headers in (
        {},
        {"Authorization": "Bearer sayso_admin_00"},
        {"Authorization": "Bearer"},
        {"Authorization": "Basic b3duZXI6eA=="},
        {"Authorization": f"Bearer {expired}"},
        {"Cookie": f"{COOKIE}=nonsense"},
        {"Cookie": f"{COOKIE}="},
    ):
        answer = await site.client(**headers).get("/api/inbox")
        assert (answer.status_code, problem_of(answer)) == (401, "not-authenticated"), headers
        assert answer.headers["www-authenticate"] == "Bearer"


async def test_a_token_in_the_cookie_is_no_login(site: Site) -> None:
    for kind in (CredentialKind.ADMIN, CredentialKind.APPROVER):
        token = await site.token(kind)
        cookie, half = halves(token)
        for headers in (
            {"Cookie": f"{COOKIE}={token}"},
            {"Cookie": f"{COOKIE}={cookie}", CSRF_HEADER: half},
        ):
            client = site.client(**headers)
            assert problem_of(await client.get("/api/inbox")) == "not-authenticated"


@pytest.mark.spec("SRV-3")
async def test_the_cookie_alone_is_worth_nothing(site: Site) -> None:
    # A browser sends it to every port of the host: an agent that has its person look at something
    # it serves on this machine holds the cookie.
    cookie, half = halves(await site.token(CredentialKind.SESSION))
    _, other = halves(await site.token(CredentialKind.SESSION))
    for headers in (
        {"Cookie": f"{COOKIE}={cookie}"},
        {"Cookie": f"{COOKIE}={cookie}", CSRF_HEADER: ""},
        {"Cookie": f"{COOKIE}={cookie}", CSRF_HEADER: other},
        {"Cookie": f"{COOKIE}={cookie}", CSRF_HEADER: f" {half}x"},
        {"Authorization": f"Bearer {cookie}"},
        {"Authorization": f"Bearer {cookie}", CSRF_HEADER: half},
    ):
        client = site.client(**headers)
        for method, path in (
            ("GET", "/api/me"),
            ("GET", "/api/inbox"),
            ("GET", "/api/events"),
            ("POST", "/api/logout"),
            ("POST", "/api/approval/rules"),
            ("DELETE", "/api/approval/rules/x"),
            ("POST", "/api/inbox/approvals/x/resolve"),
        ):
            answer = await client.request(method, path, json=None if method == "GET" else {})
            assert (answer.status_code, problem_of(answer)) == (401, "not-authenticated")
    whole = site.client(Cookie=f"{COOKIE}={cookie}", **{CSRF_HEADER: half})
    assert (await whole.get("/api/inbox")).status_code == 200
    assert (await (await site.admin()).delete("/api/approval/rules/x")).status_code == 404


@pytest.mark.spec("SRV-3")
@pytest.mark.parametrize(
    ("headers", "refused"),
    [
        ({"Origin": "http://localhost:8484"}, False),
        ({"Origin": "http://evil.example"}, True),
        ({"Origin": "null"}, True),
        ({"Origin": "http://localhost:9999"}, True),
        ({"Origin": "https://localhost:8484"}, True),
        ({"Sec-Fetch-Site": "same-origin"}, False),
        ({"Sec-Fetch-Site": "none"}, False),
        ({"Sec-Fetch-Site": "cross-site"}, True),
        ({"Sec-Fetch-Site": "same-site"}, True),
        ({}, False),
    ],
)
async def test_other_origins_can_change_nothing_and_read_no_events(
    site: Site, headers: dict[str, str], refused: bool
) -> None:
    page = await site.page()
    answer = await page.delete("/api/approval/rules/x", headers=headers)
    assert answer.status_code == (403 if refused else 404)
    if refused:
        assert problem_of(answer) == "origin-refused"
        events = await page.get("/api/events", headers=headers)
        assert (events.status_code, problem_of(events)) == (403, "origin-refused")
        login = await site.client().post("/api/login", json={"passphrase": "x"}, headers=headers)
        assert problem_of(login) == "origin-refused"
    assert (await page.get("/api/inbox", headers=headers)).status_code == 200


async def test_an_allowed_origin_may() -> None:
    site = make_site(allowed_origins=("https://sayso.example/",))
    page = await site.page()
    answer = await page.delete("/api/approval/rules/x", headers={"Origin": "https://sayso.example"})
    assert problem_of(answer) == "rule-not-found"
    await site.close()


@pytest.mark.spec("SRV-3")
@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("localhost", True),
        ("localhost:8484", True),
        ("127.0.0.1:8484", True),
        ("[::1]:8484", True),
        ("LOCALHOST:1", True),
        ("evil.example", False),
        ("evil.example:8484", False),
        ("localhost.evil.example", False),
        ("127.0.0.1.nip.io", False),
        ("192.168.0.7:8484", False),
        ("localhost@evil.example", False),
        ("evil.example/localhost", False),
        ("localhost:x", False),
        ("", False),
        ("[::1", False),
    ],
)
async def test_a_host_name_that_was_rebound_is_refused(site: Site, host: str, known: bool) -> None:
    for path in ("/healthz", "/", "/api/inbox", "/schema/openapi.json"):
        answer = await site.client().get(path, headers={"Host": host})
        if known:
            assert answer.status_code in (200, 401)
        else:
            assert (answer.status_code, problem_of(answer)) == (421, "host-unknown")


async def test_a_server_has_the_names_it_was_given() -> None:
    site = make_site(host="0.0.0.0", allowed_hosts=("sayso.example",))
    for host, known in (
        ("sayso.example:8484", True),
        ("localhost:8484", True),
        ("other.example", False),
        ("10.0.0.1", False),
    ):
        answer = await site.client().get("/healthz", headers={"Host": host})
        assert answer.status_code == (200 if known else 421)
    await site.close()


async def test_two_host_headers_are_one_too_many(site: Site) -> None:
    headers = [("Host", "localhost"), ("Host", "evil.example")]
    answer = await site.client().get("/healthz", headers=headers)
    assert answer.status_code == 421


@pytest.mark.spec("SRV-6")
async def test_nothing_is_sent_without_its_headers(site: Site) -> None:
    for path in ("/", "/api/inbox", "/api/nothing", "/healthz", "/app.js"):
        for host in ("localhost", "evil.example"):
            headers = (await site.client().get(path, headers={"Host": host})).headers
            policy = headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "script-src 'self'" in policy
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"
            assert headers["cross-origin-opener-policy"] == "same-origin"
            assert "access-control-allow-origin" not in headers
            expected = (
                "no-cache" if path in ("/", "/app.js") and host == "localhost" else "no-store"
            )
            assert headers["cache-control"] == expected
