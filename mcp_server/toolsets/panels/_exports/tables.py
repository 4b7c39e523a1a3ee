"""Tables of figures that Markdown and the PDF share."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from mcp_server.toolsets.panels._aggregation.texts import percent
from mcp_server.toolsets.panels._exports import phrases
from mcp_server.toolsets.panels._results import Difference, QuestionResult, Summary, Theme


@dataclass(frozen=True, slots=True)
class Table:
    """Titles and rows of plain text; the columns in `numbers` stand on the right."""

    titles: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: Collection[int] = ()


def groups(result: QuestionResult) -> Table:
    """Everyone and each group: who answered, and the statistics of a scale or the headline."""
    everyone = phrases.summaries(result)
    titles = ["Group", "Asked", "Usable (n)", "Failed"]
    counted = [[phrases.name_of(one), str(one.members), str(one.n), str(one.failed)] for one in everyone]
    if not any(one.scale for one in everyone):
        rows = [[*row, phrases.shown(phrases.headline(one))] for row, one in zip(counted, everyone, strict=True)]
        return Table([*titles, "Headline"], rows, {1, 2, 3})
    rows = [[*row, *_statistics(one)] for row, one in zip(counted, everyone, strict=True)]
    return Table([*titles, "Mean", "95 % interval", "Median", "SD"], rows, range(1, 8))


def _statistics(one: Summary) -> list[str]:
    if one.scale is None:
        return [phrases.NONE] * 4
    mean, median, sd = (phrases.shown(figure) for figure in (one.scale.mean, one.scale.median, one.scale.sd))
    return [mean, phrases.span(one.scale.interval), median, sd]


def distribution(result: QuestionResult) -> Table:
    """Everyone, with bars and intervals."""
    rows = [
        [
            count.value,
            str(count.count),
            percent(count.share),
            phrases.span(count.interval, share=True),
            phrases.bar(count.share),
        ]
        for count in result.overall.counts
    ]
    return Table(["Answer", "Everyone", "Share", "95 % interval", ""], rows, {1, 2, 3})


def by_group(result: QuestionResult) -> Table:
    """The groups side by side: how many gave each answer, and their share."""
    given = [
        {count.value: f"{count.count} ({percent(count.share)})" for count in group.counts} for group in result.groups
    ]
    return Table(
        ["Answer", *(f"{phrases.name_of(group)} (n {group.n})" for group in result.groups)],
        [[count.value, *(cells.get(count.value, phrases.NONE) for cells in given)] for count in result.overall.counts],
        range(1, len(result.groups) + 1),
    )


def themes(result: QuestionResult) -> Table:
    """How many speak of each theme: everyone, and each group."""
    return Table(
        ["Theme", "Personas", "Share", "", *(phrases.name_of(group) for group in result.groups)],
        [_theme(theme, result.groups) for theme in result.themes],
        {1, 2, *range(4, 4 + len(result.groups))},
    )


def _theme(theme: Theme, each: Sequence[Summary]) -> list[str]:
    counts = {one.group: f"{one.count} of {one.n}" for one in theme.by_group}
    by_group = [counts.get(group.group or "", phrases.NONE) for group in each]
    return [theme.label, str(theme.count), percent(theme.share), phrases.bar(theme.share), *by_group]


def differences(found: Sequence[Difference]) -> Table:
    """Pairs of groups, in scale points or percentage points."""
    return Table(
        ["First", "Second", "Of", "First minus second", "95 % interval", "Clear"],
        [[one.first, one.second, one.measure, *_amount(one), "yes" if one.clear else "no"] for one in found],
        {3, 4},
    )


def _amount(one: Difference) -> tuple[str, str]:
    if one.measure == "mean":
        return f"{one.difference:+.2f}", phrases.span(one.interval)
    return f"{one.difference * 100:+.0f} points", phrases.span(one.interval, share=True)
