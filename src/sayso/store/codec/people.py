"""People as rows, and back."""

from __future__ import annotations

from sayso.people.person import Person
from sayso.store.codec.document import Row, reader

_person = reader(Person)


def read_person(row: Row) -> Person:
    """A person from the document."""
    return _person(row[0])
