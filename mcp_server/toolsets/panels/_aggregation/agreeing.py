"""What the groups have in common, said only where the answers show it: a want of evidence is no agreement. Pure."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from mcp_server.toolsets.panels._aggregation.forms import low_is_good
from mcp_server.toolsets.panels._aggregation.gathering import Entry, Gathered, usable
from mcp_server.toolsets.panels._aggregation.intervals import Sample, of_mean_difference
from mcp_server.toolsets.panels._aggregation.numbers import written
from mcp_server.toolsets.panels._aggregation.phrases import every, figure, personas, sentence
from mcp_server.toolsets.panels._aggregation.reading import ends
from mcp_server.toolsets.panels._aggregation.summaries import leaders, numbers
from mcp_server.toolsets.panels._results import Difference, ScaleFacts, Summary

LEAST = 2
"""Answers that a group must have before a sentence speaks of it."""

CLOSE = 0.1
"""Of the scale: means are alike whose difference lies within, with its whole interval."""

MOST_OF, HALF, QUARTER = 0.75, 0.5, 0.25


def in_ratings(gathered: Gathered, groups: Sequence[Summary], differences: Sequence[Difference]) -> Iterator[str]:
    """Of a scale question. `groups` are those that are large enough to be spoken of."""
    yield from _alike(gathered, groups)
    yield from _one_side(gathered, groups)
    if not any(one.clear for one in differences):
        yield from _narrow(gathered)


def in_choices(gathered: Gathered, groups: Sequence[Summary]) -> Iterator[str]:
    """Of options or themes. `groups` are those that are large enough to be spoken of."""
    yield from _first_everywhere(gathered, groups)
    yield from _named_everywhere(gathered, groups)


def _alike(gathered: Gathered, groups: Sequence[Summary]) -> Iterator[str]:
    """Equivalence: not that no difference was found, but that none of more than a tenth of the scale can be there."""
    scale = ends(gathered.asked.scale)
    samples = [_sample(group, group.scale) for group in groups if group.scale]
    if scale is None or len(samples) < LEAST or not all(sample.sd for sample in samples):
        return
    reach = CLOSE * (scale[1] - scale[0])
    apart = [of_mean_difference(one, other) for one, other in combinations(samples, 2)]
    if all(interval and -reach <= interval.low <= interval.high <= reach for interval in apart):
        means = [sample.mean for sample in samples]
        low, high = figure(min(means)), figure(max(means))
        where = f"are {low}" if low == high else f"lie between {low} and {high}"
        yield (
            f"{sentence(_all(gathered, len(samples)))} rate it alike: their means {where}, and "
            f"the intervals of their differences stay within {figure(reach)} points."
        )


def _sample(group: Summary, facts: ScaleFacts) -> Sample:
    return Sample(group.n, facts.mean, facts.sd)


def _one_side(gathered: Gathered, groups: Sequence[Summary]) -> Iterator[str]:
    """Where each group's interval lies on one side of the middle; answers without any spread have none to lie there."""
    scale = ends(gathered.asked.scale)
    intervals = [group.scale.interval if group.scale else None for group in groups]
    told = [interval for interval in intervals if interval]
    if scale is None or len(groups) < LEAST or len(told) < len(groups):
        return
    middle, who, note = sum(scale) / 2, _all(gathered, len(groups)), low_is_good(gathered.asked.text)
    if all(round(interval.low, 2) > middle for interval in told):
        yield f"The means of {who} are above the middle of the scale ({figure(middle)}), with their intervals{note}."
    elif all(round(interval.high, 2) < middle for interval in told):
        yield f"The means of {who} are below the middle of the scale ({figure(middle)}), with their intervals{note}."


def _all(gathered: Gathered, number: int) -> str:
    """The groups that a sentence speaks of: not all of them where some have hardly answered."""
    return every(number) if number == len(gathered.groups) else f"the {number} groups with {LEAST} or more answers"


def _narrow(gathered: Gathered) -> Iterator[str]:
    """Where most personas lie within a quarter of the scale, at least two neighbouring points."""
    scale, given = ends(gathered.asked.scale), sorted(numbers(usable(gathered.everyone)))
    if scale is None or len(given) <= LEAST or scale[1] - scale[0] <= LEAST:
        return
    reach = max(1.0, QUARTER * (scale[1] - scale[0]))
    near = max(([one for one in given if low <= one <= low + reach] for low in given), key=len)
    if len(near) >= MOST_OF * len(given):
        yield f"{len(near)} of {personas(len(given))} answered {span(near)}."


def span(given: Sequence[float]) -> str:
    """The lowest and the highest of them."""
    low, high = written(min(given)), written(max(given))
    return low if low == high else f"{low} to {high}"


def _first_everywhere(gathered: Gathered, groups: Sequence[Summary]) -> Iterator[str]:
    firsts = {_clear_first(gathered, group) for group in groups}
    option = firsts.pop() if len(firsts) == 1 else None
    if len(groups) >= LEAST and option is not None:
        verb = "speak most of" if gathered.asked.type == "qualitative" else "put"
        order = "" if gathered.asked.type == "qualitative" else " first"
        yield f"{sentence(_all(gathered, len(groups)))} {verb} {option}{order}."


def _clear_first(gathered: Gathered, group: Summary) -> str | None:
    """What leads the group beyond chance; where only one can be chosen, with more than half of it behind it."""
    leading = leaders(group.counts)
    if len(leading) != 1:
        return None
    option = leading[0].value
    return option if gathered.asked.type != "categorical" or _by_most(group, option) else None


def _by_most(group: Summary, option: str) -> bool:
    """Whether more than half of the group named it, by the whole interval of the share."""
    found = next((count.interval for count in group.counts if count.value == option), None)
    return found is not None and found.low > HALF


def _named_everywhere(gathered: Gathered, groups: Sequence[Summary]) -> Iterator[str]:
    told = usable(gathered.everyone)
    named = often(told)
    for option in gathered.options:
        count = named[option]
        if len(told) > LEAST and count >= MOST_OF * len(told) and _by_no_minority(gathered, groups, option):
            yield f"{count} of {personas(len(told))} {_verb(gathered, count)} {option}."
        elif (
            gathered.asked.type != "categorical"
            and len(groups) >= LEAST
            and all(_by_most(group, option) for group in groups)
        ):
            who = _all(gathered, len(groups))
            yield f"{option} is named by more than half of the personas in {who}: {count} of {personas(len(told))}."


def _by_no_minority(gathered: Gathered, groups: Sequence[Summary], option: str) -> bool:
    """What a large group chose is no agreement where a small one chose otherwise, or is split in halves."""
    shares = [next((one.share for one in group.counts if one.value == option), 0.0) for group in groups]
    only_one = gathered.asked.type == "categorical"
    return all(share > HALF or (share == HALF and not only_one) for share in shares)


def often(entries: Sequence[Entry]) -> Counter[str]:
    """How many chose each option."""
    return Counter(choice for entry in entries for choice in entry.choices)


def _verb(gathered: Gathered, count: int) -> str:
    if gathered.asked.type != "qualitative":
        return "chose"
    return "speaks of" if count == 1 else "speak of"
