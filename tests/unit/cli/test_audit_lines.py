"""What `sayso audit list` and `sayso inbox list` print: one line an entry, whatever an agent wrote."""

from __future__ import annotations

import json

import pytest

from sayso.audit.chain import GENESIS, link
from sayso.audit.record import AuditRecord, RecordKind
from sayso.cli.audit_lines import lines
from sayso.cli.cards import inbox_table
from sayso.requests.approval import Caller
from tests.fakes.values import a_request, at

FORGED = "a\n   99  2030-01-01T00:00:00Z  verdict  allow\x1b[2K\r\u2028b"


@pytest.mark.parametrize("field", ["tool", "targets", "comment", "outcome", "note", "rule", "by"])
def test_no_text_of_an_entry_begins_a_line_of_its_own(field: str) -> None:
    value = (FORGED,) if field == "targets" else FORGED
    record = AuditRecord(RecordKind.VERDICT, at(0), **{field: value})  # type: ignore[arg-type]
    _, line = lines([link(1, json.dumps(record.to_json()), GENESIS)], {})
    assert line.isprintable()
    assert "[U+000A]" in line


def test_a_list_says_whose_caller_has_gone() -> None:
    waiting, gone = a_request(), a_request(caller=Caller.GONE)
    assert "(its caller has gone)" in inbox_table([gone], at(9))
    assert "(its caller has gone)" not in inbox_table([waiting], at(9))
