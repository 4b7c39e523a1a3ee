"""Families of metrics, in one registry or in files that several workers share, with a bounded number of children."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar, cast

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics
from prometheus_client.metrics import MetricWrapperBase
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.values import MutexValue, ValueClass

from app.metrics.plain_numbers import Count, Counts, Distribution, Distributions

M = TypeVar("M", bound=MetricWrapperBase | Count | Distribution)
W = TypeVar("W", bound=MetricWrapperBase)
Merge = Literal["livesum", "livemax", "livemostrecent"]
"""What one gauge of several workers is: their sum, the worst of them, or what was said last; of those that live."""

MOST_CHILDREN = 500
"""Sets of labels in a family. Labels are words of our own, so that it is never reached unless one of them is not."""

OVERFLOW = "other"

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
"""A tool call takes a millisecond or a minute."""


class Nothing:
    """In the place of every child where nothing is counted."""

    def inc(self, amount: float = 1) -> None:
        """Nothing."""

    def set(self, value: float) -> None:
        """Nothing."""

    def observe(self, amount: float, exemplar: Any = None) -> None:
        """Nothing."""


class Bounded(dict[tuple[str, ...], M], Generic[M]):
    """The children of one family, by the values of their labels. Beyond `most` all further ones are one.

    A dictionary, because to look a child up with `labels` costs ten times as much.
    """

    def __init__(self, make: Callable[[Sequence[str]], M], labels: Sequence[str], most: int = MOST_CHILDREN) -> None:
        super().__init__()
        self._make, self._most, self._overflow = make, most, (OVERFLOW,) * len(labels)

    def __missing__(self, values: tuple[str, ...]) -> M:
        if len(self) >= self._most and values != self._overflow:
            return self[self._overflow]
        child = self[values] = self._make(values)
        return child

    def __call__(self, *values: str) -> M:
        """The child with these values."""
        return self[values]


class Families:
    """Makes families, and shows all of them. Nothing is global, so that two applications in a process do not mix.
    `names` has each with its labels.

    With `shared`, a folder, every worker counts in files there and shows the sum of all. The library decides that for
    the whole process when it is first imported, by PROMETHEUS_MULTIPROC_DIR; where it did not, nothing is shared.
    """

    def __init__(self, *, counts: bool = True, shared: Path | None = None) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]  # a second series for each, of no use
        self.counts, self.shared = counts, shared if ValueClass is not MutexValue else None
        self.registry = CollectorRegistry()
        self.names: dict[str, tuple[str, ...]] = {}

    @property
    def keeps_exemplars(self) -> bool:
        """In shared files there is no place for them."""
        return self.counts and self.shared is None

    def counter(self, name: str, meaning: str, *labels: str) -> Bounded[Counter | Count]:
        return self._family(name, labels, lambda: self._counter(name, meaning, labels))

    def gauge(self, name: str, meaning: str, *labels: str, merge: Merge = "livesum") -> Bounded[Gauge]:
        return self._family(
            name,
            labels,
            lambda: _children(Gauge(name, meaning, labels, registry=self.registry, multiprocess_mode=merge)),
        )

    def histogram(
        self, name: str, meaning: str, *labels: str, buckets: Sequence[float] = SECONDS
    ) -> Bounded[Histogram | Distribution]:
        return self._family(name, labels, lambda: self._histogram(name, meaning, labels, buckets))

    def shown(self) -> CollectorRegistry:
        """What is to be shown: this process's, or that of all the workers."""
        if self.shared is None:
            return self.registry
        merged = CollectorRegistry()
        MultiProcessCollector(merged, path=str(self.shared))  # type: ignore[no-untyped-call]  # it has no hints
        return merged

    def _counter(self, name: str, meaning: str, labels: Sequence[str]) -> Callable[[Sequence[str]], Counter | Count]:
        if self.shared is not None:
            return _children(Counter(name, meaning, labels, registry=self.registry))
        family = Counts(name, meaning, labels)
        self.registry.register(family)
        return family.child

    def _histogram(
        self, name: str, meaning: str, labels: Sequence[str], buckets: Sequence[float]
    ) -> Callable[[Sequence[str]], Histogram | Distribution]:
        if self.shared is not None:
            return _children(Histogram(name, meaning, labels, registry=self.registry, buckets=buckets))
        family = Distributions(name, meaning, labels, buckets)
        self.registry.register(family)
        return family.child

    def _family(
        self, name: str, labels: tuple[str, ...], make: Callable[[], Callable[[Sequence[str]], M]]
    ) -> Bounded[M]:
        self.names[name] = labels
        return Bounded(make() if self.counts else lambda _values: cast("M", Nothing()), labels)


def _children(family: W) -> Callable[[Sequence[str]], W]:
    return lambda values: family.labels(*values) if values else family
