"""The figures of one group, or of everyone. Pure."""

from collections import Counter
from collections.abc import Callable, Sequence
from statistics import fmean, median

from mcp_server.toolsets.panels._aggregation.gathering import Entry, Gathered, usable
from mcp_server.toolsets.panels._aggregation.intervals import Sample, of_mean, of_share
from mcp_server.toolsets.panels._aggregation.reading import written
from mcp_server.toolsets.panels._aggregation.texts import WORDS, figure, percent
from mcp_server.toolsets.panels._results import Count, ScaleFacts, Summary

MOST_POINTS = 101  # A scale to 100 is listed point by point; of a longer one only what was given

MOST_THEMES = 12
HEADLINES = 3
LEAST_MEAN = 2  # answers: of one there is no mean


def summarize(group: str | None, entries: Sequence[Entry], gathered: Gathered) -> Summary:
    """Figures of `entries`, each of another persona. Without a usable answer there are none."""
    answered = usable(entries)
    states = Counter(entry.state for entry in entries)
    ids = {entry.reply.group_id for entry in entries if entry.reply.group_id}
    sentiments = [entry.reply.sentiment for entry in answered if entry.reply.sentiment is not None]
    counts = _counts(answered, gathered)
    value = _headline(answered, counts, gathered)
    said = len(answered) + states["uncoded"]
    is_offline = "offline" in (gathered.asked.engine or "").casefold()
    if value and said < len(entries) and (is_offline or states["declined"] >= said):
        # That others had nothing to say comes before what these said.
        value = f"{WORDS['had_something'].format(said, len(entries))}: {value}"
    return Summary(
        group=group,
        group_id=ids.pop() if group is not None and len(ids) == 1 else None,
        members=len(entries),
        n=len(answered),
        declined=states["declined"],
        uncoded=states["uncoded"],
        failed=states["failed"],
        pending=states["pending"],
        value=value,
        scale=_facts(answered, gathered),
        counts=counts,
        sentiment=fmean(sentiments) if sentiments else None,
    )


def numbers(answered: Sequence[Entry]) -> list[float]:
    return [entry.number for entry in answered if entry.number is not None]


def often(entries: Sequence[Entry]) -> Counter[str]:
    """How many chose each option or spoke of each theme."""
    return Counter(choice for entry in entries for choice in entry.choices)


def _facts(answered: Sequence[Entry], gathered: Gathered) -> ScaleFacts | None:
    given = numbers(answered)
    if len(given) < LEAST_MEAN:
        return None
    sample = Sample.of(given)
    return ScaleFacts(
        mean=sample.mean,
        median=median(given),
        sd=sample.sd,
        lowest=min(given),
        highest=max(given),
        # Of equal answers it would have no width, and claim certainty.
        interval=of_mean(sample, gathered.asked.scale) if sample.sd else None,
    )


def _counts(answered: Sequence[Entry], gathered: Gathered) -> list[Count]:
    if not answered:
        return []
    if gathered.asked.type == "scale":
        given = numbers(answered)
        scale = gathered.asked.scale
        whole = range(scale[0], scale[1] + 1) if scale and scale[1] - scale[0] < MOST_POINTS else ()
        points = Counter(given)
        counted = [(written(point), points[point]) for point in sorted({*map(float, whole), *given})]
    else:
        options = gathered.options[:MOST_THEMES] if gathered.asked.type == "qualitative" else gathered.options
        chosen = often(answered)
        counted = [(option, chosen[option]) for option in options]
    n = len(answered)
    return [Count(value=value, count=count, share=count / n, interval=of_share(count, n)) for value, count in counted]


def _headline(answered: Sequence[Entry], counts: list[Count], gathered: Gathered) -> str | None:
    n = len(answered)
    if not n:
        return None
    if gathered.asked.type == "scale":
        given = numbers(answered)
        return figure(fmean(given)) if n >= LEAST_MEAN else f"{written(given[0])} (1 answer, no mean)"
    if gathered.asked.type == "categorical":
        first = leaders(counts)
        if len(first) == 1:
            return f"{first[0].value} ({percent(first[0].share)})"
        shown = _joined([f"{count.value} {percent(count.share)}" for count in first[:HEADLINES]])
        more = f", and {len(first) - HEADLINES} more" if len(first) > HEADLINES else ""
        return f"split: {shown}{more}"
    ranked = [(count.count, count.value) for count in _ranked(counts)]
    if gathered.asked.type == "qualitative":
        return _foremost(ranked, lambda count: f"({count} of {n})") if ranked else "no theme in common"
    if none := sum(not entry.choices for entry in answered):  # it stands where that is as frequent
        ranked.insert(sum(count >= none for count, _ in ranked), (none, "none chosen"))
    if ranked[0] == (n, "none chosen"):
        return "none chosen"
    return _foremost(ranked, lambda count: percent(count / n))


def leaders(counts: Sequence[Count]) -> list[Count]:
    """The most frequent option, and those whose share lies within the interval of its share."""
    ranked = _ranked(counts)
    low = ranked[0].interval.low if ranked and ranked[0].interval else 0.0
    return [count for count in ranked if count.share >= low]


def _ranked(counts: Sequence[Count]) -> list[Count]:
    return sorted((count for count in counts if count.count), key=lambda count: -count.count)


def _foremost(ranked: Sequence[tuple[int, str]], shown: Callable[[int], str]) -> str:
    """The first few, and how many more are level with the last of them."""
    first = ranked[:HEADLINES]
    level = sum(count == first[-1][0] for count, _ in ranked[HEADLINES:])
    line = _joined([f"{value} {shown(count)}" for count, value in first])
    return f"{line}, and {level} more as often" if level else line


def _joined(parts: list[str]) -> str:
    """At commas; at semicolons where a part holds a comma itself."""
    return ("; " if any("," in part for part in parts) else ", ").join(parts)
