"""The ASGI application: routes around a broker, inside the shield."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from litestar import Litestar, Request, Router
from litestar.di import Provide
from litestar.exceptions import NotFoundException
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme, Tag

from sayso.broker.broker import Broker
from sayso.server.api import (
    attention,
    audit,
    batches,
    calls,
    events,
    freeze,
    grants,
    health,
    inbox,
    login,
    metrics,
    people,
    policy,
    questions,
    roles,
    rules,
    run_contexts,
    sessions,
    socket,
    tools,
)
from sayso.server.auth import COOKIE, CSRF_HEADER, guard
from sayso.server.bodies import StrictBody
from sayso.server.cards import Cards
from sayso.server.config import MAX_BODY, ServerConfig
from sayso.server.live.closing import Closing
from sayso.server.live.events import Together
from sayso.server.page import Page
from sayso.server.problems import HANDLERS
from sayso.server.rate import Buckets
from sayso.server.schema import StrictStructs
from sayso.server.shield import Shield

SCHEMA_PATH = "/schema/openapi.json"

_ROUTES = (
    login.login_asks,
    login.log_in,
    login.enrol,
    login.log_out,
    login.me,
    inbox.read_inbox,
    inbox.read_by_rule,
    inbox.read_pending,
    inbox.read_card,
    inbox.resolve,
    inbox.resolve_tool_call,
    inbox.lift_sticky,
    attention.card_shown,
    attention.snooze,
    attention.ask_back,
    attention.break_glass,
    attention.review_glass,
    grants.read_grants,
    grants.clear_grants,
    grants.revoke_grant,
    grants.read_vetoes,
    grants.clear_vetoes,
    grants.revoke_veto,
    grants.read_bypasses,
    grants.clear_bypasses,
    grants.revoke_bypass,
    grants.permit,
    sessions.open_session,
    sessions.stop_session,
    sessions.see_tools,
    run_contexts.read_mode,
    run_contexts.switch_mode,
    run_contexts.read_run_contexts,
    run_contexts.add_run_context,
    run_contexts.change_run_context,
    run_contexts.delete_run_context,
    calls.submit_call,
    calls.decide_call,
    calls.wait_for_call,
    calls.answer_question,
    calls.leave_call,
    calls.claim_call,
    calls.renew_claim,
    calls.report_outcome,
    questions.ask_question,
    questions.ask_for_approval,
    questions.wait_for_answer,
    questions.done_with_question,
    questions.enter_plan_mode,
    questions.set_tasks,
    questions.read_task_list,
    questions.read_clarification,
    questions.resolve_clarification,
    questions.read_elicitation,
    questions.resolve_elicitation,
    questions.read_plan,
    questions.resolve_plan,
    batches.submit_batch,
    batches.continue_turn,
    batches.read_unfinished,
    batches.read_set,
    batches.resolve_set,
    rules.read_rules,
    rules.add_rule,
    rules.change_rule,
    rules.delete_rule,
    people.read_people,
    people.add_person,
    people.change_person,
    people.remove_person,
    people.new_code,
    people.name_stand_in,
    people.end_stand_in,
    roles.read_roles,
    roles.add_role,
    roles.change_role,
    roles.remove_role,
    roles.add_member,
    roles.remove_member,
    policy.test_rule,
    policy.check_policy,
    policy.explain_policy,
    tools.read_tools,
    freeze.read_freeze,
    freeze.freeze,
    freeze.thaw,
    audit.read_audit,
    audit.verify_audit,
    audit.audit_statistics,
    events.events,
    socket.converse,
)


def create_app(broker: Broker, config: ServerConfig | None = None) -> Litestar:
    """The application over a broker, which it starts and closes with its own life.

    `app.state.closing` is a `Closing`: begin it before the server stops, so that what is open ends.
    `app.state.failure` is what kept the broker from starting, if anything did.
    """
    config = ServerConfig() if config is None else config
    closing = Closing()
    shared: dict[str, Any] = {
        "broker": broker,
        "buckets": Buckets(config.calls_per_second, config.calls_at_once),
        "cards": Cards(broker),
        "closing": closing,
        "config": config,
        "together": Together(),
    }
    routers: list[Any] = [
        Router(
            path="/api",
            route_handlers=_ROUTES,
            guards=[guard(broker.access)],
            dto=StrictBody,
            return_dto=None,
        ),
        Router(path="/", route_handlers=[metrics.read_metrics], guards=[guard(broker.access)]),
        health.healthz,
        health.readyz,
    ]

    @asynccontextmanager
    async def living(app: Litestar) -> AsyncIterator[None]:
        try:
            await broker.start()
        except Exception as error:
            app.state.failure = error
            raise
        try:
            yield
        finally:
            closing.begin()
            await broker.close()

    app = Litestar(
        route_handlers=routers,
        dependencies={name: _provided(value) for name, value in shared.items()},
        exception_handlers=HANDLERS,
        lifespan=[living],
        openapi_config=_openapi(),
        plugins=[StrictStructs()],
        request_max_body_size=MAX_BODY,
        logging_config=None,
        debug=False,
    )
    app.state.closing = closing
    app.state.failure = None
    app.state.config = config
    if config.static is not None:
        app.asgi_handler = Page(app.asgi_handler, config.static)
    app.asgi_handler = Shield(app.asgi_handler, config)
    return app


def _provided(value: Any) -> Provide:
    def provide() -> Any:
        return value

    return Provide(provide, sync_to_thread=False)


def _only_the_document(request: Request[Any, Any, Any]) -> None:
    """The framework would answer other paths below /schema with a page of its own."""
    if request.scope["path"] != SCHEMA_PATH:
        raise NotFoundException


def _openapi() -> OpenAPIConfig:
    return OpenAPIConfig(
        title="sayso",
        version=version("sayso"),
        description="The permission gate for AI agents: calls wait here until a person decides.",
        openapi_router=Router(
            path="/schema",
            route_handlers=[],
            include_in_schema=False,
            before_request=_only_the_document,
        ),
        render_plugins=[JsonRenderPlugin(path="/openapi.json")],
        use_handler_docstrings=True,
        components=Components(
            security_schemes={
                "bearer": SecurityScheme(
                    type="http", scheme="bearer", description="a token of sayso"
                ),
                "cookie": SecurityScheme(
                    type="apiKey", security_scheme_in="cookie", name=COOKIE, description="a login"
                ),
                "csrf": SecurityScheme(
                    type="apiKey",
                    security_scheme_in="header",
                    name=CSRF_HEADER,
                    description="the `csrf` that logging in answered; always with the cookie",
                ),
            }
        ),
        tags=[
            Tag("login", "Logging in and out."),
            Tag("inbox", "What waits for people."),
            Tag("run contexts", "What sessions run under; the page calls them profiles."),
            Tag("people", "Who can decide, in which roles, and who stands in for whom."),
            Tag("grants", "What people had remembered of their answers."),
            Tag("rules", "What policy says, and what it may say it of."),
            Tag("freeze", "The kill switch."),
            Tag("audit", "What happened."),
            Tag("sessions", "For agents and hosts: opening a session."),
            Tag("calls", "For agents and hosts: making, awaiting, claiming and reporting calls."),
            Tag("questions", "For agents and hosts: asking people something besides approvals."),
            Tag("operations", "Whether the server works."),
        ],
    )
