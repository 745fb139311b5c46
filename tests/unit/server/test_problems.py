"""Errors as problem documents: the shape is the contract."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sayso import errors
from sayso.client.problems import error_of
from sayso.server.problems import describe, status_of
from tests.fakes.site import Site, problem_of

EXTRA = {
    "CallDenied": {"reason": "rule-deny", "request_id": "x"},
    "CallRejected": {"reason": "rejected", "request_id": "x"},
    "CallAlreadyRan": {"status": "done", "summary": "s", "request_id": "x"},
    "RequestClosed": {"status": "approved", "resolution": {"reason": "approved", "by": "ada"}},
    "RateLimited": {"retry_after": 2.5},
    "RuleSyntaxError": {"column": 7, "place": "settings.toml:3:7"},
}
MAPPED_BACK = [
    "CallInvalid",
    "ExternalIdReused",
    "RuleRefused",
    "RuleNotFound",
    "GroupNotFound",
    "RequestNotFound",
    "RequestClosed",
    "NotNow",
    "DigestMismatch",
    "ArgumentsWithheld",
    "ClaimLost",
    "NotAuthenticated",
    "NotEligible",
    "PassphraseWrong",
    "PassphraseMissing",
    "RateLimited",
    "StoreUnavailable",
    "StoreCorrupt",
    "SchemaTooNew",
    "LostRace",
    "RuleSyntaxError",
]


def kinds(root: type[errors.SaysoError] = errors.SaysoError) -> Iterator[type[errors.SaysoError]]:
    for kind in root.__subclasses__():
        if kind.__module__ == errors.__name__:
            yield kind
            yield from kinds(kind)


def made(kind: type[errors.SaysoError]) -> errors.SaysoError:
    return kind("what is wrong", "what to do", **EXTRA.get(kind.__name__, {}))


@pytest.mark.spec("SRV-1")
def test_the_shape_of_a_problem() -> None:
    closed = errors.RequestClosed(
        "already resolved by ada: approved",
        "ask again with a new call",
        status="approved",
        resolution={
            "reason": "approved",
            "by": "ada",
            "channel": "web",
            "comment": None,
            "at": "t",
        },
    )
    assert describe(closed) == {
        "type": "urn:sayso:problem:request-closed",
        "title": "request closed",
        "status": 409,
        "detail": "already resolved by ada: approved",
        "hint": "ask again with a new call",
        "request_status": "approved",
        "resolution": {
            "reason": "approved",
            "by": "ada",
            "channel": "web",
            "comment": None,
            "at": "t",
        },
    }


@pytest.mark.spec("SRV-1")
def test_every_error_has_a_stable_type_and_status() -> None:
    assert {
        kind.__name__: (describe(made(kind))["type"][18:], status_of(made(kind)))
        for kind in kinds()
    } == {
        "CallError": ("call-error", 400),
        "CallInvalid": ("call-invalid", 400),
        "ExternalIdReused": ("external-id-reused", 409),
        "CallDenied": ("call-denied", 403),
        "CallRejected": ("call-rejected", 403),
        "CallAlreadyRan": ("call-already-ran", 409),
        "NotRemembered": ("not-remembered", 409),
        "KeyInvalid": ("key-invalid", 400),
        "EditRefused": ("edit-refused", 409),
        "GrantNotFound": ("grant-not-found", 404),
        "BudgetSpent": ("budget-spent", 409),
        "TooManyWait": ("too-many-wait", 409),
        "ReceiptRefused": ("receipt-refused", 409),
        "ApprovalsInvalid": ("approvals-invalid", 400),
        "PeopleError": ("people-error", 400),
        "PersonNotFound": ("person-not-found", 404),
        "RoleNotFound": ("role-not-found", 404),
        "RunContextNotFound": ("run-context-not-found", 404),
        "RunContextRefused": ("run-context-refused", 400),
        "PeopleRefused": ("people-refused", 400),
        "PolicyError": ("policy-error", 400),
        "RuleSyntaxError": ("rule-syntax-error", 400),
        "RuleRefused": ("rule-refused", 400),
        "RuleNotFound": ("rule-not-found", 404),
        "CasesInvalid": ("cases-invalid", 400),
        "GroupNotFound": ("group-not-found", 404),
        "RequestError": ("request-error", 409),
        "RequestNotFound": ("request-not-found", 404),
        "RequestClosed": ("request-closed", 409),
        "NotNow": ("not-now", 409),
        "DigestMismatch": ("digest-mismatch", 409),
        "ArgumentsWithheld": ("arguments-withheld", 409),
        "ClaimLost": ("claim-lost", 409),
        "AccessError": ("access-error", 403),
        "QuestionInvalid": ("question-invalid", 400),
        "AnswerInvalid": ("answer-invalid", 400),
        "AdviceFailed": ("advice-failed", 500),
        "NotFrozen": ("not-frozen", 409),
        "NotAuthenticated": ("not-authenticated", 401),
        "NotEligible": ("not-eligible", 403),
        "PassphraseWrong": ("passphrase-wrong", 401),
        "PassphraseMissing": ("passphrase-missing", 409),
        "RateLimited": ("rate-limited", 429),
        "SettingsInvalid": ("settings-invalid", 503),
        "StoreError": ("store-error", 503),
        "StoreUnavailable": ("store-unavailable", 503),
        "StoreCorrupt": ("store-corrupt", 503),
        "SchemaTooNew": ("schema-too-new", 503),
        "LostRace": ("lost-race", 409),
        "ChannelError": ("channel-error", 502),
        "Undeliverable": ("undeliverable", 502),
        "AdapterError": ("adapter-error", 502),
        "ServerUnreachable": ("server-unreachable", 502),
        "UpstreamFailed": ("upstream-failed", 502),
    }


@pytest.mark.parametrize("name", MAPPED_BACK)
def test_the_client_gets_the_same_exception(name: str) -> None:
    error = made(getattr(errors, name))
    back = error_of(status_of(error), describe(error))
    assert type(back) is type(error)
    assert (back.message, back.hint) == (error.message, error.hint)
    for field in ("status", "resolution", "retry_after", "column"):
        assert getattr(back, field, None) == getattr(error, field, None)


@pytest.mark.parametrize("document", [None, [], "x", {}, {"type": "about:blank"}, {"type": 7}])
def test_what_is_no_problem_of_ours_is_told_as_it_is(document: object) -> None:
    error = error_of(502, document)
    assert type(error) is errors.AdapterError
    assert "502" in error.message


def test_a_problem_of_a_newer_server_is_read_by_its_status() -> None:
    document = {"type": "urn:sayso:problem:quite-new", "detail": "no", "hint": "so"}
    assert type(error_of(403, document)) is errors.NotEligible
    assert type(error_of(418, document)) is errors.AdapterError


async def test_unknown_routes_and_methods_are_problems_too(site: Site) -> None:
    client = site.client()
    for path in (
        "/nothing",
        "/api/nothing",
        "/api",
        "/schema",
        "/schema/redoc",
        "/vendor",
        "/pages.py",
    ):
        answer = await client.get(path)
        assert (answer.status_code, problem_of(answer)) == (404, "not-found"), path
    answer = await client.put("/api/inbox")
    assert (answer.status_code, problem_of(answer)) == (405, "method-not-allowed")
    assert "GET" in answer.headers["allow"]


async def test_a_store_that_fails_is_503_and_a_defect_500_without_a_trace(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = await site.page()

    async def busy() -> None:
        raise errors.StoreUnavailable("the database is busy", "try again")

    monkeypatch.setattr(site.scene.store.inner, "pending", busy)
    answer = await page.get("/api/inbox")
    assert (answer.status_code, problem_of(answer)) == (503, "store-unavailable")
    assert answer.headers["retry-after"] == "1"
    monkeypatch.setattr(site.scene.store.inner, "last_notice", busy)
    ready = await site.client().get("/readyz")
    assert (ready.status_code, problem_of(ready)) == (503, "store-unavailable")
    assert (await site.client().get("/healthz")).json() == {"status": "ok"}

    async def broken() -> None:
        raise RuntimeError("the secret is 42")

    monkeypatch.setattr(site.scene.store.inner, "pending", broken)
    answer = await page.get("/api/inbox")
    assert (answer.status_code, problem_of(answer)) == (500, "internal")
    assert "42" not in answer.text
    assert answer.headers["content-security-policy"]


async def test_a_defect_is_logged_without_the_values_around_it(
    site: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def broken() -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(site.scene.store.inner, "pending", broken)
    page = await site.page()
    await page.get("/api/inbox")
    printed = capsys.readouterr()
    assert "RuntimeError: broken" in printed.out + printed.err
    assert "sayso_session_" not in printed.out + printed.err
