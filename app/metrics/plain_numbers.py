"""Counters and histograms of one process, in plain numbers: the library keeps them in locked values, and walks the
buckets one by one, which was half of all that metrics cost a call.

It shows these as its own: they are collectors, which is its word for a source of samples. Each number has one thread
that counts; any may read.
"""

import time
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from math import inf

from prometheus_client.core import CounterMetricFamily, Exemplar, HistogramMetricFamily
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString


class Count:
    """The number for one set of labels."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = 0.0

    def inc(self, amount: float = 1) -> None:
        """Add `amount`. Raises ValueError where it is negative: a counter that falls looks like a new process."""
        if amount < 0:
            raise ValueError("a counter never falls")
        self.value += amount


class Distribution:
    """The observations of one set of labels."""

    __slots__ = ("_bounds", "_counts", "_exemplars", "_total")

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds = bounds
        self._counts, self._total = [0] * (len(bounds) + 1), 0.0
        self._exemplars: dict[int, Exemplar] = {}

    def observe(self, amount: float, exemplar: Mapping[str, str] | None = None) -> None:
        """Count `amount` in the first bucket whose bound is not below it; the bucket's last exemplar is shown."""
        bucket = bisect_left(self._bounds, amount)
        self._counts[bucket] += 1
        self._total += amount
        if exemplar is not None:
            self._exemplars[bucket] = Exemplar(dict(exemplar), amount, time.time())

    def buckets(self) -> list[tuple[str, float] | tuple[str, float, Exemplar]]:
        """The bound of each, how many observations were not above it, and its exemplar if there is one."""
        shown: list[tuple[str, float] | tuple[str, float, Exemplar]] = []
        for place, count in enumerate(accumulate(tuple(self._counts))):
            bound = _bound_as_text(self._bounds[place] if place < len(self._bounds) else inf)
            exemplar = self._exemplars.get(place)
            shown.append((bound, count) if exemplar is None else (bound, count, exemplar))
        return shown

    @property
    def total(self) -> float:
        return self._total


class Counts(Collector):
    """A family of counters."""

    def __init__(self, name: str, meaning: str, labels: Sequence[str]) -> None:
        self._name, self._meaning, self._labels = name, meaning, tuple(labels)
        self._children: dict[tuple[str, ...], Count] = {}

    def child(self, values: Sequence[str]) -> Count:
        """The one with these values of the labels."""
        return self._children.setdefault(tuple(values), Count())

    def describe(self) -> Iterable[CounterMetricFamily]:
        """The names, so that the registry refuses a second family of the same."""
        yield self._family()

    def collect(self) -> Iterable[CounterMetricFamily]:
        """The samples of all."""
        family = self._family()
        for values, child in self._children.copy().items():
            family.add_metric(values, child.value)
        yield family

    def _family(self) -> CounterMetricFamily:
        return CounterMetricFamily(self._name, self._meaning, labels=self._labels)


class Distributions(Collector):
    """A family of histograms, with buckets up to each of `bounds` and one above them."""

    def __init__(self, name: str, meaning: str, labels: Sequence[str], bounds: Sequence[float]) -> None:
        self._name, self._meaning, self._labels = name, meaning, tuple(labels)
        self._bounds = tuple(bounds)
        self._children: dict[tuple[str, ...], Distribution] = {}

    def child(self, values: Sequence[str]) -> Distribution:
        """The one with these values of the labels."""
        return self._children.setdefault(tuple(values), Distribution(self._bounds))

    def describe(self) -> Iterable[HistogramMetricFamily]:
        """The names, so that the registry refuses a second family of the same."""
        yield self._family()

    def collect(self) -> Iterable[HistogramMetricFamily]:
        """The samples of all."""
        family = self._family()
        for values, child in self._children.copy().items():
            family.add_metric(values, child.buckets(), child.total)
        yield family

    def _family(self) -> HistogramMetricFamily:
        return HistogramMetricFamily(self._name, self._meaning, labels=self._labels)


def _bound_as_text(bound: float) -> str:
    return str(floatToGoString(bound))  # type: ignore[no-untyped-call]  # it has no hints
