"""What the groups agree on and where they part, in sentences that say nothing but the figures. Pure.

Agreement is said only where the answers show it: a want of evidence is no agreement.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, combinations, islice, permutations

from mcp_server.toolsets.panels._aggregation.caveats import low_is_good
from mcp_server.toolsets.panels._aggregation.differences import Compared
from mcp_server.toolsets.panels._aggregation.gathering import NOT_TOLD, Gathered, usable
from mcp_server.toolsets.panels._aggregation.intervals import Sample, of_mean_difference
from mcp_server.toolsets.panels._aggregation.reading import written
from mcp_server.toolsets.panels._aggregation.summaries import leaders, numbers, often
from mcp_server.toolsets.panels._aggregation.texts import figure, percent, personas, some
from mcp_server.toolsets.panels._results import Difference, Summary

MOST, MOST_PAIRS = 6, 4
LEAST = 2  # answers that a group must have before a sentence speaks of it

CLOSE = 0.1  # of the scale: means are alike whose difference lies within, with its whole interval

MOST_OF, HALF, QUARTER = 0.75, 0.5, 0.25
CAMP, BETWEEN = 3, 0.2
"""Two camps: how often a camp fits into the answers, and how many lie between."""


def findings(gathered: Gathered, groups: Sequence[Summary], compared: Compared) -> tuple[list[str], list[str]]:
    """What holds for every group or for most personas; and where groups clearly part, or everyone is split."""
    if gathered.is_early:
        return [], []
    large = [group for group in groups if group.n >= LEAST and NOT_TOLD not in str(group.group)]
    if gathered.asked.type == "scale":
        narrow = () if compared.clear else _narrow(gathered)
        agreed = chain(_alike(gathered, large), _one_side(gathered, large), narrow)
        split = chain(_means_apart(gathered, compared), _two_camps(gathered))
    else:
        # Parts of themes rank nothing: what is said in many ways may be what most say.
        ranks = gathered.asked.type != "qualitative" or gathered.asked.coded_by == "model"
        agreed = chain(_first_everywhere(gathered, large if ranks else []), _named_everywhere(gathered, large))
        first = _other_first(gathered, large if ranks else [], compared.differences)
        split = chain(_shares_apart(gathered, compared), first, _only_in(gathered, large, compared))
    return list(islice(agreed, MOST)), list(islice(split, MOST))


def _alike(gathered: Gathered, groups: Sequence[Summary]) -> Iterator[str]:
    """Equivalence: not that no difference was found, but that none of more than a tenth of the scale can be there."""
    scale = gathered.asked.scale
    samples = [Sample(group.n, group.scale.mean, group.scale.sd) for group in groups if group.scale]
    if scale is None or len(samples) < LEAST or not all(sample.sd for sample in samples):
        return
    reach = CLOSE * (scale[1] - scale[0])
    apart = [of_mean_difference(one, other) for one, other in combinations(samples, 2)]
    if all(interval and -reach <= interval.low <= interval.high <= reach for interval in apart):
        means = [sample.mean for sample in samples]
        low, high = figure(min(means)), figure(max(means))
        where = f"are {low}" if low == high else f"lie between {low} and {high}"
        yield (
            f"{_all(gathered, len(samples)).capitalize()} rate it alike: their means {where}, and "
            f"the intervals of their differences stay within {figure(reach)} points."
        )


def _one_side(gathered: Gathered, groups: Sequence[Summary]) -> Iterator[str]:
    """Where each group's interval lies on one side of the middle; answers without any spread have none to lie there."""
    scale = gathered.asked.scale
    intervals = [group.scale.interval for group in groups if group.scale and group.scale.interval]
    if scale is None or len(groups) < LEAST or len(intervals) < len(groups):
        return
    middle, who = sum(scale) / 2, _all(gathered, len(groups))
    above = all(round(interval.low, 2) > middle for interval in intervals)
    if above or all(round(interval.high, 2) < middle for interval in intervals):
        side = "above" if above else "below"
        note = low_is_good(gathered.asked.text)
        yield f"The means of {who} are {side} the middle of the scale ({figure(middle)}), with their intervals{note}."


def _all(gathered: Gathered, number: int) -> str:
    """The groups that a sentence speaks of: not all of them where some have hardly answered."""
    if number != len(gathered.groups):
        return f"the {number} groups with {LEAST} or more answers"
    return "both groups" if number == LEAST else f"all {number} groups"


def _narrow(gathered: Gathered) -> Iterator[str]:
    """Where most personas lie within a quarter of the scale, at least two neighbouring points."""
    scale, given = gathered.asked.scale, sorted(numbers(usable(gathered.everyone)))
    if scale is None or len(given) <= LEAST or scale[1] - scale[0] <= LEAST:
        return
    reach = max(1.0, QUARTER * (scale[1] - scale[0]))
    near = max(([one for one in given if low <= one <= low + reach] for low in given), key=len)
    if len(near) >= MOST_OF * len(given):
        yield f"{len(near)} of {personas(len(given))} answered {_span(near)}."


def _span(given: Sequence[float]) -> str:
    low, high = written(min(given)), written(max(given))
    return low if low == high else f"{low} to {high}"


def _first_everywhere(gathered: Gathered, groups: Sequence[Summary]) -> Iterator[str]:
    """The option that leads each group beyond chance; where only one can be chosen, with more than half behind it."""
    only_one = gathered.asked.type == "categorical"
    firsts = set()
    for group in groups:
        leading = leaders(group.counts)
        clear = len(leading) == 1 and (not only_one or _by_most(group, leading[0].value))
        firsts.add(leading[0].value if clear else None)
    option = firsts.pop() if len(firsts) == 1 else None
    if len(groups) >= LEAST and option is not None:
        said = f"speak most of {option}" if gathered.asked.type == "qualitative" else f"put {option} first"
        yield f"{_all(gathered, len(groups)).capitalize()} {said}."


def _by_most(group: Summary, option: str) -> bool:
    """Whether more than half of the group named it, by the whole interval of the share."""
    found = next((count.interval for count in group.counts if count.value == option), None)
    return found is not None and found.low > HALF


def _named_everywhere(gathered: Gathered, groups: Sequence[Summary]) -> Iterator[str]:
    answered = usable(gathered.everyone)
    named, only_one = often(answered), gathered.asked.type == "categorical"
    for option in gathered.options:
        count, of_all = named[option], f"{named[option]} of {personas(len(answered))}"
        # What a large group chose is no agreement where a small one chose otherwise, or is split in halves.
        shares = [next((one.share for one in group.counts if one.value == option), 0.0) for group in groups]
        by_no_minority = all(share > HALF or (share == HALF and not only_one) for share in shares)
        if len(answered) > LEAST and count >= MOST_OF * len(answered) and by_no_minority:
            verb = "chose" if gathered.asked.type != "qualitative" else "speaks of" if count == 1 else "speak of"
            yield f"{of_all} {verb} {option}."
        elif not only_one and len(groups) >= LEAST and all(_by_most(group, option) for group in groups):
            yield f"{option} is named by more than half of the personas in {_all(gathered, len(groups))}: {of_all}."


def _means_apart(gathered: Gathered, compared: Compared) -> Iterator[str]:
    note = low_is_good(gathered.asked.text)
    of = f"; of {compared.made} pairs compared" if compared.made > 1 else ""
    for one in compared.differences:
        if one.clear and one.interval:
            interval = f"interval {figure(one.interval.low)} to {figure(one.interval.high)}"
            yield f"{one.first} rate it {figure(one.difference)} points above {one.second} ({interval}{of}){note}."


def _two_camps(gathered: Gathered) -> Iterator[str]:
    """A third or more in each outer quarter of the scale, and next to nobody between: hardly anybody gave the mean."""
    scale, given = gathered.asked.scale, numbers(usable(gathered.everyone))
    if scale is None or len(given) < 2 * LEAST:
        return
    reach = QUARTER * (scale[1] - scale[0])
    low = [number for number in given if number - scale[0] < reach]
    high = [number for number in given if scale[1] - number < reach]
    between_them = len(given) - len(low) - len(high)
    if CAMP * min(len(low), len(high)) >= len(given) and between_them <= BETWEEN * len(given):
        yield (
            f"The answers fall into two camps: {len(low)} of {personas(len(given))} gave {_span(low)}, "
            f"{len(high)} gave {_span(high)}."
        )


def _shares_apart(gathered: Gathered, compared: Compared) -> Iterator[str]:
    answered = gathered.answered()
    of = f"; of {compared.made} comparisons" if compared.made > 1 else ""
    for one in [each for each in compared.differences if each.clear][:MOST_PAIRS]:
        if one.interval:
            both = (answered[one.first], answered[one.second])
            first, second = (often(entries)[one.measure] / len(entries) for entries in both)
            points = f"{one.interval.low * 100:.0f} to {one.interval.high * 100:.0f} points"
            yield (
                f"{one.measure}: {percent(first)} of {one.first}, {percent(second)} of {one.second} "
                f"(interval of the difference {points}{of})."
            )


def _other_first(gathered: Gathered, groups: list[Summary], differences: Sequence[Difference]) -> Iterator[str]:
    firsts = {}
    for group in groups:  # the one value that was given most often; none where several share that place
        ranked = Counter({count.value: count.count for count in group.counts if count.count}).most_common(2)
        if ranked and (len(ranked) == 1 or ranked[0][1] != ranked[1][1]):
            firsts[str(group.group)] = ranked[0][0]
    # Who clearly gives its own first thing more often than a group with another one: each of those that are named.
    own = [one for one in differences if one.clear and one.measure == firsts.get(one.first) != firsts.get(one.second)]
    apart = {(one.first, one.second) for one in own}
    firsts = {group: first for group, first in firsts.items() if group in {pair[0] for pair in apart}}
    if len(set(firsts.values())) > 1 and all(
        firsts[one] == firsts[other] or (one, other) in apart for one, other in permutations(firsts, 2)
    ):
        named = "; ".join(
            f"{option}: {some([group for group, first in firsts.items() if first == option])}"
            for option in gathered.options
            if option in firsts.values()
        )
        yield f"The groups put different things first: {named}."


def _only_in(gathered: Gathered, groups: list[Summary], compared: Compared) -> Iterator[str]:
    """Themes that several of one group speak of, and nobody else, where that is clear against every other group."""
    if gathered.asked.type != "qualitative" or len(groups) < LEAST:
        return
    answered = gathered.answered()
    named = {name: often(entries) for name, entries in answered.items()}
    for theme in gathered.options:
        speaking = [name for name in answered if named[name][theme]]
        only = speaking[0] if len(speaking) == 1 else None
        if only and all((only, str(other.group), theme) in compared.clear for other in groups if other.group != only):
            yield f"Only {only} speak of {theme}: {named[only][theme]} of {len(answered[only])}."
