"""Groups beside each other: how far they are apart, and whether that is more than chance. Pure."""

from collections.abc import Iterable
from itertools import combinations
from math import comb

from mcp_server.toolsets.panels._aggregation.gathering import Entry, Gathered
from mcp_server.toolsets.panels._aggregation.intervals import Sample, of_mean_difference, of_share_difference
from mcp_server.toolsets.panels._aggregation.summaries import MOST_THEMES, numbers
from mcp_server.toolsets.panels._results import Difference, Interval

MOST_GROUPS, MOST_SHOWN = 8, 12
CHANCE = 0.05
LEAST = 2
"""Answers that a group must have: one voice is no group."""

Pair = tuple[str, str]
Answered = dict[str, tuple[Entry, ...]]


def compare(gathered: Gathered) -> list[Difference]:
    """The largest differences between any two groups, in favour of the first; clear ones are never left out for others.

    Of more than eight groups those eight are compared that have the most answers.
    """
    answered = _compared(gathered.answered())
    pairs = list(combinations(answered, 2))
    if gathered.asked.type == "scale":
        found = _of_means(pairs, answered)
    else:
        found = _of_shares(pairs, answered, _measures(gathered))
    kept = sorted(found, key=lambda one: (not one.clear, -one.difference))[:MOST_SHOWN]
    return sorted(kept, key=lambda one: -one.difference)


def _compared(answered: Answered) -> Answered:
    enough = [name for name, entries in answered.items() if len(entries) >= LEAST]
    largest = sorted(enough, key=lambda name: -len(answered[name]))[:MOST_GROUPS]
    return {name: answered[name] for name in enough if name in largest}


def _measures(gathered: Gathered) -> tuple[str, ...]:
    """Of two options one says it all; themes are compared that stand at the top."""
    if gathered.asked.type == "qualitative":
        return gathered.options[:MOST_THEMES]
    only_two = gathered.asked.type == "categorical" and len(gathered.options) == 2  # noqa: PLR2004 - yes and no
    return gathered.options[:1] if only_two else gathered.options


def _of_means(pairs: Iterable[Pair], answered: Answered) -> list[Difference]:
    samples = {name: Sample.of(numbers(entries)) for name, entries in answered.items()}
    found = []
    for pair in pairs:
        first, second = sorted(pair, key=lambda name: -samples[name].mean)
        interval = of_mean_difference(samples[first], samples[second])
        if interval is not None and interval.low == interval.high and _by_chance(samples[first], samples[second]):
            interval = None  # of two and two equal answers it would have no width, and claim certainty
        found.append(_difference((first, second), "mean", samples[first].mean - samples[second].mean, interval))
    return found


def _by_chance(first: Sample, second: Sample) -> bool:
    """Whether groups without any spread may differ by chance: a permutation test of both sides at 5 %."""
    return comb(first.n + second.n, first.n) < 2 / CHANCE


def _of_shares(pairs: Iterable[Pair], answered: Answered, measures: Iterable[str]) -> list[Difference]:
    pairs = list(pairs)
    found = []
    for measure in measures:
        told = {name: (_number(measure, entries), len(entries)) for name, entries in answered.items()}
        shares = {name: count / n for name, (count, n) in told.items()}
        for pair in pairs:
            first, second = sorted(pair, key=lambda name: -shares[name])
            if apart := shares[first] - shares[second]:
                interval = of_share_difference(told[first], told[second])
                found.append(_difference((first, second), measure, apart, interval))
    return found


def _number(measure: str, entries: Iterable[Entry]) -> int:
    return sum(measure in entry.choices for entry in entries)


def _difference(pair: Pair, measure: str, difference: float, interval: Interval | None) -> Difference:
    clear = interval is not None and (interval.low > 0 or interval.high < 0)
    first, second = pair
    return Difference(
        first=first, second=second, measure=measure, difference=difference, interval=interval, clear=clear
    )
