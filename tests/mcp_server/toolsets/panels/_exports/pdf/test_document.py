"""The report as readers see it: complete, in order, the same for the same answers."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcp_server.toolsets.panels._exports.pdf.document import write_pdf
from mcp_server.toolsets.panels._exports.pdf_process import told
from tests.mcp_server.toolsets.panels._exports.pdf.paper import bookmarks, pages, reading, root
from tests.mcp_server.toolsets.panels.reports import (
    HOSTILE,
    KINDS,
    big_report,
    empty_report,
    report_of,
    report_with,
)


def test_all_questions_and_personas_are_there_and_every_page_has_its_number() -> None:
    report = report_of(groups=2, each=4, texts=["Quick."])
    found = pages(report)
    text = " ".join(found)

    for section in report.sections:
        assert section.asked.text in text
    for reply in report.sections[0].asked.replies:
        if reply.persona.isascii():
            assert text.count(reply.persona) >= 4
    assert [page.count(f"{n} / {len(found)}") for n, page in enumerate(found, 1)] == [1] * len(found)


def test_parts_come_in_order_and_the_method_is_the_last_page() -> None:
    found = pages(report_of(groups=2, each=4))

    assert "PANEL REPORT" in found[0]
    assert "Summary" in found[0]
    assert "Method and caveats" in found[-1]
    assert not any("Method and caveats" in page for page in found[:-1])
    starts = [next(n for n, page in enumerate(found) if part in page) for part in ("Summary", "1. On a", "All answers")]
    assert starts == sorted(starts)


def test_the_outline_leads_to_every_part() -> None:
    titles = [title for title, _ in bookmarks(reading(report_of(groups=2, each=4)))]

    assert titles[:2] == ["Pricing — Frühjahr 2026", "Summary"]
    assert [title[:2] for title in titles[2:6]] == ["1.", "2.", "3.", "4."]
    assert titles[6:] == ["All answers", "Method and caveats"]


def test_the_file_tells_its_title_language_and_when_it_was_made() -> None:
    document = reading(report_of(groups=1, each=2))

    assert document.metadata is not None
    assert document.metadata.title == "Pricing — Frühjahr 2026: panel report"
    assert document.metadata.creation_date == datetime(2026, 11, 21, 14, 45, tzinfo=UTC)
    assert root(document)["/Lang"] == "en"
    assert root(document)["/ViewerPreferences"]["/DisplayDocTitle"]
    assert document.pages[0].mediabox.width == pytest.approx(595.28, abs=0.1)


def test_equal_reports_make_equal_files(tmp_path: Path) -> None:
    data = told(report_of(groups=2, each=4))

    assert write_pdf(data, tmp_path) == write_pdf(data, tmp_path)


def test_a_time_that_is_none_is_no_failure() -> None:
    assert pages(replace(empty_report(), generated_at="yesterday"))


def test_hostile_texts_are_text_and_nothing_in_them_is_active() -> None:
    document = reading(report_with(HOSTILE, kinds=KINDS[3:], panel="{nb} <b>*x*</b>"))
    text = " ".join(" ".join(page.extract_text().split()) for page in document.pages)

    assert "{nb} <b>*x*</b>" in text
    assert '<img src="http://evil.example/i.png">' in text
    assert all("/Annots" not in page and "/AA" not in page for page in document.pages)
    assert not {"/AA", "/Names", "/AcroForm"} & set(root(document))
    assert isinstance(root(document)["/OpenAction"], list)  # a place on a page, no action


def test_a_large_panel_is_complete() -> None:
    text = " ".join(pages(big_report()))

    assert len(re.findall("Too slow|Failed", text)) >= 80
    assert "200 AI personas asked" in text.replace("\xa0", " ")


def test_a_panel_that_was_asked_nothing_is_a_report_too() -> None:
    found = pages(empty_report())

    assert "Nothing was asked yet." in found[0]
    assert "Method and caveats" in found[-1]


TEXTS = st.text(max_size=80) | st.text(alphabet="a אسกำ价😀\u202e\u0301\u200d\n{nb}", max_size=80)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts=st.lists(TEXTS, min_size=1, max_size=3), panel=TEXTS, kinds=st.sets(st.sampled_from(range(4)), min_size=1))
def test_no_text_makes_it_fail(texts: list[str], panel: str, kinds: set[int]) -> None:
    found = pages(report_with(texts, kinds=[KINDS[number] for number in sorted(kinds)], panel=panel))

    assert "Method and caveats" in found[-1]
