"""What the API takes: the bodies of requests, read strictly (SRV-1)."""

from __future__ import annotations

from collections.abc import Generator
from typing import Annotated, Any, Generic, Literal, TypeVar

import msgspec
from litestar._openapi.schema_generation import SchemaCreator
from litestar.dto import AbstractDTO
from litestar.dto.data_structures import DTOFieldDefinition
from litestar.openapi.spec import Reference, Schema
from litestar.typing import FieldDefinition
from msgspec import UNSET, Meta, Struct, UnsetType

from sayso.core.session import DEFAULT_GROUP
from sayso.core.strict_json import parse_json
from sayso.server.problems import Refusal

T = TypeVar("T")


class Body(Struct, forbid_unknown_fields=True, kw_only=True):
    """A body; a field it does not have is refused."""


Text = Annotated[str, Meta(max_length=4096)]
Id = Annotated[str, Meta(max_length=128, examples=["0688kvg1u5n2s9pbd4c7b0e1o2m3f4g5h6i7"])]
Digest = Annotated[
    str, Meta(max_length=128, description="the digest of the call that was shown: SHA-256 in hex")
]
Note = Annotated[str, Meta(max_length=4000, examples=["not on a Friday"])]


class LoginBody(Body):
    """The passphrase, and whose it is; the owner's, if no name is given."""

    passphrase: Annotated[str, Meta(max_length=1024, examples=["correct horse battery staple"])]
    name: Annotated[str, Meta(max_length=256, examples=["anna"])] | None = None


class ResolveBody(Body):
    """A decision; `digest` is required with `approve` and says what was shown.

    With `arguments` the call is approved with these, where its policy allows it to be edited. What the
    card's `offer` names can be remembered; `bypass_secs` 0 lasts as long as the session.
    """

    action: Literal["approve", "reject"]
    note: Note | None = None
    digest: Digest | None = None
    arguments: Annotated[dict[str, Any], Meta(examples=[{"to": "alice@example.com"}])] | None = None
    remember: Literal["once", "session", "always"] = "once"
    bypass_secs: Annotated[float, Meta(ge=0, le=604800, examples=[900])] | None = None
    bypass_scope: Literal["category", "mcp_server", "all"] | None = None


class SetBody(Body):
    """A decision on a whole set, as it is and once; `digest` is the set's, required with `approve`."""

    action: Literal["approve", "reject"]
    note: Note | None = None
    digest: Digest | None = None


class ShownBody(Body):
    """Which content of the card was before somebody's eyes."""

    digest: Digest


class PermissionBody(Body):
    """The end user's own word; `digest` is required with an allow and says what was shown."""

    decision: Literal["allow_once", "allow_always", "deny_once", "deny_always"]
    digest: Digest | None = None


class SessionBody(Body):
    """What is bound when a session opens and no call can change; `ask` and `deny` hold rules in text."""

    source: Annotated[Text, Meta(examples=["mcp"])] = "api"
    workspace: Annotated[Text, Meta(examples=["/home/ada/project"])] | None = None
    attended: bool | None = None
    context_label: Annotated[Text, Meta(examples=["CronJob: Daily Digest"])] | None = None
    ask: Annotated[list[Text], Meta(max_length=100, examples=[["shell(git push *)"]])] = []
    deny: Annotated[list[Text], Meta(max_length=100, examples=[["write(/etc)"]])] = []
    run_context: Annotated[Text, Meta(examples=["nightly"])] | None = None
    mode: Annotated[str, Meta(max_length=32, examples=["plan"])] | None = None


class ToolBody(Body):
    """A tool as its server describes it."""

    name: Annotated[str, Meta(max_length=512, examples=["write_file"])]
    server: Annotated[str, Meta(max_length=512, examples=["filesystem"])] | None = None
    description: str = ""
    input_schema: dict[str, Any] = {}
    annotations: dict[str, Any] = {}


class ToolsBody(Body):
    """The tools a session is offered."""

    tools: list[ToolBody]


class SnoozeBody(Body):
    """For how long not to show it to you; 0 shows it again."""

    seconds: Annotated[float, Meta(ge=0, le=604_800, examples=[900.0])]


class AskBackBody(Body):
    """What you want to know of the agent."""

    question: Annotated[str, Meta(min_length=1, max_length=1000, examples=["Why twice?"])]


class BreakGlassBody(Body):
    """Run it now without the votes it lacks: exactly what was shown, and why."""

    digest: Digest
    why: Annotated[str, Meta(min_length=1, max_length=4000, examples=["the site is down"])]


class ReviewGlassBody(Body):
    """A second person's word on a broken glass."""

    justified: bool
    note: Note | None = None


Seconds = Annotated[float, Meta(gt=0, lt=1e9)]


class EscalateBody(Body, omit_defaults=True):
    """Whom to ask only later, and after how many seconds without a decision."""

    to: Annotated[list[Text], Meta(min_length=1, max_length=100, examples=[["role:on-call"]])]
    after: Seconds | UnsetType = UNSET


class ContextBody(Body, omit_defaults=True):
    """What of the dialogue stands on the card."""

    user_request: bool = True
    recent_turns: Annotated[int, Meta(ge=0, le=20)] = 3
    summary: bool = False


class ApprovalPolicyBody(Body, omit_defaults=True):
    """How an ask is put to people; what is left out has its default."""

    severity: Literal["low", "medium", "high"] | UnsetType = UNSET
    timeout: Seconds | Literal["none"] | None = None
    on_timeout: Literal["reject", "deny", "allow"] | UnsetType = UNSET
    acknowledge_high_risk: bool = False
    approver: Literal["any", "end_user", "operator", "admin"] | UnsetType = UNSET
    role: Text | None = None
    approvers: list[Text] | None = None
    quorum: Annotated[int, Meta(ge=1, le=1000)] | Literal["any", "all"] | None = None
    action: Text = ""
    message: Text = ""
    remember: list[Literal["once", "session", "always"]] | UnsetType = UNSET
    allow_edit: bool = False
    self_approval: bool = False
    unreachable: Literal["wait", "escalate", "refuse"] | UnsetType = UNSET
    reminders: Annotated[list[Seconds], Meta(max_length=20)] | Seconds | None = None
    escalate: EscalateBody | None = None
    context: ContextBody | UnsetType = UNSET
    channels: dict[str, Literal["low", "medium", "high"]] | UnsetType = UNSET
    break_glass: Seconds | None = None


Line = Annotated[str, Meta(max_length=65_536)]
Examples = Annotated[list[Line], Meta(max_length=100)]


class BudgetBody(Body):
    """So many `calls`, or so much (`most`) of a numeric `argument`, in `per` (seconds, or `1d`)."""

    per: float | Annotated[str, Meta(examples=["1d"])]
    calls: Annotated[int, Meta(ge=1, le=10**9)] | None = None
    argument: Text | None = None
    most: float | None = None


class RuleBody(Body):
    """A row of the rule table; it must state its effect."""

    tool_pattern: Annotated[Text, Meta(examples=["write_file"])]
    effect: Literal["allow", "ask", "require", "deny"]
    group_id: Id = DEFAULT_GROUP
    path_pattern: Annotated[Text, Meta(examples=["~/project/**"])] | None = None
    pattern: Text | None = None
    agent_id: Text | None = None
    source: Text | None = None
    user_id: Text | None = None
    when: Text | None = None
    unless: Text | None = None
    priority: Annotated[int, Meta(ge=-(2**31), lt=2**31)] = 0
    note: Text = ""
    justification: Text = ""
    must_ask: bool = False
    policy: ApprovalPolicyBody | None = None
    budget: BudgetBody | None = None
    examples: Examples = []
    counter_examples: Examples = []


Texts = Annotated[list[Text], Meta(max_length=1000)]


class TriedRuleBody(Body):
    """A rule to be tried: a text rule in `text`, or the patterns of a row of the rule table."""

    effect: Literal["allow", "ask", "require", "deny"]
    text: Annotated[Text, Meta(examples=["shell(git status *)"])] | None = None
    tool_pattern: Text | None = None
    path_pattern: Text | None = None
    pattern: Text | None = None
    when: Text | None = None
    unless: Text | None = None


class RuleTestBody(Body):
    """A rule and a sample of what it is about, or of the `kind` that is named."""

    rule: TriedRuleBody
    sample: Annotated[Line, Meta(examples=["git status && rm -rf build"])]
    kind: Literal["command", "path", "url", "mcp", "skill", "agent", "name"] | None = None
    workspace: Annotated[Text, Meta(examples=["/home/ada/project"])] | None = None


class PolicyCheckBody(Body):
    """What to check: a settings file's text, or without it the rules in force in a workspace."""

    workspace: Annotated[Text, Meta(examples=["/home/ada/project"])] | None = None
    settings: Annotated[str, Meta(max_length=1_048_576)] | None = None


class PolicyExplainBody(Body):
    """A call that is made up, and rules to be added to those in force."""

    tool: Annotated[str, Meta(max_length=512, examples=["execute_cmd"])]
    arguments: Annotated[dict[str, Any], Meta(examples=[{"command": "git push --force"}])]
    server: Annotated[str, Meta(max_length=512)] | None = None
    workspace: Annotated[Text, Meta(examples=["/home/ada/project"])] | None = None
    group_id: Id = DEFAULT_GROUP
    agent_id: Text = ""
    source: Text = "api"
    user_id: Text | None = None
    allow: Texts = []
    ask: Texts = []
    deny: Texts = []


def body_invalid(error: msgspec.ValidationError) -> Refusal:
    """The refusal of a body whose shape is not the one that is taken."""
    return Refusal(
        400,
        "body-invalid",
        _lowered(str(error)),
        "what each route takes stands in /schema/openapi.json",
    )


class StrictBody(AbstractDTO[T], Generic[T]):
    """Reads a body into its type: no duplicate keys, no coercion, no unknown fields, no odd numbers."""

    def decode_bytes(self, value: bytes) -> Any:
        """The body; raises CallInvalid for text that is not strict JSON, Refusal for another shape."""
        kind, _ = self.asgi_connection.content_type  # type: ignore[attr-defined]
        if kind != "application/json":
            raise Refusal(
                415,
                "media-type",
                "the body is not sent as JSON",
                "send JSON, with `Content-Type: application/json`",
            )
        handler = self.asgi_connection.scope["route_handler"]
        body_type = handler.parsed_data_field.annotation  # type: ignore[union-attr]
        try:
            return msgspec.convert(parse_json(value), body_type, strict=True)
        except msgspec.ValidationError as error:
            raise body_invalid(error) from error

    @classmethod
    def is_supported_model_type_field(cls, field_definition: FieldDefinition) -> bool:
        """Whether a parameter is a body."""
        return field_definition.is_subclass_of(Body)

    @classmethod
    def create_for_field_definition(
        cls, field_definition: FieldDefinition, handler_id: str, backend_cls: object = None
    ) -> None:
        """Nothing is generated: the body's own type is used."""

    @classmethod
    def create_openapi_schema(
        cls, field_definition: FieldDefinition, handler_id: str, schema_creator: SchemaCreator
    ) -> Reference | Schema:
        """The schema of the body's own type."""
        return schema_creator.for_field_definition(field_definition)

    @classmethod
    def generate_field_definitions(
        cls, model_type: type[Any]
    ) -> Generator[DTOFieldDefinition, None, None]:
        """Nothing is generated: the body's own type is used."""
        yield from ()

    @classmethod
    def detect_nested_field(cls, field_definition: FieldDefinition) -> bool:
        """Nothing is generated: the body's own type is used."""
        del field_definition
        return False


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]
