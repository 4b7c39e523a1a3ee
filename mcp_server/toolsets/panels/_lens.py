"""One question seen otherwise: by segments, weighted, or beside an earlier asking of it. Made of the answers alone."""

import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mcp_server.errors import InvalidArguments
from mcp_server.toolsets.panels._aggregation.aggregate import aggregate
from mcp_server.toolsets.panels._aggregation.gathering import NOT_TOLD, Entry, Gathered, gather, usable
from mcp_server.toolsets.panels._aggregation.texts import figure, percent
from mcp_server.toolsets.panels._aggregation.themes import gather_themed
from mcp_server.toolsets.panels._change import change_of, said_of_change
from mcp_server.toolsets.panels._results import Caveat, Section, Summary, Weighted, WeightedShare
from mcp_server.toolsets.panels._study import AskedQuestion

TOO_FEW = "too few answers"
LEAST = 2  # answers of a segment: one voice has no mean
MOST_SAID, MANY = 3, 12  # MANY: values of a number that are told one by one

Attributes = Mapping[str, Mapping[str, str]]
"""Of each persona by its id: what is told of it."""


@dataclass(frozen=True, slots=True)
class Lens:
    """How to look at questions.

    Attributes:
        by: attributes whose values make the groups, instead of the panel's own.
        weights: of one attribute, the share that each value is to have.
        earlier: the same question as it was asked before.

    """

    attributes: Attributes = field(default_factory=dict)
    by: tuple[str, ...] = ()
    weights: tuple[str, Mapping[str, float]] | None = None
    earlier: AskedQuestion | None = None

    def check(self) -> None:
        """Raises InvalidArguments: no persona has one of the attributes, which names those that there are."""
        known = {key for told in self.attributes.values() for key in told}
        for wanted in (*self.by, *([self.weights[0]] if self.weights else ())):
            if wanted not in known:
                shown = f"known are {', '.join(sorted(known)[:20])}" if known else "give them attributes first"
                raise InvalidArguments(f'no persona of this panel has the attribute "{wanted}"; {shown}')
        key, shares = self.weights or ("", {})
        there = {told[key].casefold(): told[key] for told in self.attributes.values() if key in told}
        if unknown := [value for value in shares if value.casefold() not in there]:
            known_values = ", ".join(sorted(there.values(), key=_in_order))
            raise InvalidArguments(f"nobody has {key} {', '.join(unknown)}; there are {known_values}")

    def section(self, asked: AskedQuestion, *, shown: int = 60) -> Section:
        """What the answers amount to. Raises InvalidArguments: `earlier` is another question."""
        seen = self._segmented(asked) if self.by else asked
        result = aggregate(seen, shown=shown)
        changed: dict[str, Any] = {"by": list(self.by)}
        notes = list(result.caveats)
        if self.by:
            none: dict[str, Any] = {"scale": None, "value": TOO_FEW}  # of a single voice no figures are told
            changed["groups"] = [one.model_copy(update=none) if one.n == 1 else one for one in result.groups]
        if self.weights is not None:
            changed["weighted"] = weighted = self._weighted(asked, *self.weights)
            message = _said(weighted, result.overall) + (" The segments are not weighted." if self.by else "")
            notes.append(Caveat(code="weighted", message=message))
        if self.earlier is not None:
            then = self._segmented(self.earlier) if self.by else self.earlier
            changed["change"] = change = change_of(seen, then)
            notes += [Caveat(code="change", message=message) for message in said_of_change(change)]
        return Section(seen, result.model_copy(update={**changed, "caveats": notes}))

    def _told(self, entry: Entry) -> Mapping[str, str]:
        return self.attributes.get(entry.reply.persona_id or "", {})

    def _segmented(self, asked: AskedQuestion) -> AskedQuestion:
        """Each persona once, in the segment that its attributes make."""
        everyone = gather(asked).everyone
        spelt = dict[str, str]()  # one segment of "North" and "north"
        told = ([self._told(entry).get(key, NOT_TOLD) for key in self.by] for entry in everyone)
        values = [tuple(spelt.setdefault(one.casefold(), one) for one in each) for each in told]
        labels = {each: ", ".join(map(": ".join, zip(self.by, each, strict=True))) for each in values}
        pairs = zip(everyone, values, strict=True)
        replies = [replace(entry.reply, group=labels[each], group_id=None) for entry, each in pairs]
        told_now = "as the personas' attributes are now, each persona once"
        note = f"The groups here are segments by {' and '.join(self.by)}, {told_now}."
        in_order = sorted(labels, key=lambda each: (NOT_TOLD in each, [_in_order(value) for value in each]))
        order = tuple(labels[each] for each in in_order)
        return replace(asked, replies=tuple(replies), groups=order, notes=(*asked.notes, note))

    def _weighted(self, asked: AskedQuestion, key: str, shares: Mapping[str, float]) -> Weighted:
        gathered = gather_themed(asked)
        answered = usable(gathered.everyone)
        folded = {value.casefold(): share for value, share in shares.items()}
        classes = [self._told(entry).get(key, "").casefold() for entry in answered]
        sizes = Counter(classes)
        given = [
            (entry, folded[one] / sizes[one]) for entry, one in zip(answered, classes, strict=True) if one in folded
        ]
        return Weighted(
            attribute=key,
            targets=dict(shares),
            missing=[value for value in shares if not sizes[value.casefold()]],
            n=len(given),
            left_out=len(answered) - len(given),
            **_figures(given, gathered),
        )


def banded(attributes: Attributes) -> Attributes:
    """With numbers of many values, such as ages, in bands of ten, or of a larger power of ten: "30-39"."""
    numbers: dict[str, set[int]] = {}
    for key, value in (each for told in attributes.values() for each in told.items() if each[1].isdecimal()):
        numbers.setdefault(key, set()).add(int(value))
    widths = {key: 10 ** (len(str(max(each) - min(each))) - 1) for key, each in numbers.items() if len(each) > MANY}

    def band(key: str, value: str) -> str:
        low = int(value) // widths[key] * widths[key] if key in widths and value.isdecimal() else None
        return value if low is None else f"{low}-{low + widths[key] - 1}"

    return {one: {key: band(key, value) for key, value in told.items()} for one, told in attributes.items()}


def _in_order(value: str) -> tuple[int, str]:
    """Numbers and their bands by size, before words."""
    number = re.match(r"\d+", value)
    return (int(number[0]) if number else sys.maxsize, value)


def _figures(given: Sequence[tuple[Entry, float]], gathered: Gathered) -> dict[str, Any]:
    """The effective n is Kish's: as many unweighted answers would say as much."""
    total, squares = sum(weight for _, weight in given), sum(weight**2 for _, weight in given)
    if len(given) < LEAST or not total:
        return {"effective_n": None, "mean": None, "shares": []}
    mean = None
    if gathered.asked.type == "scale":
        mean = sum((entry.number or 0.0) * weight for entry, weight in given) / total
    shares = [
        WeightedShare(value=option, share=sum(weight for entry, weight in given if option in entry.choices) / total)
        for option in gathered.options
    ]
    return {"effective_n": total**2 / squares, "mean": mean, "shares": shares}


def _said(weighted: Weighted, overall: Summary) -> str:
    targets = ", ".join(f"{value} {percent(share)}" for value, share in weighted.targets.items())
    head = f"Weighted by {weighted.attribute} ({targets})"
    gone = f" Nobody answered from {', '.join(weighted.missing)}." if weighted.missing else ""
    if weighted.effective_n is None:
        return f"{head}: {TOO_FEW}.{gone}"
    ranked = sorted(weighted.shares, key=lambda one: -one.share)[:MOST_SAID]
    shares = ", ".join(f"{one.value} {percent(one.share)}" for one in ranked)
    value = shares if weighted.mean is None else figure(weighted.mean)
    out = f"; {weighted.left_out} answers are in none of these" if weighted.left_out else ""
    effective = f"n {weighted.n}, effective n {weighted.effective_n:.1f}{out}"
    return f"{head}: {value} ({effective}); unweighted, all {overall.n}: {overall.value}.{gone}"


AS_ASKED = Lens()  # by the groups that were asked, unweighted
