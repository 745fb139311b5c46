"""The statements about the tools that servers offer."""

from __future__ import annotations

from sqlalchemy import bindparam, select

from sayso.store import tables as t
from sayso.store.queries.compiler import Compiler


class Tools(Compiler):
    """The statements about the tools that servers offer."""

    def _tools(self) -> None:
        k, d = t.KNOWN_TOOLS.c, t.APPROVED_DEFINITIONS.c
        self.known_tools = self._compile(
            select(k.document, k.first_seen, k.changed_at).order_by(
                self._text(k.server), self._text(k.name)
            )
        )
        self.tool_document = self._compile(
            select(k.document).where(k.server == bindparam("server"), k.name == bindparam("name"))
        )
        self.approved_definitions = self._compile(
            select(d.server, d.name, k.definition, d.definition)
            .outerjoin_from(
                t.APPROVED_DEFINITIONS, t.KNOWN_TOOLS, (k.server == d.server) & (k.name == d.name)
            )
            .order_by(self._text(d.server), self._text(d.name))
        )
        self.approve_definition = self._compile(
            self._upsert(t.APPROVED_DEFINITIONS)
            .values({column.name: bindparam(column.name) for column in d})
            .on_conflict_do_nothing()
        )
        seen = self._upsert(t.KNOWN_TOOLS).values(
            {column.name: bindparam(column.name) for column in t.KNOWN_TOOLS.columns}
        )
        self.put_tool = self._compile(
            seen.on_conflict_do_update(
                index_elements=[k.server, k.name],
                set_={
                    name: seen.excluded[name] for name in ("changed_at", "document", "definition")
                },
            )
        )
