from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.effect import Effect
from sayso.errors import RuleSyntaxError
from sayso.policy.patterns.host import compile_host
from sayso.policy.web_address import canonical_address, canonical_host, read_url
from tests.fakes.facts import FakeFacts
from tests.unit.policy.worlds import call, effect, row, said


def fetch(url: str, *rules: str, facts: FakeFacts | None = None) -> str:
    return effect(call("web_fetch", url=url), *rules, facts=facts)


@pytest.mark.parametrize(
    ("host", "canonical"),
    [
        ("Example.COM.", "example.com"),
        ("b\u00fccher.example", "xn--bcher-kva.example"),
        ("127.1", "127.0.0.1"),
        ("0x7f.0.0.1", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("0", "0.0.0.0"),
        ("[::1]", "::1"),
        ("[::FFFF:127.0.0.1]", "127.0.0.1"),
        ("[64:ff9b::7f00:1]", "127.0.0.1"),
        ("[fe80::1%eth0]", "fe80::1"),
        ("_dmarc.example.com", "_dmarc.example.com"),
    ],
)
def test_a_host_has_one_canonical_form(host: str, canonical: str) -> None:
    assert canonical_host(host) == (canonical, None)


@pytest.mark.parametrize(
    ("host", "octal", "decimal"),
    [("0127.0.0.1", "87.0.0.1", "127.0.0.1"), ("127.0.0.010", "127.0.0.8", "127.0.0.10")],
)
def test_a_number_with_a_leading_zero_is_read_both_ways(
    host: str, octal: str, decimal: str
) -> None:
    assert canonical_host("017700000001")[0] == "127.0.0.1"
    assert fetch(f"http://{host}/", "allow web(*)") == "ask"
    for address in (octal, decimal):
        assert fetch(f"http://{host}/", "allow web(*)", f"deny web({address})") == "deny"


@pytest.mark.parametrize(
    "host",
    ["", "a..b", ".a", "a b", "a%2eb", "[::1", "[zz]", "1.2.3.4.5", "256.1.1.1", "1.2.3.999", "08.1",
     "a.1", "xn--zzzz!!", "xn--0", "x" * 64, "[::1%]", "0x.0x100000000"],
)  # fmt: skip
def test_what_is_no_host_has_none(host: str) -> None:
    canonical, doubt = canonical_host(host)
    assert canonical is None
    assert doubt


def test_an_address_that_is_none() -> None:
    assert canonical_address("example.com") is None
    assert canonical_address("::") == "::"
    assert canonical_address("::1") == "::1"


@pytest.mark.parametrize(
    "url",
    ["", "example.com", "//example.com/", "https:/example.com", "https:///example.com/",
     "https://a@b@example.com/", "https://example.com:80:80/", "https://example.com:99999/",
     "https://example.com:\u0664/", "https://exam ple.com/", "https://example.com\\@x/",
     "https://example.com\u200b/", "https://example.com%00/", "javascript://example.com/%0a1",
     "data:text/html,x", "https://[::1", "https://[::1]x/", "https://\uff45xample.com/"],
)  # fmt: skip
def test_a_url_that_clients_read_differently_asks(url: str) -> None:
    assert read_url(url).doubt
    outcome = said(call("web_fetch", url=url), "allow web(*)", "allow tool(web_fetch)")
    assert outcome.effect is Effect.ASK
    assert outcome.doubtful
    assert fetch(url, "deny web(*)") == "deny"


@pytest.mark.parametrize(
    "url",
    ["//evil.test/x", "evil.test", "https://ok.test\\@evil.test/", "https://evil.test\\.ok.test/",
     "https:///evil.test/", "https://evil%2etest/", "https://\uff45vil.test/"],
)  # fmt: skip
def test_a_deny_sees_what_some_client_might_read(url: str) -> None:
    assert fetch(url, "deny web(evil.test)", "deny web(*.ok.test)", "allow web(*)") == "deny"


def test_ports_and_schemes() -> None:
    assert fetch("https://a.test:8443/", "allow web(a.test)") == "ask"
    assert fetch("https://a.test:8443/", "allow web(a.test:8443)") == "allow"
    assert fetch("https://a.test:8443/", "allow web(a.test:*)") == "allow"
    assert fetch("http://a.test/", "allow web(https://a.test)") == "ask"
    assert fetch("https://a.test/", "allow web(https://a.test)") == "allow"
    assert fetch("ftp://a.test/", "allow web(a.test)") == "ask"
    assert fetch("ftp://a.test/", "allow web(ftp://a.test)") == "allow"
    assert fetch("ftp://a.test/", "deny web(a.test)") == "deny"
    assert fetch("https://a.test:8443/", "deny web(a.test)") == "deny"
    assert fetch("https://a.test/", "deny web(a.test:8443)", "allow web(a.test)") == "allow"
    assert fetch("http://a.test/", "deny web(https://a.test)", "allow web(a.test)") == "allow"


def test_names_and_what_is_below_them() -> None:
    assert fetch("https://x.y.a.test/", "allow web(*.a.test)") == "allow"
    assert fetch("https://a.test/", "allow web(*.a.test)") == "ask"
    assert fetch("https://a.org/", "allow web(a.*)") == "allow"
    assert fetch("https://a.co.uk/", "allow web(a.*)") == "ask"
    assert fetch("https://[::1]:80/", "allow web(::1)") == "ask"
    assert fetch("http://[::1]/", "allow web(::1)") == "allow"
    assert fetch("http://127.0.0.1/", "allow web(loopback)") == "allow"
    assert fetch("http://10.1.2.3/", "deny web(private)") == "deny"


def test_a_name_is_checked_by_its_addresses_only_where_it_would_be_allowed() -> None:
    facts = FakeFacts(dns={"inner.test": "::ffff:127.0.0.1"})
    assert fetch("https://inner.test/", "allow web(*)", "deny web(loopback)", facts=facts) == "deny"
    assert facts.asked == ["inner.test"]
    facts = FakeFacts(dns={"inner.test": "127.0.0.1"})
    assert fetch("https://inner.test/", "deny web(loopback)", facts=facts) == "ask"
    assert fetch("https://inner.test/", "ask web(*)", "deny web(loopback)", facts=facts) == "ask"
    assert fetch("https://inner.test/", "allow web(*)", facts=facts) == "allow"
    assert facts.asked == []


def test_addresses_that_are_not_known_do_not_loosen() -> None:
    facts = FakeFacts(unknown=True)
    rules = ("allow web(*)", "deny web(private)")
    outcome = said(call("web_fetch", url="https://x.test/"), *rules, facts=facts)
    assert outcome.effect is Effect.ASK
    assert outcome.doubtful
    assert fetch("https://x.test/", "allow web(*)", "deny web(evil.test)", facts=facts) == "allow"


def test_what_an_mcp_tool_fetches_is_checked_by_its_address_too() -> None:
    facts = FakeFacts(dns={"inner.test": "127.0.0.1"})
    inner = call("fetch", "web", url="https://inner.test/")
    assert effect(inner, "allow mcp(web:fetch)", "deny web(loopback)", facts=facts) == "deny"
    assert effect(inner, "allow mcp(web:fetch)", facts=facts) == "allow"


def test_an_allow_by_class_does_not_cover_a_name_that_resolves_into_it() -> None:
    facts = FakeFacts(dns={"inner.test": "127.0.0.1"})
    assert fetch("http://inner.test/", "allow web(loopback)", facts=facts) == "ask"


@pytest.mark.parametrize("url", ["https://xn--pple-43d.com/", "https://x.xn--pple-43d.com/"])
def test_a_look_alike_of_a_denied_host_asks(url: str) -> None:
    rules = ("allow web(*)", "deny web(apple.com)", "deny web(*.apple.com)")
    outcome = said(call("web_fetch", url=url), *rules)
    assert outcome.effect is Effect.ASK
    assert "looks like" in str(outcome.trace())


def test_rows_of_the_table_may_name_hosts() -> None:
    table = [row("allow", "web_fetch", pattern="a.test"), row("deny", "*", pattern="loopback")]
    assert effect(call("web_fetch", url="https://a.test/"), table=table) == "allow"
    assert effect(call("web_fetch", url="http://localhost/"), table=table) == "deny"
    assert effect(call("web_fetch", url="https://b.test/"), table=table) == "ask"


@given(url=st.text(alphabet="htps:/.@[]%\\ab1\u00e9?#", max_size=30))
def test_no_url_raises(url: str) -> None:
    address = read_url(url)
    assert address.doubt or address.host


@given(text=st.text(alphabet="ab.*:/[]1 x\u00e9", max_size=12))
def test_no_pattern_does_anything_but_compile_or_be_refused(text: str) -> None:
    try:
        pattern = compile_host(text)
    except RuleSyntaxError:
        return
    assert isinstance(pattern.fits_host("a.b"), bool)
