"""The statements about people, roles, stand-ins, passphrases and the codes to choose them with."""

from __future__ import annotations

from sqlalchemy import Integer, bindparam, delete, literal_column, select, update

from sayso.store import tables as t
from sayso.store.queries.compiler import Compiler


class People(Compiler):
    """The statements about people."""

    def _people(self) -> None:
        p, i, r, m, s = t.PEOPLE.c, t.IDENTITIES.c, t.ROLES.c, t.ROLE_MEMBERS.c, t.STAND_INS.c
        self.people = self._compile(select(p.document).order_by(self._text(p.person_id)))
        self.roles = self._compile(select(r.name, r.quorum, r.enabled).order_by(self._text(r.name)))
        self.role_members = self._compile(
            select(m.role, m.person_id).order_by(self._text(m.role), self._text(m.person_id))
        )
        self.stand_ins = self._compile(
            select(s.absent, s.substitute, s.since, s.until).order_by(
                s.since, self._text(s.absent), self._text(s.substitute), s.until
            )
        )
        put = self._upsert(t.PEOPLE).values(
            person_id=bindparam("person_id"), document=bindparam("document")
        )
        self.put_person = self._compile(
            put.on_conflict_do_update(
                index_elements=[p.person_id], set_={"document": put.excluded["document"]}
            )
        )
        self.delete_identities = self._compile(
            delete(t.IDENTITIES).where(i.person_id == bindparam("person_id"))
        )
        self.add_identity = self._insert(t.IDENTITIES)
        self.add_role = self._insert(t.ROLES)
        self.delete_role = self._compile(delete(t.ROLES).where(r.name == bindparam("name")))
        self.add_member = self._insert(t.ROLE_MEMBERS)
        self.delete_members = self._compile(
            delete(t.ROLE_MEMBERS).where(m.role == bindparam("name"))
        )
        self.add_stand_in = self._insert(t.STAND_INS)
        self.delete_stand_in = self._compile(
            delete(t.STAND_INS).where(
                s.absent == bindparam("absent"),
                s.substitute == bindparam("substitute"),
                s.since == bindparam("since"),
                s.until == bindparam("until"),
            )
        )
        self._versions()
        self._passphrases()

    def _versions(self) -> None:
        n = t.COUNTERS.c
        self.held_counter = self._compile(
            # where rows can be locked, nobody changes it before this transaction has ended
            select(n.value).where(n.name == bindparam("name")).with_for_update(read=True)
        )
        self.count_from = self._compile(
            update(t.COUNTERS)
            .where(n.name == bindparam("the_name"), n.value == bindparam("expected"))
            .values(value=n.value + literal_column("1", Integer))
        )

    def _passphrases(self) -> None:
        w, e = t.PASSPHRASES.c, t.ENROLMENTS.c
        self.passphrase = self._compile(select(w.hash).where(w.person_id == bindparam("person_id")))
        put = self._upsert(t.PASSPHRASES).values(
            person_id=bindparam("person_id"), hash=bindparam("hash")
        )
        self.put_passphrase = self._compile(
            put.on_conflict_do_update(
                index_elements=[w.person_id], set_={"hash": put.excluded["hash"]}
            )
        )
        self.delete_passphrase = self._compile(
            delete(t.PASSPHRASES).where(w.person_id == bindparam("person_id"))
        )
        self.add_enrolment = self._insert(t.ENROLMENTS)
        self.enrolment = self._compile(
            select(e.person_id, e.until).where(e.secret_hash == bindparam("secret_hash"))
        )
        self.delete_enrolment = self._compile(
            delete(t.ENROLMENTS).where(
                e.secret_hash == bindparam("secret_hash"), e.until > bindparam("now")
            )
        )
        self.delete_enrolments = self._compile(
            delete(t.ENROLMENTS).where(e.person_id == bindparam("person_id"))
        )
        self.delete_every_enrolment = self._compile(delete(t.ENROLMENTS))
