"""What the gate says of a call: effect, reason code, the deciding rule, a trace. Never a bare boolean."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from sayso.core.effect import Effect
from sayso.core.freeze import Freeze
from sayso.core.reason import Reason
from sayso.gate.implied import AnyGrant
from sayso.gate.opinion import Opinion
from sayso.policy.outcome import PolicyOutcome
from sayso.requests.approval import Resolution


class Verdict(Struct, frozen=True):
    """The gate's word on one call.

    `policy` is what policy alone said (None if the call was refused before policy was asked);
    `earlier` is the rejection that sticks, where that is the reason; `grant_request_id` the request
    whose approval lifted the ask; `by` what lifted it else, or the veto; `opinion` what a hook or the
    reviewer said, where that counted; `lacking` what an unattended run is not permitted;
    `frozen` the brake that refuses it; `wait` for how many seconds people are asked where its policy sets
    no time, None for ever.
    """

    effect: Effect
    reason: Reason
    digest: str
    policy: PolicyOutcome | None = None
    earlier: Resolution | None = None
    grant_request_id: str | None = None
    by: tuple[AnyGrant, ...] = ()
    opinion: Opinion | None = None
    lacking: str = ""
    frozen: Freeze | None = None
    wait: float | None = None

    @property
    def rule_text(self) -> str:
        """The deciding rule as people read it, with its effect and place; empty if there is none."""
        rule = None if self.policy is None else self.policy.rule
        if rule is None:
            return ""
        place = f" ({rule.place})" if rule.place else ""
        return f"{rule.effect.word} {rule.text}{place}"

    def to_json(self) -> dict[str, Any]:
        """The verdict as the API carries it, with the trace."""
        policy = self.policy
        return {
            "effect": self.effect.word,
            "reason": self.reason.value,
            "must_ask": policy is not None and policy.must_ask,
            "rule": None if policy is None or policy.rule is None else policy.rule.to_json(),
            "target": None if policy is None else policy.target.to_json(),
            "granted": [grant.to_json() for grant in self.by],
            "said": None if self.opinion is None else self.opinion.said,
            "warnings": [] if policy is None else list(policy.warnings),
            "trace": [] if policy is None else policy.trace(),
        }
