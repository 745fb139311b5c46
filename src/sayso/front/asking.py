"""The part of the public `Gate` that asks people something besides approvals."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sayso.broker import asking
from sayso.broker.ports import GatePort
from sayso.front.bridge import BridgedGate, LoopThread
from sayso.questions.clarification import Item
from sayso.system.plan_files import save_plan

KEY_BYTES = 32


class Asking(ABC):
    """Questions, forms and task lists; what could not be answered says so in `error`, for the agent."""

    _workspace: str

    @abstractmethod
    async def _bridged(self) -> BridgedGate: ...

    @abstractmethod
    def _open(self) -> tuple[LoopThread, GatePort]: ...

    async def ask_user(
        self,
        question: str | None = None,
        options: Sequence[str] | None = None,
        multi_select: bool | None = None,
        *,
        questions: Sequence[Mapping[str, Any] | Item] | None = None,
        timeout: float | None = None,
        external_id: str | None = None,
    ) -> dict[str, Any]:
        """Ask a person: one question, or up to 8 `questions` (`{question, options?, multi_select?}`) in turn.

        Returns `{answer, selected?}`, or `{answers: [{question, answer, selected?}]}`. Where nobody can
        answer, or it expired or was cancelled, `{error, question}` with the `answers` so far. `timeout` is
        in seconds. With an `external_id` the question is found again after a restart. Raises
        QuestionInvalid for an empty question, both forms at once, or `multi_select` without options.
        """
        return await asking.ask_user(
            await self._bridged(),
            question,
            options,
            multi_select,
            questions=questions,
            timeout=timeout,
            external_id=external_id,
        )

    def ask_user_sync(
        self,
        question: str | None = None,
        options: Sequence[str] | None = None,
        multi_select: bool | None = None,
        **more: Any,
    ) -> dict[str, Any]:
        """`ask_user` for code without an event loop."""
        thread, port = self._open()
        return thread.call_sync(asking.ask_user(port, question, options, multi_select, **more))

    async def elicit(
        self,
        message: str,
        schema: Mapping[str, Any] | None = None,
        *,
        url: str | None = None,
        server: str | None = None,
        timeout: float | None = None,
    ) -> dict[str, Any]:
        """Have a person fill in a form (MCP's restricted JSON schema) or open a URL.

        Returns `{action: accept|decline|cancel, content?}`; `cancel` also where nobody can be asked. An
        answer to a form with a field that looks secret is never stored where it could be read.
        """
        return await asking.elicit(
            await self._bridged(),
            message,
            secret=_key,
            schema=schema,
            url=url,
            server=server,
            timeout=timeout,
        )

    async def ask_approval(
        self,
        action: str,
        details: str | None = None,
        *,
        timeout: float | None = None,
        external_id: str | None = None,
    ) -> dict[str, Any]:
        """Ask a person to approve something that is no tool call: `{approved, comment}`.

        `error` says why nobody was asked, or that nobody answered within `timeout` seconds. It is
        ergonomics, not a boundary: what is done afterwards passes the gate by itself. Raises
        QuestionInvalid for an empty action.
        """
        return await asking.ask_approval(
            await self._bridged(), action, details, timeout=timeout, external_id=external_id
        )

    def ask_approval_sync(
        self, action: str, details: str | None = None, **more: Any
    ) -> dict[str, Any]:
        """`ask_approval` for code without an event loop."""
        thread, port = self._open()
        return thread.call_sync(asking.ask_approval(port, action, details, **more))

    async def exit_plan_mode(
        self, plan: str, *, timeout: float | None = None, external_id: str | None = None
    ) -> dict[str, Any]:
        """Have a person review the plan, at the end of planning.

        Returns `{approved: True, mode, path}`: planning is over, and the plan is saved in the workspace as
        `.sayso/plans/<session>-<n>.md`; or `{approved: False}` with `feedback` to revise it by, or with a
        `message` where nobody reviews. Raises QuestionInvalid outside planning.
        """
        return await asking.exit_plan_mode(
            await self._bridged(), plan, self._save, timeout=timeout, external_id=external_id
        )

    def exit_plan_mode_sync(self, plan: str, **more: Any) -> dict[str, Any]:
        """`exit_plan_mode` for code without an event loop."""
        thread, port = self._open()
        return thread.call_sync(asking.exit_plan_mode(port, plan, self._save, **more))

    async def enter_plan_mode(self, reason: str | None = None) -> dict[str, Any]:
        """Begin to plan: only reads pass until a person approves the plan. `{planning, error?}`."""
        return await asking.enter_plan_mode(await self._bridged(), reason)

    def _save(self, session_id: str, plan: str) -> str:
        return save_plan(Path(self._workspace), session_id, plan)

    async def todo(self, items: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Show people the whole task list, `[{content, status}]`; returns it with `done` and `total`.

        Raises QuestionInvalid for more than 50 tasks, an empty content or an unknown status.
        """
        return await asking.todo(await self._bridged(), items)

    def todo_sync(self, items: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """`todo` for code without an event loop."""
        thread, port = self._open()
        return thread.call_sync(asking.todo(port, items))


def _key() -> bytes:
    return os.urandom(KEY_BYTES)
