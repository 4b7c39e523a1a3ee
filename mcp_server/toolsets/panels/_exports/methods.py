"""What stands around the figures: what was asked of whom, how the figures were made, and what to beware of."""

from mcp_server.toolsets.panels._aggregation.texts import WORDS
from mcp_server.toolsets.panels._exports.phrases import TYPES, summaries
from mcp_server.toolsets.panels._exports.plain import one_line, when
from mcp_server.toolsets.panels._results import Interval, Report

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
