"""How much the answers of a group agree, and how far groups lie apart: figures between 0 and 1. Pure."""

import statistics
from collections.abc import Mapping, Sequence
from itertools import combinations


def consensus(numbers: Sequence[int], scale: tuple[int, int] | None) -> float | None:
    """1 less the deviation as a part of the largest there can be; None where the scale is not known."""
    if not numbers or scale is None or scale[0] >= scale[1]:
        return None
    return max(0.0, 1 - statistics.pstdev(numbers) / ((scale[1] - scale[0]) / 2))


def diversity(counts: Sequence[int]) -> float:
    """The chance that two mentions drawn at random, one after the other put back, are of different values."""
    total = sum(counts)
    return 1 - sum((count / total) ** 2 for count in counts) if total else 0.0


def divergence(groups: Sequence[Mapping[str, int]]) -> float:
    """The mean over all pairs of groups of the part of their mentions that is not alike."""
    spread = [_parts(group) for group in groups if sum(group.values())]
    apart = [_apart(one, other) for one, other in combinations(spread, 2)]
    return statistics.fmean(apart) if apart else 0.0


def _parts(counts: Mapping[str, int]) -> Mapping[str, float]:
    total = sum(counts.values())
    return {value: count / total for value, count in counts.items()}


def _apart(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    return sum(abs(one.get(value, 0) - other.get(value, 0)) for value in one.keys() | other.keys()) / 2
