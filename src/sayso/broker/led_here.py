"""What of a dialogue is kept with a request: what its policy has shown, without secrets, within bounds.

Nothing else of it is stored anywhere: what is kept is what people are shown.
"""

from __future__ import annotations

from collections.abc import Callable

from sayso.audit.redacted_call import Redaction
from sayso.core.asking import ContextWanted
from sayso.core.call import ToolCall
from sayso.core.dialogue import MAX_WORDS, SLACK, Dialogue, Said, wanted_of


def kept_of(call: ToolCall, dialogue: Dialogue | None, wanted: ContextWanted) -> Dialogue | None:
    """The part of a dialogue that is stored with a call's request and stands on its card; None for nothing.

    What the call's own arguments name as secrets is hidden in it as well.
    """
    found = wanted_of(dialogue, wanted)
    if found is None:
        return None
    hide = Redaction(call).text
    return Dialogue(
        None if found.user_request is None else _kept(found.user_request, hide),
        None if found.summary is None else _kept(found.summary, hide),
        tuple(_kept(message, hide) for message in found.messages),
        found.summary_by,
    )


def _kept(said: Said, hide: Callable[[str], str]) -> Said:
    looked_at = said.content[: MAX_WORDS + SLACK]
    content = hide(looked_at)
    most = MAX_WORDS
    if len(said.content) > len(looked_at):
        # The end may be the first half of a secret, which nothing knows by its shape.
        most = max(0, min(most, len(content) - SLACK))
    return Said(content[:most], said.role, said.cut or len(content) > most)
