"""Quantiles of Student's t distribution, to twelve digits, for whole and broken degrees of freedom. Pure."""

from functools import lru_cache
from math import exp, lgamma, log, log1p, pi, sqrt
from statistics import NormalDist

CONFIDENCE = 0.95
TINY = 1e-300
PRECISION, CLOSE = 1e-15, 1e-12
MOST_STEPS = 10_000  # the fraction needs about the square root of the degrees of freedom


@lru_cache(1_024)
def t_quantile(df: float, confidence: float = CONFIDENCE) -> float:
    """The t that this part of the distribution lies within, on both sides of zero. `df` is at least 1."""
    # The normal quantile is below every t, and the probability is concave: Newton's steps come up from the left.
    t = NormalDist().inv_cdf((1 + confidence) / 2)
    for _ in range(MOST_STEPS):
        step = (confidence - within(t, df)) / (2 * density(t, df))
        t += step
        if step <= CLOSE * t:
            break
    return t


def density(t: float, df: float) -> float:
    """Of the distribution at `t`."""
    height = lgamma((df + 1) / 2) - lgamma(df / 2) - log(df * pi) / 2
    return exp(height - (df + 1) / 2 * log1p(t * t / df))


def within(t: float, df: float) -> float:
    """The probability that a t-distributed value lies between -t and t."""
    square = t * t
    return incomplete_beta(0.5, df / 2, square / (df + square), df / (df + square))


def incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """The regularized incomplete beta function I_x(a, b).

    `rest` is 1 - x, worked out by the caller, who can do so without losing digits (DLMF 8.17.22).
    """
    if x <= 0:
        return 0.0
    if x > (a + 1) / (a + b + 2):  # there the fraction converges slowly, and fast from the other side
        return 1 - _fraction_part(b, a, rest, x)
    return _fraction_part(a, b, x, rest)


def _fraction_part(a: float, b: float, x: float, rest: float) -> float:
    # log1p keeps the digits where x or its rest is next to 1.
    logarithms = a * _log(x, rest) + b * _log(rest, x)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + logarithms) / a
    return front * _fraction(a, b, x)


def _log(x: float, rest: float) -> float:
    return log1p(-rest) if rest < x else log(x)


def _fraction(a: float, b: float, x: float) -> float:
    """Lentz's evaluation of the continued fraction."""
    c, d = 1.0, 1 / _not_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, MOST_STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        before = value
        for term in (even, odd):
            d = 1 / _not_zero(1 + term * d)
            c = _not_zero(1 + term / c)
            value *= c * d
        if abs(value - before) <= PRECISION * abs(value):
            break
    return value


def _not_zero(value: float) -> float:
    return value if abs(value) > TINY else TINY


def welch_df(first: tuple[float, int], second: tuple[float, int]) -> float:
    """Degrees of freedom after Welch and Satterthwaite; each argument is a standard deviation and its n."""
    parts = [sd**2 / n for sd, n in (first, second)]
    sizes = [n for _, n in (first, second)]
    # Divided by the greater part first, since squares of very small ones would vanish.
    shares = [part / max(parts) for part in parts]
    return sum(shares) ** 2 / sum(share**2 / (n - 1) for share, n in zip(shares, sizes, strict=True))


def standard_error(sd: float, n: int) -> float:
    """Of a mean of `n` values."""
    return sd / sqrt(n)
