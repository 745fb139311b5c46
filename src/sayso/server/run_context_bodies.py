"""What the API takes of run contexts and modes, and what it answers about them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType, structs

from sayso.broker.modes import ModeNow
from sayso.core.run_context import RunContext
from sayso.server.bodies import Body, Text
from sayso.server.documents import Document, Id

Paths = Annotated[list[Text], Meta(max_length=1000, examples=[["docs", "/srv/data"]])]
Rules = Annotated[list[Text], Meta(max_length=1000, examples=[["read(**)"]])]
ModeWord = Annotated[
    str,
    Meta(
        max_length=32,
        description="default, accept-edits, auto, plan, dont-ask or bypass",
        examples=["plan"],
    ),
]
Words = Annotated[str, Meta(max_length=20_000)]
Seconds = Annotated[float, Meta(gt=0, examples=[3600.0])]


class RunContextChangeBody(Body, omit_defaults=True, kw_only=True):
    """What changes of a run context; what is left out stays as it is."""

    name: Annotated[str, Meta(max_length=200, examples=["Nightly reports"])] | UnsetType = UNSET
    security_group: Text | UnsetType = UNSET
    system_prompt: Words | UnsetType = UNSET
    working_directory: Text | UnsetType | None = UNSET
    allow_fs_reads: Paths | UnsetType = UNSET
    allow_fs_writes: Paths | UnsetType = UNSET
    mode: ModeWord | UnsetType | None = UNSET
    auto_approve_severity: Literal["low", "medium", "high"] | UnsetType | None = UNSET
    permissions: Rules | UnsetType | None = UNSET
    unattended: Literal["refuse", "ask_inbox"] | UnsetType | None = UNSET
    timeout: Seconds | UnsetType | None = UNSET


class RunContextBody(RunContextChangeBody, omit_defaults=True, kw_only=True):
    """A new run context; what is left out is as in `default` at first."""

    id: Annotated[str, Meta(max_length=64, examples=["nightly"])]


class ModeBody(Body):
    """The mode to switch to; null takes the switch back."""

    mode: ModeWord | None


class RunContextShown(Document):
    """A run context; people know it as a profile."""

    id: Annotated[str, Meta(examples=["nightly"])]
    name: str
    security_group: str
    system_prompt: str
    working_directory: str | None
    allow_fs_reads: list[str]
    allow_fs_writes: list[str]
    mode: ModeWord | None
    auto_approve_severity: Literal["low", "medium", "high"] | None
    permissions: list[str] | None
    unattended: Literal["refuse", "ask_inbox"] | None
    timeout: float | None


class ModeShown(Document):
    """The mode that counts in a session, what people switched it to, and why another one counts."""

    session_id: Id
    mode: ModeWord
    switched_to: ModeWord | None
    run_context: Annotated[str, Meta(examples=["default"])]
    note: str | None


def fields_of(body: RunContextChangeBody) -> dict[str, Any]:
    """The fields that a body names, as `with_fields` takes them."""
    found = structs.asdict(body)
    return {key: value for key, value in found.items() if value is not UNSET and key != "id"}


def run_context_shown(context: RunContext) -> RunContextShown:
    """A run context."""
    return RunContextShown(**context.to_json())


def mode_shown(now: ModeNow) -> ModeShown:
    """The mode of a session."""
    return ModeShown(
        session_id=now.session_id,
        mode=now.mode.value,
        switched_to=None if now.switched_to is None else now.switched_to.value,
        run_context=now.run_context_id,
        note=now.note,
    )
