"""The statements about run contexts."""

from __future__ import annotations

from sqlalchemy import bindparam, delete, select

from sayso.store.queries.compiler import Compiler
from sayso.store.run_context_tables import RUN_CONTEXTS


class RunContexts(Compiler):
    """The statements about run contexts."""

    def _run_contexts(self) -> None:
        c = RUN_CONTEXTS.c
        this = c.run_context_id == bindparam("run_context_id")
        self.run_contexts = self._compile(select(c.document).order_by(self._text(c.run_context_id)))
        self.run_context = self._compile(select(c.document).where(this))
        put = self._upsert(RUN_CONTEXTS).values(
            run_context_id=bindparam("run_context_id"), document=bindparam("document")
        )
        self.put_run_context = self._compile(
            put.on_conflict_do_update(
                index_elements=[c.run_context_id], set_={"document": put.excluded["document"]}
            )
        )
        self.delete_run_context = self._compile(delete(RUN_CONTEXTS).where(this))
