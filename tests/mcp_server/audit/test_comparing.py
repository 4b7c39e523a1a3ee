"""What one place has and the other should have: ends and whole chains, and what may be missing."""

from typing import Any

import pytest

from mcp_server.audit.comparing import Allowed, End, Search, cut_before, doubtful

NEVER = Allowed("", "~")


def row(seq: int, event: str = "signIn", **more: Any) -> dict[str, Any]:
    time = f"2026-11-20T09:00:{seq:02}.000000Z"
    return {"chain": "c", "seq": seq, "prev": str(seq), "event": event, "time": time, **more}


def end_of(*rows: dict[str, Any]) -> End:
    end = End()
    for each in rows:
        end.take_in(each)
    return end


START = row(0, "auditStart", detail={"places": {"file": "here", "database": "db"}})
WHOLE = [START, row(1), row(2, "auditAnchor"), row(3), row(40, "auditEnd")]


def first(here: End | None, allowed: Allowed = NEVER, there: list[dict[str, Any]] = WHOLE) -> int | None:
    search = Search(here, lambda told: allowed.covers(told, here, end_of(*there)))
    for each in there:
        search.feed(each)
    return search.first["seq"] if search.first else None


def test_what_comes_after_the_end_here_is_missing_and_the_logs_own_rows_are_not() -> None:
    assert first(None) == 0
    assert first(end_of(START)) == 1
    assert first(end_of(START, {**row(1), "seq": 7, "prev": "x"})) == 3
    assert first(end_of(*WHOLE[:4])) == 40
    assert first(end_of(*WHOLE)) is None


def test_what_retention_took_is_not_missing() -> None:
    said = {"time": "2026-11-22T09:00:02.000000Z", "detail": {"days": 2}}

    assert cut_before(said) == "2026-11-20T09:00:02.000000Z"
    assert first(None, Allowed(cut_before(said), "~")) == 3
    assert first(None, Allowed("2026-11-21", "~")) is None


def test_what_this_place_says_it_lost_is_not_missing() -> None:
    here = end_of(START)
    here.gaps.append((WHOLE[1]["time"], WHOLE[3]["time"]))

    assert first(here) == 40


def test_the_last_seconds_of_a_chain_that_has_not_ended_may_be_on_their_way() -> None:
    assert first(end_of(START), there=[START, row(1), row(5)]) is None
    assert first(end_of(START), there=[START, row(1), row(5), row(30)]) == 1


@pytest.mark.parametrize(
    ("here", "place", "found"),
    [({}, "here", ["c"]), ({}, "other", ["c"]), ({"d": End()}, "here", ["c"]), ({"d": End()}, "other", [])],
)
def test_files_of_another_host_are_elsewhere_unless_nothing_is_here(
    here: dict[str, End], place: str, found: list[str]
) -> None:
    assert list(doubtful(here, {"c": end_of(*WHOLE)}, "file", place)) == found
    assert list(doubtful(here, {"c": end_of(row(1))}, "file", place)) == []
