"""What every surface shows of a question."""

from __future__ import annotations

import pytest

from sayso.channels.display import plain
from sayso.channels.question_card import CardUrl, question_card
from sayso.questions.question import Kind
from tests.fakes.questions import a_question


@pytest.mark.spec("Q-8")
def test_a_default_with_hidden_or_odd_characters_is_filled_in_nowhere_unseen() -> None:
    for default, told in (
        ("good", "good"),
        ("\u043f\u043e\u0447\u0442\u0430", "\u043f\u043e\u0447\u0442\u0430"),
        (3, 3),
        (None, None),
        ("good\u202eevil\u200b", None),
        ("g\u0456thub", None),
    ):
        kind = "integer" if default == 3 else "string"
        schema = {"type": "object", "properties": {"x": {"type": kind, "default": default}}}
        asked = a_question(Kind.ELICITATION, message="m", schema=schema)
        (field,) = question_card(asked, None).to_json()["fields"]
        assert field["default"] == told, default


def url_of(url: str) -> CardUrl:
    shown = question_card(a_question(Kind.ELICITATION, url=url, message="log in"), None).url
    assert shown is not None
    return shown


@pytest.mark.spec("Q-8")
def test_the_host_of_an_address_is_what_all_clients_open_and_the_rest_is_no_link() -> None:
    for url, host, doubt in (
        ("https://Example.com:8443/a?b=c@d", "example.com", None),
        ("http://127.0.0.1:1/x", "127.0.0.1", None),
        ("http://[::1]:1/x", "::1", None),
        ("https://evil.example\\.github.com/login", "evil.example", "backslash"),
        ("https://github.com%2eevil.example/", "github.com.evil.example", "percent"),
        ("https:///evil.example/", "evil.example", "no host"),
        ("https://0x7f.1/", "127.0.0.1", "stand for others"),
        ("https://010.0.0.1/", "8.0.0.1 or 10.0.0.1", "leading zero"),
        ("https://github.com@evil.example/", "evil.example", "user name"),
        ("https://g\u0456thub.com/", "g\u0456thub.com", "stand for others"),
        ("https://example.com/\u202e", "example.com", "U+202E"),
        ("https://example.com/a\\b", "example.com", "backslash"),
    ):
        found = url_of(url)
        assert host in plain(found.host), (url, plain(found.host))
        assert found.href == (None if doubt else url), url
        assert doubt is None or doubt in (found.doubt or ""), (url, found.doubt)
    assert url_of("https://xn--gthub-n2e.com/").host[0].to_json()["warn"].startswith("this host is")
