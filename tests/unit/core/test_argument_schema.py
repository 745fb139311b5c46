"""Arguments against the schema that a server gave of its tool."""

from __future__ import annotations

import time

import pytest

from sayso.core.argument_schema import check_against
from sayso.errors import CallInvalid

SCHEMA = {
    "type": "object",
    "properties": {"to": {"type": "string", "pattern": "^[a-z]+@"}, "n": {"type": "integer"}},
    "required": ["to"],
    "additionalProperties": False,
}


def test_what_fits_passes() -> None:
    check_against(SCHEMA, {"to": "alice@example.com", "n": 2})
    check_against({}, {"anything": [1]})


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"n": 1}, "to"),
        ({"to": 5}, "to: 5 is not of type"),
        ({"to": "ALICE@x"}, "does not match"),
        ({"to": "a@b", "bcc": "c@d"}, "bcc"),
    ],
)
def test_what_does_not_fit_is_told(arguments: dict[str, object], said: str) -> None:
    with pytest.raises(CallInvalid, match="do not fit") as caught:
        check_against(SCHEMA, arguments)
    assert said in caught.value.message


def test_many_faults_are_counted() -> None:
    schema = {"properties": {f"a{n}": {"type": "string"} for n in range(9)}}
    with pytest.raises(CallInvalid, match="4 more"):
        check_against(schema, {f"a{n}": n for n in range(9)})


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "strng"},
        {"$ref": "http://127.0.0.1:1/schema.json"},
        {"$ref": "file:///etc/passwd"},
        {"properties": {"to": {"pattern": "(?=a)b"}}},
        {"properties": {"to": {"pattern": "(((a{1,1000}){1,1000}){1,1000})"}}},
    ],
)
def test_a_schema_that_cannot_be_read_refuses(schema: dict[str, object]) -> None:
    with pytest.raises(CallInvalid, match="cannot be read"):
        check_against(schema, {"to": "b"})


def test_no_pattern_takes_long() -> None:
    start = time.perf_counter()
    with pytest.raises(CallInvalid):
        check_against({"properties": {"to": {"pattern": "^(a+)+$"}}}, {"to": "a" * 50_000 + "b"})
    assert time.perf_counter() - start < 2
