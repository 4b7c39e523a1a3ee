"""Groups beside each other: how far they are apart, and whether that is more than chance. Pure.

Of many comparisons some look clear by chance alone. A difference is called clear by Holm's correction for as many as
were made: the interval that is shown with it is of 95 % for itself, the one that it is judged by is longer.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from math import comb

from mcp_server.toolsets.panels._aggregation import intervals
from mcp_server.toolsets.panels._aggregation.gathering import NOT_TOLD, Entry, Gathered
from mcp_server.toolsets.panels._aggregation.summaries import MOST_THEMES, numbers, often
from mcp_server.toolsets.panels._results import Difference, Interval

MOST_GROUPS, MOST_SHOWN = 8, 12
LEAST, FEW = 2, 5  # answers that a group must have: one voice is no group; fewer than five may agree by chance


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two groups by one measure, `apart` in favour of the first; `interval` makes the interval of any confidence.

    `judged` is the one that decides: it asks more of small groups.
    """

    first: str
    second: str
    measure: str
    apart: float
    interval: Callable[[float], Interval | None]
    judged: Callable[[float], Interval | None]


@dataclass(frozen=True, slots=True)
class Compared:
    """The largest differences, how many comparisons were made, and the groups and the measure of each clear one."""

    differences: list[Difference]
    made: int
    clear: frozenset[tuple[str, str, str]]


def compare(gathered: Gathered) -> Compared:
    """Any two groups, each difference in favour of the first; clear ones come before others.

    Of more than eight groups those eight are compared that have the most answers.
    """
    made = _comparisons(gathered)
    clear = _clear(made)
    found = [
        Difference(
            first=one.first,
            second=one.second,
            measure=one.measure,
            difference=one.apart,
            interval=one.interval(intervals.CONFIDENCE),
            clear=place in clear,
        )
        for place, one in enumerate(made)
        if one.apart or gathered.asked.type == "scale"
    ]
    kept = sorted(found, key=lambda one: (not one.clear, -one.difference))[:MOST_SHOWN]
    apart = frozenset((made[place].first, made[place].second, made[place].measure) for place in clear)
    return Compared(sorted(kept, key=lambda one: -one.difference), len(made), apart)


def _comparisons(gathered: Gathered) -> list[Comparison]:
    if gathered.asked.type == "qualitative" and gathered.asked.coded_by != "model":
        return []  # a group may have other words for the same thing, or another language
    told = {name: entries for name, entries in gathered.answered().items() if NOT_TOLD not in name}
    large = {name: entries for name, entries in told.items() if len(entries) >= LEAST}
    largest = sorted(large, key=lambda name: -len(large[name]))[:MOST_GROUPS]
    answered = {name: entries for name, entries in large.items() if name in largest}
    pairs = list(combinations(answered, 2))
    if gathered.asked.type == "scale":
        samples = {name: intervals.Sample.of(numbers(entries)) for name, entries in answered.items()}
        ranked = [sorted(pair, key=lambda name: -samples[name].mean) for pair in pairs]
        both = [(first, second, samples[first], samples[second]) for first, second in ranked]
        return [
            Comparison(
                first,
                second,
                "mean",
                one.mean - other.mean,
                partial(_mean_interval, one, other),
                partial(_judged_interval, _spread(one, other), _spread(other, one)),
            )
            for first, second, one, other in both
        ]
    # Of two options one says it all; themes are compared that stand at the top.
    only_two = gathered.asked.type == "categorical" and len(gathered.options) == 2  # noqa: PLR2004 - yes and no
    most = MOST_THEMES if gathered.asked.type == "qualitative" else 1 if only_two else None
    unread = {name: sum(entry.state == "uncoded" for entry in gathered.groups[name]) for name in answered}
    return list(_shares(pairs, answered, unread, gathered.options[:most]))


def _spread(sample: intervals.Sample, other: intervals.Sample) -> intervals.Sample:
    """With the other group's spread where a few happen to agree more than that one does."""
    return replace(sample, sd=max(sample.sd or 0, other.sd or 0)) if sample.n < FEW else sample


def _mean_interval(first: intervals.Sample, second: intervals.Sample, confidence: float) -> Interval | None:
    found = intervals.of_mean_difference(first, second, confidence)
    return _judged_interval(first, second, confidence) if found is not None and found.low == found.high else found


def _judged_interval(first: intervals.Sample, second: intervals.Sample, confidence: float) -> Interval | None:
    """None where so few may differ by chance, by a two-sided permutation test, however far they are apart."""
    by_chance = comb(first.n + second.n, first.n) * (1 - confidence) < 2  # noqa: PLR2004 - sides
    return None if by_chance else intervals.of_mean_difference(first, second, confidence)


def _shares(
    pairs: Sequence[tuple[str, str]],
    answered: Mapping[str, Sequence[Entry]],
    unread: Mapping[str, int],
    measures: Sequence[str],
) -> Iterator[Comparison]:
    """Judged as if what is not coded in the lower group said the same, and in the higher one did not."""
    chosen = {name: often(entries) for name, entries in answered.items()}
    for measure in measures:
        counts = {name: (chosen[name][measure], len(entries)) for name, entries in answered.items()}
        shares = {name: count / n for name, (count, n) in counts.items()}
        for pair in pairs if any(shares.values()) else ():  # what nobody named was not compared
            first, second = sorted(pair, key=lambda name: -shares[name])
            interval = partial(intervals.of_share_difference, counts[first], counts[second])
            count, n = counts[second][0] + unread[second], counts[second][1] + unread[second]
            judged = partial(_share_interval, (counts[first][0], counts[first][1] + unread[first]), (count, n))
            yield Comparison(first, second, measure, shares[first] - shares[second], interval, judged)


def _share_interval(first: tuple[int, int], second: tuple[int, int], confidence: float) -> Interval | None:
    """None where Fisher's exact test does not reject: Newcombe's interval is too short for a few."""
    by_chance = intervals.fisher(first, second) > 1 - confidence
    return None if by_chance else intervals.of_share_difference(first, second, confidence)


def _clear(made: list[Comparison]) -> set[int]:
    """Holm's steps: each that is clear among all of them leaves one fewer to correct for."""
    clear: set[int] = set()
    while len(clear) < len(made):
        confidence = 1 - (1 - intervals.CONFIDENCE) / (len(made) - len(clear))
        more = set()
        for place, one in enumerate(made):
            shown, judged = one.interval(intervals.CONFIDENCE), one.judged(confidence)
            # As it is printed, too: a mean has hundredths there, and a share whole percentages.
            if shown and judged and judged.low > 0 and round(shown.low, 2) > 0:
                more.add(place)
        if more <= clear:
            break
        clear |= more
    return clear
