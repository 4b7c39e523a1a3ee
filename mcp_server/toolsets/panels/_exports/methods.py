"""What stands around the figures: what was asked of whom, how the figures were made, and what to beware of."""

from collections.abc import Sequence

from mcp_server.toolsets.panels._exports.phrases import TYPES, summaries
from mcp_server.toolsets.panels._exports.plain import one_line, when
from mcp_server.toolsets.panels._results import Interval, QuestionResult, Report
from mcp_server.toolsets.panels._study import QuestionType

PARTIAL = "Some answers had not come in when this was made. Export again for the rest."

_HOW: dict[QuestionType, tuple[str, str]] = {
    "scale": (
        "Scale questions",
        "Mean, median, sample standard deviation (n - 1), and how often each point was given.",
    ),
    "categorical": (
        "One choice",
        "The share of the usable answers for each option. The headline is the most frequent.",
    ),
    "multiselect": (
        "Several choices",
        "The share of the personas that chose each option. The shares may add up to more than 100 %.",
    ),
    "qualitative": (
        "Open questions",
        "Themes that mean the same are merged. A persona counts once for each of its themes. Quotes are exact.",
    ),
}
_DIFFERENCES = (
    "Differences between groups",
    (
        "First minus second, with the 95 % interval of each pair by itself. Clear when zero is left out also after "
        "Holm's correction for all comparisons of the question: of many, some look clear by chance alone."
    ),
)
_SENTIMENT = ("Sentiment", "From -1 (against) to 1 (in favour), as told with each answer; the mean over those told.")
_INTERVALS = (
    "They tell how far chance may have moved a figure if the personas were a random sample, and nothing about how "
    "people would answer."
)


def engines(report: Report) -> list[str]:
    """What wrote the answers, each once."""
    names = [one_line(section.asked.engine) for section in report.sections if section.asked.engine]
    return list(dict.fromkeys(names))


def facts(report: Report) -> list[tuple[str, str]]:
    """What stands at the head of a report."""
    personas = {member.id for group in report.groups for member in group.members}
    groups = [f"{one_line(group.name)} ({len(group.members)})" for group in report.groups]
    return [
        ("Made", when(report.generated_at)),
        ("Questions asked", str(len(report.sections))),
        ("Personas", str(len(personas))),
        ("Groups today", ", ".join(groups) or "none"),
        ("Answers written by", ", ".join(engines(report)) or "not told"),
        ("Panel id", one_line(report.panel_id)),
    ]


def methods(report: Report) -> list[tuple[str, str]]:
    """How the figures were made: a heading and a sentence for each thing to know that the report has."""
    kinds = {section.result.type for section in report.sections}
    entries = [
        (
            "Who was asked",
            "AI personas, not people. Each answer is generated; the figures describe these personas only.",
        ),
        ("Usable answers (n)", "All figures stand on these. Failed, late and unclear answers are counted beside them."),
        *[_HOW[kind] for kind in TYPES if kind in kinds],
        *_intervals(report),
    ]
    if any(section.result.differences for section in report.sections):
        entries.append(_DIFFERENCES)
    if any(section.result.overall.sentiment is not None for section in report.sections):
        entries.append(_SENTIMENT)
    return entries


def _intervals(report: Report) -> list[tuple[str, str]]:
    found = [interval for section in report.sections for interval in _every_interval(section.result)]
    names = list(dict.fromkeys(one_line(interval.method) for interval in found if interval))
    if not names:
        return []
    return [("95 % intervals", f"Computed by: {'; '.join(names)}. {_INTERVALS}")]


def _every_interval(result: QuestionResult) -> Sequence[Interval | None]:
    each = summaries(result)
    return [
        *(summary.scale.interval for summary in each if summary.scale),
        *(count.interval for summary in each for count in summary.counts),
        *(difference.interval for difference in result.differences),
    ]


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
