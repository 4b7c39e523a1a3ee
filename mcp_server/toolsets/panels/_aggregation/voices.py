"""Single voices: those that differ from their group, and the strongest of all. Pure."""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import sqrt
from statistics import fmean, stdev

from mcp_server.toolsets.panels._aggregation.gathering import Entry, Gathered, Who, usable
from mcp_server.toolsets.panels._aggregation.reading import written
from mcp_server.toolsets.panels._aggregation.summaries import numbers, often
from mcp_server.toolsets.panels._aggregation.texts import figure, opening, percent
from mcp_server.toolsets.panels._results import Quote, Voice

MOST_VOICES, MOST_QUOTES = 8, 4
LEAST = 3  # answers that a group must have before somebody can stand against it

DEVIATIONS, FROM_OTHERS = 1.5, 2.0
"""Standard deviations of the group, and of the group without the one who stands apart: either is enough."""

POINTS, PART = 2.0, 0.2
SELDOM, MOSTLY, NEARLY_ALL = 0.2, 0.6, 0.75
CLEARLY = 0.2  # sentiment from which somebody is in favour or against

Dissent = tuple[float, Entry, str]


def dissent(gathered: Gathered) -> list[Voice]:
    """All who are far from their group, the farthest first, each persona once."""
    find = {"scale": _far, "qualitative": _alone}.get(gathered.asked.type, _against_most)
    answered = gathered.answered().items()
    found = list(_opposed(gathered)) or [
        one for name, entries in answered if len(entries) >= LEAST for one in find(name, entries, gathered)
    ]
    voices: dict[Who, Voice] = {}
    for _, entry, reason in sorted(found, key=lambda one: -one[0]):
        chosen = "; ".join(entry.choices) or "none of these"
        voice = Voice(
            persona=entry.reply.persona,
            group=entry.reply.group,
            value=chosen if entry.number is None else written(entry.number),
            quote=opening(entry.reply.message) or None,
            reason=reason,
        )
        voices.setdefault(entry.who, voice)
    return list(voices.values())


def _far(group: str, entries: Sequence[Entry], gathered: Gathered) -> Iterator[Dissent]:
    """Standard deviations and 2 points (a fifth of a long scale) off, or at the other end."""
    given = numbers(entries)
    scale, n, mean, sd = gathered.asked.scale, len(given), fmean(given), stdev(given)
    least = max(POINTS, PART * (scale[1] - scale[0])) if scale else POINTS
    for entry, number in zip(entries, given, strict=True):
        apart = abs(number - mean)
        # A single voice widens the spread of a small group so far that it would always lie within.
        of_others = sqrt(max(0.0, (n - 1) * sd**2 - apart**2 * n / (n - 1)) / (n - 2))
        deviates = apart >= min(DEVIATIONS * sd, FROM_OTHERS * of_others)
        low, high = scale or (0, 0)
        third = (high - low) / 3
        other_end = (number == low and mean >= high - third) or (number == high and mean <= low + third)
        if (deviates and apart >= least) or (low < high and other_end):
            yield apart, entry, f"{group} give {figure(mean)} on average"


def _against_most(group: str, entries: Sequence[Entry], gathered: Gathered) -> Iterator[Dissent]:
    """Whoever chose only what few chose, where most chose something else; alone in a small group, too."""
    counts = often(entries)
    shares = {option: counts[option] / len(entries) for option in gathered.options}
    most = max(shares, key=lambda option: shares[option], default=None)
    if most is None or shares[most] < MOSTLY:
        return
    for entry in entries:
        own = max((shares[choice] for choice in entry.choices), default=0.0)
        alone = own * len(entries) <= 1 and shares[most] >= NEARLY_ALL
        if entry.choices and (own <= SELDOM or alone):
            yield shares[most] - own, entry, f"{percent(shares[most])} of {group} chose {most}"


def _opposed(gathered: Gathered) -> Iterator[Dissent]:
    """Whoever rejects the question's premise, where most do not, or goes along with it where most reject it."""
    told = [entry for entry in usable(gathered.everyone) if entry.reply.stance is not None]
    objecting = sum(entry.reply.stance == "disagrees" for entry in told)
    sides = (("disagrees", len(told) - objecting, "do not object to"), ("agrees", objecting, "object to"))
    for stance, most, does in sides:
        if len(told) >= LEAST and most >= MOSTLY * len(told):
            reason = f"{most} of {len(told)} {does} what the question takes for granted"
            yield from ((0.0, entry, reason) for entry in told if entry.reply.stance == stance)


def _alone(group: str, entries: Sequence[Entry], gathered: Gathered) -> Iterator[Dissent]:
    """Whoever is alone with a theme and, where the answers have sentiment, of another mind than most of the group."""
    themes = often(usable(gathered.everyone))
    known = [entry.reply.sentiment for entry in entries if entry.reply.sentiment is not None]
    for entry in entries:
        own = [theme for theme in entry.choices if themes[theme] == 1]
        if not own:
            continue
        does = "speaks of" if gathered.asked.coded_by == "model" else "gives the label"
        reason, sentiment = f"nobody else {does} {own[0]}", entry.reply.sentiment
        if not known:
            if len(own) == len(entry.choices) and max(themes.values()) >= LEAST:
                yield 0.0, entry, reason
        elif sentiment is not None and abs(sentiment) >= CLEARLY:
            mean, opposed = fmean(known), sum(abs(one) >= CLEARLY and one * sentiment < 0 for one in known)
            if sentiment * mean < 0 and opposed > len(known) / 2:
                side = "in favour" if mean > 0 else "against"
                most = f"most of {group} are {side} (mean sentiment {figure(mean)})"
                yield abs(sentiment - mean), entry, f"{reason}, and {most}"


def strongest(gathered: Gathered) -> list[Quote]:
    """Two to four voices: from different groups and sides first, and of these the farthest out."""
    answered = usable(gathered.everyone)
    given = numbers(answered)
    mean = fmean(given) if given else None
    left = {place: entry for place, entry in enumerate(answered) if entry.reply.message.strip()}
    groups, sides = Counter[str](), Counter[str]()
    quotes: list[Quote] = []

    def rank(place: int) -> tuple[int, int, float]:
        strength, side = _position(left[place], mean)
        return groups[left[place].reply.group], sides[side], -strength

    while left and len(quotes) < MOST_QUOTES:
        entry = left.pop(min(left, key=rank))
        if text := opening(entry.reply.message):
            groups[entry.reply.group] += 1
            sides[_position(entry, mean)[1]] += 1
            quotes.append(Quote(persona=entry.reply.persona, group=entry.reply.group, text=text))
    return quotes


def _position(entry: Entry, mean: float | None) -> tuple[float, str]:
    """How strong a voice is, and on which side: of the mean, else by its sentiment, else by its first choice."""
    if mean is not None and entry.number is not None:
        return abs(entry.number - mean), str(entry.number > mean)
    sentiment = entry.reply.sentiment
    return abs(sentiment or 0.0), next(iter(entry.choices), "") if sentiment is None else str(sentiment > 0)
