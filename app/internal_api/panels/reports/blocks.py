"""A report as headings, paragraphs, bars and quotes: what Markdown and PDF are both written from. Pure."""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from app.internal_api.models.outputs import AudienceOutput, PersonaAnswer, Share, StudyOutputData
from app.internal_api.panels.figures import number
from app.internal_api.panels.reports.report import Report, quoted, unanswered

SMALL = 10
"""Answers of a group below which its figures may be chance."""
MOST_BARS = 25
"""Of longer distributions, what nobody chose is left out."""
TITLES = {"executive_brief": "Executive brief", "full_report": "Full report", "raw_data": "All answers"}
METHOD = """
The answers were written by AI personas, not by people. They show what may matter and why; they are directional, and \
say nothing about how frequent an opinion is among people. Confirm with people what a decision rests on.
Each persona answered on its own, as a member of the groups that it belonged to when the question was asked. Means \
and shares stand on the usable answers (n); personas that failed or were too slow are counted beside them. The \
standard deviation is that of a sample.
Labels of open answers were merged where they differ only in case, accents or word endings. An answer may name \
several options or themes, so that those shares add up to more than 100 %.
"""


@dataclass(frozen=True, slots=True)
class Heading:
    """`level` 1 is the title."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str


@dataclass(frozen=True, slots=True)
class Bars:
    """A distribution."""

    shares: tuple[Share, ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """What somebody said, word for word."""

    speaker: str
    text: str


Block = Heading | Paragraph | Bars | Quote


def blocks(report: Report) -> Iterator[Block]:
    """The whole report, in order."""
    yield Heading(1, report.study)
    yield Paragraph(overview(report))
    if report.unfinished:
        yield Paragraph(f"Not completed: {report.unfinished} of the questions. Their figures are those so far.")
    for place, question in enumerate(report.questions, start=1):
        yield Heading(2, f"{place}. {question.title}")
        yield from _question(report, question)
    yield Heading(2, "Method and caveats")
    for text in METHOD.strip().splitlines():
        yield Paragraph(text)
    yield from _engines(report)


def overview(report: Report) -> str:
    """What it is, of how much, and when it was made."""
    groups = [group for question in report.questions for group in question.audiences]
    usable, failed = sum(group.n for group in groups), sum(group.failed for group in groups)
    made = f"{report.generated_at[:16].replace('T', ' ')} UTC"
    counts = f"Questions: {len(report.questions)}. Usable answers: {usable}. Failed: {failed}."
    return f"{TITLES[report.kind]}, made {made}. {counts}"


def headline(group: AudienceOutput) -> str:
    """The group's value with all that belongs beside it."""
    failed = f", {group.failed} failed" if group.failed else ""
    if not group.n:
        return f"No usable answer (n = 0{failed})."
    told = f"{isolated(group.value)} (n = {group.n}{failed})"
    if group.stats is None:
        return f"{told}."
    deviation = "" if group.stats.sd is None else f", standard deviation {number(group.stats.sd)}"
    return f"Mean {told}. Median {number(group.stats.median)}{deviation}."


def isolated(text: str) -> str:
    """Text that may run from right to left, so that what stands beside it keeps its place."""
    directions = {unicodedata.bidirectional(sign) for sign in text}
    return f"\u2068{text}\u2069" if directions & {"R", "AL"} else text


def attributed(answer: PersonaAnswer) -> str:
    """Who answered what, in short."""
    name = isolated(answer.persona)
    who = f"{name} ({isolated(answer.discipline)})" if answer.discipline else name
    return f"{who}: {isolated(answer.value)}" if answer.value else who


def _question(report: Report, question: StudyOutputData) -> Iterator[Block]:
    yield Paragraph(f"{_asked_for(question)} Asked {question.asked_at[:16].replace('T', ' ')} UTC.")
    if report.kind != "executive_brief":
        for category in question.category_codebook:
            label, merged = isolated(category.label), _listed(category.original_labels)
            yield Paragraph(f"Theme: {label} ({category.count}). Said as: {merged}.")
    for group in question.audiences:
        yield Heading(3, group.audience)
        yield from _group(report, group)


def _group(report: Report, group: AudienceOutput) -> Iterator[Block]:
    yield Paragraph(headline(group))
    if group.n and group.distribution:  # words without a theme have nothing to draw
        yield Bars(tuple(share for share in group.distribution if share.count or len(group.distribution) <= MOST_BARS))
    if 0 < group.n < SMALL:
        yield Paragraph(f"Caution: fewer than {SMALL} answers. One more could change the picture.")
    for answer in quoted(report, group):
        yield Quote(attributed(answer), answer.message)
    missing = [f"{isolated(answer.persona)} ({answer.error_code or answer.status})" for answer in unanswered(group)]
    if missing and report.kind != "executive_brief":
        yield Paragraph(f"Did not answer: {', '.join(missing)}.")


def _asked_for(question: StudyOutputData) -> str:
    options = _listed(question.classification.options or ())
    match question.type:
        case "scale":
            low, high = question.classification.scale_range or (None, None)
            return "A number." if low is None else f"A whole number from {low} to {high}."
        case "categorical":
            return f"One of: {options}."
        case "multiselect":
            return f"Any of: {options}."
        case _:
            return "In their own words."


def _listed(texts: Iterable[str]) -> str:
    return ", ".join(isolated(text) for text in texts)


def _engines(report: Report) -> Iterator[Block]:
    engines = list(dict.fromkeys(question.engine for question in report.questions if question.engine))
    if engines:
        yield Paragraph(f"Answers were written by: {', '.join(engines)}.")
