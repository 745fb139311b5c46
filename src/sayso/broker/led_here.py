"""What of a dialogue is kept with a request: what its policy has shown, without secrets, within bounds.

Nothing else of it is stored anywhere: what is kept is what people are shown.
"""

from __future__ import annotations

from sayso.audit.redact import redact_text
from sayso.core.asking import ContextWanted
from sayso.core.dialogue import MAX_WORDS, SLACK, Dialogue, Said, wanted_of


def kept_of(dialogue: Dialogue | None, wanted: ContextWanted) -> Dialogue | None:
    """The part of a dialogue that is stored with a request and stands on its card; None for nothing."""
    found = wanted_of(dialogue, wanted)
    if found is None:
        return None
    return Dialogue(
        None if found.user_request is None else _kept(found.user_request),
        None if found.summary is None else _kept(found.summary),
        tuple(map(_kept, found.messages)),
    )


def _kept(said: Said) -> Said:
    looked_at = said.content[: MAX_WORDS + SLACK]
    content = redact_text(looked_at)
    most = MAX_WORDS
    if len(said.content) > len(looked_at):
        # The end may be the first half of a secret, which nothing knows by its shape.
        most = max(0, min(most, len(content) - SLACK))
    return Said(content[:most], said.role, said.cut or len(content) > most)
