"""The CSV holds every reply, and nothing in it is calculated."""

import csv
import io
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.panels._exports.data import COLUMNS, comma_separated, guarded
from tests.mcp_server.toolsets.panels.reports import (
    ASKED,
    HOSTILE,
    KINDS,
    LONG,
    big_report,
    empty_report,
    report_of,
    report_with,
)

any_text = st.text(st.characters(codec=None), max_size=60)


def rows_of(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True))


def test_there_is_one_row_for_each_reply_also_for_those_that_failed() -> None:
    report = big_report()

    rows = rows_of(comma_separated(report))

    assert len(rows) == sum(len(section.asked.replies) for section in report.sections) == 800
    assert {row["Status"] for row in rows} == {"answered", "failed", "timeout"}
    assert {len(row) for row in rows} == {len(COLUMNS)}


def test_a_row_tells_who_was_asked_what_and_what_came_back() -> None:
    row = next(row for row in rows_of(comma_separated(report_of())) if row["Persona"] == "José Okafor")

    assert row == {
        "Question": KINDS[0].text,
        "Question type": "scale",
        "Asked at": ASKED,
        "Group": "Early adopters",
        "Persona": "José Okafor",
        "Persona id": "p-1",
        "Discipline": "Nurse",
        "Status": "answered",
        "Answer": "8",
        "Full response": "I would wait.\nThe price is not clear to me, and I compare first.",
        "Sentiment": "-0.75",
        "Grounded in": "Character, not a source",
        "Sources": "Annual report, 2025",
        "Error": "",
    }


def test_why_there_is_no_answer_is_told_with_each_that_is_missing() -> None:
    rows = rows_of(comma_separated(big_report()))

    assert {row["Error"] for row in rows if row["Status"] == "timeout"} == {"too slow"}
    assert {row["Error"] for row in rows if row["Status"] == "failed"} == {"engine_error"}
    assert {row["Error"] for row in rows if row["Status"] == "answered"} == {""}


def test_long_answers_are_whole() -> None:
    rows = rows_of(comma_separated(report_with([LONG], kinds=KINDS[:1])))

    assert len(LONG) > 10_000
    assert rows[0]["Full response"] == LONG


def test_records_end_in_crlf_and_nothing_else_does() -> None:
    content = comma_separated(report_with(["two\r\nlines\rhere"], kinds=KINDS[:1]), bom=False)

    assert content.count(b"\r\n") == content.count(b"\r") == 2
    assert content.endswith(b"\r\n")
    assert b"two\nlines\nhere" in content


def test_a_panel_that_was_asked_nothing_has_the_header() -> None:
    assert comma_separated(empty_report(), bom=False).decode() == ",".join(f'"{name}"' for name in COLUMNS) + "\r\n"


def test_no_hostile_text_in_any_column_begins_a_formula() -> None:
    report = report_with(HOSTILE, kinds=KINDS[:1])
    section = report.sections[0]
    hostile = tuple(
        replace(r, persona=r.message, group=r.message, discipline=r.message, persona_id=r.message, origin=r.message)
        for r in section.asked.replies
    )
    asked = replace(section.asked, text=HOSTILE[0], asked_at=HOSTILE[1], replies=hostile)

    rows = rows_of(comma_separated(replace(report, sections=(replace(section, asked=asked),))))

    cells = [cell for row in rows for cell in row.values()]
    assert [cell for cell in cells if re.match(r"[=+@\t\n\uff1d]|-(?![\d.]+$)", cell)] == []


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1",
        "-1+1",
        "@A1",
        "\t=1",
        "\r=1",
        "\n=1",
        "\uff1d1+1",
        "\uff0b1",
        "\uff0d1",
        "\uff201",
        "  =1",
        "\ufeff=1",
    ],
)
def test_what_would_begin_a_formula_gets_an_apostrophe(text: str) -> None:
    assert str(guarded(text)).startswith("'")


@pytest.mark.parametrize("text", ["", "Mia", "a=b", "1 + 1", "-2", "-2.5", "8", "say: no; - yes", "list\n- one\n* two"])
def test_a_harmless_text_is_left_alone(text: str) -> None:
    assert guarded(text) == text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a;=1+1", "a;'=1+1"),
        ("a; =1+1", "a; '=1+1"),
        ("a\n=1+1;@A1", "a\n'=1+1;'@A1"),
        ("a\t+cmd|' /C calc'!A0", "a\t'+cmd|' /C calc'!A0"),
        ("a;\uff1d1", "a;'\uff1d1"),
    ],
)
def test_a_cell_that_another_separator_would_begin_is_guarded_too(text: str, written: str) -> None:
    assert guarded(text) == written


@given(any_text)
def test_no_text_becomes_a_formula_and_none_loses_more_than_what_no_file_holds(text: str) -> None:
    cell = str(guarded(text))

    assert re.match(r"[=+@\t\n\r\uff1d\uff0b\uff0d\uff20]|-(?![\d.]+ *$)", cell) is None
    assert guarded(cell) == cell
