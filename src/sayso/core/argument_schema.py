"""Arguments against a tool's JSON schema; the schema came from a server, so it may cost no more than it should.

Regular expressions are matched in linear time, nothing is fetched, and what cannot be read refuses.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jsonschema_rs

from sayso.errors import CallInvalid

MAX_PATTERN = 1024 * 1024
"""The most bytes that one compiled regular expression of a schema may take."""

MOST_TOLD = 5
"""So many faults are told."""


def check_against(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> None:
    """Raise CallInvalid, with what is wrong and where, unless the arguments fit the schema."""
    options = jsonschema_rs.RegexOptions(size_limit=MAX_PATTERN, dfa_size_limit=MAX_PATTERN)
    try:
        validator = jsonschema_rs.validator_for(
            dict(schema), pattern_options=options, retriever=_nothing
        )
        faults = [_fault(fault) for fault in validator.iter_errors(dict(arguments))]
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        said = str(error).partition("\n")[0]
        raise CallInvalid(
            f"the tool's schema cannot be read: {said}", "the arguments can only stay as they are"
        ) from error
    if faults:
        more = len(faults) - MOST_TOLD
        told = [*faults[:MOST_TOLD], *([f"{more} more"] if more > 0 else [])]
        raise CallInvalid(
            f"the arguments do not fit the tool's schema: {'; '.join(told)}",
            "change them so they do",
        )


def _nothing(uri: str) -> Any:
    raise ValueError(f"`{uri[:200]}` is not fetched")


def _fault(fault: jsonschema_rs.ValidationError) -> str:
    place = ".".join(str(part) for part in fault.instance_path)
    return f"{place}: {fault.message[:300]}" if place else fault.message[:300]
