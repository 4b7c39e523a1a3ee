"""The intervals, of 95 % unless told: of a mean, of a share, of two means' and of two shares' difference. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot, sqrt
from statistics import NormalDist, fmean, stdev

from mcp_server.toolsets.panels._aggregation.student import CONFIDENCE, standard_error, t_quantile, welch_df
from mcp_server.toolsets.panels._results import Interval

STUDENT, WILSON, WELCH, NEWCOMBE = "Student t", "Wilson score", "Welch t", "Newcombe hybrid score"


@dataclass(frozen=True, slots=True)
class Sample:
    """The figures of some numbers, which intervals are made from. `sd` is None below two numbers."""

    n: int
    mean: float
    sd: float | None

    @classmethod
    def of(cls, numbers: Sequence[float]) -> "Sample":
        """At least one number."""
        return cls(len(numbers), fmean(numbers), stdev(numbers) if len(numbers) > 1 else None)


def of_mean(sample: Sample, scale: tuple[float, float] | None) -> Interval | None:
    """Student's interval, cut where the scale ends. None below two numbers."""
    if sample.sd is None:
        return None
    half = t_quantile(sample.n - 1) * standard_error(sample.sd, sample.n)
    low, high = sample.mean - half, sample.mean + half
    if scale is None or scale[0] <= low <= high <= scale[1]:
        return Interval(low=low, high=high, method=STUDENT)
    return Interval(low=max(low, scale[0]), high=min(high, scale[1]), method=f"{STUDENT}, clipped to the scale")


def of_share(count: int, n: int, confidence: float = CONFIDENCE) -> Interval:
    """Wilson's interval; `n` is at least 1."""
    share, z = count / n, NormalDist().inv_cdf((1 + confidence) / 2)
    square = z * z
    middle = (share + square / (2 * n)) / (1 + square / n)
    half = z * sqrt(share * (1 - share) / n + square / (4 * n * n)) / (1 + square / n)
    # At 0 and 1 the bound is the share itself; rounding must not put it a hair beside.
    low, high = max(0.0, min(middle - half, share)), min(1.0, max(middle + half, share))
    return Interval(low=0.0 if count == 0 else low, high=1.0 if count == n else high, method=WILSON)


def of_mean_difference(first: Sample, second: Sample, confidence: float = CONFIDENCE) -> Interval | None:
    """Welch's interval of first minus second. None where a side has fewer than two numbers."""
    if first.sd is None or second.sd is None:
        return None
    difference = first.mean - second.mean
    error = hypot(standard_error(first.sd, first.n), standard_error(second.sd, second.n))
    if error == 0:
        return Interval(low=difference, high=difference, method=f"{WELCH}, no spread on either side")
    half = t_quantile(welch_df((first.sd, first.n), (second.sd, second.n)), confidence) * error
    return Interval(low=difference - half, high=difference + half, method=WELCH)


def of_share_difference(first: tuple[int, int], second: tuple[int, int], confidence: float = CONFIDENCE) -> Interval:
    """Newcombe's interval (his method 10) of first minus second, each a count and its n of at least 1."""
    one, other = (count / n for count, n in (first, second))
    in_one, in_other = of_share(*first, confidence), of_share(*second, confidence)
    difference = one - other
    low = difference - hypot(one - in_one.low, in_other.high - other)
    high = difference + hypot(in_one.high - one, other - in_other.low)
    return Interval(low=max(-1.0, low), high=min(1.0, high), method=NEWCOMBE)
