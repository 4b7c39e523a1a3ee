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
from mcp_server.toolsets.panels._exports.plain import moment, one_line, shortened
from mcp_server.toolsets.panels._exports.tables import Table
from mcp_server.toolsets.panels._percent import percent
from mcp_server.toolsets.panels._report import Report, Section
from mcp_server.toolsets.panels._results import Difference, QuestionResult, Quote, Theme, Voice
from mcp_server.toolsets.panels._study import Reply

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
"""For a report that does not say when it was made: equal reports make equal files."""

TITLE_AT_MOST, HEADING_AT_MOST, SUMMARY_AT_MOST = 160, 260, 220
QUESTION_AT_MOST, MESSAGE_AT_MOST = 12_000, 600
CLEAR_AT_MOST, UNCLEAR_AT_MOST = 15, 5
"""Comparisons that are listed: groups that do not differ need no long list."""

THEMES_AT_LEAST, THEMES_AT_MOST = 6, 12
"""Themes that are shown with charts and quotes. Those of one persona each only fill up what several left."""

NOTHING = "no usable answers"
SILENT = "There are no usable answers to draw a chart of."
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
    yield {"kind": "cover", "title": shortened(report.panel, TITLE_AT_MOST) or "Panel"}
    if report.partial:
        yield {"kind": "callout", "items": [PARTIAL]}
    groups = tuple(replace(group, name=isolated(group.name)) for group in report.groups)
    yield _listed(facts(replace(report, groups=groups)))
    yield from _summary(report)
    for number, section in enumerate(report.sections, 1):
        yield from _question(number, section)
    if report.sections:
        yield from _answers(report)
    yield from _method(report)


def _summary(report: Report) -> Iterator[Block]:
    yield heading("Summary", 1)
    if not report.sections:
        yield paragraph(NO_QUESTIONS)
    for number, section in enumerate(report.sections, 1):
        result = section.result
        yield paragraph(f"{number}. {isolated(shortened(result.question, SUMMARY_AT_MOST))}", "bold", sticky=True)
        yield note(joined([phrases.type_of(result), phrases.standing(result.overall)]), sticky=True)
        yield {"kind": "headlines", "scale": result.scale_range, "rows": _side_by_side(result)}
        for text in (result.disagreements or result.agreements)[:1]:
            yield note(f"→ {shortened(text, SUMMARY_AT_MOST)}")


def _side_by_side(result: QuestionResult) -> list[Block]:
    """Whom charts show, with their figures: everyone and each group; a single group alone, since that is everyone."""
    points = phrases.points_of(result) if result.type == "scale" else []
    rows = []
    for row in result.groups if len(result.groups) == 1 else phrases.summaries(result):
        mean = f"{phrases.shown(row.scale.mean)} ({phrases.span(row.scale.interval)})" if row.scale else NOTHING
        value = f"mean {phrases.shown(row.scale.mean)}" if row.scale else row.value
        shown = {
            "name": phrases.name_of(row),
            "value": shortened(value if row.n and value is not None else NOTHING, SUMMARY_AT_MOST),
            "mean": mean,
            "ranges": phrases.ranges(points, row.counts),
        }
        rows.append({**row.model_dump(include={"group", "n", "scale", "counts"}), **shown})
    return rows


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
    if result.overall.n:
        themes = [theme.model_dump() for theme in shown_themes(result)[0]]
        scale, rows = result.scale_range, _side_by_side(result)
        yield {"kind": "charts", "type": result.type, "scale": scale, "rows": rows, "themes": themes}
    else:
        yield note(SILENT)
    yield from _themes(result)
    yield from _words(result)


def _words(result: QuestionResult) -> Iterator[Block]:
    if result.quotes:
        yield heading("In their own words", 2)
        yield from (quotation(quote.text, _who(quote)) for quote in result.quotes)
    for title, texts in (("Agreements", result.agreements), ("Disagreements", result.disagreements)):
        if texts:
            yield heading(title, 2)
            yield {"kind": "bullets", "items": texts}
    yield from _differences(result.differences)
    if result.dissent:
        yield heading("Dissenting voices", 2)
    for voice in result.dissent:
        yield paragraph(f"{_who(voice)}: {isolated(voice.value)}", "bold", sticky=True)
        yield note(voice.reason, sticky=voice.quote is not None)
        if voice.quote is not None:
            yield quotation(voice.quote, None)


def shown_themes(result: QuestionResult) -> tuple[list[Theme], list[Theme]]:
    """The themes that are shown, and the rest, which is only named: a list of single voices hides what is common."""
    several = sum(theme.count > 1 for theme in result.themes)
    end = max(THEMES_AT_LEAST, min(THEMES_AT_MOST, several))
    return result.themes[:end], result.themes[end:]


def _themes(result: QuestionResult) -> Iterator[Block]:
    several, rest = shown_themes(result)
    if several:
        yield heading("Themes", 2)
    for theme in several:
        title = f"{isolated(theme.label)}  ·  {plural(theme.count, 'persona')}, {percent(theme.share)}"
        yield paragraph(title, "bold", sticky=True)
        if theme.by_group:
            shares = [f"{isolated(own.group)}: {own.count} of {own.n}" for own in theme.by_group]
            yield note("  ·  ".join(shares), sticky=True)
        if others := [label for label in theme.original_labels if label != theme.label]:
            yield note(shortened(f"Merged from: {'; '.join(others)}", MESSAGE_AT_MOST), sticky=True)
        if theme.quote is not None:
            yield quotation(theme.quote.text, _who(theme.quote))
    if rest:
        labels = "; ".join(f"{isolated(theme.label)} ({theme.count})" for theme in rest)
        yield note(f"{MORE_THEMES} {labels}.")


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
