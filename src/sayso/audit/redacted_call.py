"""The redacted form of a call and of its request: what is left once the full arguments are withheld (AUD-1a)."""

from __future__ import annotations

from dataclasses import replace

from sayso.audit.redact import redact, redact_with, secrets_by_key
from sayso.core.call import ToolCall
from sayso.core.withheld import Withheld
from sayso.requests.approval import ApprovalRequest, Why
from sayso.requests.precondition import Changed, Precondition


def redacted_call(call: ToolCall, withheld: Withheld, texts: Redaction | None = None) -> ToolCall:
    """The call without its secrets, marked as not whole; one that is marked already gets the new mark.

    `texts` is what hides the secrets, where they are also another call's.
    """
    if call.withheld is not None:
        return replace(call, withheld=withheld)
    texts = texts or Redaction(call)
    return replace(
        call,
        arguments=redact(call.arguments),
        detail=None if call.detail is None else texts.text(call.detail),
        diff=None if call.diff is None else texts.text(call.diff),
        withheld=withheld,
    )


def redacted_request(request: ApprovalRequest, withheld: Withheld) -> ApprovalRequest:
    """The request about the redacted form of its call; one that is already gets the new mark."""
    edited = request.edited
    texts = Redaction(request.call, *([] if edited is None else [edited.original]))
    call = redacted_call(request.call, withheld, texts)
    if edited is not None:
        edited = replace(edited, original=redacted_call(edited.original, withheld, texts))
    if request.withheld is not None:
        return replace(request, call=call, edited=edited)
    return replace(
        request,
        call=call,
        edited=edited,
        why=texts.why(request.why),
        action=texts.text(request.action),
        preconditions=texts.preconditions(request.preconditions),
        changed=texts.changed(request.changed),
    )


class Redaction:
    """What hides the secrets of calls in other texts about them."""

    def __init__(self, *calls: ToolCall) -> None:
        self._secrets = {secret for call in calls for secret in secrets_by_key(call.arguments)}

    def text(self, text: str) -> str:
        """A text without them, and without what looks like a secret."""
        return redact_with(text, self._secrets)

    def why(self, why: Why) -> Why:
        """Why it was asked, without them; the rule is nobody's secret."""
        return replace(
            why,
            sentence=self.text(why.sentence),
            message=self.text(why.message),
            explain=self.text(why.explain),
            targets=tuple(
                {
                    name: self.text(value) if isinstance(value, str) else value
                    for name, value in target.items()
                }
                for target in why.targets
            ),
        )

    def preconditions(
        self, found: tuple[Precondition, ...] | None
    ) -> tuple[Precondition, ...] | None:
        """What has to be as it was, without them."""
        if found is None:
            return None
        return tuple(replace(one, subject=self.text(one.subject)) for one in found)

    def changed(self, found: tuple[Changed, ...]) -> tuple[Changed, ...]:
        """What has changed, without them."""
        return tuple(
            replace(
                one,
                subject=self.text(one.subject),
                before=None if one.before is None else self.text(one.before),
                now=None if one.now is None else self.text(one.now),
            )
            for one in found
        )
