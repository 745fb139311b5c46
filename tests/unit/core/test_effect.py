from __future__ import annotations

import pytest

from sayso.core.effect import Effect, strictest
from sayso.core.operation import Operation
from sayso.core.target import Target, TargetKind
from sayso.errors import RuleRefused


def test_effects_are_ordered_by_strictness() -> None:
    assert Effect.ALLOW < Effect.ASK < Effect.DENY
    assert [effect.word for effect in Effect] == ["allow", "ask", "deny"]


@pytest.mark.spec("POL-10")
def test_require_is_read_as_ask() -> None:
    assert Effect.parse("require") is Effect.ASK


@pytest.mark.spec("POL-10")
@pytest.mark.parametrize("word", [None, "", "Allow", "permit"])
def test_an_unknown_or_missing_effect_is_refused(word: str | None) -> None:
    with pytest.raises(RuleRefused, match="effect") as refused:
        Effect.parse(word)
    assert refused.value.hint == "write allow, ask or deny"


def test_silence_is_ask() -> None:
    assert strictest([]) is Effect.ASK
    assert strictest([Effect.ALLOW, Effect.DENY, Effect.ASK]) is Effect.DENY


def test_a_target_shows_what_is_set() -> None:
    plain = Target(TargetKind.NAME, "notify")
    assert plain.to_json() == {"kind": "name", "text": "notify", "own": True}
    path = Target(
        TargetKind.PATH, "/w/a", False, Operation.READ, "/w/a", "/real/a", doubt="it is odd"
    )
    assert path.to_json() == {
        "kind": "path",
        "text": "/w/a",
        "own": False,
        "operation": "read",
        "resolved": "/real/a",
        "doubt": "it is odd",
    }
    host = Target(TargetKind.HOST, "https://x/", addresses=("203.0.113.1",))
    assert host.to_json()["addresses"] == ["203.0.113.1"]
