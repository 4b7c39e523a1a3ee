"""What the formats share: the report, its tables, what was asked of whom, how figures were made, what to beware of."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from mcp_server.toolsets.panels._aggregation.texts import WORDS, percent
from mcp_server.toolsets.panels._exports import phrases
from mcp_server.toolsets.panels._exports.phrases import TYPES, one_line, summaries, when
from mcp_server.toolsets.panels._results import Difference, Interval, QuestionResult, Section
from mcp_server.toolsets.panels._study import Group, Reply


@dataclass(frozen=True, slots=True)
class Report:
    """`generated_at` is ISO 8601 in UTC; `partial` says that a question was still being answered.

    `attributes` are what is told of each persona that was asked, by its id, as it is now.
    """

    panel_id: str
    panel: str
    groups: tuple[Group, ...]
    sections: tuple[Section, ...]
    generated_at: str
    partial: bool = False
    attributes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def told(self, reply: Reply) -> Mapping[str, str]:
        """The attributes of who gave this reply."""
        return self.attributes.get(reply.persona_id or "", {})


@dataclass(frozen=True, slots=True)
class Table:
    """Titles and rows of plain text; the columns in `numbers` stand on the right."""

    titles: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: Collection[int] = ()


def groups(result: QuestionResult) -> Table:
    """Everyone and each group: who answered, and the statistics of a scale or the headline."""
    everyone = phrases.summaries(result)
    names = [name for name in phrases.STANDING if name != "pending" or result.overall.pending]
    titles = ["Group", *(phrases.STANDING[name] for name in names)]
    is_scale = any(one.scale for one in everyone)
    rows = []
    for one in everyone:
        facts = one.scale
        figures = [facts.mean, phrases.span(facts.interval), facts.median, facts.sd] if facts else [None] * 4
        shown = figures if is_scale else [phrases.headline(one)]
        rows.append([phrases.name_of(one), *(str(getattr(one, name)) for name in names), *map(phrases.shown, shown)])
    last = ["Mean", "95 % interval", "Median", "SD"] if is_scale else ["Headline"]
    return Table([*titles, *last], rows, range(1, len(titles) + (len(last) if is_scale else 0)))


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


PARTIAL = "Some answers had not come in when this was made. Export again for the rest."


def stated(key: str) -> tuple[str, str]:
    """The heading and the sentence of a method."""
    return WORDS["methods"][key]["heading"], WORDS["methods"][key]["text"]


def facts(report: Report) -> list[tuple[str, str]]:
    """What stands at the head of a report."""
    personas = {member.id for group in report.groups for member in group.members}
    engines = dict.fromkeys(one_line(one.asked.engine) for one in report.sections if one.asked.engine)
    groups = [f"{one_line(group.name)} ({len(group.members)})" for group in report.groups]
    return [
        ("Made", when(report.generated_at)),
        ("Questions asked", str(len(report.sections))),
        ("Personas", str(len(personas))),
        ("Groups today", ", ".join(groups) or "none"),
        ("Answers written by", ", ".join(engines) or "not told"),
        ("Panel id", one_line(report.panel_id)),
    ]


def methods(report: Report) -> list[tuple[str, str]]:
    """How the figures were made: a heading and a sentence for each thing to know that the report has."""
    results = [section.result for section in report.sections]
    kinds = {result.type for result in results}
    entries = [stated(key) for key in ("asked", "usable", *(kind for kind in TYPES if kind in kinds))]
    intervals: list[Interval | None] = []
    for result in results:
        each = summaries(result)
        intervals += [summary.scale.interval for summary in each if summary.scale]
        intervals += [count.interval for summary in each for count in summary.counts]
        intervals += [difference.interval for difference in result.differences]
    if names := list(dict.fromkeys(one_line(interval.method) for interval in intervals if interval)):
        heading, meaning = stated("intervals")
        entries.append((heading, f"Computed by: {'; '.join(names)}. {meaning}"))
    if any(result.differences for result in results):
        entries.append(stated("differences"))
    if any(result.overall.sentiment is not None for result in results):
        entries.append(stated("sentiment"))
    return entries


def caveats(report: Report) -> list[tuple[str, str]]:
    """Each caveat once, with the questions that it belongs to."""
    numbers: dict[str, list[int]] = {}
    for number, section in enumerate(report.sections, 1):
        for caveat in section.result.caveats:
            numbers.setdefault(one_line(caveat.message), []).append(number)
    everywhere = len(report.sections)
    said = [
        ("All questions" if len(set(places)) == everywhere else ", ".join(f"Q{n}" for n in dict.fromkeys(places)), text)
        for text, places in numbers.items()
    ]
    return [("The whole report", PARTIAL), *said] if report.partial else said
