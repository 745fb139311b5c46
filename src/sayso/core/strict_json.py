"""JSON from outside, read so that two readers cannot understand two things: no duplicate keys, no NaN."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NoReturn, TypeAlias

from sayso.errors import CallInvalid

Pairs: TypeAlias = list[tuple[str, Any]]

_HALF = re.compile(rb"\\u[dD][89a-fA-F]")


def parse_json(raw: bytes, what: str = "body") -> Any:
    """Read what came from outside; raises CallInvalid for anything that is not strict JSON in UTF-8.

    Integers beyond 2^53 and depth are left to whoever takes the value (call.py). `what` names it in
    the error.
    """
    value = read_json(raw, what, _unique)
    if _HALF.search(raw):  # half a character can be written as an escape, and be nothing
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeError as error:
            raise CallInvalid(
                f"the {what} is not valid Unicode", "send whole characters"
            ) from error
    return value


def read_json(raw: bytes, what: str, objects: Callable[[Pairs], Any]) -> Any:
    """Read JSON by the letter of RFC 8259; `objects` makes an object of its keys and values.

    Raises CallInvalid; whatever `objects` raises passes through.
    """
    try:
        return json.loads(
            raw.decode("utf-8"), object_pairs_hook=objects, parse_constant=_no_constant
        )
    except UnicodeError as error:
        raise CallInvalid(f"the {what} is not valid UTF-8", "send JSON in UTF-8") from error
    except RecursionError as error:
        raise CallInvalid(f"the {what} is nested too deeply") from error
    except ValueError as error:  # also of integers with thousands of digits
        raise CallInvalid(f"the {what} is not JSON: {error}", "send one JSON object") from error


def key_twice(pairs: Pairs, found: dict[str, Any]) -> str | None:
    """The key that stands twice in an object, of its pairs and of what they became; None if there is none."""
    if len(found) == len(pairs):
        return None
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            return key
        seen.add(key)
    return None


def _unique(pairs: Pairs) -> dict[str, Any]:
    found = dict(pairs)
    twice = key_twice(pairs, found)
    if twice is not None:
        raise CallInvalid(
            f"the key `{twice[:64]}` stands twice in one object", "send each key only once"
        )
    return found


def _no_constant(name: str) -> NoReturn:
    raise CallInvalid(f"`{name}` is not a JSON number", "leave it out, or send it as text")
