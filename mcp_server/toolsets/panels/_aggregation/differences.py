"""Groups beside each other: how far they are apart, and whether that is more than chance. Pure.

Of many comparisons some look clear by chance alone. A difference is called clear by Holm's correction for as many as
were made: the interval that is told with it is of 95 % for itself, the one that it is judged by is longer.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb

from mcp_server.toolsets.panels._aggregation.gathering import Entry, Gathered
from mcp_server.toolsets.panels._aggregation.intervals import Sample, of_mean_difference, of_share_difference
from mcp_server.toolsets.panels._aggregation.student import CONFIDENCE
from mcp_server.toolsets.panels._aggregation.summaries import MOST_THEMES, numbers
from mcp_server.toolsets.panels._results import Difference, Interval

MOST_GROUPS, MOST_SHOWN = 8, 12
LEAST = 2
"""Answers that a group must have: one voice is no group."""

Pair = tuple[str, str]
Answered = dict[str, tuple[Entry, ...]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two groups by one measure, `apart` in favour of the first; `interval` makes the interval of any confidence."""

    pair: Pair
    measure: str
    apart: float
    interval: Callable[[float], Interval | None]


def compare(gathered: Gathered) -> list[Difference]:
    """The largest differences between any two groups, in favour of the first; clear ones are never left out for others.

    Of more than eight groups those eight are compared that have the most answers.
    """
    made = _comparisons(gathered)
    clear = _clear(made)
    rating = gathered.asked.type == "scale"
    found = [_difference(one, clear=place in clear) for place, one in enumerate(made) if one.apart or rating]
    kept = sorted(found, key=lambda one: (not one.clear, -one.difference))[:MOST_SHOWN]
    return sorted(kept, key=lambda one: -one.difference)


def compared(gathered: Gathered) -> int:
    """How many comparisons were made, which is what the clear ones are corrected for."""
    return len(_comparisons(gathered))


def _comparisons(gathered: Gathered) -> list[Comparison]:
    answered = _large(gathered.answered())
    pairs = list(combinations(answered, 2))
    if gathered.asked.type == "scale":
        return list(_means(pairs, answered))
    return list(_shares(pairs, answered, _measures(gathered)))


def _large(answered: Answered) -> Answered:
    enough = [name for name, entries in answered.items() if len(entries) >= LEAST]
    largest = sorted(enough, key=lambda name: -len(answered[name]))[:MOST_GROUPS]
    return {name: answered[name] for name in enough if name in largest}


def _measures(gathered: Gathered) -> tuple[str, ...]:
    """Of two options one says it all; themes are compared that stand at the top."""
    if gathered.asked.type == "qualitative":
        return gathered.options[:MOST_THEMES]
    only_two = gathered.asked.type == "categorical" and len(gathered.options) == 2  # noqa: PLR2004 - yes and no
    return gathered.options[:1] if only_two else gathered.options


def _means(pairs: Iterable[Pair], answered: Answered) -> Iterator[Comparison]:
    samples = {name: Sample.of(numbers(entries)) for name, entries in answered.items()}
    for pair in pairs:
        first, second = sorted(pair, key=lambda name: -samples[name].mean)
        one, other = samples[first], samples[second]
        yield Comparison((first, second), "mean", one.mean - other.mean, _mean_interval(one, other))


def _mean_interval(first: Sample, second: Sample) -> Callable[[float], Interval | None]:
    def interval(confidence: float) -> Interval | None:
        found = of_mean_difference(first, second, confidence)
        if found is not None and found.low == found.high and _by_chance(first, second, 1 - confidence):
            return None  # of two and two equal answers it would have no width, and claim certainty
        return found

    return interval


def _by_chance(first: Sample, second: Sample, chance: float) -> bool:
    """Whether groups without any spread may differ by chance: a permutation test of both sides."""
    return comb(first.n + second.n, first.n) * chance < 2  # noqa: PLR2004 - sides


def _shares(pairs: Iterable[Pair], answered: Answered, measures: Iterable[str]) -> Iterator[Comparison]:
    pairs = list(pairs)
    for measure in measures:
        told = {name: (_number(measure, entries), len(entries)) for name, entries in answered.items()}
        shares = {name: count / n for name, (count, n) in told.items()}
        for pair in pairs if any(shares.values()) else ():  # what nobody named was not compared
            first, second = sorted(pair, key=lambda name: -shares[name])
            yield Comparison(
                (first, second), measure, shares[first] - shares[second], _share_interval(told[first], told[second])
            )


def _share_interval(first: tuple[int, int], second: tuple[int, int]) -> Callable[[float], Interval | None]:
    return lambda confidence: of_share_difference(first, second, confidence)


def _number(measure: str, entries: Iterable[Entry]) -> int:
    return sum(measure in entry.choices for entry in entries)


def _clear(made: list[Comparison]) -> set[int]:
    """Holm's steps: each that is clear among all of them leaves one fewer to correct for."""
    clear: set[int] = set()
    while len(clear) < len(made):
        confidence = 1 - (1 - CONFIDENCE) / (len(made) - len(clear))
        more = {place for place, one in enumerate(made) if place not in clear and _leaves_out_zero(one, confidence)}
        if not more:
            break
        clear |= more
    return clear


def _leaves_out_zero(one: Comparison, confidence: float) -> bool:
    """By the interval of this confidence, and by the one that is told, also as it is printed."""
    shown, judged = one.interval(CONFIDENCE), one.interval(confidence)
    if shown is None or judged is None:
        return False
    printed = round(shown.low, 2)  # of a mean to hundredths, of a share in whole percentages
    return judged.low > 0 and printed > 0


def _difference(one: Comparison, *, clear: bool) -> Difference:
    first, second = one.pair
    return Difference(
        first=first,
        second=second,
        measure=one.measure,
        difference=one.apart,
        interval=one.interval(CONFIDENCE),
        clear=clear,
    )
