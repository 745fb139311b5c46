"""Errors as the API tells them: RFC 9457 problem documents with a stable `type` and a hint (SRV-1)."""

from __future__ import annotations

import math
import re
import traceback
from http import HTTPStatus
from typing import Any

import structlog
from litestar import Request, Response
from litestar.exceptions import HTTPException
from litestar.types import ExceptionHandlersMap

from sayso import errors

_log = structlog.get_logger("sayso.server")

MEDIA_TYPE = "application/problem+json"
PREFIX = "urn:sayso:problem:"

_STATUS: dict[type[errors.SaysoError], int] = {
    errors.SaysoError: 500,
    errors.CallError: 400,
    errors.CallInvalid: 400,
    errors.ExternalIdReused: 409,
    errors.CallDenied: 403,
    errors.CallRejected: 403,
    errors.CallAlreadyRan: 409,
    errors.PolicyError: 400,
    errors.RuleNotFound: 404,
    errors.GroupNotFound: 404,
    errors.RunContextNotFound: 404,
    errors.RequestError: 409,
    errors.RequestNotFound: 404,
    errors.RequestClosed: 409,
    errors.NotNow: 409,
    errors.DigestMismatch: 409,
    errors.EditRefused: 409,
    errors.ReceiptRefused: 409,
    errors.NotRemembered: 409,
    errors.KeyInvalid: 400,
    errors.QuestionInvalid: 400,
    errors.AnswerInvalid: 400,
    errors.GrantNotFound: 404,
    errors.ApprovalsInvalid: 400,
    errors.ClaimLost: 409,
    errors.AccessError: 403,
    errors.NotAuthenticated: 401,
    errors.PassphraseWrong: 401,
    errors.PassphraseMissing: 409,
    errors.RateLimited: 429,
    errors.PeopleError: 400,
    errors.PersonNotFound: 404,
    errors.RoleNotFound: 404,
    errors.SettingsInvalid: 503,
    errors.StoreError: 503,
    errors.LostRace: 409,
    errors.ChannelError: 502,
    errors.AdapterError: 502,
}

_HTTP: dict[int, tuple[str, str]] = {
    400: (
        "request-invalid",
        "look at `detail`; what each route takes stands in /schema/openapi.json",
    ),
    401: ("not-authenticated", "log in, or send a token"),
    404: ("not-found", "the routes stand in /schema/openapi.json"),
    405: ("method-not-allowed", "the routes stand in /schema/openapi.json"),
    413: ("body-too-large", "pass large content by reference, such as a file"),
    415: ("media-type", "send JSON, with `Content-Type: application/json`"),
}
_INTERNAL = ("internal", "look at the server's log")


class Refusal(Exception):
    """A refusal of the HTTP layer itself, before the broker is asked; `name` is the problem's."""

    def __init__(self, status: int, name: str, detail: str, hint: str) -> None:
        super().__init__(detail)
        self.status = status
        self.name = name
        self.detail = detail
        self.hint = hint


def problem(
    status: int, name: str, detail: str, hint: str | None = None, **more: Any
) -> dict[str, Any]:
    """A problem document as plain data; members that are None are left out."""
    document: dict[str, Any] = {
        "type": PREFIX + name,
        "title": name.replace("-", " "),
        "status": status,
        "detail": detail,
        "hint": hint,
        **more,
    }
    return {key: value for key, value in document.items() if value is not None}


def name_of(kind: type[BaseException]) -> str:
    """The name of an exception's class as it stands in a problem's type: `request-closed`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", kind.__name__).lower()


def status_of(error: errors.SaysoError) -> int:
    """The status an error of sayso is answered with."""
    return next(_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS)


def describe(error: errors.SaysoError) -> dict[str, Any]:
    """The problem document of an error of sayso."""
    more: dict[str, Any] = {}
    match error:
        case errors.RequestClosed():
            more = {"request_status": error.status, "resolution": error.resolution}
        case errors.AnswerInvalid():
            more = {"fields": error.fields or None}
        case errors.RateLimited():
            more = {"retry_after": error.retry_after}
        case errors.RuleSyntaxError():
            more = {"column": error.column, "place": error.place}
    return problem(status_of(error), name_of(type(error)), error.message, error.hint, **more)


def answer_sayso(request: Request[Any, Any, Any], error: errors.SaysoError) -> Response[Any]:
    """Answer an error of sayso."""
    document = describe(error)
    if document["status"] >= 500:
        _log.error("a request failed", path=request.url.path, error=error.message)
    return answer(document)


def describe_refusal(error: Refusal) -> dict[str, Any]:
    """The problem document of a refusal of the HTTP layer."""
    return problem(error.status, error.name, error.detail, error.hint)


def answer_refusal(request: Request[Any, Any, Any], error: Refusal) -> Response[Any]:
    """Answer a refusal of the HTTP layer."""
    del request
    return answer(describe_refusal(error))


def answer_http(request: Request[Any, Any, Any], error: HTTPException) -> Response[Any]:
    """Answer what the framework refuses: unknown routes, wrong parameters, bodies that are too large."""
    status = error.status_code
    if status >= 500:
        return answer_bug(request, error)
    name, hint = _HTTP.get(status, (HTTPStatus(status).phrase.lower().replace(" ", "-"), ""))
    detail = _invalid(error) if status == 400 else f"{HTTPStatus(status).phrase.lower()}"
    response = answer(problem(status, name, detail, hint or None))
    for header, value in (error.headers or {}).items():
        response.headers[header] = value
    return response


def answer_bug(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    """Answer a defect: where it happened is logged, without any value; nothing of it is told."""
    _log.error(
        "a request failed inside",
        path=request.url.path,
        traceback="".join(traceback.format_exception(error)),
    )
    return answer(
        problem(500, _INTERNAL[0], "something went wrong inside the server", _INTERNAL[1])
    )


def answer(document: dict[str, Any]) -> Response[Any]:
    """The response that carries a problem document."""
    response = Response(document, status_code=document["status"], media_type=MEDIA_TYPE)
    if document["status"] == 401:
        response.headers["WWW-Authenticate"] = "Bearer"
    retry_after = document.get("retry_after")
    if document["status"] == 503:
        retry_after = 1
    if retry_after is not None:
        response.headers["Retry-After"] = str(math.ceil(retry_after))
    return response


def _invalid(error: HTTPException) -> str:
    """What is wrong with the parameters of a request, in one line."""
    extra = error.extra
    if not isinstance(extra, list) or not extra or not isinstance(extra[0], dict):
        return error.detail.split(" for ")[0].lower() or "the request is invalid"
    if extra[0].get("key") == "data":
        return "a body is required"
    said = [
        f"`{item.get('key', '')}`: {item.get('message', '')}"
        for item in extra
        if isinstance(item, dict)
    ]
    return "; ".join(said)[:2000].lower() or "the request is invalid"


HANDLERS: ExceptionHandlersMap = {
    errors.SaysoError: answer_sayso,
    Refusal: answer_refusal,
    HTTPException: answer_http,
    Exception: answer_bug,
}
"""Which exception is answered how; for the application."""
