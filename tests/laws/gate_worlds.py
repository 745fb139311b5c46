"""Random calls, rules, people and grants for the laws of the gate: few, so that they meet."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hypothesis import strategies as st

from sayso.core.approval_policy import Severity
from sayso.core.call import ToolCall, digest_of
from sayso.core.effect import Effect
from sayso.core.mode import Mode
from sayso.core.moment import Moment
from sayso.core.reason import Reason
from sayso.core.run_context import RunContext, Unattended
from sayso.gate.circumstances import Circumstances
from sayso.gate.context import Context
from sayso.gate.decide import decide
from sayso.gate.opinion import FROM_HOOKS, FROM_THE_REVIEWER, Opinion
from sayso.gate.verdict import Verdict
from sayso.policy.facts import NOTHING_KNOWN
from sayso.policy.rule import Origin, Rule
from sayso.policy.ruleset import RuleSet
from sayso.requests.approval import Resolution
from sayso.requests.grant import Grant, StickyRejection
from sayso.requests.key import Key, KeyKind
from sayso.requests.standing_grant import Bypass, BypassScope, Extent, KeyGrant, Remembered
from tests.fakes.values import at
from tests.fakes.world import compiled, rule
from tests.laws.people_worlds import IDS, directories, frozen, policies

TOOLS = ("send_mail", "read_mail", "delete_mail")
PATTERNS = (*TOOLS, "*", "*_mail")
NOW = at(0)
OPINIONS = FROM_HOOKS | FROM_THE_REVIEWER

calls = st.builds(
    ToolCall,
    call_id=st.just("c1"),
    tool=st.sampled_from(TOOLS),
    arguments=st.dictionaries(st.sampled_from(["to", "n"]), st.integers(0, 2), max_size=2),
    session_id=st.sampled_from(["s1", "s2"]),
    agent_id=st.sampled_from(["coder", "writer"]),
    user_id=st.just("uma"),
    attended=st.sampled_from([True, True, True, False]),
)


def of_origin(written: Rule, origin: Origin) -> Rule:
    """The same rule from elsewhere: what a tool's policy asks is the only ask of a list that can be lifted."""
    return replace(written, origin=origin, id=f"{origin.value}:{written.id}")


written_rules = st.builds(
    rule,
    st.sampled_from([Effect.ALLOW, Effect.ASK, Effect.ASK, Effect.DENY]),
    st.sampled_from(PATTERNS),
    approval=st.none() | policies,
    must_ask=st.sampled_from([True, False, False]),
)

rules = st.builds(
    of_origin,
    written_rules,
    st.sampled_from([Origin.GLOBAL, Origin.TOOL_POLICY, Origin.TOOL_POLICY]),
)


def grants_for(digest: str) -> st.SearchStrategy[Grant]:
    """Grants for that call and for others, by all sorts of people, that have ended and that have not."""
    return st.builds(
        Grant,
        request_id=st.sampled_from(["r1", "r2", "r3"]),
        digest=st.sampled_from([digest, digest, digest, "0" * 64]),
        givers=st.lists(st.sampled_from([*IDS, "somebody"]), max_size=4).map(tuple),
        until=st.sampled_from([-600.0, -0.000001, 0.0, 0.000001, 300.0, 600.0]).map(at),
        eligible=frozen,
    )


key_grants = st.builds(
    KeyGrant,
    grant_id=st.uuids().map(str),
    key=st.builds(lambda tool: Key(KeyKind.TOOL, (tool, "")), st.sampled_from(TOOLS)),
    user_id=st.sampled_from(["uma", "uma", "uma", "anna"]),
    session_id=st.sampled_from([None, "s1", "s2"]),
    giver=st.sampled_from([*IDS, "somebody"]),
    giver_name=st.just("Somebody"),
    given_at=st.just(at(-60)),
    veto=st.sampled_from([False, False, False, True]),
)

bypasses = st.builds(
    Bypass,
    bypass_id=st.uuids().map(str),
    scope=st.sampled_from(
        [BypassScope(Extent.ALL), BypassScope(Extent.ALL), BypassScope(Extent.CATEGORY, "shell")]
    ),
    user_id=st.just("uma"),
    session_id=st.sampled_from(["s1", "s2"]),
    host_start=st.sampled_from(["h1", "h1", "h2"]),
    giver=st.sampled_from([*IDS, "somebody"]),
    giver_name=st.just("Somebody"),
    given_at=st.just(at(-60)),
    until=st.none() | st.sampled_from([-600.0, -0.000001, 0.0, 0.000001, 600.0]).map(at),
)

remembered = st.builds(
    Remembered,
    grants=st.lists(key_grants, max_size=3).map(tuple),
    bypasses=st.lists(bypasses, max_size=3).map(tuple),
    host_start=st.just("h1"),
)

stickies = st.none() | st.just(
    StickyRejection("r9", Resolution(Reason.REJECTED, at(-60), "Anna", comment="no"))
)


@dataclass(frozen=True)
class GateWorld:
    """All the inputs of one decision."""

    call: ToolCall
    rules: tuple[Rule, ...]
    unavailable: str | None
    grants: tuple[Grant, ...]
    context: Context

    @property
    def ruleset(self) -> RuleSet:
        """The rules, compiled anew."""
        return compiled(self.rules, self.unavailable)

    def decide(
        self,
        grants: tuple[Grant, ...] | None = None,
        now: Moment = NOW,
        call: ToolCall | None = None,
    ) -> Verdict:
        """The gate's verdict, with other grants, at another time or on another call if given."""
        return decide(
            self.call if call is None else call,
            self.ruleset,
            self.grants if grants is None else grants,
            self.context,
            NOTHING_KNOWN,
            now,
        )


@st.composite
def gate_worlds(draw: st.DrawFn) -> GateWorld:
    """Any world."""
    call = draw(calls)
    return GateWorld(
        call,
        tuple(draw(st.lists(rules, max_size=4))),
        draw(st.sampled_from([None, None, None, "broken"])),
        tuple(draw(st.lists(grants_for(digest_of(call)), max_size=4))),
        Context(
            stopped=draw(st.sampled_from([False, False, False, True])),
            can_ask=draw(st.sampled_from([True, True, False])),
            sticky=draw(stickies),
            people=draw(directories),
            remembered=draw(st.just(Remembered()) | remembered),
        ),
    )


circumstances = st.builds(
    Circumstances,
    mode=st.sampled_from(list(Mode)),
    run_context=st.builds(
        RunContext,
        auto_approve_severity=st.none() | st.sampled_from(list(Severity)),
        permissions=st.none() | st.lists(st.sampled_from([f"tool({t})" for t in TOOLS])).map(tuple),
        unattended=st.none() | st.sampled_from(list(Unattended)),
    ),
    auto_approve_commands=st.sampled_from([(), ("shell(*)", "tool(*)")]),
    sandboxed=st.booleans(),
    hooks=st.booleans(),
    reviewer=st.booleans(),
)
"""What could be implied for a call that touches no file."""


@st.composite
def circumstanced_worlds(draw: st.DrawFn) -> GateWorld:
    """Any world, in any mode and run context, where a hook or the reviewer may have said something."""
    world = draw(gate_worlds())
    digest = draw(st.sampled_from([digest_of(world.call)] * 3 + ["0" * 64]))
    opinion = draw(
        st.none() | st.builds(Opinion, st.sampled_from(sorted(OPINIONS)), st.just(digest))
    )
    more = {
        "circumstances": draw(circumstances),
        "opinion": opinion,
        "flooded": draw(st.booleans()),
        "nobody_reachable": draw(st.booleans()),
    }
    return replace(world, context=replace(world.context, **more))
