"""The PDF holds the report's text in many scripts."""

import io

from pypdf import PdfReader

from app.internal_api.panels.output import study_output
from app.internal_api.panels.report_pdf import write_pdf
from tests.app.internal_api.panels.reports import report
from tests.app.internal_api.panels.rows import answer, answers, question


def text_of(data: bytes) -> str:
    return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(data)).pages)


def test_figures_quotes_failures_and_caveats_are_there() -> None:
    text = text_of(write_pdf(report()))

    for part in ("Pricing", "1. How likely?", "Mean 4.5 (n = 2, 1 failed)", "50%", "It costs too much."):
        assert part in text
    for part in ("Did not answer: Mind 2", "Method and caveats"):
        assert part in text


def test_many_scripts_have_their_letters_and_signs_of_the_writer_are_words() -> None:
    said = answer("Price", message="naïve Πόσο Как ქართული Việt €5 → ✓ 价格 価格 가격\n{nb} **bold** [a](1) \x07")

    text = text_of(write_pdf(report(study_output(question(), [said]))))

    for word in ("naïve", "Πόσο", "Как", "ქართული", "Việt", "€5", "价格", "価格", "가격", "{nb} **bold** [a](1)"):
        assert word in text


def test_a_long_report_has_many_numbered_pages_and_the_longest_label_fits_on_one() -> None:
    many = [answer("Price", position=number, message="A long answer. " * 40) for number in range(30)]
    label = study_output(question(), answers("price " * 5_000))

    pages = PdfReader(io.BytesIO(write_pdf(report(study_output(question(), many), label, kind="raw_data")))).pages

    assert len(pages) > 2
    assert pages[-1].extract_text().rstrip().endswith(str(len(pages)))
