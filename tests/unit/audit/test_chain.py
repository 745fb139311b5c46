from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sayso.audit.chain import CHAIN, GENESIS, Entry, body_of, link, verify
from sayso.audit.record import AuditRecord, RecordKind
from tests.fakes.values import at


def chain(length: int, number: int = 0) -> list[Entry]:
    entries: list[Entry] = []
    for seq in range(number * CHAIN + 1, number * CHAIN + length + 1):
        body = body_of(AuditRecord(RecordKind.VERDICT, at(seq % CHAIN), call_id=f"c{seq}"))
        entries.append(link(seq, body, entries[-1].hash if entries else GENESIS))
    return entries


lengths = st.integers(1, 12)
places = st.integers(0, 11)


@given(lengths)
def test_a_chain_that_nobody_touched_is_good(length: int) -> None:
    entries = chain(length)
    found = verify(entries)
    assert (found.ok, found.checked, found.head) == (True, length, entries[-1].hash)
    assert verify(entries, checkpoint=[(length, entries[-1].hash)]).ok


def test_an_empty_log_is_good() -> None:
    assert verify([]).ok
    assert verify([]).head == GENESIS


@given(lengths, places, st.sampled_from(["body", "hash", "previous"]))
def test_the_first_changed_entry_is_found(length: int, place: int, what: str) -> None:
    assume(place < length)
    entries = chain(length)
    changes = {"body": '{"kind":"verdict"}', "hash": "f" * 64, "previous": "e" * 64}
    entries[place] = replace(entries[place], **{what: changes[what]})
    found = verify(entries)
    assert (found.ok, found.fault_seq, found.checked) == (False, place + 1, place)


@given(lengths, places, st.booleans())
def test_a_changed_entry_whose_own_hash_was_mended_is_found_where_the_next_follows(
    length: int, place: int, through: bool
) -> None:
    """Whoever rewrites the whole rest of the chain is found out by a checkpoint only."""
    assume(place < length)
    entries = chain(length)
    kept = entries[-1].hash
    entries[place] = link(place + 1, '{"kind":"verdict"}', entries[place].previous)
    if through:
        for seq in range(place + 1, length):
            entries[seq] = link(seq + 1, entries[seq].body, entries[seq - 1].hash)
    found = verify(entries, checkpoint=[(length, kept)])
    assert not found.ok
    if not through and place + 1 < length:
        assert found.fault_seq == place + 2
    else:
        assert found.fault == f"entry {length} is not the one of the checkpoint"


@given(lengths, places)
def test_the_first_removed_entry_is_found(length: int, place: int) -> None:
    assume(place < length - 1)
    entries = chain(length)
    del entries[place]
    found = verify(entries)
    assert (found.fault_seq, found.fault) == (place + 1, f"entry {place + 1} is missing")


@given(lengths, places)
def test_a_removed_entry_is_found_even_if_the_rest_is_numbered_anew(
    length: int, place: int
) -> None:
    assume(place < length - 1)
    entries = chain(length)
    del entries[place]
    entries = [replace(entry, seq=seq) for seq, entry in enumerate(entries, start=1)]
    assert verify(entries).fault_seq == place + 1


@given(lengths, places, st.booleans())
def test_the_first_inserted_entry_is_found(length: int, place: int, renumber: bool) -> None:
    assume(place < length)
    entries = chain(length)
    before = entries[place - 1].hash if place else GENESIS
    entries.insert(place, link(place + 1, '{"kind":"access"}', before))
    if renumber:
        entries = [replace(entry, seq=seq) for seq, entry in enumerate(entries, start=1)]
    assert verify(entries).fault_seq == place + 2  # the forged one fits; what it pushed on does not


@given(lengths, places, places)
def test_the_first_reordered_entry_is_found(length: int, one: int, other: int) -> None:
    one, other = sorted((one, other))
    assume(one < other < length)
    entries = chain(length)
    entries[one], entries[other] = entries[other], entries[one]
    assert verify(entries).fault_seq == one + 1


@given(lengths, st.integers(1, 12))
def test_a_tail_that_was_cut_off_is_found_with_a_checkpoint(length: int, cut: int) -> None:
    assume(cut <= length)
    entries = chain(length)
    kept = (length, entries[-1].hash)
    assert verify(entries[:-cut]).ok
    found = verify(entries[:-cut], checkpoint=[kept])
    assert (found.ok, found.fault_seq) == (False, length)
    assert found.fault == f"the log ends before the checkpoint at entry {length}"


@given(lengths)
def test_the_checkpoint_of_an_empty_log_holds_for_every_log(length: int) -> None:
    assert verify(chain(length), checkpoint=[(0, "0" * 64)]).ok
    assert not verify(chain(length), checkpoint=[(0, "1" * 64)]).ok


def test_the_same_record_has_the_same_text() -> None:
    record = AuditRecord(RecordKind.VERDICT, at(0), arguments={"b": 1, "a": 2})
    same = AuditRecord(RecordKind.VERDICT, at(0), arguments={"a": 2, "b": 1})
    assert body_of(record) == body_of(same)


@pytest.mark.parametrize("kind", list(RecordKind))
def test_a_record_leaves_out_what_is_empty(kind: RecordKind) -> None:
    assert AuditRecord(kind, at(0)).to_json() == {
        "kind": kind.value,
        "at": "2027-01-15T08:00:00.000000Z",
    }


def test_a_record_keeps_what_is_zero_or_false() -> None:
    data = AuditRecord(RecordKind.OUTCOME, at(0), waited=0.0, arguments={}).to_json()
    assert data["waited"] == 0.0
    assert data["arguments"] == {}


@given(st.lists(st.integers(0, 4), min_size=1, max_size=4))
def test_several_chains_are_good_and_each_has_its_place_in_the_checkpoint(sizes: list[int]) -> None:
    chains = [chain(size, number) for number, size in enumerate(sizes)]
    entries = [entry for one in chains for entry in one]
    found = verify(entries)
    assert (found.ok, found.checked) == (True, sum(sizes))
    assert found.heads == tuple((one[-1].seq, one[-1].hash) for one in chains if one)
    heads = [
        (int(n), value) for n, _, value in (p.partition(":") for p in found.checkpoint.split(","))
    ]
    assert verify(entries, checkpoint=heads).ok


@given(lengths, lengths, places, st.sampled_from(["changed", "removed", "moved", "cut"]))
def test_a_fault_in_any_chain_is_found(first: int, second: int, place: int, what: str) -> None:
    assume(place < second - 1)
    one, other = chain(first), chain(second, 1)
    kept = [(one[-1].seq, one[-1].hash), (other[-1].seq, other[-1].hash)]
    seq = other[place].seq
    if what == "changed":
        other[place] = replace(other[place], body='{"kind":"verdict"}')
    elif what == "removed":
        del other[place]
    elif what == "moved":
        other[place], other[-1] = other[-1], other[place]
    else:
        del other[place:]
        seq = kept[1][0]
        assert verify([*one, *other]).ok
    found = verify([*one, *other], checkpoint=kept)
    assert (found.ok, found.fault_seq) == (False, seq)
