"""What a permission hook or the reviewer answered, read strictly: nothing else becomes an answer (GATE-4)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sayso.core.strict_json import parse_json
from sayso.errors import CallInvalid

MAX_ANSWER = 64 * 1024
"""An answer of more bytes is none."""

MAX_REASON = 1000
"""So many characters of the reason are kept."""

_FENCED = re.compile(r"```[A-Za-z]*[ \t]*\n(?P<inside>.*?)\n?[ \t]*```", re.DOTALL)


class Decision(StrEnum):
    """What can be answered; only hooks may pass."""

    ALLOW = "allow"
    DENY = "deny"
    PASS = "pass"


@dataclass(frozen=True, slots=True)
class Answer:
    """A decision, and why in the words of whoever took it."""

    decision: Decision
    reason: str = ""


def read_answer(text: str) -> Answer | None:
    """The answer that a text is, as a whole; None for anything else.

    It is `{"decision": "allow" | "deny" | "pass", "reason": "…"}` with no further key, and may stand alone
    in a code fence. One with other words around it is none: they may be the call's own text, quoted.
    """
    text = text.strip()
    fenced = _FENCED.fullmatch(text)
    text = text if fenced is None else fenced["inside"]
    try:
        raw = text.encode()
        return None if len(raw) > MAX_ANSWER else as_answer(parse_json(raw, "answer"))
    except (CallInvalid, UnicodeError):
        return None


def as_answer(value: object) -> Answer | None:
    """The answer that a value is, as `read_answer` reads it; None for anything else."""
    if not isinstance(value, Mapping):
        return None
    found: Mapping[Any, Any] = value
    reason = found.get("reason", "")
    if set(found) - {"decision", "reason"} or not isinstance(reason, str):
        return None
    decision = found.get("decision")
    known = {one.value: one for one in Decision}
    if type(decision) is not str or decision not in known:
        return None
    return Answer(known[decision], " ".join(reason[:MAX_REASON].split()))
