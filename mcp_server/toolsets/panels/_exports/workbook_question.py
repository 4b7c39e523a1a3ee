"""The sheet of one question: its figures, its chart, what was said, and every reply."""

from collections.abc import Callable, Mapping, Sequence

from mcp_server.toolsets.panels import _results as results
from mcp_server.toolsets.panels._exports import phrases
from mcp_server.toolsets.panels._exports.data import REPLY_COLUMNS
from mcp_server.toolsets.panels._exports.phrases import shortened
from mcp_server.toolsets.panels._exports.workbook_charts import Figures
from mcp_server.toolsets.panels._exports.workbook_page import Book, Cell, Page, line, share
from mcp_server.toolsets.panels._study import Reply

Columns = Mapping[str, Callable[[results.Section, Reply], Cell]]

COLUMNS: Columns = {
    **{name: cell for name, cell in REPLY_COLUMNS.items() if name != "Full response"},
    "Persona id": lambda _, reply: line(reply.persona_id) if reply.persona_id else None,
    "Status": lambda _, reply: phrases.STATUSES[reply.status],
    "Error": lambda _, reply: reply.error,
    "Full response": lambda _, reply: reply.message,
}
"""The table of replies. Behind the whole response, whose width disturbs nothing there, stand attributes."""

STANDING = (*phrases.STANDING, "sentiment")
WIDTHS = (34, *[14] * 13, 80, *[16] * 30)
LAST = 13
NEARLY_ALL = 0.8
MOST_IN_CHART = 30  # entries beyond which a chart cannot be read

CROWDED = 160  # columns or bars beyond which a chart shows everyone instead of each group


def write_question(book: Book, sheet: str, number: int, section: results.Section, columns: Columns) -> None:
    """Write the whole sheet, whose first two rows stay in sight."""
    result, page = section.result, Page(book, sheet, WIDTHS, last=LAST)
    page.title(f"Q{number}. {shortened(result.question, page.TITLE)}")
    page.note(" · ".join([*phrases.circumstances(result), *section.asked.notes]))
    page.sheet.freeze_panes(2, 0)
    if len(result.question) > page.TITLE:
        page.note(result.question, "text")
    _write_groups(page, result)
    if result.type == "qualitative":
        _write_themes(page, result)
    else:
        _write_distribution(page, result)
    _write_differences(page, result.differences)
    _write_words(page, result)
    page.heading("All answers")
    page.filtered(f"Question{number}", columns, reply_rows(section, columns))


def _write_groups(page: Page, result: results.QuestionResult) -> None:
    everyone = phrases.summaries(result)
    page.heading("Who answered")
    page.table(
        ["Group", *phrases.STANDING.values(), "Sentiment", "Headline"],
        [[phrases.name_of(one), *(getattr(one, field) for field in STANDING), _headline(one)] for one in everyone],
    )
    if any(one.scale for one in everyone):
        page.heading("Figures")
        page.table(
            ["Group", "n", "Mean", "95 % from", "95 % to", "Median", "SD", "Lowest", "Highest"],
            [[phrases.name_of(one), one.n, *_scale_cells(one)] for one in everyone],
        )


def _headline(one: results.Summary) -> Cell:
    headline = phrases.headline(one)
    return line(headline) if isinstance(headline, str) else headline


def _scale_cells(summary: results.Summary) -> list[Cell]:
    facts = summary.scale
    if facts is None:
        return []
    points = (int(point) if point.is_integer() else point for point in (facts.lowest, facts.highest))
    return [facts.mean, *_ends(facts.interval), facts.median, facts.sd, *points]


def _ends(interval: results.Interval | None) -> tuple[float | None, float | None]:
    return (interval.low, interval.high) if interval else (None, None)


def _write_distribution(page: Page, result: results.QuestionResult) -> None:
    if not result.overall.counts:
        return
    page.heading("Distribution")
    # Everyone, where there are no groups, or where so much side by side could not be read.
    entries, groups = len(result.overall.counts), len(result.groups)
    readable = entries * groups <= CROWDED and (entries <= MOST_IN_CHART or groups == 1)
    columns = range(2, 2 + groups) if groups and readable else range(1, 2)
    highest = max(count.share for one in phrases.summaries(result) for count in one.counts)
    top = 1.0 if highest > NEARLY_ALL else None  # or else the scale would go on to 120 %
    shares = "Share of usable answers"
    drawn = Figures("columns" if result.type == "scale" else "bars", shares, columns, top)
    page.charted(drawn, *_matrix(result, shares, lambda count: share(count.share)))
    page.row += 1
    page.table(*_matrix(result, "95 % interval of the share", lambda count: phrases.span(count.interval, share=True)))
    page.row += 1
    page.table(*_matrix(result, "Number of answers", lambda count: count.count))


def _matrix(
    result: results.QuestionResult, corner: str, cell: Callable[[results.Count], Cell]
) -> tuple[list[str], list[list[Cell]]]:
    """Labels and rows: a row for each value, a column for each group."""
    each = phrases.summaries(result)
    given = [{count.value: cell(count) for count in one.counts} for one in each]
    rows = [[count.value, *(cells.get(count.value) for cells in given)] for count in result.overall.counts]
    return [corner, *map(phrases.name_of, each)], rows


def _write_themes(page: Page, result: results.QuestionResult) -> None:
    if not result.themes:
        return
    groups = [phrases.name_of(group) for group in result.groups]
    names = [group.group or "" for group in result.groups]
    rows = []
    for theme in result.themes:
        counts = {one.group: one.count for one in theme.by_group}
        rows.append([theme.label, theme.count, share(theme.share), *map(counts.get, names)])
    columns = range(3, 3 + len(groups)) if groups else range(1, 2)
    page.heading("Themes")
    drawn = Figures("stacked", "Personas that speak of each theme", columns, most=MOST_IN_CHART)
    page.charted(drawn, ["Theme", "Personas", "Share", *groups], rows)
    quotes = [(theme.label, theme.quote) for theme in result.themes if theme.quote]
    words = [(label, f"“{quote.text}” {_by(quote)}") for label, quote in quotes]
    page.paragraphs(words, "Themes in their own words")


def _write_differences(page: Page, differences: Sequence[results.Difference]) -> None:
    rows: list[list[Cell]] = []
    for one in differences:
        figures: list[Cell] = [one.difference, *_ends(one.interval)]
        if one.measure != "mean":
            figures = [share(figure) if isinstance(figure, float) else None for figure in figures]
        rows.append([one.first, one.second, one.measure, *figures, "yes" if one.clear else "no"])
    if rows:
        page.heading("Differences between groups: first minus second")
        page.table(["First", "Second", "Of", "Difference", "95 % from", "95 % to", "Clear"], rows)


def _write_words(page: Page, result: results.QuestionResult) -> None:
    blocks = {
        "Agreement": [("", text) for text in result.agreements],
        "Disagreement": [("", text) for text in result.disagreements],
        "Who sees it otherwise": [
            (_by(voice), f"{voice.value}.{f' “{voice.quote}”' if voice.quote else ''} {voice.reason}")
            for voice in result.dissent
        ],
        "Strongest voices": [(_by(quote), f"“{quote.text}”") for quote in result.quotes],
        "Read with care": [("", caveat.message) for caveat in result.caveats],
    }
    for heading, said in blocks.items():
        if said:
            page.paragraphs(said, heading)


def _by(said: results.Quote | results.Voice) -> str:
    return f"{said.persona} ({said.group})"


def reply_rows(section: results.Section, columns: Columns) -> list[list[Cell]]:
    return [[cell(section, reply) for cell in columns.values()] for reply in phrases.ordered(section.asked)]
