"""What the values of one group come to: how often each was given, the figures of a scale, and the headline. Pure."""

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence

from app.internal_api.models.outputs import Share, Statistics

WIDEST_SCALE = 101
"""Points of 0 to 100; of a wider scale only those are listed that somebody chose."""
MOST_NAMED = 3


def shares(values: Iterable[Sequence[str]], known: Sequence[str]) -> list[Share]:
    """How often each value was given: the known ones in their order, then others by frequency."""
    answers = list(values)
    counts = Counter(value for answer in answers for value in answer)
    others = [value for value, _ in counts.most_common() if value not in set(known)]
    return [share(value, counts[value], len(answers)) for value in (*known, *others)]


def share(value: str, count: int, n: int) -> Share:
    """`count` of `n` answers; of no answers every share is 0."""
    return Share(value=value, count=count, share=count / n if n else 0.0)


def points(scale: tuple[int, int] | None, given: Iterable[int]) -> list[str]:
    """The points of a scale from the lowest to the highest."""
    if scale is not None and scale[1] - scale[0] < WIDEST_SCALE:
        return [str(number) for number in range(scale[0], scale[1] + 1)]
    return [str(number) for number in sorted(set(given))]


def statistics_of(numbers: Sequence[int]) -> Statistics | None:
    """None of nothing; the standard deviation is that of a sample, so one answer has none."""
    if not numbers:
        return None
    return Statistics(
        mean=statistics.fmean(numbers),
        median=statistics.median(numbers),
        sd=statistics.stdev(numbers) if len(numbers) > 1 else None,
        min=min(numbers),
        max=max(numbers),
    )


def number(value: float) -> str:
    """At most two decimals, without those that say nothing: `7.4`, `7`, `0.33`."""
    shown = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if shown == "-0" else shown


def dominant(distribution: Sequence[Share]) -> str:
    """What was given most; of those with the same count, all."""
    most = max((each.count for each in distribution), default=0)
    return " / ".join(each.value for each in distribution if each.count == most) if most else ""


def most_frequent(distribution: Sequence[Share]) -> str:
    """The first few of what was given, most frequent first."""
    ranked = sorted((each for each in distribution if each.count), key=lambda each: -each.count)
    return "; ".join(each.value for each in ranked[:MOST_NAMED])
