"""The rule table."""

from __future__ import annotations

import msgspec
from litestar import delete, get, post, put
from litestar.params import FromPath, JSONBody

from sayso.core.approval_policy import parse_approval_policy
from sayso.core.budget import parse_budget
from sayso.core.effect import Effect
from sayso.errors import RuleRefused
from sayso.policy.rule import Origin, Rule
from sayso.server.auth import Who
from sayso.server.bodies import RuleBody
from sayso.server.documents import RuleShown
from sayso.server.injected import Asked, TheBroker
from sayso.server.routes import route


@get("/approval/rules", operation_id="rules", tags=["rules"], **route(Who.PERSON))
async def read_rules(request: Asked, broker: TheBroker) -> list[RuleShown]:
    """The rule table, in its order."""
    return [_shown(rule) for rule in await broker.rules(request.user)]


@post(
    "/approval/rules",
    operation_id="addRule",
    tags=["rules"],
    **route(Who.CONFIGURES, 404, body=True),
)
async def add_rule(request: Asked, data: JSONBody[RuleBody], broker: TheBroker) -> RuleShown:
    """Add a row; it counts from the next call on."""
    return _shown(await broker.put_rule(request.user, _rule("", data), new=True))


@put(
    "/approval/rules/{rule_id:str}",
    operation_id="changeRule",
    tags=["rules"],
    **route(Who.CONFIGURES, 404, body=True),
)
async def change_rule(
    request: Asked,
    rule_id: FromPath[str],
    data: JSONBody[RuleBody],
    broker: TheBroker,
) -> RuleShown:
    """Replace a row; what is left out has its default."""
    return _shown(await broker.put_rule(request.user, _rule(rule_id, data), new=False))


@delete(
    "/approval/rules/{rule_id:str}",
    status_code=204,
    operation_id="deleteRule",
    tags=["rules"],
    **route(Who.CONFIGURES, 404),
)
async def delete_rule(request: Asked, rule_id: FromPath[str], broker: TheBroker) -> None:
    """Delete a row; a default that is deleted never comes back by itself."""
    await broker.delete_rule(request.user, rule_id)


def _rule(rule_id: str, data: RuleBody) -> Rule:
    """The row a body means; raises RuleRefused for an approval policy that cannot stand."""
    approval = None
    if data.policy is not None:
        given = msgspec.to_builtins(data.policy)
        approval = parse_approval_policy(given, must_ask=data.must_ask)
    budget = None
    if data.budget is not None:
        if data.effect != "allow":
            raise RuleRefused("only an allow has a budget", "leave it out of an ask or deny")
        given = msgspec.to_builtins(data.budget)
        budget = parse_budget({name: value for name, value in given.items() if value is not None})
    return Rule(
        id=rule_id,
        effect=Effect.parse(data.effect),
        origin=Origin.DATABASE,
        tool_pattern=data.tool_pattern,
        path_pattern=data.path_pattern,
        pattern=data.pattern,
        agent_id=data.agent_id,
        source=data.source,
        user_id=data.user_id,
        when=data.when,
        unless=data.unless,
        priority=data.priority,
        group_id=data.group_id,
        must_ask=data.must_ask,
        note=data.note,
        justification=data.justification,
        examples=tuple(data.examples),
        counter_examples=tuple(data.counter_examples),
        approval=approval,
        budget=budget,
    )


def _shown(rule: Rule) -> RuleShown:
    return msgspec.convert(rule.to_json(), RuleShown)
