"""How commands answer."""

import json
import math
import sys
from datetime import UTC, datetime, timedelta, timezone

import pytest

from app.commands.output import as_table, day, iso, print_json, table_lines

NINE = datetime(2026, 11, 20, 9, 0, 0, 123_456, tzinfo=UTC)


def test_a_time_is_iso_8601_in_utc_with_milliseconds() -> None:
    here = NINE.astimezone(timezone(timedelta(hours=2)))

    assert iso(NINE) == iso(here) == "2026-11-20T09:00:00.123Z"
    assert (day(here, "never"), day(None, "never")) == ("2026-11-20 09:00Z", "never")


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    assert as_table(["A", "LONG"], [["wide", "b"], ["c", ""]]) == "A     LONG\nwide  b\nc"


TABLE = [["ID", "NAME", "SCOPES"], ["a-b-c-d", "laptop", "read write chat"], ["e", "", "read"]]


@pytest.mark.parametrize(
    ("room", "lines"),
    [
        (math.inf, ["ID       NAME    SCOPES", "a-b-c-d  laptop  read write chat", "e                read"]),
        (32, ["ID       NAME    SCOPES", "a-b-c-d  laptop  read write chat", "e                read"]),
        (
            27,
            [
                "ID       NAME    SCOPES",
                "a-b-c-d  laptop  read write",
                "                 chat",
                "e                read",
            ],
        ),
        (
            1,  # no word is broken
            [
                *("ID       NAME    SCOPES", "a-b-c-d  laptop  read", "                 write"),
                *("                 chat", "e                read"),
            ],
        ),
    ],
)
def test_a_table_fits_its_room_where_words_let_it(room: float, lines: list[str]) -> None:
    assert list(table_lines(TABLE, room)) == lines


def test_a_terminal_has_its_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "27")

    assert max(map(len, as_table(TABLE[0], TABLE[1:]).splitlines())) == 27


def test_json_is_one_document_in_plain_text(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"name": "Zoë", "at": NINE})

    shown = capsys.readouterr().out
    assert "Zoë" in shown
    assert json.loads(shown) == {"name": "Zoë", "at": iso(NINE)}
