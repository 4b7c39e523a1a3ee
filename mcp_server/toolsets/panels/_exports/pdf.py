"""The PDF report as a list of blocks: what is in it and in which order. `report.typ` says how each kind looks."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from mcp_server.toolsets.panels._aggregation.reading import failure
from mcp_server.toolsets.panels._exports import phrases, tables
from mcp_server.toolsets.panels._exports.methods import PARTIAL, caveats, facts, methods
from mcp_server.toolsets.panels._exports.pdf_blocks import (
    Block,
    cut,
    fonts_for,
    heading,
    isolated,
    joined,
    note,
    paragraph,
    plural,
    printable,
    quotation,
    table,
)
from mcp_server.toolsets.panels._exports.pdf_charts import (
    NOTHING,
    charts,
    named,
    part_of_scale,
    shown_themes,
    side_by_side,
)
from mcp_server.toolsets.panels._exports.plain import moment, one_line, shortened
from mcp_server.toolsets.panels._exports.tables import Table
from mcp_server.toolsets.panels._percent import percent
from mcp_server.toolsets.panels._report import Report, Section
from mcp_server.toolsets.panels._results import Difference, QuestionResult, Quote, Summary, Theme, Voice
from mcp_server.toolsets.panels._study import Reply

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
"""For a report that does not say when it was made: equal reports make equal files."""

TITLE_AT_MOST, HEADING_AT_MOST, SUMMARY_AT_MOST = 160, 260, 220
QUESTION_AT_MOST, MESSAGE_AT_MOST = 12_000, 600
CLEAR_AT_MOST, UNCLEAR_AT_MOST = 15, 5
"""Comparisons that are listed: groups that do not differ need no long list."""

NO_QUESTIONS = "Nothing was asked yet."
MORE_THEMES = "Further themes, each with how many personas speak of it:"
CUT = (
    f"Messages of more than {MESSAGE_AT_MOST} characters are cut here, which an ellipsis shows. The other formats of "
    "this export hold every message as it was given."
)
WHOLE = "Every message is here as it was given."
DIRECTIONAL = (
    "The results are synthetic and directional. They show which views are plausible and how they are argued, not how "
    "common a view is among people. With fewer than 10 answers in a group, its figures are no more than a hint."
)
FROZEN = (
    "Membership is frozen: who belonged to a group was recorded when a question was asked. Personas that joined or "
    "left later change no figure here. A persona in several groups counts in each of them, and once in Everyone."
)
LACKING = (
    "Characters that the fonts here lack, and long messages, are whole in the other formats of this export. Quotes are "
    "exact parts of answers."
)
PAGE_BREAK: Block = {"kind": "pagebreak"}


def document(report: Report) -> bytes:
    """All that the template reads, as JSON."""
    report = printable(report)
    made = {
        "title": shortened(report.panel, TITLE_AT_MOST) or "Panel",
        "description": "Answers of AI personas: figures, charts, themes and quotes",
        "created": int((moment(report.generated_at) or EPOCH).timestamp()),
        "blocks": list(_blocks(report)),
    }
    fonts = fonts_for(json.dumps(made, ensure_ascii=False))
    return json.dumps({**made, "fonts": fonts}, ensure_ascii=False).encode()


def _blocks(report: Report) -> Iterator[Block]:
    yield from _cover(report)
    yield from _summary(report)
    for number, section in enumerate(report.sections, 1):
        yield from _question(number, section)
    if report.sections:
        yield from _answers(report)
    yield from _method(report)


def _cover(report: Report) -> Iterator[Block]:
    yield {"kind": "cover", "title": shortened(report.panel, TITLE_AT_MOST) or "Panel"}
    if report.partial:
        yield {"kind": "callout", "items": [PARTIAL]}
    groups = tuple(replace(group, name=isolated(group.name)) for group in report.groups)
    yield _listed(facts(replace(report, groups=groups)))


def _summary(report: Report) -> Iterator[Block]:
    yield heading("Summary", 1)
    if not report.sections:
        yield paragraph(NO_QUESTIONS)
    for number, section in enumerate(report.sections, 1):
        result = section.result
        yield paragraph(f"{number}. {isolated(shortened(result.question, SUMMARY_AT_MOST))}", "bold", sticky=True)
        yield note(joined([phrases.type_of(result), phrases.standing(result.overall)]), sticky=True)
        rows = [
            {**named(row), "value": shortened(_headline(row), SUMMARY_AT_MOST), "share": part_of_scale(result, row)}
            for row in side_by_side(result)
        ]
        yield {"kind": "headlines", "rows": rows}
        for text in (result.disagreements or result.agreements)[:1]:
            yield note(f"→ {shortened(text, SUMMARY_AT_MOST)}")


def _headline(row: Summary) -> str:
    if not row.n or row.value is None:
        return NOTHING
    return f"mean {phrases.shown(row.scale.mean)}" if row.scale else row.value


# --- one question ---


def _question(number: int, section: Section) -> Iterator[Block]:
    result, text = section.result, one_line(section.result.question)
    yield PAGE_BREAK
    yield heading(f"{number}. {isolated(shortened(text, HEADING_AT_MOST))}", 1)
    yield note(joined(phrases.circumstances(result)))
    if len(text) > HEADING_AT_MOST:
        yield paragraph("The whole question", "bold", sticky=True)
        yield paragraph(cut(result.question, QUESTION_AT_MOST))
    yield table(tables.groups(result), strong=True)
    if said := list(dict.fromkeys([*(caveat.message for caveat in result.caveats), *section.asked.notes])):
        yield {"kind": "callout", "items": said}
    yield from charts(result)
    yield from _themes(result)
    if result.quotes:
        yield heading("In their own words", 2)
        yield from (quotation(quote.text, _who(quote)) for quote in result.quotes)
    for title, texts in (("Agreements", result.agreements), ("Disagreements", result.disagreements)):
        if texts:
            yield heading(title, 2)
            yield {"kind": "bullets", "items": texts}
    yield from _differences(result.differences)
    yield from _dissent(result.dissent)


def _themes(result: QuestionResult) -> Iterator[Block]:
    several, rest = shown_themes(result)
    if several:
        yield heading("Themes", 2)
    for theme in several:
        yield from _theme(theme)
    if rest:
        labels = "; ".join(f"{isolated(theme.label)} ({theme.count})" for theme in rest)
        yield note(f"{MORE_THEMES} {labels}.")


def _theme(theme: Theme) -> Iterator[Block]:
    title = f"{isolated(theme.label)}  ·  {plural(theme.count, 'persona')}, {percent(theme.share)}"
    yield paragraph(title, "bold", sticky=True)
    if theme.by_group:
        yield note(
            "  ·  ".join(f"{isolated(own.group)}: {own.count} of {own.n}" for own in theme.by_group), sticky=True
        )
    if others := [label for label in theme.original_labels if label != theme.label]:
        yield note(shortened(f"Merged from: {'; '.join(others)}", MESSAGE_AT_MOST), sticky=True)
    if theme.quote is not None:
        yield quotation(theme.quote.text, _who(theme.quote))


def _differences(found: Sequence[Difference]) -> Iterator[Block]:
    """The clear ones first."""
    if not found:
        return
    ranked = sorted(found, key=lambda one: (not one.clear, -abs(one.difference)))
    listed = min(CLEAR_AT_MOST, max(UNCLEAR_AT_MOST, sum(one.clear for one in found)))
    yield heading("Differences between groups", 2)
    yield table(tables.differences(ranked[:listed]))
    if rest := ranked[listed:]:
        clear = sum(one.clear for one in rest)
        more = f"{plural(len(rest), 'more comparison')}, {clear or 'none'} of them clear: the other formats list them."
        yield note(more)


def _dissent(voices: Sequence[Voice]) -> Iterator[Block]:
    if voices:
        yield heading("Dissenting voices", 2)
    for voice in voices:
        yield paragraph(f"{_who(voice)}: {isolated(voice.value)}", "bold", sticky=True)
        yield note(voice.reason, sticky=voice.quote is not None)
        if voice.quote is not None:
            yield quotation(voice.quote, None)


def _who(said: Quote | Voice) -> str:
    return f"{isolated(said.persona)} ({isolated(said.group)})"


# --- the last pages ---


def _answers(report: Report) -> Iterator[Block]:
    """What everybody answered, compact."""
    messages = [_message(reply) for section in report.sections for reply in section.asked.replies]
    yield PAGE_BREAK
    yield heading("All answers", 1)
    yield note(CUT if any(len(message) > MESSAGE_AT_MOST for message in messages) else WHOLE)
    for number, section in enumerate(report.sections, 1):
        rows = [_answer(reply) for reply in phrases.ordered(section.asked)]
        yield heading(f"{number}. {isolated(shortened(section.asked.text, TITLE_AT_MOST))}", 2)
        yield table(Table(["Group", "Persona", "Answer", "Message"], rows), widths=(27, 30, 25, 92), prose=3)


def _answer(reply: Reply) -> list[str]:
    who = [reply.persona, *([reply.discipline] if reply.discipline and reply.discipline != reply.persona else [])]
    value = reply.value or phrases.NONE
    if reply.status != "answered":
        status, reason = phrases.STATUSES[reply.status], one_line(failure(reply))
        value = f"{status}: {reason}" if reason and reason != status.lower() else status
    return [reply.group, "\n".join(who), value, cut(_message(reply), MESSAGE_AT_MOST)]


def _message(reply: Reply) -> str:
    """Without blank lines, which cost room."""
    return "\n".join(line for line in reply.message.split("\n") if line.strip())


def _method(report: Report) -> Iterator[Block]:
    """How the figures came about, and what they can and cannot carry."""
    yield PAGE_BREAK
    yield heading("Method and caveats", 1)
    entries = [("Directional", DIRECTIONAL), *methods(report), ("Groups", FROZEN), ("What is shown", LACKING)]
    yield _listed(entries)
    if beware := caveats(report):
        yield heading("Read with care", 2)
        yield _listed(beware)


def _listed(entries: Sequence[tuple[str, str]]) -> Block:
    return table(Table([], entries), widths=(36, 138))
