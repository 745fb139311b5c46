"""The steps for a call that policy asks about, each a verdict or nothing (gate.md, section 1).

`decide.py` holds their order.
"""

from __future__ import annotations

from sayso.core.asking import Unreachable
from sayso.core.effect import Effect
from sayso.core.mode import Mode
from sayso.core.reason import Reason
from sayso.core.run_context import Unattended
from sayso.gate.asked_call import AskedCall
from sayso.gate.givers import approval_suffices
from sayso.gate.lifting import lift
from sayso.gate.opinion import Opinion
from sayso.gate.opinions import counting_opinion
from sayso.gate.stored_lifts import veto_on
from sayso.gate.verdict import Verdict

_SAYS = {
    Reason.HOOK_ALLOW: Effect.ALLOW,
    Reason.AUTO_ALLOW: Effect.ALLOW,
    Reason.HOOK_DENY: Effect.DENY,
    Reason.AUTO_DENY: Effect.DENY,
}


def vetoed(ask: AskedCall) -> Verdict | None:
    """A veto makes the ask a deny, which no approval lifts either."""
    veto = veto_on(ask) if ask.context.remembered.grants else None
    if veto is None:
        return None
    return Verdict(Effect.DENY, Reason.SAVED_DENY, ask.digest, ask.policy, by=(veto,))


def approved(ask: AskedCall) -> Verdict | None:
    """What approved this very call lifts every ask but that of rules that cannot be loaded (step 11).

    One that counts no longer has the call asked again, unless nobody is asked any more.
    """
    fitting = [grant for grant in ask.grants if grant.fits(ask.digest, ask.now)]
    if not fitting:
        return None
    if ask.policy.reason is Reason.RULES_UNAVAILABLE:
        return _asks(ask, ask.policy.reason)
    for grant in fitting:
        if approval_suffices(grant, ask.call, ask.policy, ask.context.people, ask.now):
            lifted_by = grant.request_id
            return Verdict(Effect.ALLOW, grant.made, ask.digest, ask.policy, None, lifted_by)
    refused = refused_unattended(ask) or refused_by_mode(ask)
    return refused or _asks(ask, Reason.NEEDS_FRESH_APPROVAL)


def rejected_lately(ask: AskedCall) -> Verdict | None:
    """A person's fresh rejection of the identical call sticks, whatever else would lift it."""
    sticky = ask.context.sticky
    if sticky is None:
        return None
    return Verdict(Effect.DENY, Reason.STICKY_DENY, ask.digest, ask.policy, sticky.resolution)


def lifted(ask: AskedCall) -> Verdict | None:
    """Grants, stored and implied, by which nothing of the call asks any more."""
    found = lift(ask)
    if found.asking or found.reason is None:
        return None
    return Verdict(Effect.ALLOW, found.reason, ask.digest, ask.policy, by=found.by)


def refused_unattended(ask: AskedCall) -> Verdict | None:
    """An unattended run is refused what it is not permitted, where its run context says so."""
    context = ask.circumstances.run_context
    if ask.call.attended or context.when_unattended is not Unattended.REFUSE:
        return None
    left = lift(ask).asking
    lacking = (left[0].target if left else ask.policy.target).text
    return Verdict(Effect.DENY, Reason.UNATTENDED_REFUSED, ask.digest, ask.policy, lacking=lacking)


def refused_by_mode(ask: AskedCall) -> Verdict | None:
    """In the mode `dont-ask` nobody is asked, in an unattended run neither."""
    if ask.circumstances.mode is not Mode.DONT_ASK:
        return None
    return Verdict(Effect.DENY, Reason.MODE_DONT_ASK, ask.digest, ask.policy)


def by_opinion(ask: AskedCall) -> Verdict | None:
    """The word of a hook or the reviewer, where it decides something."""
    opinion = counting_opinion(ask)
    effect = None if opinion is None else _SAYS.get(opinion.reason)
    if opinion is None or effect is None:
        return None
    return Verdict(effect, opinion.reason, ask.digest, ask.policy, opinion=opinion)


def nobody_answers(ask: AskedCall) -> Verdict | None:
    """There is nobody to ask, nobody can be reached, or too much of the session waits already."""
    context, reason = ask.context, None
    if not context.can_ask:
        reason = Reason.NO_APPROVER
    elif context.nobody_reachable and ask.policy.approval.unreachable is Unreachable.REFUSE:
        reason = Reason.NOBODY_REACHABLE
    elif context.flooded:
        reason = Reason.FLOOD
    return None if reason is None else Verdict(Effect.DENY, reason, ask.digest, ask.policy)


def waits(ask: AskedCall) -> Verdict:
    """A person is asked; also because the reviewer could not say anything."""
    opinion = counting_opinion(ask)
    return _asks(ask, ask.policy.reason if opinion is None else opinion.reason, opinion)


def _asks(ask: AskedCall, reason: Reason, opinion: Opinion | None = None) -> Verdict:
    wait = None if ask.call.attended else ask.circumstances.run_context.wait_unattended
    return Verdict(Effect.ASK, reason, ask.digest, ask.policy, opinion=opinion, wait=wait)
