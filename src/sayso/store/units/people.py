"""What a write does inside its transaction, for people, roles, stand-ins and passphrases."""

from __future__ import annotations

from typing import Any

from sayso.core.moment import Moment
from sayso.people.directory import Directory
from sayso.store.codec.logs import LogRows
from sayso.store.codec.people import person_row, read_directory, role_row, stand_in_row
from sayso.store.guard import people_changed
from sayso.store.transaction import Transaction
from sayso.store.units.logs import log

PEOPLE_VERSION = "people_version"


def directory_of(tx: Transaction) -> Directory:
    """Everybody there is, as this transaction sees it; nobody changes it before that has ended."""
    q = tx.queries
    return read_directory(
        held_version(tx),
        tx.rows(q.people, {}),
        tx.rows(q.roles, {}),
        tx.rows(q.role_members, {}),
        tx.rows(q.stand_ins, {}),
    )


def held_version(tx: Transaction) -> int:
    """The version of the directory, held until the transaction has ended."""
    return int(tx.row(tx.queries.held_counter, {"name": PEOPLE_VERSION})[0])


def change_people(
    tx: Transaction, before: Directory, after: Directory, now: Moment, logged: LogRows
) -> None:
    """Write what differs between two directories, if the first is still the stored one.

    Whoever was removed loses every credential, the passphrase and the codes to choose one.
    """
    q = tx.queries
    if tx.write(q.count_from, {"the_name": PEOPLE_VERSION, "expected": before.version}) != 1:
        raise people_changed()
    changed = [p for p in after.people.values() if before.people.get(p.person_id) != p]
    for person in changed:
        tx.write(q.put_person, person_row(person))
        tx.write(q.delete_identities, {"person_id": person.person_id})
    for person in changed:  # only now: an identity may have gone from one of them to another
        if person.removed:
            tx.write(q.revoke_of_person, {"the_person": person.person_id, "now": now})
            tx.write(q.delete_passphrase, {"person_id": person.person_id})
            tx.write(q.delete_enrolments, {"person_id": person.person_id})
            continue
        for identity in sorted(person.all_identities):
            tx.write(q.add_identity, {"identity": identity, "person_id": person.person_id})
    for name in {**before.roles, **after.roles}:
        role = after.roles.get(name)
        if role == before.roles.get(name):
            continue
        tx.write(q.delete_members, {"name": name})
        tx.write(q.delete_role, {"name": name})
        if role is not None:
            tx.write(q.add_role, role_row(role))
            for member in role.members:
                tx.write(q.add_member, {"role": name, "person_id": member})
    for link in set(before.stand_ins) - set(after.stand_ins):
        tx.write(q.delete_stand_in, stand_in_row(link))
    for link in set(after.stand_ins) - set(before.stand_ins):
        tx.write(q.add_stand_in, stand_in_row(link))
    log(tx, logged)


def set_passphrase(tx: Transaction, person_id: str, value: str, logged: LogRows) -> None:
    """Store the hash of somebody's new passphrase; codes to choose one open nothing any more."""
    tx.write(tx.queries.delete_enrolments, {"person_id": person_id})
    tx.write(tx.queries.put_passphrase, {"person_id": person_id, "hash": value})
    log(tx, logged)


def put_enrolment(tx: Transaction, row: dict[str, Any], logged: LogRows) -> None:
    """Store a code with which somebody chooses a passphrase; earlier ones open nothing any more."""
    tx.write(tx.queries.delete_enrolments, row)
    tx.write(tx.queries.add_enrolment, row)
    log(tx, logged)


def enrol(
    tx: Transaction, secret_hash: str, person_id: str, value: str, now: Moment, logged: LogRows
) -> bool:
    """Store a passphrase with a code that opens nothing twice, and end that person's other logins."""
    q = tx.queries
    if tx.write(q.delete_enrolment, {"secret_hash": secret_hash, "now": now}) != 1:
        return False
    tx.write(q.revoke_logins, {"the_person": person_id, "now": now})
    set_passphrase(tx, person_id, value, logged)
    return True
