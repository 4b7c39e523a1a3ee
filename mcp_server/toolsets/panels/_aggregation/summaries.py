"""The figures of one group, or of everyone. Pure."""

from collections import Counter
from collections.abc import Callable, Sequence
from statistics import fmean, median

from mcp_server.toolsets.panels._aggregation.gathering import Entry, Gathered, usable
from mcp_server.toolsets.panels._aggregation.intervals import Sample, of_mean, of_share
from mcp_server.toolsets.panels._aggregation.numbers import written
from mcp_server.toolsets.panels._aggregation.phrases import figure
from mcp_server.toolsets.panels._aggregation.reading import ends
from mcp_server.toolsets.panels._percent import percent
from mcp_server.toolsets.panels._results import Count, ScaleFacts, Summary

MOST_POINTS = 101
"""A scale to 100 is listed point by point; of a longer one only what was given."""

MOST_THEMES = 12
HEADLINES = 3


def summarize(group: str | None, entries: Sequence[Entry], gathered: Gathered) -> Summary:
    """Figures of `entries`, each of another persona. Without a usable answer there are none."""
    told = usable(entries)
    counts = _counts(told, gathered)
    return Summary(
        group=group,
        group_id=_group_id(entries) if group is not None else None,
        members=len(entries),
        n=len(told),
        failed=_number(entries, "failed"),
        pending=_number(entries, "pending"),
        unclear=_number(entries, "unclear"),
        value=_headline(told, counts, gathered),
        scale=_facts(told, gathered),
        counts=counts,
        sentiment=_sentiment(told),
    )


def _group_id(entries: Sequence[Entry]) -> str | None:
    ids = {entry.reply.group_id for entry in entries if entry.reply.group_id}
    return ids.pop() if len(ids) == 1 else None


def _number(entries: Sequence[Entry], state: str) -> int:
    return sum(entry.state == state for entry in entries)


def _sentiment(told: Sequence[Entry]) -> float | None:
    known = [entry.reply.sentiment for entry in told if entry.reply.sentiment is not None]
    return fmean(known) if known else None


def numbers(told: Sequence[Entry]) -> list[float]:
    """What was given on the scale."""
    return [entry.number for entry in told if entry.number is not None]


def _facts(told: Sequence[Entry], gathered: Gathered) -> ScaleFacts | None:
    given = numbers(told)
    if not given:
        return None
    sample = Sample.of(given)
    return ScaleFacts(
        mean=sample.mean,
        median=median(given),
        sd=sample.sd,
        lowest=min(given),
        highest=max(given),
        # Of equal answers it would have no width, and claim certainty.
        interval=of_mean(sample, ends(gathered.asked.scale)) if sample.sd else None,
    )


def _counts(told: Sequence[Entry], gathered: Gathered) -> list[Count]:
    if not told:
        return []
    if gathered.asked.type == "scale":
        given = numbers(told)
        often = Counter(given)
        return [_count(written(point), often[point], len(told)) for point in _points(given, gathered)]
    options = gathered.options[:MOST_THEMES] if gathered.asked.type == "qualitative" else gathered.options
    return [_count(option, sum(option in entry.choices for entry in told), len(told)) for option in options]


def _points(given: list[float], gathered: Gathered) -> list[float]:
    """Every whole point of the scale, and what was given between them."""
    scale = ends(gathered.asked.scale)
    whole = range(scale[0], scale[1] + 1) if scale and scale[1] - scale[0] < MOST_POINTS else ()
    return sorted({*map(float, whole), *given})


def _count(value: str, count: int, n: int) -> Count:
    return Count(value=value, count=count, share=count / n, interval=of_share(count, n))


def _headline(told: Sequence[Entry], counts: list[Count], gathered: Gathered) -> str | None:
    if not told:
        return None
    if gathered.asked.type == "scale":
        return figure(fmean(numbers(told)))
    if gathered.asked.type == "categorical":
        return _winner(counts)
    if gathered.asked.type == "multiselect":
        return _most_chosen(counts, told)
    return _most_named(counts, len(told))


def leaders(counts: Sequence[Count]) -> list[Count]:
    """The most frequent option, and those whose share lies within the interval of its share."""
    ranked = _ranked(counts)
    low = ranked[0].interval.low if ranked and ranked[0].interval else 0.0
    return [count for count in ranked if count.share >= low]


def _ranked(counts: Sequence[Count]) -> list[Count]:
    return sorted((count for count in counts if count.count), key=lambda count: -count.count)


def _winner(counts: list[Count]) -> str:
    first = leaders(counts)
    if len(first) == 1:
        return f"{first[0].value} ({percent(first[0].share)})"
    shown = _joined([f"{count.value} {percent(count.share)}" for count in first[:HEADLINES]])
    more = f", and {len(first) - HEADLINES} more" if len(first) > HEADLINES else ""
    return f"split: {shown}{more}"


def _most_chosen(counts: list[Count], told: Sequence[Entry]) -> str:
    """The options that most chose; how many chose none stands where that is as frequent."""
    ranked = [(count.count, count.value) for count in _ranked(counts)]
    none = sum(not entry.choices for entry in told)
    if none:
        place = sum(count >= none for count, _ in ranked)
        ranked.insert(place, (none, "none chosen"))
    if ranked[0] == (len(told), "none chosen"):
        return "none chosen"
    return _foremost(ranked, lambda count: percent(count / len(told)), "")


def _most_named(counts: list[Count], n: int) -> str:
    ranked = [(count.count, count.value) for count in _ranked(counts)]
    return _foremost(ranked, lambda count: f"({count} of {n})", "no theme in common")


def _foremost(ranked: Sequence[tuple[int, str]], shown: Callable[[int], str], nothing: str) -> str:
    """The first few, and how many more are level with the last of them."""
    first = ranked[:HEADLINES]
    if not first:
        return nothing
    level = sum(count == first[-1][0] for count, _ in ranked[HEADLINES:])
    told = _joined([f"{value} {shown(count)}" for count, value in first])
    return f"{told}, and {level} more as often" if level else told


def _joined(parts: list[str]) -> str:
    """At commas; at semicolons where a part holds a comma itself."""
    return ("; " if any("," in part for part in parts) else ", ").join(parts)
