"""How commands answer."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest

from app.commands.output import day, iso, print_json, print_table

NINE = datetime(2026, 11, 20, 9, 0, 0, 123_456, tzinfo=UTC)


def test_a_time_is_iso_8601_in_utc_with_milliseconds() -> None:
    here = NINE.astimezone(timezone(timedelta(hours=2)))

    assert iso(NINE) == iso(here) == "2026-11-20T09:00:00.123Z"
    assert (day(here, "never"), day(None, "never")) == ("2026-11-20 09:00Z", "never")


def test_columns_are_as_wide_as_their_widest_cell(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(["A", "LONG"], [["wide", "b"], ["c", ""]])

    assert capsys.readouterr().out == "A     LONG\nwide  b\nc\n"


def test_json_is_one_document_in_plain_text(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"name": "Zoë", "at": NINE})

    shown = capsys.readouterr().out
    assert "Zoë" in shown
    assert json.loads(shown) == {"name": "Zoë", "at": iso(NINE)}
