"""JSON from outside, read so that two readers cannot understand two things: no duplicate keys, no NaN."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from sayso.errors import CallInvalid

_HALF = re.compile(rb"\\u[dD][89a-fA-F]")


def parse_json(raw: bytes) -> Any:
    """Read a body; raises CallInvalid for anything that is not strict JSON in UTF-8.

    Integers beyond 2^53 and depth are left to whoever takes the value (core/call.py).
    """
    try:
        value = json.loads(
            raw.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_no_constant
        )
        if _HALF.search(raw):  # half a character can be written as an escape, and be nothing
            json.dumps(value, ensure_ascii=False).encode()
        return value
    except UnicodeError as error:
        raise CallInvalid("the body is not valid Unicode in UTF-8", "send JSON in UTF-8") from error
    except RecursionError as error:
        raise CallInvalid("the body is nested too deeply") from error
    except ValueError as error:
        raise CallInvalid(f"the body is not JSON: {error}", "send one JSON object") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise CallInvalid(
                    f"the key `{key[:64]}` stands twice in one object", "send each key only once"
                )
            seen.add(key)
    return found


def _no_constant(name: str) -> NoReturn:
    raise CallInvalid(f"`{name}` is not a JSON number", "leave it out, or send it as text")
