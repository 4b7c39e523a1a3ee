"""The words and figures that all formats share."""

import io
import re
from dataclasses import replace
from datetime import UTC, datetime
from random import Random
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook

from mcp_server.toolsets.panels._aggregation.aggregate import aggregate
from mcp_server.toolsets.panels._exports import phrases
from mcp_server.toolsets.panels._exports.markdown import markdown
from mcp_server.toolsets.panels._exports.pdf import document
from mcp_server.toolsets.panels._exports.phrases import clean, moment, number_in
from mcp_server.toolsets.panels._exports.tables import PARTIAL, caveats, facts, methods
from mcp_server.toolsets.panels._exports.workbook import workbook
from mcp_server.toolsets.panels._results import Count, Section
from mcp_server.toolsets.panels._study import Reply
from tests.mcp_server.toolsets.panels.reports import KINDS, empty_report, report_of

REPORT = report_of()
SCALE, CATEGORICAL, _, QUALITATIVE = REPORT.sections


@given(st.integers())
def test_replies_are_in_the_same_order_however_they_came_and_groups_not_named_last(seed: int) -> None:
    stranger = Reply("Aaron", "A group of yesterday", value="7")
    shuffled = [stranger, *SCALE.asked.replies]
    Random(seed).shuffle(shuffled)

    ordered = phrases.ordered(replace(SCALE.asked, replies=tuple(shuffled)))

    assert ordered == [*phrases.ordered(SCALE.asked), stranger]
    assert list(dict.fromkeys(reply.group for reply in ordered[:-1])) == list(SCALE.asked.groups)


def test_no_export_shows_a_mean_before_how_few_it_stands_on() -> None:
    silent = tuple(replace(reply, status="declined", value=None) for reply in SCALE.asked.replies[2:])
    asked = replace(SCALE.asked, engine="offline", replies=(*SCALE.asked.replies[:2], *silent))
    report = replace(REPORT, sections=(Section(asked, aggregate(asked)),))

    book = load_workbook(io.BytesIO(workbook(report)))
    cells = [str(cell) for sheet in book for row in sheet.iter_rows(values_only=True) for cell in row]
    shown = [markdown(report).decode(), document(report).decode(), "\n".join(cells)]

    first = f"2 of {len(asked.replies)} had something on this: "
    assert [text.count(first) > 0 for text in shown] == [True] * 3
    assert not any(re.search(r"\*\*[0-9.]+\*\*|\"value\": \"mean", text) for text in shown)


ANSWERS = {
    "8": 8, "8 or so": "8 or so", "7.5": 7.5, None: "",
    # Spreadsheets would see a date.
    "9/10": 9, " 9 / 10 ": 9, "7,5/10": 7.5, "3/5": "3/5", "11/10": "11/10",
}  # fmt: skip


@pytest.mark.parametrize(("value", "written"), ANSWERS.items())
def test_only_a_scale_turns_answers_into_numbers(value: str | None, written: float | str) -> None:
    reply = Reply("A", "G", value=value)

    assert phrases.answer_of(SCALE, reply) == written
    assert phrases.answer_of(CATEGORICAL, reply) == (value or "")


@given(st.integers(1, 150), st.data())
def test_ranges_lose_nobody_and_are_few(points: int, data: st.DataObject) -> None:
    each = [str(point) for point in range(points)]
    given_counts = data.draw(st.lists(st.integers(0, 9), min_size=points, max_size=points))
    told = [Count(value=point, count=n, share=0, interval=None) for point, n in zip(each, given_counts, strict=True)]

    found = phrases.ranges(each, told)

    assert len(found) <= phrases.POINTS_AT_MOST
    assert sum(count for _, count in found) == sum(given_counts)


any_text = st.text(st.characters(codec=None), max_size=60)


@given(any_text)
def test_a_cleaned_text_stands_in_xml_and_in_utf_8(text: str) -> None:
    cleaned = clean(text)

    escaped = cleaned.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert (ET.fromstring(f"<t>{escaped}</t>".encode()).text or "") == cleaned
    assert clean(cleaned) == cleaned


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("a\r\nb\rc\nd\u2028e", "a\nb\nc\nd\ne"),
        ("a\x00b\x07c\x1b[31m", "abc[31m"),
        ("half \ud83d pair", "half \ufffd pair"),
        ("whole 🦊 pair\tand tab", "whole 🦊 pair\tand tab"),
    ],
)
def test_breaks_become_line_feeds_and_what_cannot_be_written_goes(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("2026-11-20T09:30:00Z", datetime(2026, 11, 20, 9, 30, tzinfo=UTC)),
        ("2026-11-20T11:30:00+02:00", datetime(2026, 11, 20, 9, 30, tzinfo=UTC)),
        ("2026-11-20T09:30:00", datetime(2026, 11, 20, 9, 30, tzinfo=UTC)),
        ("yesterday", None),
        ("0001-01-01T00:00:00+23:00", None),
        ("", None),
        (None, None),
    ],
)
def test_times_are_read_as_utc(told: str | None, expected: datetime | None) -> None:
    assert moment(told) == expected


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("8", 8),
        ("-2", -2),
        ("7.5", 7.5),
        (" 3 ", 3),
        *((text, None) for text in ("", "+1", "1e5", "٣", "-2+3", "1.", "9" * 16)),
    ],
)
def test_only_a_plain_decimal_is_a_number(text: str, number: float | None) -> None:
    assert number_in(text) == number


def test_the_head_tells_when_how_many_and_by_what() -> None:
    told = dict(facts(REPORT))

    assert told["Made"] == "2026-11-21 14:45 UTC"
    assert told["Questions asked"] == "4"
    assert told["Personas"] == "12"
    assert "Early adopters (4)" in told["Groups today"]
    assert told["Answers written by"] == "offline"


def test_only_the_methods_that_were_used_are_told() -> None:
    everything = dict(methods(REPORT))
    choice = dict(methods(report_of(groups=1, kinds=KINDS[1:2])))

    assert {"Scale questions", "One choice", "Several choices", "Open questions"} <= set(everything)
    assert "Differences between groups" in everything
    assert "Welch t" in everything["95 % intervals"]
    assert "Scale questions" not in choice
    assert "Differences between groups" not in choice
    assert "Student t" not in choice["95 % intervals"]
    assert {"Sentiment", "95 % intervals"}.isdisjoint(dict(methods(empty_report())))


def test_a_caveat_is_said_once_with_its_questions() -> None:
    first, second, *others = REPORT.sections
    without = replace(second, result=second.result.model_copy(update={"caveats": second.result.caveats[:1]}))
    said = caveats(replace(REPORT, sections=(first, without, *others)))

    assert said[0] == ("All questions", first.result.caveats[0].message)
    assert said[1] == ("Q1, Q3, Q4", first.result.caveats[1].message)
    assert len(said) == 2
    assert caveats(replace(REPORT, partial=True))[0] == ("The whole report", PARTIAL)
