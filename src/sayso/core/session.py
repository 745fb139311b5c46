"""A session: what is bound when an agent opens it with its credential, and no call can change (POL-1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sayso.core.call import ToolCall, check_arguments, check_name
from sayso.core.dialogue import read_dialogue
from sayso.core.mode import Mode
from sayso.core.moment import Moment

DEFAULT_GROUP = "default"
"""The permission group that always exists, and that counts unless a run context names another."""


@dataclass(frozen=True, slots=True)
class GivenRule:
    """A text rule that counts in one session: `origin` is `flag` (its command line) or `session`."""

    effect: str
    text: str
    origin: str


@dataclass(frozen=True, slots=True)
class Session:
    """An agent's session; `workspace` is its working directory, absolute, None if it has none.

    `rules` count in this session alone, beside all others (POL-64). `host_start` tells one start of the
    program that runs the agent from the next: a bypass does not outlive it (REQ-54). A sub-agent's session has
    the ids of those above it in `parent`, outermost first, and the names of all agents down to it in
    `agent_chain`. `run_context` is the id of the one it names; `mode` the one that people switched it to,
    and `agent_mode` the one that the agent's side opened it with. A sub-agent's session has neither: the
    run context and the mode of the first one above count (RC-3).
    """

    session_id: str
    user_id: str
    agent_id: str
    source: str
    workspace: str | None
    attended: bool
    credential_id: str
    opened_at: Moment
    parent: tuple[str, ...] = ()
    context_label: str | None = None
    stopped_at: Moment | None = None
    rules: tuple[GivenRule, ...] = ()
    host_start: str = ""
    agent_chain: tuple[str, ...] = ()
    run_context: str = "default"
    mode: Mode | None = None
    agent_mode: Mode | None = None


@dataclass(frozen=True, slots=True)
class CallDraft:
    """What an agent's side says of a call; a session and a minted id make it a ToolCall.

    `definition` is the digest of the definition that a server's tool was last offered with
    (core/observed_tool.py), from the side that runs it. `batch_id` is set for the calls of a batch.
    `context` is the dialogue that it came from, as core/dialogue.py reads it: no part of the call.
    """

    tool: str
    arguments: Mapping[str, Any]
    server: str | None = None
    external_id: str | None = None
    detail: str | None = None
    diff: str | None = None
    definition: str | None = None
    batch_id: str | None = None
    context: Mapping[str, Any] | None = None


def below(session: Session, above: Session, name: str) -> Session:
    """The session as that of a sub-agent: it runs under what binds the one above, and names the chain (RC-3).

    What was allowed to the one above is not copied: it counts as long as it is allowed there.
    """
    return replace(
        session,
        source=above.source,
        workspace=above.workspace,
        attended=above.attended,
        run_context=above.run_context,
        context_label=session.context_label or above.context_label,
        rules=(*(rule for rule in above.rules if rule.effect != "allow"), *session.rules),
        parent=(*above.parent, above.session_id),
        agent_chain=(*(above.agent_chain or (above.agent_id,)), name),
    )


def bind(draft: CallDraft, session: Session, call_id: str) -> ToolCall:
    """Make a draft a call of this session.

    Raises CallInvalid for names, arguments or a dialogue that cannot be accepted.
    """
    read_dialogue(draft.context)  # nothing of a call is made where this is refused
    return ToolCall(
        call_id=call_id,
        tool=check_name("tool name", draft.tool),
        server=None if draft.server is None else check_name("server name", draft.server),
        arguments=check_arguments(draft.arguments),
        session_id=session.session_id,
        agent_id=session.agent_id,
        user_id=session.user_id,
        source=session.source,
        workspace=session.workspace,
        attended=session.attended,
        external_id=None
        if draft.external_id is None
        else check_name("external id", draft.external_id),
        parent=session.parent,
        context_label=session.context_label,
        agent_chain=session.agent_chain,
        batch_id=draft.batch_id,
        detail=draft.detail,
        diff=draft.diff,
        definition=None
        if draft.server is None or draft.definition is None
        else check_name("digest of the definition", draft.definition),
    )
