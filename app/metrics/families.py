"""Families of metrics, in one registry or in files that several workers share, with a bounded number of children."""

from collections.abc import Sequence
from pathlib import Path
from typing import Generic, Literal, TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics
from prometheus_client.metrics import MetricWrapperBase
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.values import MutexValue, ValueClass

M = TypeVar("M", bound=MetricWrapperBase)
Merge = Literal["livesum", "livemin", "livemax", "livemostrecent"]
"""What the gauges of several workers become: their sum, their maximum, or the value set last; of those that live."""

MOST_CHILDREN = 500
"""Sets of labels in a family. Labels are words of our own, so that it is never reached unless one of them is not."""

OVERFLOW = "other"

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
"""A tool call takes a millisecond or a minute."""


class Family(dict[tuple[str, ...], M], Generic[M]):
    """The children of one family, by the values of their labels. Beyond `most` all further ones are one.

    A dictionary, because to look a child up with `labels` costs ten times as much.
    """

    def __init__(self, metric: M, labels: Sequence[str], most: int = MOST_CHILDREN) -> None:
        super().__init__()
        self._metric, self._most, self._overflow = metric, most, (OVERFLOW,) * len(labels)

    def __missing__(self, values: tuple[str, ...]) -> M:
        if len(self) >= self._most and values != self._overflow:
            return self[self._overflow]
        child = self[values] = self._metric.labels(*values) if values else self._metric
        return child


class Families:
    """Makes families in a registry of its own. `names` has each with its labels.

    With `counts` off, nothing is shown. With `shared`, a folder, every worker counts in files there and shows the sum
    of all. The library decides that for the whole process when it is first imported, by PROMETHEUS_MULTIPROC_DIR;
    where it did not, nothing is shared.
    """

    def __init__(self, *, counts: bool = True, shared: Path | None = None) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]  # a second series for each, of no use
        self.counts, self.shared = counts, shared if ValueClass is not MutexValue else None
        self.registry = CollectorRegistry()
        self.names: dict[str, tuple[str, ...]] = {}

    def counter(self, name: str, meaning: str, *labels: str) -> Family[Counter]:
        self.names[name] = labels
        return Family(Counter(name, meaning, labels, registry=self.registry), labels)

    def gauge(self, name: str, meaning: str, *labels: str, merge: Merge = "livesum") -> Family[Gauge]:
        self.names[name] = labels
        return Family(Gauge(name, meaning, labels, registry=self.registry, multiprocess_mode=merge), labels)

    def histogram(self, name: str, meaning: str, *labels: str, buckets: Sequence[float] = SECONDS) -> Family[Histogram]:
        self.names[name] = labels
        return Family(Histogram(name, meaning, labels, registry=self.registry, buckets=buckets), labels)

    def shown(self) -> CollectorRegistry:
        if self.counts and self.shared is None:
            return self.registry
        merged = CollectorRegistry()
        if self.counts:
            MultiProcessCollector(merged, path=str(self.shared))  # type: ignore[no-untyped-call]  # it has no hints
        return merged
