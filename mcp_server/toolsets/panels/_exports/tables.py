"""Tables of figures that Markdown and the PDF share."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from mcp_server.toolsets.panels._aggregation.texts import percent
from mcp_server.toolsets.panels._exports import phrases
from mcp_server.toolsets.panels._results import Difference, QuestionResult


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
    rows = []
    for row, facts in zip(counted, (one.scale for one in everyone), strict=True):
        figures = (facts.mean, facts.median, facts.sd) if facts else (None, None, None)
        mean, median, sd = map(phrases.shown, figures)
        rows.append([*row, mean, phrases.span(facts.interval if facts else None), median, sd])
    return Table([*titles, "Mean", "95 % interval", "Median", "SD"], rows, range(1, 8))


def distribution(result: QuestionResult) -> Table:
    """Everyone, with bars and intervals."""
    rows = []
    for one in result.overall.counts:
        figures = [str(one.count), percent(one.share), phrases.span(one.interval, share=True)]
        rows.append([one.value, *figures, phrases.bar(one.share)])
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
    rows = []
    for theme in result.themes:
        counts = {one.group: f"{one.count} of {one.n}" for one in theme.by_group}
        by_group = [counts.get(group.group or "", phrases.NONE) for group in result.groups]
        rows.append([theme.label, str(theme.count), percent(theme.share), phrases.bar(theme.share), *by_group])
    titles = ["Theme", "Personas", "Share", "", *(phrases.name_of(group) for group in result.groups)]
    return Table(titles, rows, {1, 2, *range(4, len(titles))})


def differences(found: Sequence[Difference]) -> Table:
    """Pairs of groups, in scale points or percentage points."""
    rows = []
    for one in found:
        is_mean = one.measure == "mean"
        amount = f"{one.difference:+.2f}" if is_mean else f"{one.difference * 100:+.0f} points"
        span = phrases.span(one.interval, share=not is_mean)
        rows.append([one.first, one.second, one.measure, amount, span, "yes" if one.clear else "no"])
    return Table(["First", "Second", "Of", "First minus second", "95 % interval", "Clear"], rows, {3, 4})
