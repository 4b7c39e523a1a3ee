"""The PDF holds the report's text in many scripts, and says so where a letter is missing."""

import io
from pathlib import Path

import pytest
from pypdf import PdfReader

from app.internal_api.panels.output import study_output
from app.internal_api.panels.reports.pdf import MISSING, PLAIN, Page, add_fonts, right_to_left, shown, write_pdf
from tests.app.internal_api.panels.reports.reports import report
from tests.app.internal_api.panels.rows import answer, answers, question


def text_of(data: bytes) -> str:
    return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(data)).pages)


def test_figures_quotes_failures_and_caveats_are_there() -> None:
    text = text_of(write_pdf(report()))

    for part in ("Pricing", "1. How likely?", "Mean 4.5 (n = 2, 1 failed)", "(50%)", "It costs too much."):
        assert part in text
    for part in ("Did not answer: Mind 2", "Method and caveats", "1 / "):
        assert part in text


def test_many_scripts_have_their_letters() -> None:
    said = "naïve Πόσο Как мало ქართული ไทย Tiếng Việt €5 → ✓"

    text = text_of(write_pdf(report(study_output(question(), [answer("Price", message=said)]))))

    assert MISSING not in text
    for word in ("naïve", "Πόσο", "Как", "ქართული", "Việt", "€5"):
        assert word in text


def test_a_letter_that_no_font_has_is_marked_and_explained() -> None:
    text = text_of(write_pdf(report(study_output(question(text="价格?"), answers("Price")))))

    assert f"1. {MISSING}{MISSING}?" in text
    assert "Letters that the fonts of this file do not have" in text


def test_a_long_report_has_many_numbered_pages() -> None:
    many = [answer("Price", position=number, message="A long answer. " * 40) for number in range(30)]

    pages = PdfReader(io.BytesIO(write_pdf(report(study_output(question(), many), kind="raw_data")))).pages

    assert len(pages) > 2
    assert f"{len(pages)} / {len(pages)}" in pages[-1].extract_text()


def test_words_that_a_pdf_writer_could_take_for_its_own_are_words() -> None:
    said = answer("Price", message="{nb} **bold** [a](1) \x07\ue000\ue000\ue000\ue000")

    text = text_of(write_pdf(report(study_output(question(), [said]))))

    assert "{nb} **bold** [a](1)" in text


@pytest.mark.parametrize(
    ("text", "runs_left"),
    [
        ("Price", False),
        ("\u05de\u05d7\u05d9\u05e8", True),
        ("12 \u0645", True),
        ("12", False),
        ("\u2068\u0645\u2069 (n)", False),
    ],
)
def test_the_first_letter_decides_the_direction(text: str, runs_left: bool) -> None:
    assert right_to_left(text) is runs_left


@pytest.mark.parametrize(
    ("text", "plain"), [("naïve\n\u03a0\u03cc\u03c3\u03bf Как “a” €", True), ("\u0645", False), ("e\u0301", False)]
)
def test_only_what_joins_its_letters_is_shaped(text: str, plain: bool) -> None:
    assert (PLAIN.fullmatch(text) is not None) is plain


def test_signs_that_are_no_letters_are_not_shown() -> None:
    assert shown("a\tb\x00c\ue000\ud800\nd", frozenset(map(ord, "abcd "))) == "a bc\nd"


def test_the_fonts_know_their_letters(tmp_path: Path) -> None:
    page = Page()

    known = add_fonts(page, tmp_path)
    page.output()  # closes the files

    assert set(map(ord, "aЖωשع\u2068")) <= known
