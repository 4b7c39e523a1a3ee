"""What the groups agree on and where they part, in sentences that say nothing but the figures. Pure."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from statistics import median

from mcp_server.toolsets.panels._aggregation.gathering import Entry, Gathered, usable
from mcp_server.toolsets.panels._aggregation.numbers import written
from mcp_server.toolsets.panels._aggregation.phrases import between, every, figure, personas, sentence, some
from mcp_server.toolsets.panels._aggregation.reading import ends
from mcp_server.toolsets.panels._aggregation.summaries import numbers
from mcp_server.toolsets.panels._percent import percent
from mcp_server.toolsets.panels._results import Difference, Summary

MOST, MOST_PAIRS = 6, 4
LEAST = 2
"""Answers that a group must have before a sentence speaks of it."""

CLOSE = 0.1
"""Of the scale: means that are no further apart are called alike."""

MOST_OF = 0.75
HALF, FEW = 0.5, 0.25


def agreements(gathered: Gathered, groups: Sequence[Summary], differences: Sequence[Difference]) -> list[str]:
    """What holds for every group, or for most personas. `groups` are those that answered."""
    told = _large(groups)
    if gathered.asked.type == "scale":
        found = chain(_alike(gathered, told, differences), _narrow(gathered))
    else:
        found = chain(_first_everywhere(gathered, told), _named_everywhere(gathered, told))
    return list(islice(found, MOST))


def disagreements(gathered: Gathered, groups: Sequence[Summary], differences: Sequence[Difference]) -> list[str]:
    """Where groups clearly part, and where everyone is split."""
    told = _large(groups)
    if gathered.asked.type == "scale":
        found = chain((_apart(one) for one in differences if one.clear), _two_camps(gathered))
    else:
        found = chain(
            _shares_apart(gathered, differences), _other_first(gathered, told, differences), _only_in(gathered, told)
        )
    return list(islice(chain(found, _moods(told)), MOST))


def _large(groups: Sequence[Summary]) -> list[Summary]:
    return [group for group in groups if group.n >= LEAST]


def _alike(gathered: Gathered, groups: list[Summary], differences: Sequence[Difference]) -> Iterator[str]:
    scale = ends(gathered.asked.scale)
    means = [group.scale.mean for group in groups if group.scale]
    if scale is None or len(means) < LEAST:
        return
    low, high = min(means), max(means)
    if high - low <= CLOSE * (scale[1] - scale[0]) and not any(one.clear for one in differences):
        who = sentence(_all(gathered, len(means)))
        yield f"{who} rate it alike: their means lie between {figure(low)} and {figure(high)}."
    middle = sum(scale) / 2
    if low > middle or high < middle:
        side = "above" if low > middle else "below"
        yield f"The means of {_all(gathered, len(means))} are {side} the middle of the scale ({figure(middle)})."


def _all(gathered: Gathered, number: int) -> str:
    """The groups that a sentence speaks of: not all of them where some have hardly answered."""
    return every(number) if number == len(gathered.groups) else f"the {number} groups with {LEAST} or more answers"


def _narrow(gathered: Gathered) -> Iterator[str]:
    """Where most personas are within a tenth of the scale, at least a point, of the median."""
    scale, given = ends(gathered.asked.scale), numbers(usable(gathered.everyone))
    if scale is None or len(given) <= LEAST or scale[1] - scale[0] <= LEAST:
        return
    middle, reach = median(given), max(1.0, CLOSE * (scale[1] - scale[0]))
    near = [number for number in given if abs(number - middle) <= reach]
    if len(near) >= MOST_OF * len(given):
        yield f"{len(near)} of {personas(len(given))} answered {_span(near)}."


def _span(given: list[float]) -> str:
    low, high = written(min(given)), written(max(given))
    return low if low == high else f"{low} to {high}"


def _first_everywhere(gathered: Gathered, groups: list[Summary]) -> Iterator[str]:
    firsts = [_first(group) for group in groups]
    if len(groups) >= LEAST and firsts[0] is not None and len(set(firsts)) == 1:
        verb = "speak most of" if gathered.asked.type == "qualitative" else "put"
        order = "" if gathered.asked.type == "qualitative" else " first"
        yield f"{sentence(_all(gathered, len(groups)))} {verb} {firsts[0]}{order}."


def _first(group: Summary) -> str | None:
    """The one value that was given most often; None where several share that place."""
    ranked = Counter({count.value: count.count for count in group.counts if count.count}).most_common(2)
    if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]


def _named_everywhere(gathered: Gathered, groups: list[Summary]) -> Iterator[str]:
    told = usable(gathered.everyone)
    often = _often(told)
    for option in gathered.options:
        count = often[option]
        if len(told) > LEAST and count >= MOST_OF * len(told):
            yield f"{count} of {personas(len(told))} {_verb(gathered, count)} {option}."
        elif len(groups) >= LEAST and all(_share(group, option) >= HALF for group in groups):
            who = _all(gathered, len(groups))
            yield f"{option} is named by at least half of the personas in {who}: {count} of {personas(len(told))}."


def _often(entries: Sequence[Entry]) -> Counter[str]:
    return Counter(choice for entry in entries for choice in entry.choices)


def _verb(gathered: Gathered, count: int) -> str:
    if gathered.asked.type != "qualitative":
        return "chose"
    return "speaks of" if count == 1 else "speak of"


def _share(group: Summary, option: str) -> float:
    return next((count.share for count in group.counts if count.value == option), 0.0)


def _apart(one: Difference) -> str:
    points = figure(one.difference)
    return f"{one.first} rate it {points} points above {one.second}{between(one.interval)}."


def _two_camps(gathered: Gathered) -> Iterator[str]:
    """A quarter or more in each outer quarter of the scale, and fewer between: the mean is hardly anybody's answer."""
    scale, given = ends(gathered.asked.scale), numbers(usable(gathered.everyone))
    if scale is None or len(given) < 2 * LEAST:
        return
    reach = FEW * (scale[1] - scale[0])
    low = [number for number in given if number <= scale[0] + reach]
    high = [number for number in given if number >= scale[1] - reach]
    between_them = len(given) - len(low) - len(high)
    if min(len(low), len(high)) >= max(FEW * len(given), between_them + 1):
        yield (
            f"The answers fall into two camps: {len(low)} of {personas(len(given))} gave {_span(low)}, "
            f"{len(high)} gave {_span(high)}."
        )


def _shares_apart(gathered: Gathered, differences: Sequence[Difference]) -> Iterator[str]:
    answered = gathered.answered()
    for one in [each for each in differences if each.clear][:MOST_PAIRS]:
        if one.interval:
            first, second = (_of(answered[name], one.measure) for name in (one.first, one.second))
            points = f"{one.interval.low * 100:.0f} to {one.interval.high * 100:.0f} points"
            yield (
                f"{one.measure}: {percent(first)} of {one.first}, {percent(second)} of {one.second} "
                f"(interval of the difference {points})."
            )


def _of(entries: Sequence[Entry], option: str) -> float:
    return sum(option in entry.choices for entry in entries) / len(entries)


def _other_first(gathered: Gathered, groups: list[Summary], differences: Sequence[Difference]) -> Iterator[str]:
    firsts = {str(group.group): first for group in groups if (first := _first(group)) is not None}
    if len(set(firsts.values())) > 1:
        named = "; ".join(
            f"{option}: {some([group for group, first in firsts.items() if first == option])}"
            for option in gathered.options
            if option in firsts.values()
        )
        clear = any(one.clear for one in differences)
        doubt = "" if clear else ", though no difference between them is clear"
        yield f"The groups put different things first{doubt}: {named}."


def _only_in(gathered: Gathered, groups: list[Summary]) -> Iterator[str]:
    """Themes that several of one group speak of, and nobody else."""
    if gathered.asked.type != "qualitative" or len(groups) < LEAST:
        return
    answered = gathered.answered()
    often = {name: _often(entries) for name, entries in answered.items()}
    for theme in gathered.options:
        speaking = [name for name in answered if often[name][theme]]
        if len(speaking) == 1 and often[speaking[0]][theme] >= LEAST:
            only = speaking[0]
            yield f"Only {only} speak of {theme}: {often[only][theme]} of {len(answered[only])}."


def _moods(groups: list[Summary]) -> Iterator[str]:
    """Groups that are of opposite mind, by the mean sentiment that was told."""
    told = [(group.sentiment, str(group.group)) for group in groups if group.sentiment is not None]
    favour = max(told, default=None, key=lambda one: one[0])
    against = min(told, default=None, key=lambda one: one[0])
    if favour and against and favour[0] >= FEW and against[0] <= -FEW:
        yield (
            f"{favour[1]} are in favour (mean sentiment {figure(favour[0])}), "
            f"{against[1]} against ({figure(against[0])})."
        )
