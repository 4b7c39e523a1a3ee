"""FI-23: whatever is done to the rows, the first that does not fit is named."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.audit.chain import Chain, ChainKey, Row
from mcp_server.audit.entries import Entry, Event
from mcp_server.audit.sinks import Head
from mcp_server.audit.verifying import Controls, Report, Stored, Verifier
from tests.auditing import KEY, begun, call, found, log_of, verified, written

LOG = list(log_of(20))
LONG = 10_000


def check(rows: list[Stored], *keys: ChainKey) -> Report:
    controls = Controls(keys or [KEY])
    for row in rows:
        if b'"event":"audit' in row.body:
            controls.gather(row)
    verifier = Verifier(controls)
    for row in rows:
        verifier.feed(row)
    return verifier.finish()


def faults(rows: list[Stored], *keys: ChainKey) -> list[tuple[str, int | None]]:
    return [(fault.kind, fault.seq) for fault in check(rows, *keys).faults]


def stored(rows: list[Row]) -> list[Stored]:
    return [found(row) for row in rows]


def test_a_whole_log_has_no_fault() -> None:
    report = check(stored(LOG))

    assert (report.rows, len(report.chains), report.open_chains, report.faults) == (22, 1, 0, [])


@given(st.integers(0, 21), st.data())
def test_any_changed_byte_is_found_and_its_row_named(place: int, data: st.DataObject) -> None:
    rows = stored(LOG)
    body = bytearray(rows[place].body)
    spot = data.draw(st.integers(0, len(body) - 1))
    body[spot] ^= data.draw(st.integers(1, 255))
    rows[place] = replace(rows[place], body=bytes(body))

    first = check(rows).faults[0]

    assert first.kind == "altered"
    assert first.place == rows[place].place


@given(st.integers(0, 20))
def test_a_row_that_is_gone_or_changed_its_place_or_stands_twice_is_named(place: int) -> None:
    rows = stored(LOG)

    assert faults([*rows[:place], *rows[place + 1 :]]) == [("missing", place)]
    assert faults([*rows[:place], rows[place + 1], rows[place], *rows[place + 2 :]]) == [("reordered", place)]
    assert faults([*rows[: place + 1], *rows[place:]]) == [("repeated", place)]


def test_a_row_of_another_hand_is_altered_even_when_its_chain_was_computed_anew() -> None:
    forged = list(log_of(20, ChainKey.derived("whatever somebody else believes")))

    assert faults(stored([*LOG[:7], *forged[7:]]))[0] == ("altered", 7)


def test_a_chain_under_a_key_that_is_not_here_says_which_key_it_wants() -> None:
    (fault,) = check(stored(LOG), ChainKey.derived("another")).faults

    assert fault.kind == "unknown key"
    assert KEY.id in fault.text


def chains_that_know_each_other() -> tuple[list[Row], list[Row]]:
    first = list(log_of(9))
    other = Chain("20261121T090000Z-00000002", KEY)
    last = first[-1]
    return first, [begun(other, **{last.chain: Head(last.seq, last.hash)}), other.add(Entry(Event.AUDIT_END))]


@pytest.mark.parametrize("kept", [0, 1, 10])
def test_the_end_of_a_chain_and_a_whole_chain_cannot_be_taken_away_unseen(kept: int) -> None:
    first, other = chains_that_know_each_other()

    assert faults(stored([*first, *other])) == []
    assert faults(stored([*first[:kept], *other])) == [("missing", kept)]


def test_what_retention_has_announced_may_be_gone_and_nothing_else() -> None:
    first, other = chains_that_know_each_other()
    later = Chain("20261122T090000Z-00000003", KEY)
    cuts = {first[4].chain: {"seq": 4, "hash": first[4].hash}}
    cut = [begun(later), later.add(Entry(Event.AUDIT_RETENTION, detail={"cuts": cuts}))]

    assert faults(stored([*first[5:], *other, *cut])) == []
    assert faults(stored([*first[3:], *other, *cut])) == [], "it was announced, and is not done yet"
    assert faults(stored([*first[6:], *other, *cut])) == [("missing", 0)]


def test_columns_that_say_something_else_than_their_row_are_found() -> None:
    rows = stored(LOG)
    rows[3] = replace(rows[3], columns={"subject": "eve", "seq": 3})

    assert faults(rows) == [("altered", 3)]
    rows[3] = replace(rows[3], columns={"subject": "ada", "seq": 4})
    assert faults(rows) == [("reordered", 3)]


def test_what_the_log_lost_by_its_own_account_is_counted_and_no_fault() -> None:
    chain = Chain("c", KEY)
    rows = [begun(chain), chain.add(Entry(Event.AUDIT_GAP, detail={"lost": 7})), chain.add(call())]

    report = check(stored(rows))

    assert (report.gaps, report.open_chains, report.faults) == (7, 1, [])


@pytest.mark.slow
@pytest.mark.security("FI-23")
def test_one_fault_in_ten_thousand_rows_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, list(log_of(LONG)))
    lines = path.read_bytes().splitlines(keepends=True)
    assert verified(tmp_path).faults == []

    before, row, following, after = lines[:5_000], lines[5_000], lines[5_001], lines[5_002:]
    for kind, harmed in (
        ("altered", [row.replace(b"ada", b"eve"), following]),
        ("missing", [following]),
        ("reordered", [following, row]),
    ):
        path.write_bytes(b"".join([*before, *harmed, *after]))
        (fault,) = verified(tmp_path).faults

        assert (fault.kind, fault.seq) == (kind, 5_000)
        assert fault.place.startswith(f"{path.name}:500")
