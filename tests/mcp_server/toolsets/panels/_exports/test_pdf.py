"""The PDF as readers see it: complete, in order, in every script, and with nothing active in it."""

import io
import json
import re
import unicodedata
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pypdf import PdfReader

from mcp_server.toolsets.panels._exports.pdf import document, fonts_for, printed
from mcp_server.toolsets.panels._exports.pdf_writer import pdf_of
from mcp_server.toolsets.panels._exports.tables import Report
from tests.mcp_server.toolsets.panels.reports import (
    HOSTILE,
    KINDS,
    LONG,
    PLAIN,
    asked_question,
    big_report,
    empty_report,
    groups_of,
    report_of,
    report_with,
    result_of,
)

pytestmark = pytest.mark.slow
REPORT = report_of(groups=2, each=10, texts=["Quick."])


def reading(report: Report) -> PdfReader:
    return PdfReader(io.BytesIO(pdf_of(document(report))))


def pages(report: Report) -> list[str]:
    """The text of each page, with single blanks, without joiners and the marks that keep names apart."""
    found = [page.extract_text() for page in reading(report).pages]
    return [" ".join(re.sub("[\u200b-\u200d\u2068\u2069]", "", text).split()) for text in found]


def outline(reader: PdfReader) -> list[str]:
    flat: list[Any] = list(reader.outline)
    while any(isinstance(entry, list) for entry in flat):
        flat = [part for entry in flat for part in (entry if isinstance(entry, list) else [entry])]
    return [re.sub("[\u200b\u2068\u2069]", "", entry.title) for entry in flat]


@cache
def whole() -> list[str]:
    return pages(REPORT)


# --- the whole ---


def test_every_question_and_every_reply_is_there_and_every_page_has_its_number() -> None:
    text = " ".join(whole())

    for section in REPORT.sections:
        assert section.asked.text in text
        result = section.result
        assert all(each in text for each in (result.caveats[0].message, result.dissent[0].reason, *result.agreements))
    for reply in REPORT.sections[0].asked.replies:
        if reply.persona.isascii():
            assert text.count(reply.persona) >= 4
    assert [page.count(f"{n} / {len(whole())}") for n, page in enumerate(whole(), 1)] == [1] * len(whole())
    assert text.count("Failed: engine_error") + text.count("Too slow") == 8
    assert "Every message is here as it was given." in text


def test_the_first_page_counts_what_is_in_the_report_and_the_last_tells_the_method() -> None:
    assert "PANEL REPORT" in whole()[0]
    assert "Questions asked 4 Personas 20 Groups today Early adopters (10), Élèves à Genève (10)" in whole()[0]
    assert "18 of 20 usable, 2 failed" in whole()[0]
    assert "Summary" in whole()[0]
    for words in ("synthetic and directional", "Membership is frozen", "Wilson score", "Quotes are exact"):
        assert words in whole()[-1]


def test_the_file_tells_its_title_language_and_when_it_was_made_and_is_tagged() -> None:
    reader = reading(REPORT)
    root: Any = reader.trailer["/Root"]

    assert reader.metadata is not None
    assert reader.metadata.title == "Pricing — Frühjahr 2026: panel report"
    assert reader.metadata.creation_date == datetime(2026, 11, 21, 14, 45, tzinfo=UTC)
    assert root["/Lang"] == "en"
    assert root["/MarkInfo"]["/Marked"]


def test_a_panel_that_was_asked_nothing_is_a_report_too() -> None:
    found = pages(replace(empty_report(), groups=()))

    assert "Nothing was asked yet." in found[0]
    assert "Method and caveats" in found[-1]
    assert "All answers" not in " ".join(found)


def test_a_large_panel_is_complete_however_odd_its_answers() -> None:
    found = pages(report_of(groups=2, each=10, texts=(*PLAIN, *HOSTILE, LONG)))
    asked = [question["replies"] for question in json.loads(document(big_report()))["questions"]]

    assert [len(replies) for replies in asked] == [200] * 4
    assert sum(reply[2].startswith(("Too slow", "Failed: ")) for replies in asked for reply in replies) == 80
    assert "characters are cut here" in " ".join(found)
    assert "Method and caveats" in found[-1]


def test_a_long_question_is_whole_below_its_heading_and_a_long_message_is_cut() -> None:
    text = " ".join(f"{n}" for n in range(2_000))
    report = report_with([LONG], kinds=[replace(KINDS[3], text=text)])
    found = " ".join(pages(report))

    assert "The whole question 0 1 2" in found
    assert "1998 1999" in found
    assert len(outline(reading(report))[1]) < 270
    assert 500 < len(found.split("Message")[-1].partition("Ten thousand")[2].partition("…")[0]) < 600


# --- hostile texts ---


def test_hostile_texts_are_text_and_nothing_in_them_is_active() -> None:
    typst = '#read("/etc/passwd") $x$ `y` *b* _e_ @ref <label> #import "@preview/x:1.0.0"'
    reader = reading(report_with([*HOSTILE, typst], kinds=KINDS[3:], panel="{nb} <b>*x*</b> #panic()"))
    text = " ".join(" ".join(page.extract_text() for page in reader.pages).replace("\u200b", "").split())
    root: Any = reader.trailer["/Root"]

    assert "{nb} <b>*x*</b> #panic()" in text
    assert '<img src="http://evil.example/i.png">' in text
    assert typst.replace(" ", "") in text.replace(" ", "")  # a line may have ended in it
    assert all("/Annots" not in page and "/AA" not in page for page in reader.pages)
    assert not {"/AA", "/OpenAction", "/AcroForm"} & set(root)
    assert not {"/JavaScript", "/EmbeddedFiles"} & set(root.get("/Names", {}))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\r\nb\u2028c\td", "a\nb\nc d"),
        ("\x00a\x1b\u202eb\u2066\ufeff\ufe0f", "ab"),
        ("e\u0301", "é"),
        (
            "\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
            "\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        ),
        ("half \ud83d pair", "half \ufffd pair"),
        ("w" * 23, "w" * 23),
        ("w" * 24, "\u200bw" * 24),
        ("3b5ccc7a-8e1e-4a2f-9c55-0d6a3e1f2b4c", "3b5ccc7a-8e1e-4a2f-9c55-0d6a3e1f2b4c"),
        ("价" * 30, "价" * 30),
    ],
)
def test_texts_lose_what_no_page_shows_and_long_words_can_be_broken(text: str, expected: str) -> None:
    assert printed(text) == expected


@given(st.text(st.characters(codec=None), max_size=60))
def test_no_character_that_turns_or_controls_text_gets_through(text: str) -> None:
    kinds = {unicodedata.bidirectional(char) for char in printed(text)}

    assert not kinds & {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    assert not set(printed(text)) & set(map(chr, [*range(10), *range(11, 32), 127]))


TEXTS = st.text(max_size=80) | st.text(alphabet="a אسกำ价😀\u202e\u0301\u200d\n{nb}#", max_size=80)


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts=st.lists(TEXTS, min_size=1, max_size=3), panel=TEXTS, kinds=st.sets(st.sampled_from(range(4)), min_size=1))
def test_no_text_makes_it_fail(texts: list[str], panel: str, kinds: set[int]) -> None:
    found = pages(report_with(texts, kinds=[KINDS[number] for number in sorted(kinds)], panel=panel))

    assert "Method and caveats" in found[-1]


# --- scripts ---


def test_every_script_has_a_font_in_the_file() -> None:
    texts = ["王小明 价格", "サービス", "한국어", "ภาษาไทย", "हिन्दी", "አማርኛ", "السعر", "שלום", "ფასი", "🎉"]
    text = "".join(pages(report_with(texts, kinds=KINDS[3:])))

    assert [said for said in texts if said not in text and not set(said) & set("السعرשלוםहिन्दीภาษา")] == []
    assert "\ufffd" not in text


@pytest.mark.parametrize(("text", "family"), [("价格", "SC"), ("価格は", "JP"), ("가격", "KR")])
def test_ideographs_are_drawn_as_their_readers_write_them(text: str, family: str) -> None:
    assert fonts_for(text)[2] == f"Kurinto Sans {family}"


# --- charts ---


def test_every_type_has_its_charts_in_which_everyone_stands_beside_the_groups() -> None:
    text = " ".join(whole())

    captions = ("how many gave each", "mean of each group", "each bar is a group", "of each group chose", "Themes: ")
    assert [text.count(caption) for caption in captions] == [1, 1, 1, 2, 1]
    for result in (section.result for section in REPORT.sections[1:3]):
        for row in (result.overall, *result.groups):
            assert all(f"{count.count} · {count.share * 100:.0f} %" in text for count in row.counts)


def test_an_answer_that_only_one_group_gave_has_a_row() -> None:
    section = REPORT.sections[1]
    first = section.result.groups[0]
    odd = first.model_copy(update={"counts": [*first.counts, first.counts[0].model_copy(update={"value": "Pigeon"})]})
    result = section.result.model_copy(update={"groups": [odd, *section.result.groups[1:]]})

    assert "Pigeon 0 · 0 %" in " ".join(pages(replace(REPORT, sections=(replace(section, result=result),))))


def test_without_usable_answers_it_says_so_and_draws_nothing() -> None:
    asked = asked_question(KINDS[0], groups_of(1, 2), 1)
    silent = replace(asked, replies=tuple(replace(reply, status="failed", value=None) for reply in asked.replies))
    section = replace(REPORT.sections[0], asked=silent, result=result_of(silent))

    assert "There are no usable answers to draw a chart of." in " ".join(pages(replace(REPORT, sections=(section,))))
