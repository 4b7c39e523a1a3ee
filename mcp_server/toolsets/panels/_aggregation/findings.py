"""What the groups agree on and where they part, in sentences that say nothing but the figures. Pure."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice

from mcp_server.toolsets.panels._aggregation.agreeing import LEAST, in_choices, in_ratings, often, span
from mcp_server.toolsets.panels._aggregation.differences import compared
from mcp_server.toolsets.panels._aggregation.forms import low_is_good
from mcp_server.toolsets.panels._aggregation.gathering import Entry, Gathered, is_guessed, usable
from mcp_server.toolsets.panels._aggregation.phrases import figure, personas, some
from mcp_server.toolsets.panels._aggregation.reading import ends
from mcp_server.toolsets.panels._aggregation.summaries import numbers
from mcp_server.toolsets.panels._percent import percent
from mcp_server.toolsets.panels._results import Difference, Summary

MOST, MOST_PAIRS = 6, 4
QUARTER, CAMP, BETWEEN = 0.25, 3, 0.2
"""Two camps: which part of the scale is outer, how often a camp fits into the answers, and how many lie between."""


def agreements(gathered: Gathered, groups: Sequence[Summary], differences: Sequence[Difference]) -> list[str]:
    """What holds for every group, or for most personas. `groups` are those that answered."""
    if _too_thin(gathered):
        return []
    told = _large(groups)
    rating = gathered.asked.type == "scale"
    return list(islice(in_ratings(gathered, told, differences) if rating else in_choices(gathered, told), MOST))


def disagreements(gathered: Gathered, groups: Sequence[Summary], differences: Sequence[Difference]) -> list[str]:
    """Where groups clearly part, and where everyone is split."""
    if _too_thin(gathered):
        return []
    told = _large(groups)
    if gathered.asked.type == "scale":
        found = chain(_means_apart(gathered, differences), _two_camps(gathered))
    else:
        found = chain(
            _shares_apart(gathered, differences), _other_first(gathered, told, differences), _only_in(gathered, told)
        )
    return list(islice(found, MOST))


def _too_thin(gathered: Gathered) -> bool:
    """What the first few say is no finding about the panel; nor is what an engine without a model says of nothing."""
    states = Counter(entry.state for entry in gathered.everyone)
    return is_guessed(gathered) or states["pending"] > states["usable"] + states["unclear"]


def _large(groups: Sequence[Summary]) -> list[Summary]:
    return [group for group in groups if group.n >= LEAST]


def _means_apart(gathered: Gathered, differences: Sequence[Difference]) -> Iterator[str]:
    pairs, note = compared(gathered), low_is_good(gathered.asked.text)
    for one in differences:
        if one.clear and one.interval:
            told = f"interval {figure(one.interval.low)} to {figure(one.interval.high)}"
            of = f"; of {pairs} pairs compared" if pairs > 1 else ""
            yield f"{one.first} rate it {figure(one.difference)} points above {one.second} ({told}{of}){note}."


def _two_camps(gathered: Gathered) -> Iterator[str]:
    """A third or more in each outer quarter of the scale, and next to nobody between: hardly anybody gave the mean."""
    scale, given = ends(gathered.asked.scale), numbers(usable(gathered.everyone))
    if scale is None or len(given) < 2 * LEAST:
        return
    reach = QUARTER * (scale[1] - scale[0])
    low = [number for number in given if number - scale[0] < reach]
    high = [number for number in given if scale[1] - number < reach]
    between_them = len(given) - len(low) - len(high)
    if CAMP * min(len(low), len(high)) >= len(given) and between_them <= BETWEEN * len(given):
        yield (
            f"The answers fall into two camps: {len(low)} of {personas(len(given))} gave {span(low)}, "
            f"{len(high)} gave {span(high)}."
        )


def _shares_apart(gathered: Gathered, differences: Sequence[Difference]) -> Iterator[str]:
    answered = gathered.answered()
    made = compared(gathered)
    of = f"; of {made} comparisons" if made > 1 else ""
    for one in [each for each in differences if each.clear][:MOST_PAIRS]:
        if one.interval:
            first, second = (_of(answered[name], one.measure) for name in (one.first, one.second))
            points = f"{one.interval.low * 100:.0f} to {one.interval.high * 100:.0f} points"
            yield (
                f"{one.measure}: {percent(first)} of {one.first}, {percent(second)} of {one.second} "
                f"(interval of the difference {points}{of})."
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
        clear = any(one.clear and _between_firsts(one, firsts) for one in differences)
        doubt = "" if clear else ", though no difference between them is clear"
        yield f"The groups put different things first{doubt}: {named}."


def _first(group: Summary) -> str | None:
    """The one value that was given most often; None where several share that place."""
    ranked = Counter({count.value: count.count for count in group.counts if count.count}).most_common(2)
    if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]


def _between_firsts(one: Difference, firsts: Mapping[str, str]) -> bool:
    """Whether this difference is one between what its two groups put first."""
    first, second = firsts.get(one.first), firsts.get(one.second)
    return first is not None and second is not None and first != second and one.measure in {first, second}


def _only_in(gathered: Gathered, groups: list[Summary]) -> Iterator[str]:
    """Themes that several of one group speak of, and nobody else."""
    if gathered.asked.type != "qualitative" or len(groups) < LEAST:
        return
    answered = gathered.answered()
    named = {name: often(entries) for name, entries in answered.items()}
    for theme in gathered.options:
        speaking = [name for name in answered if named[name][theme]]
        if len(speaking) == 1 and named[speaking[0]][theme] >= LEAST:
            only = speaking[0]
            yield f"Only {only} speak of {theme}: {named[only][theme]} of {len(answered[only])}."
