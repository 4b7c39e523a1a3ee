"""Both stores are read in order of time, whichever chain a row is of."""

import re
from datetime import UTC, datetime
from pathlib import Path

import orjson
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.ext.asyncio import AsyncEngine

from app.audit.database import DatabaseSink
from app.audit.reading import FORMATS, as_cef, as_jsonl, cef_severity, latest_in_table, read_rows, span
from app.settings import Settings
from mcp_server.audit.chain import Chain
from mcp_server.audit.entries import Entry, Event
from mcp_server.audit.files import folder_of
from tests.auditing import KEY, NAME, written

AT = datetime(2026, 11, 20, 9, 0, 0, 123_000, UTC).timestamp()


def told(event: Event = Event.TOOL_FAILURE, **more: object) -> dict[str, object]:
    known = {"outcome": "refused", "subject": "ada", "client": "c", "address": "203.0.113.7", "time": AT}
    return dict(Chain(NAME, KEY).add(Entry(event, **(known | more))).fields)  # type: ignore[arg-type]  # a test's own


def extension(line: str) -> dict[str, str]:
    """As a reader of CEF takes it apart: a value ends before the next name that is followed by a plain `=`."""
    body = re.split(r"(?<!\\)\|", line, maxsplit=7)[7]
    found = re.findall(r"(\w+)=((?:\\.|[^\\=])*?)(?= \w+=|$)", body)
    return {name: re.sub(r"\\(.)", r"\1", value) for name, value in found}


def test_cef_names_who_from_where_and_what() -> None:
    line = as_cef(told(tool="say", request="r-1", reason="TIMEOUT"), "f" * 64)

    assert line.startswith("CEF:0|minds-gateway|minds-gateway|")
    found = extension(line)
    assert (found["suid"], found["src"], found["act"]) == ("ada", "203.0.113.7", "say")
    assert extension(line)["rt"] == str(round(AT * 1000))


@given(st.text(alphabet="a|=\\\n\r \u00e9"))
def test_nothing_in_a_value_makes_another_field_of_cef(reason: str) -> None:
    line = as_cef(told(reason=f"x{reason}x"), "f" * 64)

    assert "\n" not in line
    assert extension(line)["src"] == "203.0.113.7"


def test_what_looks_like_theft_is_severe() -> None:
    severities = [cef_severity(told(event)) for event in (Event.TOKEN_REUSED, Event.AUTH_FAILURE)]

    assert severities == [8, 5]
    assert cef_severity(told(Event.SIGN_IN, outcome="ok")) == 3


def test_a_line_of_json_is_the_row_as_it_is_kept() -> None:
    row = Chain(NAME, KEY).add(Entry(Event.SIGN_IN, time=AT))

    assert orjson.loads(as_jsonl(row.fields, row.hash)) == orjson.loads(row.line)
    assert sorted(FORMATS) == ["cef", "jsonl"]


async def test_two_chains_are_one_story(engine: AsyncEngine, tmp_path: Path) -> None:
    one, other = Chain("a", KEY), Chain("b", KEY)
    first = [one.add(Entry(Event.SIGN_IN, time=float(at))) for at in (1, 4, 5)]
    second = [other.add(Entry(Event.SIGN_OUT, time=float(at))) for at in (2, 3, 6)]
    for rows in (first, second):
        written(folder_of(tmp_path), rows)
        await DatabaseSink(engine).write(rows)
    between = span(datetime.fromtimestamp(2, UTC), datetime.fromtimestamp(6, UTC))

    settings = Settings(data_dir=tmp_path)
    files, table = [
        [(row.fields["time"][18], row.hash) async for row in read_rows(settings, engine, source, *between)]
        for source in ("file", "database")
    ]

    assert [at for at, _ in files] == ["2", "3", "4", "5"]
    assert table == files
    assert [row.fields["time"][18] for row in await latest_in_table(engine, 2)] == ["5", "6"]
