"""The JSON export obeys its published schema, and holds everything."""

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from mcp_server.toolsets.panels._exports.data import SCHEMA_ID, comma_separated, guarded, json_text
from mcp_server.toolsets.panels._exports.tables import Report
from tests.mcp_server.toolsets.panels._exports.schema import PUBLISHED, rendered
from tests.mcp_server.toolsets.panels.reports import (
    ASKED,
    HOSTILE,
    KINDS,
    big_report,
    empty_report,
    report_of,
    report_with,
)

SCHEMA = json.loads(PUBLISHED.read_text(encoding="utf-8"))


def read(report: Report) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(json_text(report))
    return data


def test_the_published_schema_is_the_one_of_the_models() -> None:
    assert PUBLISHED.read_text(encoding="utf-8") == rendered(), (
        "publish it with `python -m tests.mcp_server.toolsets.panels._exports.schema`"
    )
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("partial", [False, True])
@pytest.mark.parametrize("make", [big_report, report_of, empty_report])
def test_every_export_obeys_the_schema_and_names_it(make: Callable[[], Report], *, partial: bool) -> None:
    data = read(replace(make(), partial=partial))

    Draft202012Validator(SCHEMA).validate(data)
    assert data["$schema"] == SCHEMA["$id"] == SCHEMA_ID
    assert data["schemaVersion"] == "2.2"


def test_the_schema_is_closed_and_asks_for_every_field() -> None:
    validator = Draft202012Validator(SCHEMA)
    data = read(report_of())

    assert not validator.is_valid({**data, "more": 1})
    for name in data:
        assert not validator.is_valid({key: value for key, value in data.items() if key != name})
    assert all(each["additionalProperties"] is False for each in SCHEMA["$defs"].values() if each["type"] == "object")


def test_every_reply_is_there_also_where_the_result_holds_the_first_few_only() -> None:
    report = big_report()
    data = read(report)

    for question, section in zip(data["questions"], report.sections, strict=True):
        assert len(section.result.answers) < len(section.asked.replies)
        assert {reply["personaId"]: reply["message"] for reply in question["replies"]} == {
            reply.persona_id: reply.message for reply in section.asked.replies
        }
        assert "answers" not in question


def test_the_figures_are_those_of_the_result_to_the_last_digit() -> None:
    report = report_of()

    for question, section in zip(read(report)["questions"], report.sections, strict=True):
        figures = section.result.model_dump(mode="json", by_alias=True, exclude={"answers", "answers_omitted"})
        assert {name: question[name] for name in figures} == figures
    half = read(report_with(["half \ud83d pair"], kinds=KINDS[:1]))  # which does not break the file
    assert half["questions"][0]["replies"][0]["message"] == "half ? pair"


any_text = st.text(st.characters(codec=None), max_size=60)


def rows_of(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True))


def test_each_reply_has_a_row_that_tells_who_was_asked_what_and_what_came_back() -> None:
    rows = rows_of(comma_separated(big_report()))
    assert len(rows) == 800
    assert {row["Status"] for row in rows} == {"answered", "failed", "timeout"}
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
        "As given": "",
        "Full response": "I would wait.\nThe price is not clear to me, and I compare first.",
        "Themes": "",
        "Stance": "",
        "Sentiment": "-0.75",
        "Grounded in": "Character, not a source",
        "Sources": "Annual report, 2025",
        "Error": "",
        "Coded by hand": "",
    }


def test_records_end_in_crlf_and_nothing_else_does() -> None:
    content = comma_separated(report_with(["two\r\nlines\rhere"], kinds=KINDS[:1]), bom=False)

    assert content.count(b"\r\n") == content.count(b"\r") == 2
    assert content.endswith(b"\r\n")
    assert b"two\nlines\nhere" in content


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
    "text", ["=1+1", "+1", "-1+1", "@A1", "\t=1", "\r=1", "\n=1", "\uff1d1+1", "\uff201", "  =1", "\ufeff=1"]
)
def test_what_would_begin_a_formula_gets_an_apostrophe(text: str) -> None:
    assert str(guarded(text)).startswith("'")


HARMLESS = ["", "Mia", "a=b", "1 + 1", "-2", "-2.5", "8", "say: no; - yes", "list\n- one\n* two"]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        *zip(HARMLESS, HARMLESS, strict=True),
        ("a;=1+1", "a;'=1+1"),
        ("a; =1+1", "a; '=1+1"),
        ("a\n=1+1;@A1", "a\n'=1+1;'@A1"),
        ("a\t+cmd|' /C calc'!A0", "a\t'+cmd|' /C calc'!A0"),
        ("a;\uff1d1", "a;'\uff1d1"),
    ],
)
def test_a_cell_that_another_separator_would_begin_is_guarded_and_nothing_harmless(text: str, written: str) -> None:
    assert guarded(text) == written


@given(any_text)
def test_no_text_becomes_a_formula_and_none_loses_more_than_what_no_file_holds(text: str) -> None:
    cell = str(guarded(text))

    assert re.match(r"[=+@\t\n\r\uff1d\uff0b\uff0d\uff20]|-(?![\d.]+ *$)", cell) is None
    assert guarded(cell) == cell
