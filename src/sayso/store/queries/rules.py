"""The statements about the rule table and its groups."""

from __future__ import annotations

from sqlalchemy import Integer, bindparam, delete, func, literal_column, select, update

from sayso.store import tables as t
from sayso.store.queries.compiler import Compiler


class Rules(Compiler):
    """The statements about the rule table and its groups."""

    def _rules(self) -> None:
        r, n = t.RULES.c, t.COUNTERS.c
        self.rules = self._compile(select(r.document).order_by(r.position, self._text(r.rule_id)))
        seeded = select(r.seed_key).where(r.seed_key.is_not(None))
        self.seed_keys = self._compile(seeded.union_all(select(t.DELETED_SEEDS.c.seed_key)))
        last = select(func.coalesce(func.max(r.position), literal_column("0", Integer)))
        put = self._upsert(t.RULES).values(
            rule_id=bindparam("rule_id"),
            position=last.scalar_subquery() + literal_column("1", Integer),
            group_id=bindparam("group_id"),
            pattern_key=bindparam("pattern_key"),
            seed_key=bindparam("seed_key"),
            document=bindparam("document"),
        )
        kept = ("group_id", "pattern_key", "document")
        self.put_rule = self._compile(
            put.on_conflict_do_update(
                index_elements=[r.rule_id], set_={name: put.excluded[name] for name in kept}
            )
        )
        self.rule_seed = self._compile(select(r.seed_key).where(r.rule_id == bindparam("rule_id")))
        self.delete_rule = self._compile(delete(t.RULES).where(r.rule_id == bindparam("rule_id")))
        self.bury_seed = self._compile(
            self._upsert(t.DELETED_SEEDS)
            .values(seed_key=bindparam("seed_key"))
            .on_conflict_do_nothing()
        )
        self.groups = self._compile(
            select(t.GROUPS.c.group_id, t.GROUPS.c.name, t.GROUPS.c.description).order_by(
                self._text(t.GROUPS.c.group_id)
            )
        )
        self.counter = self._compile(select(n.value).where(n.name == bindparam("name")))
        self.count = self._compile(
            update(t.COUNTERS)
            .where(n.name == bindparam("the_name"))
            .values(value=n.value + literal_column("1", Integer))
        )
