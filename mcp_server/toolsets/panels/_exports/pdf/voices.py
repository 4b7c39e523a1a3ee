"""What was said: themes and quotes, what groups agree on and differ in, and who sees it otherwise."""

from collections.abc import Iterator

from mcp_server.toolsets.panels._exports.pdf import look
from mcp_server.toolsets.panels._exports.pdf.blocks import Block, Frame, bullets, heading, paragraph
from mcp_server.toolsets.panels._exports.pdf.breaking import cut
from mcp_server.toolsets.panels._exports.pdf.directions import apart
from mcp_server.toolsets.panels._exports.pdf.shares import shown_themes
from mcp_server.toolsets.panels._exports.pdf.sheet import Sheet
from mcp_server.toolsets.panels._exports.pdf.tables import Column, Row, table
from mcp_server.toolsets.panels._exports.pdf.words import plural
from mcp_server.toolsets.panels._exports.phrases import NONE, shown, span
from mcp_server.toolsets.panels._percent import percent
from mcp_server.toolsets.panels._results import Difference, QuestionResult, Quote, Theme, Voice

QUOTE_AT_MOST = 600
CLEAR_AT_MOST, UNCLEAR_AT_MOST = 15, 5
"""Comparisons that are listed: groups that do not differ need no long list."""
FURTHER = "Further themes, each with how many personas speak of it:"
BESIDE = Frame(x=look.LEFT + 4, width=look.WIDTH - 4, bar=look.BAR)
ITALIC = look.BODY.but(face="I")


def voices(sheet: Sheet, result: QuestionResult) -> Iterator[Block]:
    yield from _themes(sheet, result)
    yield from _quotes(sheet, result.quotes)
    yield from _list(sheet, "Agreements", result.agreements)
    yield from _list(sheet, "Disagreements", result.disagreements)
    yield from _differences(sheet, result.differences)
    yield from _dissent(sheet, result.dissent)


def _themes(sheet: Sheet, result: QuestionResult) -> Iterator[Block]:
    shown_ones, rest = shown_themes(result)
    if shown_ones:
        yield heading(sheet, "Themes", level=2)
    for theme in shown_ones:
        yield from _theme(sheet, theme)
    if rest:
        named = "; ".join(f"{apart(theme.label)} ({theme.count})" for theme in rest)
        yield from paragraph(sheet, f"{FURTHER} {named}.", look.NOTE, gap=3)


def _theme(sheet: Sheet, theme: Theme) -> Iterator[Block]:
    told = f"{apart(theme.label)}  ·  {plural(theme.count, 'persona')}, {percent(theme.share)}"
    yield from paragraph(sheet, told, look.BODY.but(face="B"), gap=3, keep=True)
    groups = "  ·  ".join(f"{apart(own.group)}: {own.count} of {own.n}" for own in theme.by_group)
    yield from paragraph(sheet, groups, look.NOTE, gap=0.3, keep=theme.quote is not None) if groups else ()
    others = [label for label in theme.original_labels if label != theme.label]
    if others:
        merged = f"Merged from: {'; '.join(others)}"
        yield from paragraph(sheet, cut(merged, QUOTE_AT_MOST), look.NOTE, gap=0.3, keep=theme.quote is not None)
    if theme.quote is not None:
        yield from quotation(sheet, theme.quote.text, who(theme.quote))


def _quotes(sheet: Sheet, quotes: list[Quote]) -> Iterator[Block]:
    if quotes:
        yield heading(sheet, "In their own words", level=2)
    for quote in quotes:
        yield from quotation(sheet, quote.text, who(quote))


def quotation(sheet: Sheet, text: str, said_by: str) -> Iterator[Block]:
    """Somebody's own words, and below them whose they are."""
    yield from paragraph(sheet, f"“{cut(text, QUOTE_AT_MOST)}”", ITALIC, gap=1.8, frame=BESIDE, keep=True)
    yield from paragraph(sheet, f"— {said_by}", look.NOTE, gap=0, frame=BESIDE)


def who(said: Quote | Voice) -> str:
    return f"{apart(said.persona)} ({apart(said.group)})"


def _list(sheet: Sheet, title: str, texts: list[str]) -> Iterator[Block]:
    if texts:
        yield heading(sheet, title, level=2)
        yield from bullets(sheet, texts)


# --- between groups ---


def _differences(sheet: Sheet, differences: list[Difference]) -> Iterator[Block]:
    """The clear ones first."""
    if not differences:
        return
    ranked = sorted(differences, key=lambda told: (not told.clear, -abs(told.difference)))
    yield heading(sheet, "Differences between groups", level=2)
    columns = [
        Column("Groups", 62),
        Column("Of", 40),
        Column("Difference", 22, "R"),
        Column("95 % interval", 32, "R"),
        Column("Clear", 16, "R"),
    ]
    listed = min(CLEAR_AT_MOST, max(UNCLEAR_AT_MOST, sum(told.clear for told in differences)))
    yield from table(sheet, columns, [_difference(told) for told in ranked[:listed]], gap=1)
    if rest := ranked[listed:]:
        clear = sum(told.clear for told in rest)
        more = f"{plural(len(rest), 'more comparison')}, {clear or 'none'} of them clear: the other formats list them."
        yield from paragraph(sheet, more, look.NOTE)


def _difference(told: Difference) -> Row:
    mean = told.measure == "mean"
    figure = shown(told.difference) if mean else percent(told.difference)
    interval = span(told.interval) if mean else span(told.interval, share=True)
    sign = "+" if told.difference > 0 else ""
    return Row(
        [
            f"{apart(told.first)} {NONE} {told.second}",
            told.measure,
            sign + figure,
            interval,
            "yes" if told.clear else "no",
        ]
    )


def _dissent(sheet: Sheet, dissent: list[Voice]) -> Iterator[Block]:
    if dissent:
        yield heading(sheet, "Dissenting voices", level=2)
    for voice in dissent:
        told = f"{who(voice)}: {voice.value}"
        yield from paragraph(sheet, told, look.BODY.but(face="B"), gap=2.5, keep=True)
        yield from paragraph(sheet, voice.reason, look.NOTE, gap=0.2, keep=voice.quote is not None)
        if voice.quote is not None:
            text = f"“{cut(voice.quote, QUOTE_AT_MOST)}”"
            yield from paragraph(sheet, text, ITALIC, gap=1.2, frame=BESIDE)
