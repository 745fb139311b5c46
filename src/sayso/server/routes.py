"""What every route states beside its path: who may use it, and which errors it answers with."""

from __future__ import annotations

from typing import Any

from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import Example

from sayso.server.auth import Who
from sayso.server.documents import Problem
from sayso.server.problems import MEDIA_TYPE, problem

_EXAMPLES: dict[int, tuple[str, dict[str, Any]]] = {
    400: (
        "The request is malformed.",
        problem(400, "body-invalid", "object missing required field `tool`", "see the schema"),
    ),
    401: (
        "No valid credential was presented.",
        problem(401, "not-authenticated", "no credential was presented", "log in, or send a token"),
    ),
    403: (
        "This credential or person may not do that.",
        problem(
            403,
            "not-eligible",
            "an agent's token can never see or decide what people decide",
            "log in, or use an approver's token",
        ),
    ),
    404: (
        "There is nothing with that id.",
        problem(404, "request-not-found", "no request has the id `x`", "look at the inbox"),
    ),
    409: (
        "It was resolved already, has expired, or is no longer what was shown.",
        problem(
            409,
            "request-closed",
            "it was approved by owner already",
            "look at the inbox for what waits",
            request_status="approved",
            resolution={
                "reason": "approved",
                "by": "owner",
                "channel": "web",
                "comment": None,
                "at": "2030-01-02T03:04:05.000000Z",
            },
        ),
    ),
    413: (
        "The body is too large.",
        problem(
            413, "body-too-large", "request entity too large", "pass large content by reference"
        ),
    ),
    415: (
        "The body is not JSON.",
        problem(415, "media-type", "the body is not sent as JSON", "send JSON"),
    ),
    429: (
        "Too many requests.",
        problem(
            429, "rate-limited", "too many wrong passphrases", "wait a minute", retry_after=60.0
        ),
    ),
    500: (
        "A defect of the server.",
        problem(
            500, "internal", "something went wrong inside the server", "look at the server's log"
        ),
    ),
    503: (
        "The store cannot do its work now.",
        problem(503, "store-unavailable", "the database is busy", "try again in a moment"),
    ),
}
_WITH_BODY = (400, 413, 415)
_ALWAYS = (500, 503)


def route(
    who: Who,
    *errors: int,
    body: bool = False,
    more_responses: dict[int, ResponseSpec] | None = None,
) -> dict[str, Any]:
    """The keyword arguments of a route: whom it is for and its documented answers.

    `body` says that it takes one; 400, 401, 403, 500 and 503 are added where they can happen.
    """
    statuses = {*errors, *_ALWAYS}
    security: list[dict[str, list[str]]] = []
    if who is not Who.EVERYBODY:
        statuses.update((400, 401))
        security = [{"bearer": []}]
        if who is not Who.AGENT:
            security.append({"cookie": [], "csrf": []})
    if who is not Who.ANY_CREDENTIAL and who is not Who.EVERYBODY:
        statuses.add(403)
    if body:
        statuses.update(_WITH_BODY)
    return {
        "opt": {"who": who},
        "security": security,
        "responses": {
            **(more_responses or {}),
            **{status: _spec(status) for status in sorted(statuses)},
        },
    }


def _spec(status: int) -> ResponseSpec:
    description, example = _EXAMPLES[status]
    return ResponseSpec(
        data_container=Problem,
        generate_examples=False,
        description=description,
        media_type=MEDIA_TYPE,
        examples=[Example(summary=example["title"], value=example)],
    )
