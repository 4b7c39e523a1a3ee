"""Confidence intervals, of 95 % by default: of a mean, of a share, of a difference of means and of shares. Pure.

Quantiles of Student's t are worked out to twelve digits for fractional degrees of freedom too, which Welch's needs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb, exp, hypot, lgamma, log, log1p, pi, sqrt
from statistics import NormalDist, fmean, stdev

from mcp_server.toolsets.panels._results import Interval

CONFIDENCE = 0.95
STUDENT, WILSON, WELCH, NEWCOMBE = "Student t", "Wilson score", "Welch t", "Newcombe hybrid score"

PRECISION, CLOSE, MOST_STEPS = 1e-16, 1e-12, 10_000


@dataclass(frozen=True, slots=True)
class Sample:
    """What intervals are made from. `sd` is None below two numbers."""

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
    half = t_quantile(sample.n - 1) * sample.sd / sqrt(sample.n)
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
    errors = [first.sd / sqrt(first.n), second.sd / sqrt(second.n)]
    if not any(errors):
        return Interval(low=difference, high=difference, method=f"{WELCH}, no spread on either side")
    # Welch and Satterthwaite, divided by the greater part first, since squares of very small ones would vanish.
    shares = [(error / max(errors)) ** 2 for error in errors]
    df = sum(shares) ** 2 / sum(part**2 / (one.n - 1) for part, one in zip(shares, (first, second), strict=True))
    half = t_quantile(df, confidence) * hypot(*errors)
    return Interval(low=difference - half, high=difference + half, method=WELCH)


def of_share_difference(first: tuple[int, int], second: tuple[int, int], confidence: float = CONFIDENCE) -> Interval:
    """Newcombe's interval (his method 10) of first minus second, each a count and its n of at least 1."""
    one, other = (count / n for count, n in (first, second))
    in_one, in_other = of_share(*first, confidence), of_share(*second, confidence)
    difference = one - other
    low = difference - hypot(one - in_one.low, in_other.high - other)
    high = difference + hypot(in_one.high - one, other - in_other.low)
    return Interval(low=max(-1.0, low), high=min(1.0, high), method=NEWCOMBE)


def fisher(first: tuple[int, int], second: tuple[int, int]) -> float:
    """Two-sided p of Fisher's exact test of two counts, each with its n: by chance as unlikely, or more so."""
    (count, n), (other, m) = first, second
    both = count + other
    ways = [comb(n, one) * comb(m, both - one) for one in range(max(0, both - m), min(n, both) + 1)]
    return sum(each for each in ways if each <= comb(n, count) * comb(m, other)) / comb(n + m, both)


@lru_cache(1_024)
def t_quantile(df: float, confidence: float = CONFIDENCE) -> float:
    """The t that this part of the distribution lies within, on both sides of zero. `df` is at least 1."""
    # The normal quantile is below every t, and the probability is concave: Newton's steps come up from the left.
    t = NormalDist().inv_cdf((1 + confidence) / 2)
    height = lgamma((df + 1) / 2) - lgamma(df / 2) - log(df * pi) / 2
    for _ in range(MOST_STEPS):
        density = exp(height - (df + 1) / 2 * log1p(t * t / df))
        square = t * t
        step = (confidence - incomplete_beta(0.5, df / 2, square / (df + square), df / (df + square))) / (2 * density)
        t += step
        if step <= CLOSE * t:
            break
    return t


def incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """The regularized incomplete beta function I_x(a, b) by its power series (DLMF 8.17.8).

    `rest` is 1 - x, worked out by the caller, who can do so without losing digits.
    """
    if x > rest:  # there the series converges slowly, and fast from the other side
        return 1 - incomplete_beta(b, a, rest, x)
    if x <= 0:
        return 0.0
    value = term = 1.0
    for k in range(MOST_STEPS):
        term *= x * (a + b + k) / (a + 1 + k)
        value += term
        if term <= PRECISION * value:
            break
    return exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a * value
