"""From problem documents back to the exceptions they were made of."""

from __future__ import annotations

from typing import Any

from sayso import errors

PREFIX = "urn:sayso:problem:"

_BY_NAME: dict[str, type[errors.SaysoError]] = {
    "call-invalid": errors.CallInvalid,
    "external-id-reused": errors.ExternalIdReused,
    "rule-refused": errors.RuleRefused,
    "rule-not-found": errors.RuleNotFound,
    "group-not-found": errors.GroupNotFound,
    "run-context-not-found": errors.RunContextNotFound,
    "run-context-refused": errors.RunContextRefused,
    "request-not-found": errors.RequestNotFound,
    "not-now": errors.NotNow,
    "digest-mismatch": errors.DigestMismatch,
    "arguments-withheld": errors.ArgumentsWithheld,
    "edit-refused": errors.EditRefused,
    "question-invalid": errors.QuestionInvalid,
    "answer-invalid": errors.AnswerInvalid,
    "claim-lost": errors.ClaimLost,
    "not-authenticated": errors.NotAuthenticated,
    "not-eligible": errors.NotEligible,
    "passphrase-wrong": errors.PassphraseWrong,
    "passphrase-missing": errors.PassphraseMissing,
    "store-unavailable": errors.StoreUnavailable,
    "store-corrupt": errors.StoreCorrupt,
    "schema-too-new": errors.SchemaTooNew,
    "lost-race": errors.LostRace,
}

_BY_STATUS: dict[int, type[errors.SaysoError]] = {
    400: errors.CallInvalid,
    401: errors.NotAuthenticated,
    403: errors.NotEligible,
    404: errors.RequestNotFound,
    413: errors.CallInvalid,
    503: errors.StoreUnavailable,
}


def error_of(status: int, document: Any) -> errors.SaysoError:
    """The exception that an answer stands for; what is not a problem of sayso's is told as it is."""
    if not isinstance(document, dict) or not str(document.get("type", "")).startswith(PREFIX):
        return stranger(status)
    name = document["type"].removeprefix(PREFIX)
    message, hint = str(document.get("detail", "")), document.get("hint")
    if name == "request-closed":
        return errors.RequestClosed(
            message,
            hint,
            status=str(document.get("request_status", "")),
            resolution=document.get("resolution"),
        )
    if name == "rate-limited":
        return errors.RateLimited(
            message, hint, retry_after=float(document.get("retry_after") or 1.0)
        )
    if name == "rule-syntax-error":
        return errors.RuleSyntaxError(message, hint, column=int(document.get("column") or 1))
    kind = _BY_NAME.get(name) or _BY_STATUS.get(status, errors.AdapterError)
    return kind(message, hint)


def stranger(status: int) -> errors.AdapterError:
    """The exception for an answer that no server of sayso gives."""
    return errors.AdapterError(
        f"the server answered {status}, but not as sayso does", "is it sayso that listens there?"
    )


def expect(found: Any, *names: str) -> dict[str, Any]:
    """The answer's document, which has to have these members; raises AdapterError if it has not."""
    if not isinstance(found, dict) or any(name not in found for name in names):
        raise stranger(200)
    return found
